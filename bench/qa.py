"""Recall of gold paragraphs among the sources of an answer, beside plain BM25 on the same corpus.

    python bench/qa.py corpus.jsonl questions.jsonl

``corpus.jsonl``: a document a line with ``id``, ``title``, ``text``; ``questions.jsonl``: a question a line with
``question`` and ``gold``, the ids of the documents that hold the answer. Prints recall at 1, 2, 5 and 10, the share of
questions that got an answer, and the time an ask takes.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

DEPTHS = (1, 2, 5, 10)
Ranking = Callable[[str], list[str]]


class PlainBM25:
    """Okapi BM25 over title and text, k1 = 1.2, b = 0.75; lower-cased words, no stemming, no stop words."""

    def __init__(self, documents: Iterable[dict[str, Any]], k1: float = 1.2, b: float = 0.75) -> None:
        self._ids: list[str] = []
        self._counts: list[Counter[str]] = []
        self._posts: dict[str, list[int]] = {}
        self._k1, self._b = k1, b
        for at, document in enumerate(documents):
            counts = Counter(_words(f"{document.get('title', '')} {document['text']}"))
            self._ids.append(str(document["id"]))
            self._counts.append(counts)
            for word in counts:
                self._posts.setdefault(word, []).append(at)
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._average = sum(self._lengths) / max(1, len(self._lengths))

    def rank(self, question: str) -> list[str]:
        """Ids of the best ten documents, best first."""
        scores: dict[int, float] = {}
        for word in dict.fromkeys(_words(question)):
            posts = self._posts.get(word, [])
            idf = math.log(1 + (len(self._ids) - len(posts) + 0.5) / (len(posts) + 0.5))
            for at in posts:
                count = self._counts[at][word]
                slack = self._k1 * (1 - self._b + self._b * self._lengths[at] / self._average)
                scores[at] = scores.get(at, 0.0) + idf * count * (self._k1 + 1) / (count + slack)
        best = sorted(scores, key=lambda at: (-scores[at], at))[: max(DEPTHS)]
        return [self._ids[at] for at in best]


class Walks:
    """The walk over a graph ingested from the corpus."""

    def __init__(self, corpus: Path) -> None:
        from contextmesh.graph.graph import ContextGraph
        from contextmesh.ingest.pipeline import ingest
        from contextmesh.ingest.read import read_paths
        from contextmesh.resolve.resolver import Resolver
        from contextmesh.walk.index import WordIndex

        self.graph, self.resolver = ContextGraph(), Resolver()
        ingest(self.graph, self.resolver, read_paths([corpus]))
        self.index = WordIndex(self.graph)
        self.answered = 0
        self.times: list[float] = []

    def rank(self, question: str) -> list[str]:
        """The sources of one answer, and what they cost."""
        from contextmesh.walk.ask import ask

        start = time.perf_counter()
        answer = ask(self.graph, self.resolver, self.index, question)
        self.times.append(time.perf_counter() - start)
        self.answered += answer.answer is not None
        return list(answer.sources)


def recall(rank: Ranking, questions: list[dict[str, Any]]) -> dict[int, float]:
    """The mean share of a question's gold documents among the first k, for each depth k."""
    totals = dict.fromkeys(DEPTHS, 0.0)
    for question in questions:
        ranked, gold = rank(question["question"]), frozenset(map(str, question["gold"]))
        for depth in DEPTHS:
            totals[depth] += len(gold.intersection(ranked[:depth])) / len(gold)
    return {depth: total / len(questions) for depth, total in totals.items()}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    questions = [question for question in _rows(options.questions) if question.get("gold")]
    plain = recall(PlainBM25(_rows(options.corpus)).rank, questions)
    start = time.perf_counter()
    walks = Walks(options.corpus)
    built = time.perf_counter() - start
    walked = recall(walks.rank, questions)
    times = sorted(walks.times)
    figures = {
        "questions": len(questions),
        "bm25": plain,
        "walk": walked,
        "answered": walks.answered / len(questions),
        "build_seconds": round(built, 2),
        "ask_ms_median": round(1000 * times[len(times) // 2], 1),
        "ask_ms_p95": round(1000 * times[int(len(times) * 0.95)], 1),
        "nodes": len(walks.graph.store.nodes),
        "edges": len(walks.graph.store.edges),
    }
    print(json.dumps(figures, indent=2) if options.json else _table(figures))
    return 0


def _table(figures: dict[str, Any]) -> str:
    head = f"{'recall at':<10}" + "".join(f"{depth:>8}" for depth in DEPTHS)
    rows = [f"{name:<10}" + "".join(f"{figures[name][depth]:>8.3f}" for depth in DEPTHS) for name in ("bm25", "walk")]
    rest = (
        f"{figures['questions']} questions, {100 * figures['answered']:.0f} % answered; "
        f"{figures['nodes']:,} nodes, {figures['edges']:,} edges built in {figures['build_seconds']} s; "
        f"an ask takes {figures['ask_ms_median']} ms (median), {figures['ask_ms_p95']} ms (95th percentile)"
    )
    return "\n".join([head, *rows, rest])


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
