"""Named truths about asking: names, words, lineage, busy nodes, budgets, telemetry."""

from __future__ import annotations

import pytest
from worlds import World

from contextmesh.base.errors import InputError
from contextmesh.store.model import Provenance

FALLEN = "Why was the nightly export chosen?"


def label(world: World, question: str) -> str | None:
    found = world.ask(question).answer
    return found.label if found is not None else None


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def records(world: World) -> World:
    """Three records: 3 replaced 2, which replaced 1 and requires 7."""
    source = world.source("Register of records")
    for key, title in (("1", "Module types"), ("2", "Interfaces"), ("3", "Adaptation"), ("7", "Naming")):
        world.graph.add_node(
            "decision",
            f"PEP {key}: {title}",
            id=f"decision:pep-{key}",
            attrs={"rationale": f"{title} need a common form.", "record_key": f"pep-{key}"},
            provenance=Provenance(source),
        )
    for new, old in (("2", "1"), ("3", "2")):
        world.graph.add_edge(f"decision:pep-{new}", "supersedes", f"decision:pep-{old}")
    world.graph.add_edge("decision:pep-2", "depends_on", "decision:pep-7")
    return world


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which PEP replaced PEP 1?", "decision:pep-2"),
        ("What superseded pep-0002?", "decision:pep-3"),
        ("What was PEP 1 replaced by?", "decision:pep-2"),
        ("What did PEP 3 replace?", "decision:pep-2"),
        ("What was replaced by PEP 2?", "decision:pep-1"),
        ("What is the successor of PEP 1?", "decision:pep-2"),
        ("What was the predecessor of PEP 3?", "decision:pep-2"),
        ("What does PEP 2 require?", "decision:pep-7"),
        ("Which PEP requires PEP 7?", "decision:pep-2"),
        ("What does PEP 2 depend on?", "decision:pep-7"),
        ("What depends on PEP 7?", "decision:pep-2"),
    ],
)
def test_a_question_about_lineage_is_answered_by_the_edge_of_that_type(
    records: World, question: str, right: str
) -> None:
    answer = records.ask(question)
    assert answer.answer is not None
    assert answer.answer.id == right
    assert answer.hops == 1


def test_what_is_asked_about_a_superseded_record_is_answered_by_the_current_one_with_the_way_to_it(
    records: World,
) -> None:
    answer = records.ask("What is said of module types?")
    assert answer.answer is not None
    assert answer.answer.id == "decision:pep-3"
    assert [step.id for step in answer.path[:3]] == ["decision:pep-1", "decision:pep-2", "decision:pep-3"]
    assert "superseded" in answer.detail


def test_a_step_of_the_lineage_that_was_asked_for_shows_what_came_after_it(records: World) -> None:
    path = [step.id for step in records.ask("Which PEP replaced PEP 1?").path]
    assert path[:3] == ["decision:pep-1", "decision:pep-2", "decision:pep-3"]


def test_a_busy_name_with_a_thousand_turns_answers_from_the_right_turn(world: World) -> None:
    speaker = world.entity("Ada Lund")
    with world.graph.batch("talk") as batch:
        for turn in range(1000):
            attrs = {"origin": "talk", "retrieved_at": "2025-01-02"}
            source = batch.add_node("source", f"Turn {turn}", id=f"turn-{turn}", attrs=attrs)
            words = "my bicycle has a flat tyre" if turn == 640 else f"today I counted {turn} birds by the lake"
            claim = batch.add_node("claim", f"Ada Lund: {words}", provenance=Provenance(source.id, (0, 9)))
            batch.add_edge(claim.id, "derived_from", source.id)
            batch.add_edge(claim.id, "mentions", speaker)
    answer = world.ask("What is wrong with the bicycle of Ada Lund?")
    assert answer.answer is not None
    assert "flat tyre" in answer.answer.label
    assert answer.path[0].id == speaker
    assert answer.sources[0] == "turn-640"
    assert answer.expanded <= 260


def test_two_hops_through_a_name_lead_from_one_source_to_another(world: World) -> None:
    film = world.source("The Silent Harbour")
    person = world.source("Mara Quist")
    for n in range(30):
        other = world.source(f"Film number {n}")
        world.claim(f"Film number {n} was directed by somebody born in town {n}.", other)
    world.claim("The Silent Harbour was directed by Mara Quist.", film, ("The Silent Harbour", "Mara Quist"))
    world.claim("Mara Quist was born in Visby.", person, ("Mara Quist", "Visby"))
    answer = world.ask("Where was the director of The Silent Harbour born?")
    assert set(answer.sources[:2]) == {film, person}


