"""The one tree of errors: bad input is a value with a code; a fault of ours is an assertion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

Field = str | int | None

LONGEST = 2000
"""So many characters of one text are told: what is refused may be quoted in it, and may be as long as a file."""


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a text.

    Attributes:
        file: the name of the text as the user knows it (a path, or a word in angle brackets).
        line: 1-based, or None when the whole file is meant.
        column: 1-based, in characters.
        width: how many characters the caret spans (at least 1).
        text: the whole line, without its newline, so that a renderer needs no file.
    """

    file: str
    line: int | None = None
    column: int | None = None
    width: int = 1
    text: str | None = None

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input, comparable with ``==``.

    Attributes:
        code: a stable word in kebab-case, listed in docs/errors.md.
        message: one sentence, without the place.
        subject: what the problem is about: an id, a relation, a field, a path.
        fields: further named values, in a fixed order.
        where: the place; ``also`` holds further places, each shown with its own caret.
        note: why this is a problem, when the message does not say it.
        hint: what to do.
    """

    code: str
    message: str
    subject: str | None = None
    fields: tuple[tuple[str, Field], ...] = ()
    where: Where | None = None
    also: tuple[Where, ...] = ()
    note: str | None = None
    hint: str | None = None

    def __post_init__(self) -> None:
        for name in ("message", "note", "hint"):
            told = getattr(self, name)
            if told is not None and len(told) > LONGEST:
                object.__setattr__(self, name, shortened(told))

    def as_json(self) -> dict[str, object]:
        """The shape that every command prints under ``error`` (surface: Exit codes)."""
        place = None
        if self.where is not None:
            place = {"file": self.where.file, "line": self.where.line, "column": self.where.column}
        return {
            "code": self.code,
            "message": self.message,
            "subject": shortened(self.subject),
            "fields": {name: shortened(value) for name, value in self.fields},
            "note": self.note,
            "hint": self.hint,
            "where": place,
        }


def shortened(value: Field) -> Field:
    """A text of at most ``LONGEST`` characters, without the middle where it was longer; anything else as it is."""
    if not isinstance(value, str) or len(value) <= LONGEST:
        return value
    left = f" … {len(value)} characters … "
    start = LONGEST // 2
    return value[:start] + left + value[len(value) - (LONGEST - start - len(left)) :]


def fields_of(values: Mapping[str, Field]) -> tuple[tuple[str, Field], ...]:
    """Named values as a Problem carries them."""
    return tuple(values.items())


@dataclass(eq=False)
class Refusal(Exception):
    """Bad input, refused: one or more problems. Catch this to catch every refusal.

    Two refusals are equal when they are of one class and have equal problems.
    """

    problems: tuple[Problem, ...] = field(default=())
    exit_code: ClassVar[int] = 2

    def __init__(self, problem: Problem, *more: Problem) -> None:
        super().__init__(problem.message)
        self.problems = (problem, *more)

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> Refusal:
        """A refusal with every problem found; there must be at least one."""
        first, *rest = problems
        return cls(first, *rest)

    @property
    def problem(self) -> Problem:
        return self.problems[0]

    @property
    def code(self) -> str:
        return self.problem.code

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.problems == other.problems

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.problems))

    def __str__(self) -> str:
        return "; ".join(p.message for p in self.problems)


# ---- what is read ---------------------------------------------------------------------------


class InputError(Refusal):
    """A file or argument that cannot be read as what it should be."""


class RuleError(Refusal):
    """A rules text or query that is not safe, stratified, declared or even Datalog."""


class LimitReached(Refusal):
    """An evaluation that would exceed its limit of rows, rounds or seconds."""


class PolicyError(Refusal):
    """A GRAPH.md or rules folder that does not make a policy."""


class SnapshotError(Refusal):
    """A graph file that is damaged or states what the rules do not derive."""


class ResolverSnapshotError(Refusal):
    """A resolver file that is damaged."""


class LedgerIntegrityError(Refusal):
    """A run ledger that is damaged, or is not the one that was trusted."""


class ExecutionSnapshotError(Refusal):
    """A plan file that is damaged, or does not fit its graph."""


class ExecutionCheckpointError(Refusal):
    """A plan that cannot be written or bound: a task without a key, a key without a callable."""


class SessionError(Refusal):
    """A session directory that cannot be trusted."""


class SessionLockedError(Refusal):
    """Another writer holds the session; not a SessionError, since nothing is wrong with it."""

    exit_code: ClassVar[int] = 4


# ---- what is written ------------------------------------------------------------------------


class OntologyError(Refusal):
    """A write that GRAPH.md or the legality rules do not allow."""


class UnknownError(Refusal):
    """A name or id that names nothing here."""
