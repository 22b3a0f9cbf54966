"""The bench of retrieval runs on any corpus of its form, and counts as it says."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench" / "qa.py"
DOCUMENTS = {
    "a": ("The Silent Harbour", "The Silent Harbour was directed by Mara Quist in Lund."),
    "b": ("Mara Quist", "Mara Quist was born in Visby and studied painting."),
    "c": ("Lund", "Lund is a town with an old cathedral."),
    "d": ("Harbours", "Harbours were often silent at night, and few ships sailed."),
}


@pytest.fixture
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("qa_bench", BENCH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["qa_bench"] = module
    spec.loader.exec_module(module)
    return module


def test_recall_counts_the_gold_among_the_first(bench: ModuleType) -> None:
    questions = [{"question": "?", "gold": ["x", "y"]}]
    assert bench.recall(lambda _: ["x", "z", "y"], questions) == {1: 0.5, 2: 0.5, 5: 1.0, 10: 1.0}


def test_a_walk_finds_both_paragraphs_of_a_question_of_two_steps(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, questions = tmp_path / "corpus.jsonl", tmp_path / "questions.jsonl"
    rows = [{"id": id, "title": title, "text": text} for id, (title, text) in DOCUMENTS.items()]
    corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    question = {"question": "Where was the director of The Silent Harbour born?", "gold": ["a", "b"]}
    questions.write_text(json.dumps(question), encoding="utf-8")
    assert bench.main([str(corpus), str(questions), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["walk"]["2"] == 1.0
    assert figures["answered"] == 1.0
    assert figures["bm25"].keys() == figures["walk"].keys()
