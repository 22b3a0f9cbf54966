"""How well a text fits a question: rarity-weighted overlap, what the path before it covered, words side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from contextmesh.walk.index import ENTITY, SOURCE
from contextmesh.walk.nearby import Bearers
from contextmesh.walk.words import raw_words, terms

if TYPE_CHECKING:
    from contextmesh.store.model import Node
    from contextmesh.walk.index import Index
    from contextmesh.walk.postings import Ranking
    from contextmesh.walk.question import Question

# A term in the title over a statement counts half, one met on the way to it two fifths.
TITLE_SHARE = 0.5
PATH_SHARE = 0.4
PAIRS_SHARE = 0.15
# What mentioning every name of the question is worth.
NAMES_SHARE = 0.1
# A statement with this share of a question, be it names alone, is about what is asked.
ENOUGH = 0.6
# Word order is looked at only where this share of the question is there at all.
PAIRS_FROM = 0.25
# A statement without any word of the kind asked for (a number, a because) loses this share of its fit.
SIGN_SHARE = 0.15
# A statement of average length loses this share of its fit, one of thrice that length twice as much.
LENGTH_SHARE = 0.12
# The sign that stands for any number.
DIGITS = "digits"
REASON = "because"
# A statement made of a record's header restates the title; when it shares no more than that, it shares nothing.
HEADER = "header-stated"
_NUMBERS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half third quarter
tenth once twice thrice dozen none zero
"""
NUMBER_WORDS = frozenset(_NUMBERS.split())
# A source that bears a name from the question gains by the rarity of that name, up to this.
NAME_GAIN = 1.2
RARE_NAME = 10.0


class Masses(dict[int, float]):
    """The share of a question, by rarity, that some of its terms (a bit each) make up; each set is added up once."""

    def __init__(self, rarity: Sequence[float]) -> None:
        self._rarity = rarity
        self.total = sum(rarity) or 1.0

    def __missing__(self, bits: int) -> float:
        mass = sum(w for at, w in enumerate(self._rarity) if bits >> at & 1) / self.total
        self[bits] = mass
        return mass


@dataclass(slots=True)
class Fit:
    """How a statement fits: its score in [0, 1.25], and the terms it covers (a bit for each, by their order)."""

    score: float
    own: int
    context: int


