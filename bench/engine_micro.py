"""What the engine costs per write, dry run, rejection and health check under the shipped rules, at several sizes.

    python -m bench.engine_micro [SIZE …]     a table; sizes are numbers of nodes (default 1000 10000 100000)

The graph has three edges a node: sources, claims that cite and mention, decisions in chains and fans, and
assumptions under them. Times are CPU time of the engine alone, the best of some repetitions where repeating
is possible; memory is what the facts, their indexes and the derived rows hold.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.policy import Policy
from contextmesh.store.relations import ONE_EACH
from contextmesh.store.store import TOLD

Facts = dict[str, list[tuple[Any, ...]]]
CHECKED = (*TOLD, "violation")
FAN = 100


class Graph:
    """Facts as a store makes them: new strings for ids, shared strings for kinds and types."""

    def __init__(self, size: int) -> None:
        self.random = Random(7)
        self.facts: Facts = {}
        self.edges = 0
        self.pairs: dict[tuple[str, str, str], None] = {}
        self.by_kind: dict[str, list[str]] = {}
        for number in range(size):
            self._node(number, size)

    def add(self, relation: str, *row: Any) -> None:
        self.facts.setdefault(relation, []).append(row)

    def node(self, kind: str, number: int, carries: tuple[str, ...]) -> str:
        name = f"{kind}:some-words-of-a-label-{number:06x}"
        self.by_kind.setdefault(kind, []).append(name)
        self.add("node", name, kind)
        self.add("named", name, f"Some words of a label {number}")
        self.add("born", name, number)
        self.add("born_at_build", name, 1)
        for field in carries:
            self.add("carries", name, field)
        return name

    def edge(self, src: str, kind: str, dst: str) -> None:
        if src == dst or (src, kind, dst) in self.pairs:
            return
        self.pairs[src, kind, dst] = None
        self.edges += 1
        name = f"e:{self.edges:012x}"
        self.add("edge", name, src, kind, dst)
        self.add("born", name, self.edges)

    def any(self, kind: str) -> str:
        return self.random.choice(self.by_kind[kind])

    def _node(self, number: int, size: int) -> None:
        if number < 10 or number % 20 == 0:
            self.node("source", number, ("origin", "retrieved_at"))
            if number >= 20:
                self._source_edges()
        elif number % 20 == 1 or number < 20:
            name = self.node("entity", number, ("canonical", "aliases"))
            self.edge(name, "derived_from", self.any("source"))
        elif number % 200 == 2 or number < 30:
            self.node("assumption", number, ("status", "version"))
        elif number % 4 == 3:
            self._decision(number)
        else:
            name = self.node("claim", number, ("provenance", "provenance"))
            source = self.any("source")
            self.add("provenance", name, source)
            self.edge(name, "derived_from", source)
            self.edge(name, "mentions", self.any("entity"))
            self.edge(name, "mentions", self.any("entity"))
            self.edge(name, "cites", self.any("claim")) if number > 40 and number % 3 == 0 else None

    def _source_edges(self) -> None:
        source = self.by_kind["source"][-1]
        for _ in range(5):
            self.edge(source, "mentions", self.any("entity"))

    def _decision(self, number: int) -> None:
        """A hundred decisions to a run: a chain, then a fan, on one assumption."""
        name = self.node("decision", number, ("rationale", "provenance"))
        source = self.any("source")
        self.add("provenance", name, source)
        self.edge(name, "cites", source)
        self.edge(name, "derived_from", self.any("claim")) if "claim" in self.by_kind else None
        made = self.by_kind["decision"]
        place = len(made) % FAN
        if place == 1:
            self.edge(
                name, "depends_on", self.by_kind["assumption"][(len(made) // FAN) % len(self.by_kind["assumption"])]
            )
        elif place > 1:
            back = 1 if place < FAN // 2 else place - FAN // 2 + 1
            self.edge(name, "depends_on", made[-1 - back] if len(made) > back else made[0])


def best(work: Callable[[], Any], times: int) -> float:
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def loaded(size: int) -> tuple[Engine, Graph, float]:
    """One bulk write of the whole graph, checked; and the seconds it took."""
    policy = Policy.load()
    graph = Graph(size)
    engine = Engine(policy.program, policy.facts, keyed=ONE_EACH)
    checks = {"new_node": graph.facts["node"], "new_edge": graph.facts["edge"]}
    gc.collect()
    gc.freeze()
    start = time.process_time()
    with engine.trial() as trial:
        engine.apply(Delta.of(added={**graph.facts, **checks}), report=CHECKED)
        assert not engine.count("violation"), engine.rows("violation")[:3]
        engine.apply(Delta.of(dropped=checks), report=())
        trial.keep()
    return engine, graph, time.process_time() - start


class Writer:
    """Transactions as a store runs them."""

    def __init__(self, engine: Engine, graph: Graph) -> None:
        self.engine = engine
        self.graph = graph
        self.seq = 10_000_000

    def edge(self, src: str, kind: str, dst: str) -> tuple[Facts, Facts]:
        self.seq += 1
        row = (f"e:new{self.seq}", src, kind, dst)
        return {"edge": [row], "born": [(row[0], self.seq)]}, {"new_edge": [row]}

    def mention(self) -> tuple[Facts, Facts]:
        """A new edge between a claim and an entity that stand."""
        while True:
            pair = (self.graph.any("claim"), "mentions", self.graph.any("entity"))
            if pair not in self.graph.pairs:
                self.graph.pairs[pair] = None
                return self.edge(*pair)

    def commit(self, facts: Facts, checks: Facts, report: tuple[str, ...]) -> Delta:
        with self.engine.trial() as trial:
            told = self.engine.apply(Delta({**facts, **checks}), report=report)
            assert not self.engine.count("violation"), self.engine.rows("violation")
            self.engine.apply(Delta({}, checks), report=())
            trial.keep()
        return told

    def rejection(self, assumption: str) -> tuple[Facts, Facts]:
        self.seq += 1
        name = f"evidence:{self.seq}"
        facts, checks = self.edge(name, "contradicts", assumption)
        facts["node"] = [(name, "evidence")]
        facts["born"].append((name, self.seq))
        facts["named"] = [(name, "what was seen")]
        facts["carries"] = [(name, "kind")]
        facts["verdict"] = [(assumption, name, self.seq)]
        checks["new_node"] = facts["node"]
        checks["new_verdict"] = [(assumption, name)]
        return facts, checks

    def blast(self, assumption: str, report: tuple[str, ...]) -> Delta:
        facts, checks = self.rejection(assumption)
        with self.engine.trial(wanted=report):
            return self.engine.apply(Delta({**facts, **checks}), report=report)


def measured(size: int) -> dict[str, float]:
    engine, graph, seconds = loaded(size)
    writer = Writer(engine, graph)
    assumptions = graph.by_kind["assumption"]
    figures = {"edges": float(graph.edges), "bulk µs/node": seconds / size * 1e6}

    def add_edges(report: tuple[str, ...]) -> float:
        fresh = [writer.mention() for _ in range(50)]
        start = time.process_time()
        for facts, checks in fresh:
            writer.commit(facts, checks, report)
        return (time.process_time() - start) / len(fresh)

    figures["edge, legality µs"] = min(add_edges(("violation",)) for _ in range(20)) * 1e6
    figures["edge, receipt µs"] = min(add_edges(CHECKED) for _ in range(20)) * 1e6
    figures["bytes/node"] = memory(engine) / size
    engine.read("fell")
    figures["blast fell µs"] = best(lambda: writer.blast(assumptions[0], ("fell",)), 20) * 1e6
    figures["blast rows"] = float(len(writer.blast(assumptions[0], ("fell",)).plus("fell")))
    figures["dry run all µs"] = best(lambda: writer.blast(assumptions[0], CHECKED), 20) * 1e6
    rejections = []
    for name in assumptions[1:12]:
        start = time.process_time()
        writer.commit(*writer.rejection(name), CHECKED)
        rejections.append(time.process_time() - start)
    figures["reject, first µs"] = rejections[0] * 1e6
    figures["reject µs"] = min(rejections) * 1e6
    start = time.process_time()
    engine.read("signal")
    figures["health, first s"] = time.process_time() - start
    figures["bytes/node, all"] = memory(engine) / size
    writer.commit(*writer.mention(), CHECKED)
    engine.read("signal")

    def one_write() -> float:
        writer.commit(*writer.mention(), CHECKED)
        start = time.process_time()
        engine.read("signal")
        return time.process_time() - start

    figures["health after a write µs"] = min(one_write() for _ in range(20)) * 1e6
    return figures


def memory(engine: Engine) -> float:
    """Bytes held by rows, indexes, logs and their containers; the values themselves are the caller's."""
    total = 0
    for relation in engine.relations.values():
        total += sys.getsizeof(relation.rows) + sys.getsizeof(relation.log)
        if relation.shape in ("rows", "keyed"):
            total += sum(map(sys.getsizeof, relation.scan()))
        for index in relation.indexes():
            total += sys.getsizeof(index.buckets)
            total += sum(sys.getsizeof(key) for key in index.buckets if isinstance(key, tuple))
            total += sum(sys.getsizeof(b) for b in index.buckets.values() if isinstance(b, dict))
            total += sum(
                sys.getsizeof(b) for b in index.buckets.values() if isinstance(b, tuple) and isinstance(b[0], tuple)
            )
    return total


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or [1000, 10_000, 100_000]
    columns = {size: measured(size) for size in sizes}
    names = dict.fromkeys(name for figures in columns.values() for name in figures)
    print(f"{'':26}" + "".join(f"{size:>12,}" for size in sizes))
    for name in names:
        print(f"{name:26}" + "".join(f"{columns[size].get(name, float('nan')):12,.2f}" for size in sizes))


if __name__ == "__main__":
    main()
