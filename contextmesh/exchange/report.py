"""What an import did, in counts, and whatever did not become what it was, with its reason and line."""

from __future__ import annotations

from dataclasses import dataclass, field

TOLD = 100
"""How many notes of one kind are told one by one; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that did not become what it was.

    Attributes:
        code: the kind of reason, a word in kebab-case.
        text: the reason in one sentence.
        line: of the file, from 1; None when it is about no line.
        subject: the id or name it is about.
    """

    code: str
    text: str
    line: int | None = None
    subject: str | None = None

    def as_json(self) -> dict[str, object]:
        return {"code": self.code, "text": self.text, "line": self.line, "subject": self.subject}


@dataclass(slots=True)
class Report:
    """What an import did.

    Attributes:
        file: as its user named it.
        form: memory, lines, graph or session.
        read: how many things of each kind the file holds.
        written: how many records of each kind are new here.
        changed: how many records that were here gained something.
        unchanged: how many records were here already, just so.
        fell: nodes that were standing here and fell with what came in.
        counts: how many notes of each code there are.
        notes: the first notes of each code.
    """

    file: str
    form: str
    read: dict[str, int] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    fell: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def note(self, code: str, text: str, *, line: int | None = None, subject: str | None = None) -> None:
        """Count a reason, and tell it unless many of its kind were told."""
        count = self.counts.get(code, 0) + 1
        self.counts[code] = count
        if count <= TOLD:
            self.notes.append(Note(code, text, line, subject))

    def as_json(self) -> dict[str, object]:
        return {
            "file": self.file,
            "form": self.form,
            "read": self.read,
            "written": self.written,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "fell": list(self.fell),
            "counts": self.counts,
            "notes": [note.as_json() for note in self.notes],
        }


def count(table: dict[str, int], kind: str, more: int = 1) -> None:
    """Add to a table of counts."""
    if more:
        table[kind] = table.get(kind, 0) + more
