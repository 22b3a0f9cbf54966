"""Results as text for people: one function a kind of result, each returning lines without a trailing newline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from contextmesh.base.wording import counted
from contextmesh.cli.kit import paint
from contextmesh.graph.portrait import redacted_for

if TYPE_CHECKING:
    from contextmesh.datalog.ast import Value
    from contextmesh.graph.health import Health
    from contextmesh.graph.invalidation import Invalidation
    from contextmesh.graph.portrait import Lineage, Link, Portrait
    from contextmesh.ingest.pipeline import BuildReport
    from contextmesh.store.model import Node
    from contextmesh.walk.answer import Answer

LISTED = 20
"""How many fallen nodes, edges or skipped documents are listed before the rest is counted."""

_COLOUR = {"error": "red", "warn": "yellow", "info": "cyan", "ok": "green"}


def answer_text(answer: Answer) -> str:
    """The answer and its path, or the dead end and what to do."""
    from contextmesh.walk.answer import render_path

    if answer.answer is None:
        return f"{paint('dead end', 'yellow')}: {answer.dead_end}\n{answer.detail}"
    lines = [paint(answer.answer.label, "bold"), ""]
    lines.append(_indent(render_path(answer.path)))
    lines.append("")
    lines.append(f"score {answer.score:.2f} · {counted(answer.hops, 'hop')} · about {counted(answer.tokens, 'token')}")
    if answer.detail:
        lines.append(answer.detail)
    if answer.conflicts:
        lines.append(f"{paint('contradicted by', 'yellow')} {', '.join(answer.conflicts)}")
    return "\n".join(lines)


def invalidation_text(fallen: Invalidation) -> str:
    """Both halves: what fell, with the chain that took it down, and what stood."""
    fell = [f for f in fallen.invalidated if f.id != fallen.assumption_id]
    head = "INVALIDATED" if fallen.committed else "WOULD FALL"
    kept = "PRESERVED" if fallen.committed else "WOULD STAND"
    lines = [f"assumption: {fallen.statement}", f"            {fallen.assumption_id}", ""]
    lines.append(f"{paint(head, 'red')} ({len(fell)})")
    for item in fell[:LISTED]:
        lines.append(f"  ({item.type}) {item.label}")
        if item.because:
            lines.append(f"      {' '.join(item.because)}")
    lines.extend(_rest(len(fell)))
    if fallen.invalidated_edges:
        lines.append(f"  and {counted(len(fallen.invalidated_edges), 'edge')} that held between them or on it")
    for still in fallen.still_standing:
        lost = "; ".join(" and ".join(g) for g in still.lost)
        stands = "; ".join(" and ".join(g) for g in still.stands_on)
        lines.append(f"{paint('STILL STANDING', 'green')} {still.id}: lost {lost}; stands on {stands}")
    lines.append(f"{paint(kept, 'green')} ({fallen.preserved_count})")
    if fallen.receipt is not None and fallen.committed:
        lines.append(f"receipt {fallen.receipt.seq}, digest {fallen.receipt.digest[:16]}")
    return "\n".join(lines)


def health_text(health: Health) -> str:
    """The status, the size, then each signal with its remedy."""
    lines = [
        f"{paint(health.status, _COLOUR[health.status])}: {health.nodes_live} of {counted(health.nodes_total, 'node')} "
        f"live, {health.edges_live} of {counted(health.edges_total, 'edge')} hold"
    ]
    for signal in health.signals:
        severity = signal.severity if signal.count else "ok"
        word = paint(f"{severity:>5}", _COLOUR.get(severity, "cyan"))
        lines.append(f"{word}  {signal.kind}: {signal.detail}")
        if signal.count and signal.remedy:
            lines.append(f"       {signal.remedy}")
    return "\n".join(lines)


def portrait_text(portrait: Portrait) -> str:
    """A node, where it was read, what is concluded of it, and its edges."""
    node, read = portrait.node, portrait.node.provenance
    lines = [f"({node.type}) {node.label}", f"id: {node.id}", f"concluded: {', '.join(portrait.conclusions) or '-'}"]
    if read is not None:
        span = f" [{read.span[0]}:{read.span[1]}]" if read.span is not None else ""
        lines.append(f"read in: {read.source_id}{span} by {read.extractor}")
        quote = node.attrs.get("quote")
        if quote:
            lines.append(f"quote: {quote}")
    for name, value in node.attrs.items():
        if name != "quote" and value not in ("", None, [], {}):
            lines.append(f"{name}: {_short(value)}")
    for grounds, holds in portrait.justifications:
        lines.append(f"justified by {' and '.join(grounds)}{'' if holds else '  (lost)'}")
    lines.extend(_links("->", portrait.out, portrait.out_count))
    lines.extend(_links("<-", portrait.into, portrait.into_count))
    return "\n".join(lines)


def lineage_text(line: Lineage) -> str:
    """Oldest first, a step a line."""
    if len(line.steps) == 1:
        node, words, _ = line.steps[0]
        return f"{node.label}  ({', '.join(words)}){_redacted(node)}\nnothing replaced it, and it replaced nothing"
    rows = []
    for node, words, older in line.steps:
        mark = "*" if node.id == line.asked else " "
        rows.append(f"{mark} {node.label}  [{node.id}]  ({', '.join(words)}){_redacted(node)}")
        if older:
            rows.append(f"    supersedes {', '.join(older)}")
    return "\n".join(rows)


def _redacted(node: Node) -> str:
    why = redacted_for(node)
    return f"  redacted: {why}" if why is not None else ""


def build_report(report: BuildReport, home: Path, generation: int, *, saved: bool) -> str:
    """What an ingest did: documents, stages with reasons, and where it is saved."""
    place = f"saved in {home} (generation {generation})" if saved else f"{home} stays at generation {generation}"
    if generation == 0:
        place = f"nothing was read, and {home} was not made"
    return f"{report.as_text(limit=LISTED)}\n{place}"


def rows_text(columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Rows under their column names, tab-separated; ``yes`` or ``no`` for a query without variables."""
    table = list(rows)
    if not columns:
        return "yes" if table else "no"
    lines = ["\t".join(columns), *("\t".join(str(v) for v in row) for row in table)]
    lines.append(f"({counted(len(table), 'row')})")
    return "\n".join(lines)


def _links(arrow: str, links: Sequence[Link], count: int) -> list[str]:
    lines = []
    for link in links:
        dead = "" if link.is_live else "  (no longer holds)"
        lines.append(f"  {arrow} {link.edge.type} ({link.other.type}) {link.other.label}  [{link.other.id}]{dead}")
    if count > len(links):
        lines.append(f"  {arrow} and {count - len(links)} more")
    return lines


def _rest(count: int) -> list[str]:
    return [f"  and {count - LISTED} more (all of them with --json)"] if count > LISTED else []


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        text = "; ".join(f"{name}: {_short(held)}" for name, held in value.items())
    elif isinstance(value, list | tuple):
        text = ", ".join(map(_short, value))
    else:
        text = str(value)
    return text if len(text) <= 300 else f"{text[:299]}…"
