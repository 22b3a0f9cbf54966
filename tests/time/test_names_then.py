"""The table of names of a past."""

from __future__ import annotations

from histories import Writer, steps
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.graph.names_then import PastResolver
from contextmesh.resolve.resolver import Resolver

MENTIONS = ("Pump 1", "pump", "the pump of 2", "pomp 3", "PUMP-4", "P4", "pump of", "valve", "Pump 1 Ltd", "the", "üm")


@settings(max_examples=30, deadline=None)
@given(steps, st.integers(0, 12), st.lists(st.sampled_from(MENTIONS), max_size=4))
def test_a_mention_is_what_a_table_of_all_that_was_there_says(
    plan: list[tuple[str, int, int]], back: int, learned: list[str]
) -> None:
    writer = Writer()
    writer.start()
    for at, step in enumerate(plan):
        writer.write(*step)
        if at < len(learned):
            writer.mesh.resolver.resolve(learned[at])
    mesh = writer.mesh
    past = mesh.as_of(max(0, writer.graph.store.seq - back))
    table = past.resolver
    assert isinstance(table, PastResolver)

    whole = Resolver(mesh.resolver.threshold)
    for id in mesh.resolver.labels:
        node = past.graph.store.nodes.get(id)
        if node is not None:
            whole.register(id, node.label, node.attrs["aliases"])
    found = {mention: table.peek(mention) for mention in MENTIONS}
    assert {m: (r.id, r.label, r.score) for m, r in found.items()} == {
        m: (r.id, r.label, r.score) for m, r in ((m, whole.peek(m)) for m in MENTIONS)
    }
    assert (table.labels, table.aliases, table.blocks) == (whole.labels, whole.aliases, whole.blocks)
    assert not table.log
