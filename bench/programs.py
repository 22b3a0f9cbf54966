"""Datalog programs under our engine, raw pyDatalog and clingo: facts in memory to rows counted, loading included.

python -m bench.programs JOB WHO SIZE [FILE]    one measurement, as JSON
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from bench.measure import Figure, cpu, in_its_own_process

Facts = dict[str, list[tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Job:
    """``rules`` are read by our parser and by clingo alike; ``raw`` states them in pyDatalog's own terms, the way
    that ends there: the recursive literal first."""

    rules: str
    goal: str
    arity: int
    facts: Callable[[int], Facts]
    raw: Callable[[Any], None]
    sizes: Sequence[int] = field(default=())


# ---- facts ------------------------------------------------------------------------------------------


def window_graph(size: int) -> Facts:
    """``size`` edges over half as many nodes, each a short way ahead: nearly every later node is reached."""
    random = Random(1)
    edges = {(a, a + random.randint(1, 12)): None for a in range(size // 2) for _ in range(2)}
    return {"edge": list(edges)}


def binary_tree(size: int) -> Facts:
    return {"parent": [(node, (node - 1) // 2) for node in range(1, size)]}


def statements(size: int) -> Facts:
    """Allocations, assignments, loads and stores over half as many variables; most stay near each other."""
    random = Random(2)
    names = max(2, size // 2)

    def near(name: int) -> int:
        return (name + random.randint(1, 8)) % names

    facts: Facts = {"alloc": [], "assign": [], "load": [], "store": []}
    for number in range(size):
        name = random.randrange(names)
        kind = random.choice(["alloc", "assign", "assign", "load", "store"])
        if kind == "alloc":
            facts[kind].append((name, number))
        elif kind == "assign":
            facts[kind].append((name, near(name)))
        else:
            facts[kind].append((name, near(name), random.randrange(4)))
    return facts


def chain(size: int) -> Facts:
    return {"edge": [(i, i + 1) for i in range(size)], "root": [(0,)]}


def packages(size: int) -> Facts:
    """``size`` packages, three requirements each, popular ones more often; one in fifty is on a cycle."""
    random = Random(3)
    edges: dict[tuple[int, int], None] = {}
    for name in range(1, size):
        for _ in range(3):
            edges[name, int(name * random.random() ** 2)] = None
        if random.random() < 0.02:
            edges[random.randrange(name), name] = None
    return {
        "requires": list(edges),
        "root": [(size - 1 - i,) for i in range(4)],
        "package": [(i,) for i in range(size)],
    }


def packages_from(path: Path) -> Facts:
    """The same from a file of tab-separated pairs (package, what it requires), names numbered; # starts a comment."""
    numbers: dict[str, int] = {}
    edges = []
    for line in path.read_text(encoding="utf-8").splitlines():
        pair = line.split("\t")[:2]
        if len(pair) == 2 and not line.startswith("#"):
            edges.append(tuple(numbers.setdefault(name, len(numbers)) for name in pair))
    out: dict[int, int] = {}
    for name, _ in edges:
        out[name] = out.get(name, 0) + 1
    roots = sorted(out, key=lambda name: -out[name])[:4]
    return {
        "requires": list(dict.fromkeys(edges)),
        "root": [(r,) for r in roots],
        "package": [(i,) for i in numbers.values()],
    }


# ---- the same rules in pyDatalog's terms --------------------------------------------------------------


def rule(head: Any, body: Any) -> None:
    """pyDatalog takes a comparison for a clause."""
    _ = head <= body


def raw_closure(t: Any) -> None:
    x, y, z = t("X"), t("Y"), t("Z")
    rule(t("reach")(x, y), t("edge")(x, y))
    rule(t("reach")(x, y), t("reach")(x, z) & t("edge")(z, y))


def raw_same_generation(t: Any) -> None:
    x, y, a, b = t("X"), t("Y"), t("A"), t("B")
    rule(t("same")(x, y), t("parent")(x, a) & t("parent")(y, a))
    rule(t("same")(x, y), t("same")(a, b) & t("parent")(x, a) & t("parent")(y, b))


def raw_points_to(t: Any) -> None:
    v, w, o, b, f = t("V"), t("W"), t("O"), t("B"), t("F")
    rule(t("pt")(v, o), t("alloc")(v, o))
    rule(t("pt")(v, o), t("pt")(w, o) & t("assign")(v, w))
    rule(t("pt")(v, o), t("heap")(b, f, o) & t("load")(v, w, f) & t("pt")(w, b))
    rule(t("heap")(b, f, o), t("pt")(v, b) & t("store")(v, w, f) & t("pt")(w, o))


def raw_chain(t: Any) -> None:
    x, y = t("X"), t("Y")
    rule(t("reach")(x), t("root")(x))
    rule(t("reach")(y), t("reach")(x) & t("edge")(x, y))


