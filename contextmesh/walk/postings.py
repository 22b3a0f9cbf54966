"""An inverted index over bags of terms, with bounded postings: what a search costs does not grow with the index.

A bag is known by its number, and a term holds the numbers of its bags with its count in each: what a text holds is
read from the terms of a question, so no second copy of the text is kept.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from contextmesh.walk.words import trigrams

# A term in more bags than this is looked up in its champions alone: the bags where it weighs most.
POSTINGS = 400
# A search scores at most this many bags, those of the rarest terms first.
CANDIDATES = 1200
K1 = 1.2
LENGTH = 0.5
# Terms that open with the same letters, differ in length by at most this, and share this much are spelt alike.
OPENING = 2
FURTHER = 3
ALIKE = 0.6

Counts = Mapping[int, int]
"""How often a term stands in each bag that holds it, by number."""

NONE: Counts = {}


class Numbers:
    """Ids as whole numbers in the order in which they were first named; what breaks ties."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}
        self.ids: list[str] = []

    def number(self, id: str) -> int:
        """The number of an id; the next free one for an id that has none."""
        found = self.of.get(id)
        if found is None:
            found = self.of[id] = len(self.ids)
            self.ids.append(id)
        return found


class Ranking(ABC):
    """Bags of terms by id, scored by BM25 (Robertson and Zaragoza, 2009; k1 = 1.2, b = 0.5).

    Where the bags come from is for a subclass to say: ``counts``, ``length``, ``bags``, ``total`` and ``opening``.

    Attributes:
        numbers: of the ids; bags of one number belong to one id.
        bags: how many there are.
        total: the sum of their lengths.
    """

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.bags = 0
        self.total = 0
        self._champions: dict[str, tuple[int, tuple[int, ...]]] = {}

    @abstractmethod
    def counts(self, term: str) -> Counts:
        """The bags that hold a term; not to be changed, nor held over a change of the index."""

    @abstractmethod
    def length(self, number: int) -> int:
        """The terms of a bag, repeats counted; 0 where there is no bag."""

    @abstractmethod
    def opening(self, letters: str) -> Iterable[str]:
        """The terms that open with these letters, in the order of first appearance, perhaps with some no bag holds."""

    @property
    def average(self) -> float:
        """The average length of a bag, at least 1."""
        return max(1.0, self.total / max(1, self.bags))

    def frequency(self, term: str) -> int:
        """In how many bags a term stands."""
        return len(self.counts(term))

    def idf(self, term: str) -> float:
        """The weight of a term by its rarity; greatest for a term that stands in no bag."""
        held = self.frequency(term)
        return math.log(1 + (self.bags - held + 0.5) / (held + 0.5))

    def rarity(self, term: str) -> float:
        """A gentler weight than ``idf``: a term that stands in every bag still counts."""
        return math.log(1 + self.bags / max(self.frequency(term), 0.5))

    def slack(self, number: int) -> float:
        """What the formula adds to each count for the length of a bag."""
        return K1 * (1 - LENGTH + LENGTH * self.length(number) / self.average)

    def slacks(self, numbers: Iterable[int]) -> dict[int, float]:
        """The slack of each of many bags."""
        average, length = self.average, self.length
        return {number: K1 * (1 - LENGTH + LENGTH * length(number) / average) for number in numbers}

    def weighed(self, weights: Mapping[str, float]) -> Weighed:
        """Terms with their weights and postings at hand, for scoring bags one by one while nothing is written."""
        return Weighed(self, weights)

    def score(self, id: str, weights: Mapping[str, float]) -> float:
        """The BM25 score of one bag for weighted terms."""
        return sum(part for _, part in self.weighed(weights).parts(self.numbers.of.get(id, -1)))

    def search(
        self, weights: Mapping[str, float], limit: int, keep: Callable[[str], bool] = lambda _: True
    ) -> list[tuple[str, float]]:
        """The best bags for weighted terms with their scores, best first, ties by insertion.

        Looks at no more than ``CANDIDATES`` bags, whatever the index holds, and at none that hold only terms too weak
        to matter (MaxScore: Turtle and Flood, 1995): from the rarest term on, once enough bags score more than all
        that the terms not yet looked up may add.
        """
        rarest_first = sorted(weights, key=lambda t: (self.frequency(t), t))
        left = sum(weights.values()) * (K1 + 1)
        candidates: dict[int, float] = {}
        for term in rarest_first:
            if len(candidates) >= CANDIDATES:
                break
            # The margin is for what adding up in another order rounds.
            if len(candidates) >= limit and max(candidates.values()) > left * (1 + 1e-9):
                best = self._best(candidates, limit, keep)
                if len(best) == limit and best[-1][1] > left * (1 + 1e-9):
                    return best
            fresh = {number: 0.0 for number in self._looked_up(term) if number not in candidates}
            self._score_all(fresh, weights)
            candidates.update(fresh)
            if self.frequency(term) <= POSTINGS:  # no bag is left that holds it
                left -= weights[term] * (K1 + 1)
        return self._best(candidates, limit, keep)

    def _best(self, scores: dict[int, float], limit: int, keep: Callable[[str], bool]) -> list[tuple[str, float]]:
        ranked = sorted(scores)
        ranked.sort(key=scores.__getitem__, reverse=True)  # stable: of equals the first number stays first
        ids = self.numbers.ids
        best: list[tuple[str, float]] = []
        for number in ranked:
            if len(best) >= limit:
                break
            if keep(ids[number]):
                best.append((ids[number], scores[number]))
        return best

    def _score_all(self, candidates: dict[int, float], weights: Mapping[str, float]) -> None:
        """Term by term, so that each bag's parts are added in the order of the weights, as ``score`` adds them."""
        slacks = self.slacks(candidates)
        for term, weight in weights.items():
            counts = self.counts(term)
            if len(counts) <= len(candidates):
                for number, count in counts.items():
                    if number in slacks:
                        candidates[number] += weight * count * (K1 + 1) / (count + slacks[number])
                continue
            held = counts.get
            for number, slack in slacks.items():
                count = held(number, 0)
                if count:
                    candidates[number] += weight * count * (K1 + 1) / (count + slack)

    def holders(self, term: str) -> list[str]:
        """The bags that hold a term, or its champions when there are more than ``POSTINGS``."""
        ids = self.numbers.ids
        return [ids[number] for number in self._looked_up(term)]

    def _looked_up(self, term: str) -> Iterable[int]:
        counts = self.counts(term)
        if len(counts) <= POSTINGS:
            return counts
        made_at, champions = self._champions.get(term, (0, ()))
        # Made anew when the postings have grown by a fifth: the cost of a write stays constant on average.
        if made_at * 6 < len(counts) * 5:
            length = self.length
            impact = {number: count / (1.0 + length(number)) for number, count in counts.items()}
            ranked = sorted(impact)
            ranked.sort(key=impact.__getitem__, reverse=True)
            champions = tuple(ranked[:POSTINGS])
            self._champions[term] = (len(counts), champions)
        return champions

    def alike(self, term: str, limit: int = 3) -> list[tuple[str, float]]:
        """Terms spelt nearly like this one from the third letter on, with the Dice coefficient of their trigrams."""
        own = trigrams(term)
        close: list[tuple[str, float]] = []
        for other in islice(self.opening(term[:OPENING]), POSTINGS):
            if abs(len(other) - len(term)) <= FURTHER and self.counts(other):
                grams = trigrams(other)
                dice = 2 * len(own & grams) / (len(own) + len(grams))
                if dice >= ALIKE:
                    close.append((other, dice))
        return sorted(close, key=lambda found: (-found[1], found[0]))[:limit]


