"""How well a text fits a question: rarity-weighted overlap, what the path before it covered, words side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from contextmesh.walk.kinds import SOURCE
from contextmesh.walk.nearby import Bearers
from contextmesh.walk.words import raw_words

if TYPE_CHECKING:
    from contextmesh.walk.index import Index
    from contextmesh.walk.places import Place, Places
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
# The sign that stands for any number.
DIGITS = "digits"
REASON = "because"
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
    """How a node by itself fits a question; terms are bits, by their order in it.

    Attributes:
        score: a statement's, in [0, 1.25]; a source's passage, 1 for the best, more when named; 0 for an entity.
        own: the terms of its own text.
        said: the same, with those of the title over a statement.
        held: the same, with what was read from it when it is a source.
    """

    score: float
    own: int
    said: int
    held: int


class Scorer:
    """Scores nodes for one question; each is looked at once."""

    def __init__(self, index: Index, places: Places, question: Question) -> None:
        self._index = index
        self._places = places
        self._question = question
        bags = index.statements
        self._rarity = [bags.rarity(term) for term in question.terms]
        self.masses = Masses(self._rarity)
        self._fits: dict[str, Fit] = {}
        self._bare: dict[int, Fit] = {}
        self._bare_names: dict[int, Fit] = {}
        self._titles: dict[str | None, int] = {None: 0}
        self._shares: dict[str, list[tuple[int, float]]] = {}
        self._bit_of = _bit_of(question)
        self._in_statements = [(bags.counts(term), bit) for term, bit in self._bit_of.items()]
        self._variants = [[(bags.counts(v), share) for v, share in question.variants[t]] for t in question.terms]
        self._misspelt = sum(1 << at for at, variants in enumerate(self._variants) if len(variants) > 1)
        self._known = frozenset(self._bit_of)
        self._pairs = [(pair, self._bits(pair)) for pair in sorted(question.pairs)]
        self._wanted: dict[int, tuple[tuple[str, str], ...]] = {}
        self._spelt = [Bearers(ids, index.edges) for ids in _by_place(question)]
        self._named = {name.id: name for name in question.names}
        self.kinds = question.kinds
        self.rest = sum(1 << at for at, term in enumerate(question.terms) if term in question.rest)
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
        return self.fit(self._places.of(id))

    def fit(self, place: Place) -> Fit:
        """The fit of a node by itself."""
        fit = self._fits.get(place.id)
        if fit is None:
            if place.spoken:
                fit = self._statement(place)
            else:
                fit = self._source(place) if place.kind == SOURCE else self._entity(place)
            self._fits[place.id] = fit
        return fit

    def left(self, id: str, covered: int) -> float:
        """The fit of a source to those terms alone that a path has not covered."""
        left = 0.0
        for bits, share in self._shares[id]:
            if bits & ~covered:
                left += share
        return left

    def label_share(self, id: str) -> float:
        """How much of a node's own label the question spells out, by rarity, in [0, 1]."""
        words = dict.fromkeys(self._places.label_terms(self._places.of(id)))
        rarity = {word: self._index.statements.idf(word) for word in words}
        shared = sum(w for word, w in rarity.items() if word in self._question.variants)
        return shared / (sum(rarity.values()) or 1.0)

    def span(self, id: str) -> tuple[int, int]:
        """Where in the question the words of a node's label first and last stand; (0, 0) when nowhere."""
        words = dict.fromkeys(self._places.label_terms(self._places.of(id)))
        starts = [at for term, at in self._question.places.items() if term in words]
        return (min(starts), max(starts)) if starts else (0, 0)

    def is_of_the_kind_asked_for(self, place: Place) -> bool:
        """Whether a statement about what is named may answer without sharing any other word of the question.

        When no other word is there, it must show a sign of the kind asked for, if one is; when there are others,
        a number is too weak a sign, but names may be so much of the question that they are enough.
        """
        if self.rest and self.masses[self.fit(place).said] >= ENOUGH:
            return True
        if not self._question.signs:
            return not self.rest
        enough = self._shows_sign(place) if not self.rest else self._shows_word(place)
        return enough and bool(self.fit(place).said)

    def shows_word(self, id: str) -> bool:
        """Whether a node's text holds a word of the kind asked for, such as a because."""
        return self._shows_word(self._places.of(id))

    def says_all(self, id: str) -> bool:
        """Whether a statement itself has every word of the question beside the names."""
        return not self.rest & ~self.statement(id).own

    # -- names ------------------------------------------------------------------------------------

    def _entity(self, place: Place) -> Fit:
        bits = self._name_bits(place)
        fit = self._bare_names.get(bits)
        if fit is None:
            fit = self._bare_names[bits] = Fit(0.0, bits, bits, bits)
        return fit

    def _source(self, place: Place) -> Fit:
        """BM25 over the title and what was read from the source; more when it is named."""
        bit_of, top = self._bit_of, self._top
        shares = self._shares[place.id] = [
            (bit_of[term], part / top) for term, part in self._weighed.parts(place.number)
        ]
        score, held = 0.0, 0
        for bits, share in shares:
            score += share
            held |= bits
        if place.id in self._named:
            score += NAME_GAIN * self._name_weight(place)
        said = self._name_bits(place)
        return Fit(score, said, said, held)

    def _title(self, source: str | None) -> int:
        """The terms that the title of a source says."""
        assert source is not None, "what has no title is there from the start"
        bits = 0  # a past may lack the source
        if source in self._places:
            place = self._places.of(source)
            bits = self.fit(place).said if place.spoken else self._name_bits(place)
        self._titles[source] = bits
        return bits

    def _name_bits(self, place: Place) -> int:
        """The terms that a name says."""
        return 0 if self._known.isdisjoint(place.name) else self._bits(place.name)

    def _name_weight(self, place: Place) -> float:
        """How telling the label of a named node is, in [0, 1], by the rarity of its words."""
        rarity = sum(self._index.passages.idf(term) for term in dict.fromkeys(self._places.label_terms(place)))
        return min(1.0, rarity / RARE_NAME)

    def _bits(self, some: Iterable[str]) -> int:
        bits = 0
        for term in some:
            bits |= self._bit_of.get(term, 0)
        return bits

    # -- statements -------------------------------------------------------------------------------

    def _statement(self, place: Place) -> Fit:
        number, own = place.number, 0
        for counts, bit in self._in_statements:
            if number in counts:
                own |= bit
        title = self._titles.get(place.home)
        if title is None:
            title = self._title(place.home)
        # What restates the title, and shares no more than that with the question, shares nothing.
        if own and not (place.header and not own & ~title):
            return self._by_words(place, own, title & ~own)
        fit = self._bare.get(title)
        if fit is None:
            fit = self._bare[title] = Fit(TITLE_SHARE * self.masses[title], 0, title, title)
        return fit

    def _by_words(self, place: Place, own: int, context: int) -> Fit:
        masses = self.masses
        mass = masses[own] if not own & self._misspelt else self._in_part(place.number, own)
        score = mass + TITLE_SHARE * masses[context]
        wanted = self._wanted.get(own)
        if wanted is None:
            wanted = self._wanted[own] = self._pairs_of(own)
        beside = self._pairs_share(place.id, wanted) if wanted else 0.0
        score += PAIRS_SHARE * beside + NAMES_SHARE * (self._names_share(place) if self._spelt else 0.0)
        if self._question.signs and not self._shows_sign(place):
            score *= 1.0 - SIGN_SHARE
        said = own | context
        return Fit(score * place.brevity, own, said, said)

    def _names_share(self, place: Place) -> float:
        """The share of the names in the question that a statement has an edge to, or was read in."""
        id, home, held = place.id, place.home, 0
        for bearers in self._spelt:
            if home in bearers.ids or bearers.are_met_from(id):
                held += 1
        return held / len(self._spelt)

    def _in_part(self, number: int, own: int) -> float:
        """The mass of the terms held; one held only by a term spelt alike counts in part."""
        total = 0.0
        for at, variants in enumerate(self._variants):
            if own >> at & 1:
                total += max(share for counts, share in variants if number in counts) * self._rarity[at]
        return total / self.masses.total

    def _pairs_of(self, own: int) -> tuple[tuple[str, str], ...]:
        """The pairs of the question that a text with these terms may hold side by side, where that is looked at."""
        if own.bit_count() < 2 or self.masses[own] < PAIRS_FROM:
            return ()
        return tuple(pair for pair, bits in self._pairs if not bits & ~own)

    def _pairs_share(self, id: str, wanted: tuple[tuple[str, str], ...]) -> float:
        """The share of the pairs of the question that are side by side in a text."""
        words = self._index.words(id)
        return sum(pair in pairwise(words) for pair in wanted) / len(self._pairs)

    def _shows_sign(self, place: Place) -> bool:
        return (DIGITS in self._question.signs and place.shows_number()) or self._shows_word(place)

    def _shows_word(self, place: Place) -> bool:
        """Whether a text holds a word of the kind asked for; a rationale is a reason by itself."""
        signs, node = self._question.signs, place.node
        if REASON in signs and node.attrs.get("rationale"):
            return True
        return bool(signs) and not signs.isdisjoint(raw_words(node.label))


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


def _weights(question: Question, bags: Ranking) -> dict[str, float]:
    weights: dict[str, float] = {}
    for term in question.terms:
        for variant, share in question.variants[term]:
            weights[variant] = max(weights.get(variant, 0.0), share * bags.idf(variant))
    return weights