def raw_packages(t: Any) -> None:
    r, x, y = t("R"), t("X"), t("Y")
    rule(t("needs")(r, x), t("root")(r) & t("requires")(r, x))
    rule(t("needs")(r, y), t("needs")(r, x) & t("requires")(x, y))


JOBS: dict[str, Job] = {
    "transitive closure": Job(
        "reach(X,Y) :- edge(X,Y). reach(X,Y) :- reach(X,Z), edge(Z,Y).",
        "reach",
        2,
        window_graph,
        raw_closure,
        (250, 500, 1000),
    ),
    "same generation": Job(
        "same(X,Y) :- parent(X,A), parent(Y,A). same(X,Y) :- parent(X,A), same(A,B), parent(Y,B).",
        "same",
        2,
        binary_tree,
        raw_same_generation,
        (127, 255, 511),
    ),
    "points-to": Job(
        "pt(V,O) :- alloc(V,O). pt(V,O) :- assign(V,W), pt(W,O). pt(V,O) :- load(V,W,F), pt(W,B), heap(B,F,O). "
        "heap(B,F,O) :- store(V,W,F), pt(V,B), pt(W,O).",
        "pt",
        2,
        statements,
        raw_points_to,
        (250, 500, 1000, 2000),
    ),
    "chain from a root": Job(
        "reach(X) :- root(X). reach(Y) :- reach(X), edge(X,Y).",
        "reach",
        1,
        chain,
        raw_chain,
        (1000, 10_000, 100_000),
    ),
    "packages with cycles": Job(
        "needs(R,X) :- root(R), requires(R,X). needs(R,Y) :- needs(R,X), requires(X,Y).",
        "needs",
        2,
        packages,
        raw_packages,
        (1000, 10_000, 60_000),
    ),
}

# ---- running ------------------------------------------------------------------------------------------


def engine(job: Job) -> Callable[[Facts], int]:
    from contextmesh.base.source import Source
    from contextmesh.datalog.engine import Engine
    from contextmesh.datalog.limits import Limits
    from contextmesh.datalog.program import build_program
    from contextmesh.lang.rules import parse_rules

    parse_rules(Source("<bench>", job.rules))  # the grammar is read once a process, like a module

    def run(facts: Facts) -> int:
        program = build_program([parse_rules(Source("<bench>", job.rules))], standalone=True, facts=facts)
        return Engine(program, facts, limits=Limits(seconds=3600)).count(job.goal)

    return run


def pydatalog(job: Job) -> Callable[[Facts], int]:
    from pyDatalog import pyDatalog

    def run(facts: Facts) -> int:
        for name, rows in facts.items():
            for row in rows:
                pyDatalog.assert_fact(name, *row)
        job.raw(pyDatalog.Variable)
        return len(pyDatalog.Variable(job.goal)(*(pyDatalog.Variable(name) for name in "PQRS"[: job.arity])).data)

    return run


def clingo(job: Job) -> Callable[[Facts], int]:
    from clingo import Control

    def run(facts: Facts) -> int:
        control = Control(["--warn=none"])
        text = "\n".join(f"{name}({','.join(map(str, row))})." for name, rows in facts.items() for row in rows)
        control.add("base", [], f"{text}\n{job.rules}")
        control.ground([("base", [])])
        return sum(1 for _ in control.symbolic_atoms.by_signature(job.goal, job.arity))

    return run


WHO: dict[str, Callable[[Job], Callable[[Facts], int]]] = {"engine": engine, "pydatalog": pydatalog, "clingo": clingo}
"""How each gets ready (imports and our grammar, not timed), and what is timed: facts in, rules in, rows counted."""


def measured(name: str, who: str, size: int, file: Path | None = None) -> Figure:
    """One program, by one of WHO, in this process."""
    job = JOBS[name]
    facts = packages_from(file) if file is not None else job.facts(size)
    run = WHO[who](job)
    seconds, rows = cpu(lambda: run(facts))
    return Figure(name, who, len(facts["requires"]) if file is not None else size, seconds, rows)


def figures(largest: int | None, timeout: float, file: Path | None) -> list[Figure]:
    """Every program at each size up to the largest; one that misses its deadline is not tried at a larger size."""
    found = []
    for name, job in JOBS.items():
        sizes = [size for size in job.sizes if largest is None or size <= largest] or [job.sizes[0]]
        if file is not None and name.startswith("packages"):
            sizes = [0]
        for who in WHO:
            for size in sizes:
                extra = [str(file)] if file is not None and size == 0 else []
                got = in_its_own_process("bench.programs", [name, who, str(size), *extra], timeout)
                found += [Figure(name, who, size, None, note=got)] if isinstance(got, str) else got
                if isinstance(got, str):
                    break
    return found


if __name__ == "__main__":
    job_, who_, size_, *file_ = sys.argv[1:]
    figure = measured(job_, who_, int(size_), Path(file_[0]) if file_ else None)
    print(json.dumps([figure.as_json()]))
