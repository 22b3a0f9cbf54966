"""One task of a plan: what was declared, and what came of it so far."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from contextmesh.base.canon import digest
from contextmesh.base.errors import InputError, Problem
from contextmesh.run.registry import Audit, Bound, Work

State = Literal["pending", "done", "stale", "failed"]
STATES: tuple[State, ...] = ("pending", "done", "stale", "failed")


@dataclass(slots=True)
class Task:
    """A task. Whether it is done, stale or blocked is read from the rules, never held here.

    Attributes:
        name, title, rationale: as declared.
        needs: names of tasks whose outputs it takes.
        produces: labels of the entities its decision makes.
        assumes, assumption_id: the statement it stands on, and its node.
        worker, auditor: what runs and what looks; an auditor may be absent.
        key: how the rules name it.
        order: its place in the plan.
        turn: the number of the last thing said of it to the rules.
        attempt: runs so far.
        node_id: the decision of the last run that was recorded, or None.
        artefacts: ids of the entities that decision made.
        output: what that run returned.
        called_stale: a file called it stale though it has no result; it is due like any pending task.
        standing: turns of ``planned``, ``ran`` and ``missed`` rows that hold now.
    """

    name: str
    title: str
    rationale: str
    needs: tuple[str, ...]
    produces: tuple[str, ...]
    assumes: str
    worker: Bound[Work]
    auditor: Bound[Audit] | None
    key: str
    order: int = 0
    assumption_id: str = ""
    turn: int = 0
    attempt: int = 0
    node_id: str | None = None
    artefacts: tuple[str, ...] = ()
    output: dict[str, Any] = field(default_factory=dict)
    standing: dict[str, int] = field(default_factory=dict)
    called_stale: bool = False
    _digested: tuple[dict[str, Any], str] | None = field(default=None, repr=False, compare=False)

    @property
    def worker_key(self) -> str | None:
        return self.worker.key

    @property
    def auditor_key(self) -> str | None:
        return self.auditor.key if self.auditor is not None else None

    @property
    def output_digest(self) -> str:
        """Of its canonical JSON; worked out once, however many tasks take the output."""
        if self._digested is None or self._digested[0] is not self.output:
            self._digested = (self.output, digest(self.output))
        return self._digested[1]

    def keep(self, output: dict[str, Any], made: str) -> None:
        """The output of the last recorded run, with its digest."""
        self.output, self._digested = output, (output, made)

    def describe(self) -> dict[str, Any]:
        """The declaration with keys only."""
        return {
            "name": self.name,
            "title": self.title,
            "rationale": self.rationale,
            "assumes": self.assumes,
            "needs": list(self.needs),
            "produces": list(self.produces),
            "worker_key": self.worker_key,
            "auditor_key": self.auditor_key,
        }


def default_title(name: str) -> str:
    """``hash_password`` → ``Hash password``."""
    return name.replace("_", " ").strip().capitalize()


def task_key(plan: str, opening: int, name: str) -> str:
    """How the rules name a task: ``plan/name``; a second plan of that name over one graph is ``plan#2/name``."""
    head = plan.replace("%", "%25").replace("/", "%2F").replace("#", "%23")
    return f"{head}/{name}" if opening == 1 else f"{head}#{opening}/{name}"


def copy_of(output: dict[str, Any]) -> dict[str, Any]:
    """Of its own, so that nobody who is handed an output can change it."""
    copied = json.loads(json.dumps(output))
    assert isinstance(copied, dict), "an output is an object"
    return copied


def require_text(what: str, value: object) -> None:
    """Raises InputError, ``blank-text``."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(Problem("blank-text", f"{what} must be text, and not blank", subject=what))


def labels(given: object, what: str) -> tuple[str, ...]:
    """A list of texts as it was given, each of them once.

    Raises:
        InputError: ``wrong-type``, ``blank-text``.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        hint = f"write [{given!r}]" if isinstance(given, str) else None
        message = f"{what} are a list of texts, not {'one text' if hint else type(given).__name__}"
        raise InputError(Problem("wrong-type", message, subject=what, hint=hint))
    names = tuple(given)
    for name in names:
        require_text(f"each of {what}", name)
    return tuple(dict.fromkeys(names))