def test_a_contradiction_is_shown_with_the_answer(world: World) -> None:
    one, two = world.source("Report"), world.source("Trial")
    costs = world.claim("Quantisation costs four points of recall.", one)
    free = world.claim("Quantisation costs no recall whatever.", two)
    world.graph.add_edge(costs, "contradicts", free)
    answer = world.ask("How many points of recall does quantisation cost?")
    assert answer.answer is not None
    assert answer.answer.id == costs
    assert answer.conflicts == (free,)


def test_a_statement_that_merely_shares_a_name_contradicts_and_answers_nothing(world: World) -> None:
    site, rules = world.source("Site"), world.source("Rules")
    manager = world.claim("Otter is site manager at Kelpworks.", site, ("Otter", "Kelpworks"))
    world.claim("Otter set a new audit rule for the repository account of Kelpworks.", rules, ("Otter", "Kelpworks"))
    answer = world.ask("What is Otter's role as manager?")
    assert answer.answer is not None
    assert answer.answer.id == manager
    assert answer.conflicts == ()


def test_names_in_scripts_without_spaces_are_told_apart(world: World) -> None:
    memo = world.source("支店メモ")
    short = world.claim("北海支店の売上は三億円です。", memo, ("北海支店",))
    long = world.claim("北海道支店の売上は五億円です。", memo, ("北海道支店",))
    assert world.ask("北海支店の売上はいくらですか").path[-2].id == short
    assert world.ask("北海道支店の売上はいくらですか").path[-2].id == long


@pytest.fixture
def fallen(world: World) -> World:
    """A decision that fell with its assumption, and one that stands."""
    memo = world.source("Export memo")
    night = world.graph.assume("Nobody works at night").id
    world.graph.decide(
        "The nightly export", id="decision:export", rationale="Disks are idle.", source=memo, depends_on=[night]
    )
    world.claim("The disks of the archive spin for ten years.", memo)
    seen = world.graph.submit_evidence("The night shift logged in at two.", source_id=memo)
    world.graph.reject(night, evidence_id=seen.id)
    return world


def test_a_question_that_names_only_what_fell_is_pruned_too_early(fallen: World) -> None:
    answer = fallen.ask(FALLEN)
    assert answer.dead_end == "pruned_too_early"
    assert "'The nightly export'" in answer.detail


def test_a_question_that_names_what_fell_is_answered_by_what_replaced_it(fallen: World) -> None:
    fallen.graph.decide(
        "A daily export", id="decision:daily", rationale="Somebody watches.", source=fallen.source("Export memo"),
        supersedes="decision:export",
    )  # fmt: skip
    assert label(fallen, FALLEN) == "A daily export"


def test_a_known_name_without_statements_is_no_typed_edge(world: World) -> None:
    world.entity("Lighthouse Gateway")
    assert world.ask("What does the Lighthouse Gateway do?").dead_end == "no_typed_edge"


def test_a_known_name_of_which_something_else_is_said_is_wrong_node_type(world: World) -> None:
    world.claim("The Query Router reads the Shard Map.", world.source("Memo"), ("Query Router", "Shard Map"))
    assert world.ask("Which colour is the Query Router painted?").dead_end == "wrong_node_type"


def test_words_that_nothing_holds_are_entity_unresolved(world: World) -> None:
    world.claim("The Query Router reads the Shard Map.", world.source("Memo"), ("Query Router", "Shard Map"))
    answer = world.ask("What is the refund policy for annual plans?")
    assert answer.dead_end == "entity_unresolved"
    assert answer.sources == ()


def test_a_misspelt_word_still_finds_its_statement(world: World) -> None:
    claim = world.claim("Quantisation halves the memory of a shard.", world.source("Trial"))
    found = world.ask("Does quantiztion halve memory?").answer
    assert found is not None
    assert found.id == claim


def test_an_answer_costs_no_more_than_its_budget(world: World) -> None:
    memo = world.source("Memo of the merge queue")
    for n in range(6):
        world.claim(f"The merge queue held {n} shards on day {n}.", memo, ("Merge Queue",))
    whole = world.ask("How many shards did the merge queue hold?")
    assert whole.evidence
    for budget in range(20, whole.tokens + 10, 7):
        answer = world_with_budget(world, budget)
        assert answer.tokens <= budget or "costs" in answer.detail
        assert answer.answer == whole.answer


