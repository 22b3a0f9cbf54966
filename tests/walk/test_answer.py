"""An answer as JSON and as text."""

from __future__ import annotations

import json

from contextmesh.walk.answer import LABEL, Answer, Step, render_path, render_step, shorten

CLAIM = Step("c", "claim", "The shard → merge holds.", source="s", span=(0, 9), quote="The shard")
SOURCE = Step("s", "source", "Memo", "derived_from", "forward", "e1")
BACK = Step("d", "decision", "Merge", "supersedes", "backward", "e2")


def test_a_step_is_drawn_along_its_edge() -> None:
    assert render_step(CLAIM) == "(claim) The shard → merge holds."
    assert render_step(SOURCE) == "-[derived_from]-> (source) Memo"
    assert render_step(BACK) == "<-[supersedes]- (decision) Merge"


def test_a_path_is_a_step_a_line() -> None:
    assert render_path((CLAIM, SOURCE)).splitlines() == [
        "(claim) The shard → merge holds.",
        "  -[derived_from]-> (source) Memo",
    ]


def test_ascii_text_holds_nothing_else() -> None:
    long = Step("x", "claim", "東" * 100)
    assert render_path((CLAIM, long), ascii_only=True).isascii()


def test_a_long_label_is_cut_to_74_characters_on_one_line() -> None:
    cut = shorten("word\n" * 50)
    assert len(cut) == LABEL == 74
    assert cut.endswith("…") and "\n" not in cut
    assert shorten("x" * 74) == "x" * 74
    assert len(shorten("x" * 75, ascii_only=True)) == 74


def test_the_json_of_an_answer_has_the_keys_that_scripts_read() -> None:
    answer = Answer("Why?", CLAIM, score=0.5, hops=0, path=(CLAIM, SOURCE), sources=("s",), tokens=20)
    document = answer.as_json(session="notes", generation=3)
    assert list(document) == [
        "question", "answer", "dead_end", "detail", "score", "hops", "path", "evidence", "sources", "tokens",
        "conflicts", "session", "generation", "as_of",
    ]  # fmt: skip
    assert document["answer"] == {"id": "c", "type": "claim", "text": "The shard → merge holds."}
    assert list(json.loads(json.dumps(document))["path"][0]) == [
        "id", "type", "label", "edge", "direction", "source", "span", "quote",
    ]  # fmt: skip


def test_a_dead_end_has_no_answer() -> None:
    document = Answer("Why?", dead_end="no_typed_edge", detail="Nothing.").as_json()
    assert document["answer"] is None
    assert document["path"] == []