class Scorer:
    """Scores texts for one question; each text is looked at once."""

    def __init__(self, index: Index, nodes: Mapping[str, Node], question: Question) -> None:
        self._index = index
        self._nodes = nodes
        self._question = question
        self._numbers = index.numbers.of
        bags = index.statements
        self._average, self._length = bags.average, bags.length
        self._rarity = [bags.rarity(term) for term in question.terms]
        self.masses = Masses(self._rarity)
        self._bare: dict[int, Fit] = {}
        self._fits: dict[str, Fit] = {}
        self._said: dict[str, int] = {}
        self._covered: dict[str, int] = {}
        self._passages: dict[str, float] = {}
        self._shares: dict[str, list[tuple[int, float]]] = {}
        self._bit_of = _bit_of(question)
        self._in_statements = [(bags.counts(term), bit) for term, bit in self._bit_of.items()]
        self._variants = [[(bags.counts(v), share) for v, share in question.variants[t]] for t in question.terms]
        self._misspelt = sum(1 << at for at, variants in enumerate(self._variants) if len(variants) > 1)
        self._spelt = [Bearers(ids, index.edges) for ids in _by_place(question)]
        self._named = {name.id: name for name in question.names}
        self.kinds = question.kinds
        self.rest = self._bits_of(question.rest)
        self.statement_weights = _weights(question, bags)
        self.passage_weights = _weights(question, index.passages)
        self._weighed = index.passages.weighed(self.passage_weights)
        self._top = 1.0

    def scale(self, top: float) -> None:
        """Set the BM25 score that counts as 1 for a source: the best one's."""
        self._top = max(top, 1e-9)

    def mass(self, bits: int) -> float:
        """The share of the question, by rarity, that some of its terms make up."""
        return self.masses[bits]

    def statement(self, id: str) -> Fit:
        """The fit of a claim, decision or evidence by itself."""
        fit = self._fits.get(id)
        if fit is None:
            fit = self._fits[id] = self._statement(id)
        return fit

    def passage(self, id: str) -> float:
        """The fit of a source: BM25 over its title and what was read from it, 1 for the best; more when named."""
        base = self._passages.get(id)
        if base is None:
            base = sum(share for _, share in self._shares_of(id))
            if id in self._named:
                base += NAME_GAIN * self.name_weight(id)
            self._passages[id] = base
        return base

    def left(self, id: str, covered: int) -> float:
        """The fit of a source to those terms alone that a path has not covered."""
        left = 0.0
        for bits, share in self._shares_of(id):
            if bits & ~covered:
                left += share
        return left

    def _shares_of(self, id: str) -> list[tuple[int, float]]:
        """What each variant of a term adds to the fit of a source, with the bits of the terms."""
        shares = self._shares.get(id)
        if shares is None:
            parts = self._weighed.parts(self._numbers.get(id, -1))
            shares = self._shares[id] = [(self._bit_of[term], part / self._top) for term, part in parts]
        return shares

    def name_weight(self, id: str) -> float:
        """How telling the label of a named node is, in [0, 1], by the rarity of its words."""
        rarity = sum(self._index.passages.idf(term) for term in dict.fromkeys(self._label_words(id)))
        return min(1.0, rarity / RARE_NAME)

    def said(self, id: str) -> int:
        """The terms that a node says itself: a name its own words, a statement also the title over it."""
        bits = self._said.get(id)
        if bits is None:
            node = self._nodes[id]
            if node.type in (SOURCE, ENTITY):
                bits = 0
                words = self._label_words(id)
                if not self._bit_of.keys().isdisjoint(words):
                    for term in words:
                        bits |= self._bit_of.get(term, 0)
            else:
                fit = self.statement(id)
                bits = fit.own | fit.context
            self._said[id] = bits
        return bits

    def covered(self, id: str) -> int:
        """The terms that a node says, or that were read from it when it is a source."""
        if self._nodes[id].type != SOURCE:
            return self.said(id)
        bits = self._covered.get(id)
        if bits is None:
            bits = 0
            for share in self._shares_of(id):
                bits |= share[0]
            self._covered[id] = bits
        return bits

    def label_share(self, id: str) -> float:
        """How much of a node's own label the question spells out, by rarity, in [0, 1]."""
        words = dict.fromkeys(self._label_words(id))
        rarity = {word: self._index.statements.idf(word) for word in words}
        shared = sum(w for word, w in rarity.items() if word in self._question.variants)
        return shared / (sum(rarity.values()) or 1.0)

    def span(self, id: str) -> tuple[int, int]:
        """Where in the question the words of a node's label first and last stand; (0, 0) when nowhere."""
        words = dict.fromkeys(self._label_words(id))
        starts = [at for term, at in self._question.places.items() if term in words]
        return (min(starts), max(starts)) if starts else (0, 0)

    def is_of_the_kind_asked_for(self, id: str) -> bool:
        """Whether a statement about what is named may answer without sharing any other word of the question.

        When no other word is there, it must show a sign of the kind asked for, if one is; when there are others,
        a number is too weak a sign, but names may be so much of the question that they are enough.
        """
        if self.rest and self.mass(self.said(id)) >= ENOUGH:
            return True
        if not self._question.signs:
            return not self.rest
        node = self._nodes[id]
        enough = self._shows_sign(node) if not self.rest else self._shows_word(node)
        return enough and bool(self.said(id))

    def shows_word(self, id: str) -> bool:
        """Whether a node's text holds a word of the kind asked for, such as a because."""
        return self._shows_word(self._nodes[id])

    def says_all(self, id: str) -> bool:
        """Whether a statement itself has every word of the question beside the names."""
        return not self.rest & ~self.statement(id).own

    def _statement(self, id: str) -> Fit:
        node, number = self._nodes[id], self._numbers[id]
        own = 0
        for counts, bit in self._in_statements:
            if number in counts:
                own |= bit
        read = node.provenance
        title = self._title(read.source_id) if read is not None else 0
        if own and not own & ~title and read is not None and HEADER in read.checks:
            own = 0
        return self._by_words(node, number, own, title & ~own) if own else self._by_title(title)

    def _by_words(self, node: Node, number: int, own: int, context: int) -> Fit:
        score = self._strength(number, own) + TITLE_SHARE * self.masses[context]
        score += PAIRS_SHARE * self._pairs_share(node.id, own) + NAMES_SHARE * self._names_share(node)
        if self._question.signs and not self._shows_sign(node):
            score *= 1.0 - SIGN_SHARE
        length = self._length(number) / self._average
        score *= 1.0 - LENGTH_SHARE * min(2.0, length * 2 / (1 + length))
        return Fit(score, own, context)

    def _by_title(self, title: int) -> Fit:
        """The fit of every statement that has nothing of the question but the title over it."""
        fit = self._bare.get(title)
        if fit is None:
            fit = self._bare[title] = Fit(TITLE_SHARE * self.masses[title], 0, title)
        return fit

    def _names_share(self, node: Node) -> float:
        """The share of the names in the question that a statement has an edge to, or was read in."""
        if not self._spelt:
            return 0.0
        home = node.provenance.source_id if node.provenance is not None else None
        held = 0
        for bearers in self._spelt:
            if home in bearers.ids or bearers.are_met_from(node.id):
                held += 1
        return held / len(self._spelt)

    def _strength(self, number: int, own: int) -> float:
        """The mass of the terms held; one held only by a term spelt alike counts in part."""
        if not own & self._misspelt:
            return self.masses[own]
        total = 0.0
        for at, variants in enumerate(self._variants):
            if own >> at & 1:
                total += max(share for counts, share in variants if number in counts) * self._rarity[at]
        return total / self.masses.total

    def _pairs_share(self, id: str, own: int) -> float:
        wanted = self._question.pairs
        if not wanted or own.bit_count() < 2 or self.mass(own) < PAIRS_FROM:
            return 0.0
        return len(wanted.intersection(pairwise(self._index.words(id)))) / len(wanted)

    def _shows_sign(self, node: Node) -> bool:
        digits = DIGITS in self._question.signs and any(_is_number(word) for word in raw_words(node.label))
        return digits or self._shows_word(node)

    def _shows_word(self, node: Node) -> bool:
        """Whether a text holds a word of the kind asked for; a rationale is a reason by itself."""
        signs = self._question.signs
        if REASON in signs and node.attrs.get("rationale"):
            return True
        return bool(signs) and any(word in signs for word in raw_words(node.label))

    def _title(self, source: str) -> int:
        """The terms that the title of a source says, which need not be here."""
        bits = self._said.get(source)
        if bits is None:
            bits = self.said(source) if source in self._nodes else 0
        return bits

    def _label_words(self, id: str) -> Sequence[str]:
        """The terms of a node's label alone."""
        node = self._nodes[id]
        return terms(node.label) if "rationale" in node.attrs else self._index.words(id)

    def _bits_of(self, some: frozenset[str]) -> int:
        return sum(1 << at for at, term in enumerate(self._question.terms) if term in some)


def _bit_of(question: Question) -> dict[str, int]:
    """The bit of the term that each variant counts for; of two terms, both."""
    bits: dict[str, int] = {}
    for at, term in enumerate(question.terms):
        for variant, _ in question.variants[term]:
            bits[variant] = bits.get(variant, 0) | 1 << at
    return bits


def _by_place(question: Question) -> list[list[str]]:
    """The nodes that each name spelt out in the question may mean."""
    places: dict[int, list[str]] = {}
    for name in question.names:
        places.setdefault(name.start, []).append(name.id)
    return list(places.values())


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word in NUMBER_WORDS


def _weights(question: Question, bags: Ranking) -> dict[str, float]:
    weights: dict[str, float] = {}
    for term in question.terms:
        for variant, share in question.variants[term]:
            weights[variant] = max(weights.get(variant, 0.0), share * bags.idf(variant))
    return weights
