"""What was asked of a session and where it walked: counters that know what is new in them, and the last walks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from contextmesh.base import fields
from contextmesh.base.fields import Fault

KEPT = 64
"""How many of the last walks are kept."""


class Counts(dict[str, int]):
    """A dictionary of counters that tells each of its followers by how much each counter grew.

    Attributes:
        followers: what each has not yet written down, by counter.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        super().__init__(counts)
        self.followers: list[dict[str, int]] = []

    @classmethod
    def followed(cls, counts: dict[str, int]) -> tuple[Counts, dict[str, int]]:
        """These counters, and what they gain from now on."""
        made = counts if isinstance(counts, Counts) else cls(counts)
        fresh: dict[str, int] = {}
        made.followers.append(fresh)
        return made, fresh

    def __setitem__(self, key: str, value: int) -> None:
        grown = value - self.get(key, 0)
        if grown:
            for fresh in self.followers:
                fresh[key] = fresh.get(key, 0) + grown
        super().__setitem__(key, value)


def settle(fresh: dict[str, int], counted: Mapping[str, int]) -> None:
    """So much of what is new is written down."""
    for key, count in counted.items():
        left = fresh.get(key, 0) - count
        if left:
            fresh[key] = left
        else:
            fresh.pop(key, None)


@dataclass(frozen=True, slots=True)
class Walked:
    """One walk.

    Attributes:
        answer: the id of what answered; None at a dead end.
        seeds: the nodes it started from.
    """

    question: str
    answer: str | None
    dead_end: str | None
    seeds: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "answer": self.answer,
            "dead_end": self.dead_end,
            "seeds": list(self.seeds),
        }


class Walks:
    """The last walks, oldest first.

    Attributes:
        total: how many were added since this was made, also those that are no longer kept.
    """

    def __init__(self, walks: Iterable[Walked] = ()) -> None:
        self._last = deque(walks, KEPT)
        self.total = 0

    def __iter__(self) -> Any:
        return iter(self._last)

    def __len__(self) -> int:
        return len(self._last)

    def add(self, walked: Walked) -> None:
        self._last.append(walked)
        self.total += 1

    def since(self, total: int) -> tuple[Walked, ...]:
        """Those added after so many were, as far as they are kept."""
        new = min(self.total - total, len(self._last))
        return tuple(self._last)[len(self._last) - new :]


def walk_body(nodes: Mapping[str, int], edges: Mapping[str, int], last: Iterable[Walked]) -> dict[str, Any]:
    """The body of a ``walk`` line."""
    return {"nodes": dict(nodes), "edges": dict(edges), "last": [walked.to_json() for walked in last]}


def read_walk(body: object) -> tuple[dict[str, int], dict[str, int], tuple[Walked, ...]]:
    """A ``walk`` line read as untrusted: what nodes and edges gained, and the walks.

    Raises:
        Fault: what is wrong.
    """
    row = fields.record(body, ("nodes", "edges", "last"))
    counted = []
    for key in ("nodes", "edges"):
        counts = fields.mapping(row, key)
        for id in counts:
            try:
                fields.whole(counts, id)
            except Fault as fault:
                raise fault.under(key) from None
        counted.append(counts)
    walks = []
    for index, value in enumerate(fields.array(row, "last")):
        try:
            walks.append(_walked(value))
        except Fault as fault:
            raise fault.under("last", index) from None
    return counted[0], counted[1], tuple(walks)


def _walked(value: object) -> Walked:
    row = fields.record(value, ("question", "answer", "dead_end", "seeds"))
    answer = fields.text_or_none(row, "answer", empty=False)
    dead_end = fields.text_or_none(row, "dead_end", empty=False)
    if (answer is None) == (dead_end is None):
        raise Fault("half-answered", "has either an answer or a dead end", ("answer",))
    return Walked(fields.text(row, "question", empty=False), answer, dead_end, fields.texts(row, "seeds"))
