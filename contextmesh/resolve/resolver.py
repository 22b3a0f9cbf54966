"""Names to ids: an alias table, then the best score among the few names that share a block. One id per thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from contextmesh.base.errors import InputError, Problem
from contextmesh.base.read_only import writes
from contextmesh.resolve.normalise import acronym, block_keys, normalise, own_form
from contextmesh.resolve.similarity import similarity

THRESHOLD = 0.62
NEAR = 0.25

BY_ALIAS = "alias table"
BY_SCORE = "scored match"
EMPTY = "empty after normalisation"
NO_CANDIDATE = "no candidate in any block"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name stands for, or why for nothing.

    Attributes:
        id, label: of the thing; both None when the name was not resolved.
        score: of the best candidate, in [0, 1]; 1 for the alias table.
        reason: how it was found, or why not.
    """

    id: str | None
    label: str | None
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One line of the log: what was asked and what came of it."""

    mention: str
    resolution: Resolution


Step = tuple[str, str, str]
"""One thing that the table took up: ``label`` id label, ``block`` key id, ``alias`` form id for a form that was free,
or ``claim`` form id for one that was another thing's until then."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far somebody has followed what a table learns."""

    steps: int
    log: int


class Resolver:
    """The table of names. A resolution costs what its words and blocks hold, not the whole table.

    Args:
        threshold: the least score, in [0, 1], at which a candidate is taken.
    """

    def __init__(self, threshold: float = THRESHOLD) -> None:
        if not 0.0 <= threshold <= 1.0:
            raise InputError(Problem("out-of-range", "the threshold must be from 0 to 1", subject="threshold"))
        self.threshold = threshold
        self.log: list[Attempt] = []
        self._labels: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._blocks: dict[str, dict[str, None]] = {}
        self._own: dict[str, str] = {}  # own form of a label -> its id: never stored, the labels tell it
        self._normal: dict[str, str] = {}  # id -> normalised label
        self._words: dict[str, dict[str, None]] = {}  # word, unspaced form or acronym of a label -> ids
        self._steps: list[Step] = []  # what was taken up since the table was made, in order

    # -- the table ----------------------------------------------------------------------------

    @property
    def labels(self) -> Mapping[str, str]:
        """Every id with its label, in order of registration."""
        return MappingProxyType(self._labels)

    @property
    def aliases(self) -> Mapping[str, str]:
        """Every known form with its id."""
        return MappingProxyType(self._aliases)

    @property
    def blocks(self) -> Mapping[str, Mapping[str, None]]:
        """The ids of each block."""
        return MappingProxyType(self._blocks)

    @writes
    def register(self, id: str, label: str, aliases: Iterable[str] = ()) -> tuple[str, ...]:
        """Adds a thing with its label and further names, or further names to a thing that is there.

        A label takes its form even from what was learned for another thing; a further name takes a form
        only when it is free, so that no name silently moves.

        Returns:
            The names that another thing keeps.

        Raises:
            InputError: two-identities: the id is there with another label.
        """
        known = self._labels.get(id, label)
        if known != label:
            raise _two_identities(id, known, label)
        self._name(id, label)
        kept = [] if self._claim(id, label, is_label=True) else [label]
        kept.extend(name for name in aliases if not self._claim(id, name, is_label=False))
        return tuple(kept)

    # -- resolution ---------------------------------------------------------------------------

    def resolve(self, mention: str) -> Resolution:
        """What a name stands for. Logged; a match by score becomes an alias, so that the next time is a look-up."""
        resolution = self.peek(mention)
        if resolution.reason == BY_SCORE:
            assert resolution.id is not None
            form = self._free_form(resolution.id, mention)
            if form not in self._aliases:
                self._alias_to(form, resolution.id)
        self.log.append(Attempt(mention, resolution))
        return resolution

    def peek(self, mention: str) -> Resolution:
        """What a name stands for; neither logged nor learned."""
        normal = normalise(mention)
        if not normal:
            return Resolution(None, None, 0.0, EMPTY)
        found = self._alias(mention, normal)
        if found is not None:
            return Resolution(found, self._labels[found], 1.0, BY_ALIAS)
        best, score = self._best(mention, normal)
        if best is None:
            return Resolution(None, None, 0.0, NO_CANDIDATE)
        if score >= self.threshold:
            return Resolution(best, self._labels[best], score, BY_SCORE)
        reason = f"best candidate {self._labels[best]!r} scored {score:.2f} < {self.threshold:.2f}"
        return Resolution(None, None, score, reason)

    def bearer(self, name: str) -> str | None:
        """The id of the thing whose name this is by the alias table; nothing is scored, so it costs a look-up."""
        normal = normalise(name)
        return self._alias(name, normal) if normal else None

    def near_misses(self) -> tuple[str, ...]:
        """Mentions that almost resolved and still do not, each form once, oldest first."""
        first: dict[str, Attempt] = {}
        for attempt in self.log:
            if attempt.resolution.id is None:
                first.setdefault(normalise(attempt.mention), attempt)
        return tuple(
            attempt.mention
            for normal, attempt in first.items()
            if attempt.resolution.score >= NEAR and self._alias(attempt.mention, normal) is None
        )

    # -- following it -------------------------------------------------------------------------

    @property
    def cursor(self) -> Cursor:
        """Where the table stands; what it learns from here on is what ``since`` tells."""
        return Cursor(len(self._steps), len(self.log))

    def since(self, cursor: Cursor) -> tuple[tuple[Step, ...], tuple[Attempt, ...]]:
        """What was taken up and what was asked since then, in order."""
        return tuple(self._steps[cursor.steps :]), tuple(self.log[cursor.log :])

    @writes
    def take(self, steps: Iterable[Step], attempts: Iterable[Attempt]) -> None:
        """Take up what another table learned, as ``since`` told it: a form that is somebody's here stays theirs.

        Raises:
            InputError: two-identities: an id is here with another label; unknown-id: a form of an id that is not here.
        """
        for kind, key, value in steps:
            if kind == "label":
                if self._labels.get(key, value) != value:
                    raise _two_identities(key, self._labels[key], value)
                self._name(key, value)
                continue
            if value not in self._labels:
                raise InputError(Problem("unknown-id", f"{value} has a name, and is not in the table", subject=value))
            if kind == "block":
                self._block(key, value)
            elif kind == "claim" or key not in self._aliases:
                self._alias_to(key, value)
        self.log.extend(attempts)

    @writes
    def become(self, other: Resolver) -> None:
        """Hold what another table holds, in this object; the other is not to be used any more."""
        self.__dict__.update(other.__dict__)

    # -- files --------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The table and its log as ``contextmesh.resolver`` version 1."""
        from contextmesh.resolve.snapshot import resolver_to_json

        return resolver_to_json(self)

    @classmethod
    def from_json(cls, data: object, file: str = "<resolver>") -> Resolver:
        """A table read as untrusted.

        Raises:
            ResolverSnapshotError: what is wrong and where.
        """
        from contextmesh.resolve.snapshot import resolver_from_json

        return resolver_from_json(data, file)

    @classmethod
    def restored(
        cls,
        threshold: float,
        labels: Mapping[str, str],
        aliases: Mapping[str, str],
        blocks: Mapping[str, Iterable[str]],
        log: Iterable[Attempt],
    ) -> Resolver:
        """A table from its checked parts, exactly as they are: blocks cannot be rebuilt from the aliases."""
        made = cls(threshold)
        made._labels = dict(labels)
        made._aliases = dict(aliases)
        made._blocks = {key: dict.fromkeys(ids) for key, ids in blocks.items()}
        made.log = list(log)
        for id, label in labels.items():
            made._index(id, label)
        return made

    # -- inside -------------------------------------------------------------------------------

    def _index(self, id: str, label: str) -> None:
        if id in self._normal:
            return
        normal = normalise(label)
        self._normal[id] = normal
        self._own.setdefault(own_form(label), id)
        for key in (*normal.split(), _unspaced(normal), acronym(normal)):
            if key:
                self._words.setdefault(key, {})[id] = None

    def _claim(self, id: str, name: str, *, is_label: bool) -> bool:
        """Gives a name's form to ``id``; False when another thing keeps it."""
        normal = normalise(name)
        if not normal:
            return True
        form = self._free_form(id, name)
        owner = self._aliases.get(form)
        if owner not in (None, id) and (not is_label or own_form(self._labels[owner]) == own_form(name)):
            return False
        self._alias_to(form, id)
        for key in block_keys(normal):
            self._block(key, id)
        return True

    def _name(self, id: str, label: str) -> None:
        if id not in self._labels:
            self._labels[id] = label
            self._steps.append(("label", id, label))
        self._index(id, label)

    def _alias_to(self, form: str, id: str) -> None:
        owner = self._aliases.get(form)
        if owner != id:
            self._aliases[form] = id
            self._steps.append(("alias" if owner is None else "claim", form, id))

    def _block(self, key: str, id: str) -> None:
        there = self._blocks.setdefault(key, {})
        if id not in there:
            there[id] = None
            self._steps.append(("block", key, id))

    def _free_form(self, id: str, name: str) -> str:
        """The normalised form, or the own form where the normalised one is another name's that lost other letters."""
        normal, own = normalise(name), own_form(name)
        owner = self._aliases.get(normal)
        if normal == own or owner in (None, id) or own_form(self._labels[owner]) == own:
            return normal
        return own

    def _alias(self, mention: str, normal: str) -> str | None:
        own = own_form(mention)
        if own == normal:
            return self._aliases.get(normal)
        exact = self._own.get(own, self._aliases.get(own))
        if exact is not None:
            return exact
        found = self._aliases.get(normal)
        if found is not None and self._loses_other_letters(found, normal):
            return None
        return found

    def _best(self, mention: str, normal: str) -> tuple[str | None, float]:
        """The best candidate of the blocks and its score; ties go to the smallest id."""
        blocks = [self._blocks[key] for key in block_keys(normal) if key in self._blocks]
        best, best_score = None, 0.0
        for id in self._related(normal):
            if not any(id in block for block in blocks):
                continue
            if normal != own_form(mention) and self._loses_other_letters(id, normal):
                continue
            score = similarity(normal, self._normal[id])
            if score > best_score or (score == best_score and best is not None and id < best):
                best, best_score = id, score
        if best is None and blocks:  # nothing shares a word: every candidate scores 0
            best = min((min(block) for block in blocks if block), default=None)
        return best, best_score

    def _related(self, normal: str) -> Iterator[str]:
        """Ids whose label can score above 0: a shared word, the same letters, or initials."""
        seen: dict[str, None] = {}
        for key in (*normal.split(), _unspaced(normal), acronym(normal)):
            for id in self._words.get(key, ()):
                if id not in seen:
                    seen[id] = None
                    yield id

    def _loses_other_letters(self, id: str, normal: str) -> bool:
        """Whether the label of ``id`` has this form only because letters were dropped from it."""
        return self._normal[id] == normal and own_form(self._labels[id]) != normal


def _two_identities(id: str, known: str, label: str) -> InputError:
    message = f"{id} is registered as {known!r}, and cannot also be {label!r}"
    return InputError(Problem("two-identities", message, subject=id, hint="register it under an id of its own"))


def _unspaced(normal: str) -> str:
    return normal.replace(" ", "")