def world_with_budget(world: World, budget: int):  # type: ignore[no-untyped-def]
    from contextmesh.walk.ask import ask

    question = "How many shards did the merge queue hold?"
    return ask(world.graph, world.resolver, world.index, question, budget_tokens=budget)


def test_an_answer_counts_the_nodes_and_edges_of_its_path_and_a_dead_end_counts_nothing(world: World) -> None:
    world.claim("The Query Router reads the Shard Map.", world.source("Memo"), ("Query Router",))
    store = world.graph.store
    world.ask("Where is the moon?")
    assert store.walks == {} and store.traversals == {}
    answer = world.ask("What does the Query Router read?")
    assert store.walks == {step.id: 1 for step in answer.path}
    assert store.traversals == {step.edge_id: 1 for step in answer.path if step.edge_id}


def test_a_walk_stops_at_its_budget(world: World) -> None:
    memo = world.source("Memo")
    for n in range(40):
        world.claim(f"The Query Router read shard {n}.", memo, ("Query Router", f"Shard Number {n}"))
    assert world.ask("What did the Query Router read?", max_expand=5).expanded == 5


@pytest.mark.parametrize(("question", "code"), [(" \n", "blank-question"), ("x" * 10_001, "question-too-long")])
def test_a_question_that_cannot_be_asked_is_refused(world: World, question: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        world.ask(question)
    assert refused.value.code == code


def test_a_budget_of_nothing_is_refused(world: World) -> None:
    with pytest.raises(InputError) as refused:
        world_with_budget(world, 0)
    assert refused.value.code == "bad-budget"


def test_what_somebody_is_answers_a_question_for_their_role(world: World) -> None:
    manager = world.claim("Otter is site manager at Kelpworks.", world.source("Site"), ("Otter", "Kelpworks"))
    world.claim("Otter left the keys of Kelpworks on Monday.", world.source("Rules"), ("Otter", "Kelpworks"))
    found = world.ask("What is Otter's role?").answer
    assert found is not None
    assert found.id == manager


def test_a_statement_of_another_kind_does_not_answer_a_question_for_a_kind(world: World) -> None:
    world.claim("Otter left the keys of Kelpworks at home.", world.source("Rules"), ("Otter", "Kelpworks"))
    assert world.ask("What is Otter's role?").dead_end == "wrong_node_type"


def test_a_record_that_nothing_replaced_says_so(records: World) -> None:
    records.claim("The status of PEP 7 is active.", records.source("Register of records"))
    answer = records.ask("Which PEP replaced PEP 7?")
    assert answer.detail.startswith("No live supersedes edge reaches 'PEP 7: Naming'")


def test_a_question_as_long_as_a_letter_is_answered(world: World) -> None:
    world.claim("The Query Router reads the Shard Map.", world.source("Memo"), ("Query Router", "Shard Map"))
    long = " ".join(f"word{n}" for n in range(900)) + " What does the Query Router read?"
    assert world.ask(long).dead_end in (None, "wrong_node_type")


def test_a_path_does_not_return_to_the_record_it_came_from(records: World) -> None:
    path = [step.id for step in records.ask("What did PEP 3 replace?").path]
    assert path[:2] == ["decision:pep-3", "decision:pep-2"]
    assert path.count("decision:pep-3") == 1


def test_a_successor_that_fell_is_not_shown(world: World) -> None:
    memo = world.source("Memo")
    quiet = world.graph.assume("The street stays quiet").id
    world.graph.decide("Sleep at the front", id="decision:front", rationale="It has a window.", source=memo)
    world.graph.decide(
        "Sleep at the back",
        id="decision:back",
        rationale="It is cooler.",
        source=memo,
        depends_on=[quiet],
        supersedes="decision:front",
    )
    assert label(world, "Why sleep at the front?") == "Sleep at the back"
    seen = world.graph.submit_evidence("A tram line was opened.", source_id=memo)
    world.graph.reject(quiet, evidence_id=seen.id)
    answer = world.ask("Why sleep at the front?")
    assert answer.answer is not None
    assert answer.answer.id == "decision:front"
    assert "decision:back" not in [step.id for step in answer.path]
