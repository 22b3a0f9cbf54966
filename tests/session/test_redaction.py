"""The text of a source leaves a session for good, and what stood on it stands where it stood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contextmesh import session
from contextmesh.api import Mesh
from contextmesh.base.chain import verify
from contextmesh.base.errors import OntologyError, Refusal, UnknownError
from contextmesh.cli.app import main
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver
from contextmesh.run import Runner, TaskRegistry
from contextmesh.session import SessionState
from contextmesh.session.redact import redact, without
from contextmesh.session.session import Session
from contextmesh.session.tombstones import TOMBSTONE, redacted_by
from contextmesh.store.model import Node, Provenance

from .places import listing

POLICY = Policy.load()
SECRET = ("Marigold", "Quenby", "zinnia", "petunia", "oleander")
"""Words of the secret memo that stand nowhere else."""


def memo() -> tuple[SessionState, str]:
    """A memo with a claim, an entity that only it names, a decision made in it, and a log beside it."""
    graph, resolver = ContextGraph(), Resolver()
    graph.begin_build()
    origin = {"origin": "marigold.txt", "retrieved_at": "2024-05-01", "fields": {"zinnia": "oleander"}}
    secret = graph.add_node("source", "The Marigold memo", id="source:marigold", attrs=origin)
    log = graph.add_node(
        "source", "Harbour log", id="source:log", attrs={"origin": "log", "retrieved_at": "2024-01-01"}
    )
    person = _entity(graph, "Quenby", ["Q. Oleander"])
    quay = _entity(graph, "North Quay", ["the quay", "wharf nine"])
    claim = _claim(
        graph, "Quenby sold the North Quay for a petunia.", secret, quote="sold the North Quay for a petunia"
    )
    other = _claim(graph, "The North Quay floods in spring.", log)
    for said, thing in ((claim, person), (claim, quay), (other, quay)):
        graph.add_edge(said.id, "mentions", thing.id)
    for said, read in ((claim, secret), (other, log)):
        graph.add_edge(said.id, "derived_from", read.id)
    graph.add_edge(secret.id, "mentions", person.id)
    sold = graph.assume("The sale is final")
    note = graph.decide("Petunia plan", rationale="zinnia first", source=secret.id, depends_on=[sold.id])
    fence = graph.decide(
        "Fence the quay", rationale="it was sold", source=log.id, derived_from=[claim.id], depends_on=[note.id]
    )
    graph.begin_build()
    seen = graph.submit_evidence("the buyer left", source_id=log.id)
    graph.add_edge(seen.id, "contradicts", sold.id)
    graph.reject(sold.id, evidence_id=seen.id)
    graph.decide("Sell again", rationale="the first sale fell", source=log.id, derived_from=[claim.id])
    for node in (person, quay):
        resolver.register(node.id, node.label, node.attrs["aliases"])
    for mention in ("Quenby", "wharf nine", "the quay", "Harbour Lane"):
        resolver.resolve(mention)
    assert not graph.is_live(fence.id)
    return SessionState(graph, resolver), secret.id


def _entity(graph: ContextGraph, label: str, aliases: list[str]) -> Node:
    return graph.add_node("entity", label, attrs={"canonical": label, "aliases": aliases}, embedding=[1.0, 0.0])


def _claim(graph: ContextGraph, label: str, source: Node, **attrs: str) -> Node:
    return graph.add_node("claim", label, provenance=Provenance(source.id, (0, len(label))), attrs=attrs)


def held_in(directory: Path) -> str:
    return "\n".join(path.name + path.read_text("utf-8", "replace") for path in directory.iterdir() if path.is_file())


def left_of(directory: Path, words: tuple[str, ...] = SECRET) -> list[str]:
    text = held_in(directory).casefold()
    return [word for word in words if word.casefold() in text]


# ---- what goes ------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [2, 3])
def test_no_file_of_the_session_holds_a_word_of_it_afterwards(tmp_path: Path, version: int) -> None:
    state, secret = memo()
    saved = session.save(tmp_path / "s", state, version=version).state
    assert left_of(tmp_path / "s") == list(SECRET)
    saved.graph.begin_build()
    session.save(tmp_path / "s", saved, version=version)
    (tmp_path / "s" / "graph-000009.json").write_text("Marigold", "utf-8")
    (tmp_path / "s" / ".staging-graph-000003.json-1-0.tmp").write_text("zinnia", "utf-8")

    found = redact(tmp_path / "s", POLICY, secret, "asked by its author")

    assert left_of(tmp_path / "s") == []
    assert found.touched == {"source": 1, "read": 2, "named": 1}
    assert "asked by its author" in held_in(tmp_path / "s")
    state = session.load(tmp_path / "s")
    assert state.manifest is not None and (state.manifest.version, state.generation) == (version, 3)
    assert [path.name for path in sorted((tmp_path / "s").glob("session-*.json"))] == ["session-000003.json"]


def test_what_a_journal_and_older_versions_hold_goes_with_it(tmp_path: Path) -> None:
    state, secret = memo()
    state = session.save(tmp_path / "s", state, version=3).state
    claim = state.graph.add_node(
        "claim", "A petunia grows.", provenance=Provenance(secret, (0, 5)), attrs={"quote": "petunia"}
    )
    state = session.checkpoint(state).state
    with state.graph.batch("edit") as batch:
        batch.set_attrs(claim.id, quote="oleander")
    session.checkpoint(state)
    assert "petunia" in (tmp_path / "s" / "journal-000001.jsonl").read_text("utf-8")

    redact(tmp_path / "s", POLICY, secret, "x")

    assert left_of(tmp_path / "s") == []


def test_a_name_goes_only_when_nothing_else_speaks_of_the_thing() -> None:
    state, secret = memo()

    made, _ = without(state, secret, "x")

    labels = [node.label for node in made.graph.store.nodes.values() if node.type == "entity"]
    assert labels == [TOMBSTONE, "North Quay"]
    quay = made.graph.find("North Quay")[0]
    assert quay.attrs["aliases"] == ["the quay", "wharf nine"], "what names it elsewhere is no word of the memo"


def test_an_alias_that_only_the_text_used_goes_with_it() -> None:
    state, secret = memo()
    with state.graph.batch("edit") as batch:
        quay = state.graph.find("North Quay")[0]
        batch.set_attrs(quay.id, aliases=["the quay", "a petunia"])
    state.resolver.register(quay.id, "North Quay", ["a petunia"])

    made, _ = without(state, secret, "x")

    assert made.graph.find("North Quay")[0].attrs["aliases"] == ["the quay"]
    assert made.resolver.peek("petunia").id is None
    assert made.resolver.peek("the quay").id == quay.id
    assert [attempt.mention for attempt in made.resolver.log] == ["wharf nine", "the quay", "Harbour Lane"]


# ---- what stays -----------------------------------------------------------------------------


def test_the_structure_stays_and_nothing_falls_or_stands_up_by_it() -> None:
    state, secret = memo()
    made, _ = without(state, secret, "x")
    was, now = state.graph.store, made.graph.store

    assert [node.type for node in now.nodes.values()] == [node.type for node in was.nodes.values()]
    places = [{id: place for place, id in enumerate(store.nodes)} for store in (was, now)]
    shapes = [
        [(place[e.src], e.type, place[e.dst], e.weight, e.build) for e in store.edges.values()]
        for store, place in zip((was, now), places, strict=True)
    ]
    assert shapes[0] == shapes[1]
    for relation in ("fell", "invalid", "superseded", "rejected"):
        rows = [
            sorted(tuple(place.get(str(v), v) for v in row) for row in store.engine.rows(relation))
            for store, place in zip((was, now), places, strict=True)
        ]
        assert rows[0] == rows[1], relation
    born = [
        sorted((place[str(id)], seq) for id, seq in store.engine.rows("born") if id in place)
        for store, place in zip((was, now), places, strict=True)
    ]
    assert born[0] == born[1]


def test_a_decision_whose_ground_was_redacted_keeps_its_own_words() -> None:
    state, secret = memo()

    made, _ = without(state, secret, "x")

    fence = made.graph.find("Fence the quay")[0]
    assert fence.attrs["rationale"] == "it was sold"
    (ground,) = made.graph.edges_from(fence.id, "derived_from")
    assert made.graph.node(ground.dst).label == TOMBSTONE
    assert made.graph.node(ground.dst).attrs["redacted"] == "x"


def test_asking_about_it_is_a_dead_end(tmp_path: Path) -> None:
    state, secret = memo()
    questions = ("Who sold the North Quay?", "What did Quenby sell?", "What was redacted?")
    before = Mesh.of(state).ask(questions[1])
    assert before.answer is not None and "petunia" in before.answer.label
    session.save(tmp_path / "s", state)

    redact(tmp_path / "s", POLICY, secret, "x")

    mesh = Mesh.open(tmp_path / "s")
    assert mesh.ask(questions[1]).dead_end is not None
    assert mesh.ask(questions[2]).answer is None
    answer = mesh.ask(questions[0])
    assert answer.answer is None or TOMBSTONE not in answer.answer.label
    assert [step.label for step in answer.path if step.label == TOMBSTONE] == []


def test_whoever_asks_for_what_is_left_is_told_that_it_was_redacted_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, secret = memo()
    session.save(tmp_path / "s", state)
    now = redact(tmp_path / "s", POLICY, secret, "asked by its author").source

    for command, code in (("ask", 3), ("show", 0), ("lineage", 0)):
        assert main([command, now, "--session", str(tmp_path / "s")]) == code
        told = capsys.readouterr().out
        assert "redacted" in told.replace(now, "")
        assert "asked by its author" in told
    assert main(["lineage", now, "--session", str(tmp_path / "s"), "--json"]) == 0
    (step,) = json.loads(capsys.readouterr().out)["lineage"]
    assert step["redacted"] == "asked by its author"


def test_a_name_that_went_is_unknown_and_it_is_said_that_names_went(tmp_path: Path) -> None:
    state, secret = memo()
    session.save(tmp_path / "s", state)
    with pytest.raises(UnknownError) as before:
        Mesh.open(tmp_path / "s").node("source:tulip")
    assert before.value.problems[0].note is None
    redact(tmp_path / "s", POLICY, secret, "x")

    with pytest.raises(UnknownError) as caught:
        Mesh.open(tmp_path / "s").node(secret)

    (problem,) = caught.value.problems
    assert problem.note == "the words of 4 nodes were redacted, with their names and ids, which nothing remembers"


def test_what_is_asked_of_it_afterwards_stays_as_typed_until_it_is_redacted_once_more(tmp_path: Path) -> None:
    state, secret = memo()
    session.save(tmp_path / "s", state, version=3)
    now = redact(tmp_path / "s", POLICY, secret, "x").source
    mesh = Mesh.open(tmp_path / "s")
    for question in (
        "Why did Quenby leave the North Quay?",
        "When does the North Quay flood?",
        "Who has Wharf Twelve?",
    ):
        mesh.ask(question)
    mesh.checkpoint()
    assert [walk.question for walk in Mesh.open(tmp_path / "s").walks][-3] == "Why did Quenby leave the North Quay?"
    assert "quenby" in left_of(tmp_path / "s", ("quenby", "twelve"))

    redact(tmp_path / "s", POLICY, now, "x")

    assert left_of(tmp_path / "s", (*SECRET, "quenby", "twelve")) == []
    assert [walk.question for walk in Mesh.open(tmp_path / "s").walks] == ["When does the North Quay flood?"]


# ---- plan and ledger ------------------------------------------------------------------------


def _planned(directory: Path) -> str:
    """A session whose plan rests on an assumption that a memo states, and whose ledger quotes it."""
    registry = TaskRegistry()
    registry.register_worker("sell.v1", lambda context: {"note": "the zinnia was sold"})
    graph = ContextGraph()
    secret = graph.add_node("source", "Marigold", id="source:marigold", attrs={"origin": "o", "retrieved_at": ""})
    assumption = graph.assume("The zinnia flowers in the dark of winter")
    with graph.batch("edit") as batch:
        batch.set_provenance(assumption.id, Provenance(secret.id))
    runner = Runner("sale", graph=graph, registry=registry)
    runner.task("sell", worker_key="sell.v1", assumes=assumption.statement)
    runner.run()
    seen = graph.submit_evidence("no flower", source_id=secret.id)
    graph.add_edge(seen.id, "contradicts", assumption.id)
    Session(SessionState(graph, Resolver()), runner).save(directory)
    return secret.id


def test_plan_and_ledger_lose_the_words_and_the_chain_holds_to_its_new_head(tmp_path: Path) -> None:
    secret = _planned(tmp_path / "s")
    before = session.load(tmp_path / "s")
    assert before.carried is not None
    assert "zinnia" in held_in(tmp_path / "s")

    found = redact(tmp_path / "s", POLICY, secret, "x")

    after = session.load(tmp_path / "s")
    assert after.carried is not None
    ledger = json.loads(after.carried.ledger)
    pairs = [({k: v for k, v in entry.items() if k != "digest"}, entry["digest"]) for entry in ledger["entries"]]
    assert verify(pairs).reason is None
    assert ledger["head"] == after.carried.ledger_head == found.head != before.carried.ledger_head
    assert found.entries > 0
    (task,) = json.loads(after.carried.execution)["tasks"]
    assert task["assumes"] == TOMBSTONE
    assert after.graph.assumption(task["assumption_id"]).statement == TOMBSTONE
    assert "flowers in the dark" not in held_in(tmp_path / "s")


def test_the_source_of_the_plan_itself_cannot_be_redacted(tmp_path: Path) -> None:
    _planned(tmp_path / "s")
    before = listing(tmp_path / "s")
    state = session.load(tmp_path / "s")
    plan = next(node.id for node in state.graph.store.nodes.values() if node.label.startswith("execution plan"))

    with pytest.raises(OntologyError) as caught:
        redact(tmp_path / "s", POLICY, plan, "x")

    assert caught.value.code == "redacts-plan"
    after = {name: held for name, held in listing(tmp_path / "s").items() if not name.startswith("session.lock")}
    assert after == {name: held for name, held in before.items() if not name.startswith("session.lock")}


# ---- who decides, and what is refused -------------------------------------------------------


def test_the_rules_decide_whose_text_goes(tmp_path: Path) -> None:
    """A policy of its own spares what was decided in the memo."""
    text = (Path(__file__).parents[2] / "rules" / "redaction.dl").read_text("utf-8")
    (tmp_path / "redaction.dl").write_text(
        text.replace("provenance(X, S), not node(X, entity)", "provenance(X, S), node(X, claim)"), "utf-8"
    )
    state, secret = memo()
    spared = ContextGraph.from_json(state.graph.to_json(), Policy.load(tmp_path))

    default, other = redacted_by(state.graph, secret), redacted_by(spared, secret)

    assert [state.graph.node(id).label for id in default if id not in other] == ["Petunia plan"]


def test_only_a_source_that_is_there_can_be_redacted_and_only_for_a_reason(tmp_path: Path) -> None:
    state, secret = memo()
    session.save(tmp_path / "s", state)
    quay = state.graph.find("North Quay")[0].id
    refusals: list[tuple[str, str, type[Refusal], str]] = [
        (quay, "x", OntologyError, "not-a-source"),
        (secret, " \n", OntologyError, "blank-text"),
        ("source:none", "x", UnknownError, "unknown-node"),
    ]
    for id, reason, kind, code in refusals:
        with pytest.raises(kind) as caught:
            redact(tmp_path / "s", POLICY, id, reason)
        assert caught.value.code == code
    assert session.load(tmp_path / "s").generation == 1


def test_a_redaction_of_what_was_redacted_before_changes_nothing_more(tmp_path: Path) -> None:
    state, secret = memo()
    session.save(tmp_path / "s", state)
    first = redact(tmp_path / "s", POLICY, secret, "x")

    second = redact(tmp_path / "s", POLICY, first.source, "x")

    assert second.touched == first.touched
    labels = [node.label for node in session.load(tmp_path / "s").graph.store.nodes.values()]
    assert labels.count(TOMBSTONE) == 4


def test_the_command_foretells_and_then_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state, secret = memo()
    session.save(tmp_path / "s", state)
    place = ["--session", str(tmp_path / "s"), "--json"]

    assert main(["session", "redact", secret, "--reason", "x", "--dry-run", *place]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["why"] for row in told["would_redact"]] == ["source", "named", "read", "read"]
    assert left_of(tmp_path / "s") == list(SECRET)
    assert main(["session", "redact", "The Marigold memo", "--reason", "x", *place]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["touched"] == {"source": 1, "named": 1, "read": 2}
    assert "graph-000001.json" in told["removed"]
    assert main(["doctor", "--session", str(tmp_path / "s")]) == 0
    capsys.readouterr()
