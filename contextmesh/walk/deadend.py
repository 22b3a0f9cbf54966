"""Why a walk failed: decided by the rules from what the walk saw, told in a sentence that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.datalog.facts import Delta
from contextmesh.graph.portrait import redacted_for
from contextmesh.walk.roads import FORWARD
from contextmesh.walk.subject import Lack, lacking

if TYPE_CHECKING:
    from contextmesh.datalog.ast import Row
    from contextmesh.store.store import Store
    from contextmesh.walk.question import Question
    from contextmesh.walk.roads import Roads
    from contextmesh.walk.seeds import Seeds
    from contextmesh.walk.subject import Subject
    from contextmesh.walk.visits import Walk

# Of the nodes that could answer but were only met, not gone on from, this many are shown to the rules.
MET = 64


def dead_end(
    store: Store, question: Question, seeds: Seeds, walk: Walk, roads: Roads, subject: Subject
) -> tuple[str, str]:
    """The reason, exactly one of four, and a sentence about it."""
    asked = question.text
    added: dict[str, list[Row]] = {
        "asked": [(asked,)],
        "seed": [(asked, seed.id) for seed in seeds.seeds],
        "hit": [(asked, id) for id in dict.fromkeys(seeds.hits)],
        "reached": _reached(store, asked, walk, roads),
    }
    if "lacks" in store.policy.program.declarations:
        added["lacks"] = [(asked, lack.id, lack.type, lack.direction) for lack in subject.lacks]
    with store.engine.trial(wanted=("dead_end",)):
        store.engine.apply(Delta.of(added=added), report=())
        reasons = [str(row[1]) for row in store.engine.match("dead_end", (asked, None))]
        closed = _cut(store, subject.lacks) if subject.lacks else _closed(store, seeds)
    assert len(reasons) == 1, f"a failed ask has one reason, and the rules gave {reasons}"
    lack = subject.lacks[0] if subject.lacks else None
    return reasons[0], _detail(reasons[0], store, question, seeds, closed, lack)


def _reached(store: Store, asked: str, walk: Walk, roads: Roads) -> list[Row]:
    rows: list[Row] = []
    merely_met = 0
    for visit in walk.visits.values():
        if visit.spread < 0:
            if store.nodes[visit.id].type not in roads.answers or merely_met >= MET:
                continue
            merely_met += 1
        rows.append((asked, visit.id, visit.hops))
    return rows


def _closed(store: Store, seeds: Seeds) -> str | None:
    """What is not live and ends the way: a node that the question names, or one that something met leads to."""
    live = store.engine.holds
    for id in seeds.hits:
        if not live("live", (id,)):
            return id
    for shut in store.engine.match("shut", (None,)) if "shut" in store.policy.program.declarations else ():
        for row in store.engine.match("edge", (None, shut[0], None, None)):
            if not live("live", (row[3],)):
                return str(row[3])
    return None


def _cut(store: Store, lacks: tuple[Lack, ...]) -> str | None:
    """What the edge that was asked for led to, or came from, while it held."""
    for lack in lacks:
        ends = (lack.id, lack.type, None) if lack.direction == FORWARD else (None, lack.type, lack.id)
        for row in store.engine.match("edge", (None, *ends)):
            return str(row[3] if lack.direction == FORWARD else row[1])
    return None


def _detail(reason: str, store: Store, question: Question, seeds: Seeds, closed: str | None, lack: Lack | None) -> str:
    named = [store.nodes[id].label for id in dict.fromkeys(seeds.hits)]
    first = repr(named[0]) if named else "what it starts from"
    if reason == "entity_unresolved":
        if named:
            return f"The question names {first}, and nothing to start from stands; ask about something that is live."
        if question.absent:
            return f"No record here is called {question.absent[0]!r}; ingest it, or ask about one that is here."
        return (
            "Nothing here bears a name from the question, and no statement shares enough of its words; "
            "name a thing that the sources mention, or ingest a document about it."
        )
    if lack is not None and reason != "pruned_too_early":
        return f"{lacking(store, lack)}; ingest a document that states it, or ask about something else of it."
    if reason == "no_typed_edge":
        return (
            f"{first} is known, and no edge leads from it to a claim, decision or evidence; "
            "ingest a document that says something about it, or link it."
        )
    if reason == "wrong_node_type":
        return (
            f"Statements about {first} were met, and none says what is asked; "
            "ask with words that the sources use, or ingest a document that answers."
        )
    why = redacted_for(store.nodes[closed]) if closed is not None else None
    if why is not None:
        return f"The way leads to {closed}, whose words were redacted ({why}); ask about what others say of it."
    if lack is not None and closed is not None and store.engine.holds("live", (closed,)):
        ends = " and ".join(repr(store.nodes[id].label) for id in (lack.id, closed))
        return f"The {lack.type} edge between {ends} holds no longer."
    fallen = repr(store.nodes[closed].label) if closed is not None else "something"
    cure = "see why it fell with `why`, or ask about what replaced it"
    return f"The way leads to {fallen}, which fell or was pruned; {cure}."
