"""The demo told to a person: built, asked, broken, asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.cli.kit import paint
from contextmesh.cli.words import answer_text, health_text, invalidation_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contextmesh.demo.build import Asked, Story

TOLD = ("Why did the Index Builder run out of memory?", "What made the sharding rule wrong?")
REFUSED = "What is the refund policy for annual plans?"


def tell_demo(story: Story) -> str:
    """The whole story as text: four parts, each with the command that does the same to your own documents."""
    graph = story.demo.graph
    health = graph.health(near_misses=story.demo.resolver.near_misses())
    parts = [
        _heading("1. Fourteen documents become a typed graph", "contextmesh ingest PATH... --session DIR"),
        story.demo.report.as_text(limit=3),
        _heading("2. A question is answered by a path you can read, or by one of four dead ends", "contextmesh ask"),
        *(_exchange(story.before, text) for text in (*TOLD, REFUSED)),
        f"{story.answered} of {len(story.before)} curated questions come out as a reader would have it.",
        _heading("3. An assumption falls to evidence; exactly what stood on it falls", "contextmesh invalidate"),
        invalidation_text(story.invalidation),
        _heading("4. What fell no longer answers; the rest answers as before", "contextmesh ask"),
        _changes(story),
        _heading("5. The health of the graph", "contextmesh health"),
        health_text(health),
    ]
    return "\n\n".join(parts)


def _heading(title: str, command: str) -> str:
    return f"{paint(title, 'bold')}\n({command})"


def _exchange(asked: Sequence[Asked], text: str) -> str:
    found = next(one for one in asked if one.question.text == text)
    return f"{paint('?', 'cyan')} {text}\n{answer_text(found.answer)}"


def _changes(story: Story) -> str:
    lines = []
    for before, after in zip(story.before, story.after, strict=True):
        was, now = before.answer.answer, after.answer.answer
        if (was and was.id, before.answer.dead_end) != (now and now.id, after.answer.dead_end):
            outcome = now.label if now is not None else f"dead end: {after.answer.dead_end}"
            lines.append(
                f"{paint('?', 'cyan')} {after.question.text}\n  was: {was.label if was else before.answer.dead_end}"
            )
            lines.append(f"  now: {outcome}")
    same = len(story.before) - len(lines) // 2
    lines.append(f"{same} of {len(story.before)} questions are answered as before.")
    return "\n".join(lines)
