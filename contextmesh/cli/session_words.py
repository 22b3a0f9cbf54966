"""What the commands about sessions found, as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from contextmesh.base.wording import counted, counts
from contextmesh.cli.kit import paint

if TYPE_CHECKING:
    from contextmesh.exchange.report import Report
    from contextmesh.session.doctor import Finding
    from contextmesh.session.generations import Difference, Logged
    from contextmesh.session.state import SessionState

LISTED = 20
_COLOUR = {"error": "red", "warn": "yellow", "info": "cyan"}


def inspection_text(found: dict[str, Any]) -> str:
    """The generation, its files, then what they hold."""
    lines = [f"generation {found['generation']} of {found['session']}, version {found['version']}"]
    lines += [f"  {f['name']}  {counted(f['bytes'], 'byte')}  {f['sha256'][:16]}" for f in found["files"]]
    lines.append(counts(found["counts"]))
    for kind in ("nodes", "edges", "statuses", "tasks"):
        if found[kind]:
            lines.append(f"{kind}: {', '.join(f'{number} {name}' for name, number in found[kind].items())}")
    if found["journal"] is not None:
        journal = found["journal"]
        lines.append(f"journal: {counted(journal['lines'], 'line')}, {counted(journal['bytes'], 'byte')}")
    if found["ledger_head"] is not None:
        lines.append(f"ledger head: {found['ledger_head']}")
    lines += [f"{paint('note', 'yellow')}: {notice['message']}" for notice in found["notices"]]
    return "\n".join(lines)


def log_text(entries: Sequence[Logged]) -> str:
    """A generation a paragraph."""
    lines = []
    for entry in entries:
        word = paint("whole", "green") if entry.whole else paint("cannot be trusted", "red")
        version = f"version {entry.version}" if entry.version is not None else "no manifest that can be read"
        lines.append(f"generation {entry.generation}  {version}  {counted(entry.size, 'byte')}  {word}")
        if entry.counts:
            lines.append(f"  {counts(entry.counts)}")
        put = {line["transaction"]: counts(line["put"]) for line in entry.lines if line["kind"] == "transaction"}
        if len(entry.transactions) > LISTED:
            earlier = counted(len(entry.transactions) - LISTED, "transaction")
            lines.append(f"  … {earlier} before these (with --json)")
        for one in entry.transactions[-LISTED:]:
            day = f" on {one.day}" if one.day is not None else ""
            records = f": {put[one.seq]}" if put.get(one.seq) else ""
            lines.append(f"  transaction {one.seq} ({one.kind}), build {one.build}{day}{records}")
        if entry.lines:
            lines.append(f"  {counted(len(entry.lines), 'line')} in its journal")
        lines += [f"  {problem.where or ''}: {problem.message} [{problem.code}]" for problem in entry.problems]
    return "\n".join(lines)


def diff_text(found: Difference, old: SessionState, new: SessionState) -> str:
    """Records kind by kind, then what became of what both have."""
    lines = [f"generation {found.old} to {found.new}"]
    if not found:
        return f"{lines[0]}: nothing differs"
    for kind, different in found.records.items():
        if not different:
            continue
        parts = (("added", different.added), ("changed", different.changed), ("gone", different.gone))
        lines.append(f"{kind}: {', '.join(f'{len(part)} {word}' for word, part in parts if part)}")
        lines += [f"  + {id}" for id in _first(different.added)] + _rest(len(different.added))
        for changed in _first(different.changed):
            lines.append(f"  ~ {changed.id}")
            lines += [f"      {name}: {_short(was)} -> {_short(now)}" for name, (was, now) in changed.fields.items()]
        lines += _rest(len(different.changed))
        lines += [f"  - {id}" for id in _first(different.gone)] + _rest(len(different.gone))
    lines += _conclusions(found, old, new)
    return "\n".join(lines)


def _conclusions(found: Difference, old: SessionState, new: SessionState) -> list[str]:
    lines = []
    came, went = found.conclusions.get("invalid", ((), ()))
    for words, rows, colour in (("fell", came, "red"), ("stands again", went, "green")):
        here = [str(row[0]) for row in rows if str(row[0]) in new.graph.store.nodes]
        lines += [f"{paint(words, colour)}: {id}" for id in _first(here)] + _rest(len(here))
    came, went = found.conclusions.get("status", ((), ()))
    before = {str(row[0]): str(row[1]) for row in went}
    changed = [f"status of {row[0]}: {before[str(row[0])]} -> {row[1]}" for row in came if str(row[0]) in before]
    lines += [*_first(changed), *_rest(len(changed))]
    dead = found.conclusions.get("edge_dead", ((), ()))[0]
    known = [str(row[0]) for row in dead if str(row[0]) in old.graph.store.edges]
    lines += [f"no longer holds: {id}" for id in _first(known)] + _rest(len(known))
    return lines


def report_text(report: Report) -> str:
    """What was read, what became of it, and what did not become what it was."""
    lines = [f"{report.file} ({report.form}): {counts(report.read) or 'nothing'}"]
    for word, table in (("new", report.written), ("changed", report.changed), ("here already", report.unchanged)):
        if table:
            lines.append(f"{word}: {counts(table)}")
    if report.fell:
        lines.append(f"{paint('fell here', 'red')}: {', '.join(_first(report.fell))}")
        lines += _rest(len(report.fell))
    for code, number in report.counts.items():
        lines.append(f"{paint(code, 'yellow')}: {number}")
        notes = [note for note in report.notes if note.code == code]
        for note in notes[:LISTED]:
            place = f"line {note.line}: " if note.line is not None else ""
            subject = f"{note.subject} " if note.subject is not None else ""
            lines.append(f"  {place}{subject}{note.text}")
        lines += _rest(number)
    return "\n".join(lines)


def findings_text(home: object, findings: Sequence[Finding], mended: Sequence[str]) -> str:
    """Each finding with its place, its command and why it matters."""
    lines = [f"removed {name}" for name in mended]
    if not findings:
        lines.append(f"{paint('ok', 'green')}: nothing is wrong with {home}")
    for one in findings:
        place = ":".join(str(part) for part in (one.file, one.line, one.column) if part is not None)
        about = f" (generation {one.generation})" if one.generation is not None else ""
        lines.append(f"{paint(one.severity, _COLOUR[one.severity])}[{one.code}]{about} {place}")
        lines.append(f"  {one.message}")
        if one.note is not None:
            lines.append(f"  note: {one.note}")
        lines.append(f"  mend: {one.command}" if one.command else "  mend: take the file from a copy")
    return "\n".join(lines)


def _first(items: Iterable[Any]) -> list[Any]:
    return list(items)[:LISTED]


def _rest(count: int) -> list[str]:
    return [f"  and {count - LISTED} more (all of them with --json)"] if count > LISTED else []


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