class Weighed:
    """The terms of one question with their weights, looked up once in bags that do not change meanwhile."""

    def __init__(self, bags: Ranking, weights: Mapping[str, float]) -> None:
        self._terms = [(term, weight, bags.counts(term)) for term, weight in weights.items()]
        self._slack = bags.slack

    def parts(self, number: int) -> list[tuple[str, float]]:
        """What each term that a bag holds adds to its score; nothing for a number without a bag."""
        found: list[tuple[str, float]] = []
        slack = -1.0
        for term, weight, counts in self._terms:
            count = counts.get(number)
            if count:
                if slack < 0:
                    slack = self._slack(number)
                found.append((term, weight * count * (K1 + 1) / (count + slack)))
        return found


class Bags(Ranking):
    """Bags that are filled, and emptied again."""

    def __init__(self, numbers: Numbers | None = None) -> None:
        super().__init__(numbers if numbers is not None else Numbers())
        self._posts: dict[str, dict[int, int] | tuple[int, int]] = {}  # most terms stand in one bag alone
        self._lengths: list[int] = []
        self._by_opening: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return self.bags

    def __contains__(self, id: str) -> bool:
        number = self.numbers.of.get(id)
        return number is not None and number < len(self._lengths) and self._lengths[number] >= 0

    def counts(self, term: str) -> Counts:
        post = self._posts.get(term)
        if post is None:
            return NONE
        return post if isinstance(post, dict) else {post[0]: post[1]}

    def length(self, number: int) -> int:
        return max(0, self._lengths[number]) if number < len(self._lengths) else 0

    def lengths(self) -> list[int]:
        """The length of each bag by number, -1 where there is none; a copy, for every number there is."""
        return self._lengths + [-1] * (len(self.numbers.ids) - len(self._lengths))

    def slacks(self, numbers: Iterable[int]) -> dict[int, float]:
        average, lengths = self.average, self._lengths
        return {number: K1 * (1 - LENGTH + LENGTH * lengths[number] / average) for number in numbers}

    def opening(self, letters: str) -> Sequence[str]:
        return self._by_opening.get(letters, ())

    def add(self, id: str, terms: Sequence[str], count: int = 1) -> None:
        """Put more terms into a bag, which is made when there is none."""
        number, posts, lengths = self.numbers.number(id), self._posts, self._lengths
        while len(lengths) <= number:
            lengths.append(-1)
        if lengths[number] < 0:
            lengths[number] = 0
            self.bags += 1
        for term in terms:
            post = posts.get(term)
            if type(post) is dict:
                post[number] = post[number] + count if number in post else count
            elif post is None:
                self._by_opening.setdefault(term[:OPENING], []).append(term)
                posts[term] = (number, count)
            elif post[0] == number:
                posts[term] = (number, post[1] + count)
            else:
                posts[term] = {post[0]: post[1], number: count}
        lengths[number] += count * len(terms)
        self.total += count * len(terms)

    def take(self, id: str, terms: Iterable[str], count: int = 1) -> None:
        """Take terms out of a bag again, as often as they were put in."""
        number = self.numbers.of.get(id, -1)
        for term in terms:
            post = self._posts.get(term, {})
            held = post if isinstance(post, dict) else {post[0]: post[1]}
            if number not in held:
                continue
            held[number] -= count
            self._lengths[number] -= count
            self.total -= count
            if held[number] <= 0:
                del held[number]
                self._champions.pop(term, None)
            self._posts[term] = held
