"""What falls is exactly what a breadth-first walk reaches; a dry run says the same and changes nothing."""

from __future__ import annotations

from graph_builders import state
from graph_plans import Play, plans
from hypothesis import given, settings

from contextmesh.datalog.limits import Limits
from contextmesh.datalog.spec import evaluate

LAW = settings(max_examples=60, deadline=None)
Plan = tuple[list[int], list[tuple[int, int, int, int]], list[tuple[str, int, int, int]]]


def start(plan: Plan) -> Play:
    kinds, edges, _ = plan
    play = Play(kinds)
    for edge in edges:
        play.edge(*edge)
    return play


@LAW
@given(plans())
def test_a_rejection_takes_down_exactly_what_a_walk_along_marked_edges_reaches(plan: Plan) -> None:
    play = start(plan)
    for word, at, to, which in plan[2]:
        before = play.model.invalid()
        if word == "reject" and play.can_reject(at):
            done = play.reject(at)
            new = [name for name in play.model.invalid() if name not in before]
            assert sorted(f.id for f in done.invalidated) == sorted(new)
        elif word == "edge":
            play.edge(at, to, which)
        dead = play.model.invalid()
        live = [name for name in play.graph.store.nodes if name not in dead]
        assert [node.id for node in play.graph.live_nodes()] == live
        for (src, type_, dst, _), gone in zip(play.model.edges, play.model.dead(), strict=True):
            (edge,) = (e for e in play.graph.edges_from(src, type_) if e.dst == dst)
            assert play.graph.is_edge_live(edge.id) is not gone


@LAW
@given(plans())
def test_a_dry_run_says_what_the_rejection_then_does_and_changes_nothing(plan: Plan) -> None:
    play = start(plan)
    for word, at, to, which in plan[2]:
        if word in ("reject", "blast") and play.can_reject(at):
            before = state(play.graph)
            tried = play.graph.blast(play.ids[at])
            foreseen = tried.as_json()
            assert state(play.graph) == before
            if word == "blast":
                continue
            done = play.reject(at)
            assert foreseen["invalidated"] == done.as_json()["invalidated"]
            assert tried.invalidated_edges == done.invalidated_edges
            assert tried.still_standing == done.still_standing
            assert tried.preserved_count + 1 == done.preserved_count  # the witness was written
            assert set(done.preserved) - set(tried.preserved) == {
                play.graph.edges_to(play.ids[at], "contradicts")[0].src
            }
        elif word == "edge":
            play.edge(at, to, which)


@LAW
@given(plans())
def test_a_receipt_is_the_difference_between_two_states(plan: Plan) -> None:
    play = start(plan)
    store = play.graph.store
    receipts = []
    store.observers.append(receipts.append)

    def rows() -> dict[str, dict[tuple[object, ...], None]]:
        return {name: dict.fromkeys(store.engine.rows(name)) for name in store.told}

    for word, at, to, which in plan[2]:
        before, count = rows(), len(receipts)
        if word == "edge":
            play.edge(at, to, which)
        elif play.can_reject(at):
            play.reject(at)
        if len(receipts) != count + 1:
            continue
        after, receipt = rows(), receipts[-1]
        for name in store.told:
            assert sorted(receipt.derived.plus(name)) == sorted(r for r in after[name] if r not in before[name])
            assert sorted(receipt.derived.minus(name)) == sorted(r for r in before[name] if r not in after[name])


@LAW
@given(plans())
def test_what_a_receipt_preserved_can_be_read_after_any_later_write(plan: Plan) -> None:
    play = start(plan)
    store = play.graph.store
    kept = []
    store.observers.append(lambda receipt: kept.append((receipt, [n.id for n in play.graph.live_nodes()])))
    for word, at, to, which in plan[2]:
        if word == "edge":
            play.edge(at, to, which)
        elif play.can_reject(at):
            play.reject(at)

    for receipt, live in kept:
        assert list(receipt.preserved) == live
        assert receipt.live_after == len(live)


@LAW
@given(plans())
def test_every_reason_leads_from_the_assumption_to_the_node_along_edges_of_the_graph(plan: Plan) -> None:
    play = start(plan)
    for word, at, to, which in plan[2]:
        if word == "edge":
            play.edge(at, to, which)
        elif play.can_reject(at):
            done = play.reject(at)
            statement = play.graph.node(play.ids[at]).label
            for fallen in done.invalidated:
                words = fallen.because
                assert words[0] == f"assumption({statement})"
                labels = [statement, *words[2::2]]
                assert len(words) == 2 * len(labels) - 1
                assert labels[-1] == fallen.label
                for old, via, new in zip(labels, words[1::2], labels[1:], strict=False):
                    assert leads(play, old, via, new)


def leads(play: Play, old: str, via: str, new: str) -> bool:
    nodes = play.graph.store.nodes
    for edge in play.graph.store.edges.values():
        ends = (nodes[edge.src].label, nodes[edge.dst].label)
        if (via, ends) in ((f"<-{edge.type}-", (new, old)), (f"-{edge.type}->", (old, new))):
            return True
    return False


@settings(max_examples=15, deadline=None)
@given(plans())
def test_every_relation_kept_by_deltas_is_what_the_definition_derives_anew(plan: Plan) -> None:
    play = start(plan)
    for word, at, to, which in plan[2]:
        if word == "edge":
            play.edge(at, to, which)
        elif word == "blast" and play.can_reject(at):
            play.graph.blast(play.ids[at])
        elif play.can_reject(at):
            play.reject(at)
    engine, program = play.graph.store.engine, play.graph.policy.program
    facts = {name: engine.rows(name) for name, d in program.declarations.items() if d.kind == "input"}
    anew = evaluate(program, facts, Limits())

    for name in program.declarations:
        if name not in facts:
            assert sorted(map(repr, engine.rows(name))) == sorted(map(repr, anew.get(name, {})))
