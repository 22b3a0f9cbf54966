"""The index of a past, shared with the index of now, is the index that would be built over the graph of then."""

from __future__ import annotations

from dataclasses import replace

from histories import Writer, steps
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.dates import day_text
from contextmesh.walk.ask import ask
from contextmesh.walk.index import Index, WordIndex
from contextmesh.walk.then import IndexThen

QUESTIONS = (
    "Why does Pump 1 leak, and the pomp of 3?",
    "What replaced Exchange pump 1?",
    "Which vallve holds better?",
    "the pump of 2",
    "renamed memo 3",
)
WORDS = ("pump", "leak", "valv", "hold", "exchang", "memo", "better", "renam", "note", "1", "2", "3", "nothing")


def picture(index: Index, ids: list[str]) -> dict[str, object]:
    """Everything a walk may read of an index."""
    numbers, name = index.numbers.of, index.numbers.ids
    bags = (index.statements, index.passages)
    return {
        "words": {id: index.words(id) for id in ids},
        "counts": [{w: {name[n]: c for n, c in sorted(b.counts(w).items())} for w in WORDS} for b in bags],
        "totals": [(b.bags, b.total, {id: b.length(numbers[id]) for id in ids}) for b in bags],
        "alike": [{w: b.alike(w) for w in ("pomp", "vallve", "memmo", "betterr")} for b in bags],
        "found": [{w: b.search({w: 1.0, "pump": 0.5}, 10) for w in WORDS} for b in bags],
        "holders": {w: index.statements.holders(w) for w in WORDS},
        "names": [index.names.find(question) for question in QUESTIONS],
        "out": {id: index.edges.out_of(id) for id in ids},
        "in": {id: index.edges.into(id) for id in ids},
        "degrees": {id: (index.edges.degree(id), index.edges.leaving(id)) for id in ids},
        "between": {(a, b): index.edges.between(a, b) for a in ids[:6] for b in ids[:6]},
        "order": sorted(ids, key=index.order),
    }


def rename(writer: Writer, i: int, j: int) -> None:
    """Records whose words, names and home a later reading changed."""
    graph = writer.graph
    names = [node for node in graph.store.nodes.values() if node.type in ("source", "claim", "decision")]
    node = names[(6 * i + j) % len(names)]
    stage = graph.store.stage("rename")
    read = node.provenance
    if read is not None and j % 2:
        sources = [other.id for other in graph.store.nodes.values() if other.type == "source"]
        read = replace(read, source_id=sources[j % len(sources)])
    stage.put_node(replace(node, label=f"Renamed {node.type} {i}: pump {j} leaks", provenance=read))
    stage.commit()


@settings(max_examples=40, deadline=None)
@given(steps, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=3), st.integers(0, 12), steps)
def test_a_shared_index_of_then_is_the_index_built_over_the_graph_of_then(
    early: list[tuple[str, int, int]], renamed: list[tuple[int, int]], back: int, late: list[tuple[str, int, int]]
) -> None:
    writer = Writer()
    writer.start()
    mesh = writer.mesh
    for step in early:
        writer.write(*step)
    for i, j in renamed:
        rename(writer, i, j)
    past = mesh.as_of(max(0, writer.graph.store.seq - back))
    shared = past.index
    assert isinstance(shared, IndexThen)
    for step in late:
        writer.write(*step)
    for i, j in renamed:
        rename(writer, i, j + 1)

    ids = list(past.graph.store.nodes)
    built = WordIndex(past.graph)
    assert picture(shared, ids) == picture(built, ids)
    for question in QUESTIONS:
        answers = [ask(past.graph, past.resolver, index, question) for index in (shared, built)]
        assert answers[0] == answers[1]


@settings(max_examples=30, deadline=None)
@given(steps, st.integers(0, 11))
def test_of_source_time_too(plan: list[tuple[str, int, int]], day: int) -> None:
    writer = Writer()
    writer.start()
    for step in plan:
        writer.write(*step)
    past = writer.mesh.as_of(valid_at=day_text(20_000 + day))
    ids = list(past.graph.store.nodes)
    assert picture(past.index, ids) == picture(WordIndex(past.graph), ids)
