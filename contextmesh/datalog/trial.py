"""An undo log over the engine: a frame notes where each relation stood, and going back costs what was touched."""

from __future__ import annotations

from collections.abc import Collection
from types import TracebackType
from typing import TYPE_CHECKING

from contextmesh.datalog.facts import Delta, Relation
from contextmesh.datalog.seminaive import Stage

if TYPE_CHECKING:
    from contextmesh.datalog.engine import Engine


class Frame:
    """What stood when something began: positions in the logs of touched relations, and how far stages had read."""

    __slots__ = ("dirty", "marks", "stages", "wanted")

    def __init__(self, dirty: int) -> None:
        self.dirty = dirty
        self.wanted: Collection[str] | None = None
        self.marks: dict[Relation, int] = {}
        self.stages: dict[Stage, tuple[bool, list[int]]] = {}

    def touch(self, relation: Relation) -> None:
        """To be called before the relation changes."""
        if relation not in self.marks:
            self.marks[relation] = len(relation.log)

    def note(self, stage: Stage) -> None:
        """To be called before the stage looks at what changed; its heads are touched apart."""
        if stage not in self.stages:
            self.stages[stage] = (stage.built, stage.cursors)

    def undo(self) -> None:
        for relation, mark in self.marks.items():
            relation.undo(mark)
        for stage, (built, cursors) in self.stages.items():
            stage.built, stage.cursors = built, cursors

    def merge(self, outer: Frame) -> None:
        """The frame ends well inside another, which from now on answers for it."""
        for relation, mark in self.marks.items():
            outer.marks.setdefault(relation, mark)
        for stage, before in self.stages.items():
            outer.stages.setdefault(stage, before)


class Trial:
    """What is applied inside is undone at the end, unless kept."""

    def __init__(self, engine: Engine, wanted: Collection[str] | None) -> None:
        self.wanted = wanted
        self._engine = engine
        self._kept = False

    def apply(self, delta: Delta, *, report: Collection[str] | None = None) -> Delta:
        """As Engine.apply; without ``report`` the delta is over what is wanted."""
        return self._engine.apply(delta, report=self.wanted if report is None else report)

    def keep(self) -> None:
        """Make what was applied stand when the trial ends.

        Raises:
            AssertionError: the trial was begun for some relations only.
        """
        assert self.wanted is None, "a trial of some relations only cannot be kept"
        self._kept = True

    def __enter__(self) -> Trial:
        self._engine.begin(self.wanted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.end(keep=self._kept and error is None)
