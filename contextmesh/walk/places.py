"""A node as walks see it, whatever the question: looked up once, and kept while nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.walk.kinds import SOURCE, WORDLESS
from contextmesh.walk.words import name_key, raw_words, terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contextmesh.store.model import Node
    from contextmesh.walk.index import Index

# A statement of average length loses this share of its fit, one of thrice that length twice as much.
LENGTH_SHARE = 0.12
# A statement made of a record's header restates the title.
HEADER = "header-stated"
_NUMBERS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half third quarter
tenth once twice thrice dozen none zero
"""
NUMBER_WORDS = frozenset(_NUMBERS.split())


@dataclass(slots=True)
class Place:
    """A node as walks see it.

    Attributes:
        kind: its type; ``spoken`` when its words say something, rather than name it.
        number: its place in the order of insertion.
        home: the source it was read in.
        header: whether it was made of a record's header.
        brevity: what its length leaves of the fit of a statement, in (0.76, 1].
        name: the terms of the label of what is not spoken.
        title: of a source, the form under which its title is looked up.
    """

    id: str
    kind: str
    spoken: bool
    number: int
    node: Node
    home: str | None
    header: bool
    brevity: float
    name: Sequence[str]
    title: str
    _digits: bool | None = None

    def shows_number(self) -> bool:
        """Whether a number stands in its label, in digits or as a word."""
        if self._digits is None:
            self._digits = any(word[0].isdigit() or word in NUMBER_WORDS for word in raw_words(self.node.label))
        return self._digits


class Places:
    """The places of one state of a store."""

    def __init__(self, index: Index, nodes: Mapping[str, Node]) -> None:
        self._index = index
        self._nodes = nodes
        self._numbers = index.numbers.of
        self._length = index.statements.length
        self._average = index.statements.average
        self._of: dict[str, Place] = {}

    def __contains__(self, id: str) -> bool:
        return id in self._nodes

    def clear(self) -> None:
        """Let go of all of them."""
        self._of.clear()

    def of(self, id: str) -> Place:
        """The place of a node."""
        place = self._of.get(id)
        if place is None:
            place = self._of[id] = self._looked_up(id)
        return place

    def label_terms(self, place: Place) -> Sequence[str]:
        """The terms of a node's label alone."""
        return self._label_terms(place.node)

    def _label_terms(self, node: Node) -> Sequence[str]:
        return terms(node.label) if "rationale" in node.attrs else self._index.words(node.id)

    def _looked_up(self, id: str) -> Place:
        node, number = self._nodes[id], self._numbers[id]
        read, kind = node.provenance, node.type
        home = read.source_id if read is not None else None
        if kind in WORDLESS:
            title = name_key(node.label) if kind == SOURCE else ""
            return Place(id, kind, False, number, node, home, False, 1.0, self._label_terms(node), title)
        length = self._length(number) / self._average
        brevity = 1.0 - LENGTH_SHARE * min(2.0, length * 2 / (1 + length))
        header = read is not None and HEADER in read.checks
        return Place(id, kind, True, number, node, home, header, brevity, (), "")
