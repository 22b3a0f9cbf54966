"""Graphs as facts, written in order like a history, and what the shipped rules make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from hypothesis import settings
from hypothesis import strategies as st

from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_rules
from contextmesh.policy import Policy

Rows = dict[str, set[Row]]
Evaluate = Callable[[Program, Mapping[str, Iterable[Row]]], Rows]

WHOLE = ("legality.dl", "propagation.dl", "lineage.dl", "provenance.dl", "walk.dl", "deadend.dl", "prune.dl",
         "health.dl", "time.dl", "schedule.dl")  # fmt: skip
SPREAD = ("legality.dl", "propagation.dl")
EVIDENCE = "proof of "

patient = settings(deadline=None)
"""How a law is tried: by as many worlds as the profile says, however busy the machine is."""


@cache
def program_of(*files: str, extra: str = "", without: str | None = None) -> Program:
    """The program of some shipped files, the inputs, and ``extra`` rules; ``without`` drops one file."""
    sources = {source.name.removeprefix("rules/"): source for source in Policy.load().sources}
    texts = [parse_rules(sources[name]) for name in ("schema.dl", *files) if name != without]
    return build_program([*texts, parse_rules(Source("extra.dl", extra))])


def by_definition(program: Program, facts: Mapping[str, Iterable[Row]]) -> Rows:
    return {name: set(rows) for name, rows in spec.evaluate(program, facts).items()}


def by_engine(program: Program, facts: Mapping[str, Iterable[Row]]) -> Rows:
    """From no facts to these, as one change that is undone afterwards; so one engine serves every world."""
    _, engine = _engines.setdefault(id(program), (program, Engine(program)))
    names = tuple(program.declarations)
    for name in names:
        engine.read(name)
    with engine.trial() as trial:
        trial.apply(Delta.of(added=facts), report=())
        return {name: set(engine.rows(name)) for name in names}


_engines: dict[int, tuple[Program, Engine]] = {}


def evaluators() -> list[Evaluate]:
    """The definition first, and the maintained engine."""
    return [by_definition, by_engine]


@dataclass
class World:
    """A history: every call appends facts at the next transaction number."""

    facts: dict[str, list[Row]] = field(default_factory=dict)
    seq: int = 0

    def __post_init__(self) -> None:
        for relation, rows in Policy.load().facts.items():
            self.facts[relation] = list(rows)

    def say(self, relation: str, *row: str | int) -> None:
        rows = self.facts.setdefault(relation, [])
        if row not in rows:
            rows.append(row)

    def node(self, name: str, kind: str) -> str:
        self.seq += 1
        self.say("node", name, kind)
        self.say("named", name, name)
        self.say("born", name, self.seq)
        return name

    def nodes(self, kind: str, *names: str) -> None:
        for name in names:
            self.node(name, kind)

    def edge(self, src: str, kind: str, dst: str, bound: str | None = None) -> str:
        self.seq += 1
        name = f"{src} {kind} {dst}"
        self.say("edge", name, src, kind, dst)
        if ("born", name) not in {("born", row[0]) for row in self.facts["born"]}:
            self.say("born", name, self.seq)
        if bound is not None:
            self.say("bound", name, bound)
        return name

    def justify(self, name: str, *ways: Sequence[str]) -> None:
        """Each way is a set of grounds."""
        self.seq += 1
        before = sum(row[1] == name for row in self.facts.get("justification", []))
        for number, grounds in enumerate(ways, start=before + 1):
            way = f"{name}#{number}"
            self.say("justification", way, name)
            for ordinal, ground in enumerate(grounds, start=1):
                self.say("premise", way, ordinal, ground)

    def reject(self, assumption: str) -> None:
        self.seq += 1
        evidence = EVIDENCE + assumption
        self.say("node", evidence, "evidence")
        self.say("named", evidence, evidence)
        self.say("born", evidence, self.seq)
        self.say("edge", f"{evidence}!", evidence, "contradicts", assumption)
        self.say("born", f"{evidence}!", self.seq)
        self.say("verdict", assumption, evidence, self.seq)

    def rows(self, *files: str, evaluate: Evaluate = by_definition, extra: str = "") -> Rows:
        return evaluate(program_of(*(files or SPREAD), extra=extra), self.facts)

    def column(self, relation: str, *files: str, **how: object) -> set[str | int]:
        """The first column of a relation."""
        return {row[0] for row in self.rows(*files, **how)[relation]}  # type: ignore[arg-type]


# ---- generated histories ------------------------------------------------------------------------

KINDS = {"s": "source", "a": "assumption", "c": "claim", "d": "decision", "e": "entity"}
NAMES = tuple(f"{letter}{number}" for letter in KINDS for number in range(1, 5))
PAIRS = tuple(
    (src, edge, dst)
    for edge, left, right in Policy.load().facts["legal"]
    for src in NAMES
    for dst in NAMES
    if KINDS[src[0]] == left and KINDS[dst[0]] == right and src != dst
)
STANDING = tuple(pair for pair in PAIRS if pair[1] in ("derived_from", "depends_on", "produces"))
ASSUMPTIONS = tuple(name for name in NAMES if name[0] == "a")

edge_events = st.tuples(
    st.just("edge"),
    st.one_of(st.sampled_from(STANDING), st.sampled_from(PAIRS)),
    st.one_of(st.none(), st.none(), st.none(), st.sampled_from(ASSUMPTIONS)),
)
reject_events = st.tuples(st.just("reject"), st.sampled_from(ASSUMPTIONS))
plain_histories = st.lists(st.one_of(edge_events, edge_events, edge_events, reject_events), max_size=25)
"""Edges of every legal kind, some bound to an assumption, with rejections between them."""

_CLAIMS = tuple(name for name in NAMES if name[0] in "cd")
_GROUNDS = tuple(name for name in NAMES if name[0] in "acds")
_ways = st.lists(st.lists(st.sampled_from(_GROUNDS), min_size=1, max_size=3), min_size=1, max_size=3)
stated_grounds = st.dictionaries(st.sampled_from(_CLAIMS), _ways, max_size=5)
"""Which nodes state justifications, and which; fixed when a node is written."""

_FEW = tuple(name for name in NAMES if name[1] in "12")
dense_histories = st.lists(
    st.one_of(
        st.tuples(
            st.just("edge"),
            st.sampled_from(tuple(pair for pair in STANDING if pair[0] in _FEW and pair[2] in _FEW)),
            st.one_of(st.none(), st.none(), st.sampled_from(ASSUMPTIONS)),
        ),
        reject_events,
    ),
    min_size=5,
    max_size=25,
)
dense_grounds = st.dictionaries(
    st.sampled_from(tuple(name for name in _FEW if name[0] in "cd")),
    st.lists(
        st.lists(st.sampled_from(("a1", "a2", "a3", "c1", "c2", "d1", "d2")), min_size=1, max_size=3),
        min_size=1,
        max_size=3,
    ),
    min_size=1,
)
"""Few names, so that justifications, cycles, bound edges and rejections meet."""


def world_of(history: Sequence[tuple[object, ...]], stated: Mapping[str, Sequence[Sequence[str]]] = {}) -> World:
    """Every name as a node, what it states, then the history."""
    world = World()
    for name in NAMES:
        world.node(name, KINDS[name[0]])
    for name, ways in stated.items():
        world.justify(name, *ways)
    replay(world, history)
    return world


def replay(world: World, history: Sequence[tuple[object, ...]]) -> None:
    rejected = {row[0] for row in world.facts.get("verdict", [])}
    joined = {row[1:] for row in world.facts.get("edge", [])}
    for event in history:
        if event[0] == "reject" and event[1] not in rejected:
            rejected.add(event[1])
            world.reject(str(event[1]))
        elif event[0] == "edge" and event[1] not in joined:
            joined.add(event[1])  # type: ignore[arg-type]
            src, kind, dst = event[1]  # type: ignore[misc]
            world.edge(src, kind, dst, event[2])  # type: ignore[arg-type]
