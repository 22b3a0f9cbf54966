"""An inverted index over bags of terms, with bounded postings: what a search costs does not grow with the index."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

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


class Bags:
    """Bags of terms by id, scored by BM25 (Robertson and Zaragoza, 2009; k1 = 1.2, b = 0.5)."""

    def __init__(self) -> None:
        self._bags: dict[str, dict[str, float]] = {}
        self._lengths: dict[str, float] = {}
        self._order: dict[str, int] = {}
        self._posts: dict[str, dict[str, None]] = {}
        self._champions: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._by_opening: dict[str, list[str]] = {}
        self._total = 0.0

    def __len__(self) -> int:
        return len(self._bags)

    def __contains__(self, id: str) -> bool:
        return id in self._bags

    def bag(self, id: str) -> Mapping[str, float]:
        """The terms of one bag with their counts; empty for an unknown id."""
        return self._bags.get(id, {})

    def add(self, id: str, terms: Iterable[str], count: float = 1.0) -> None:
        """Put more terms into a bag, which is made when there is none."""
        bag = self._bags.setdefault(id, {})
        self._order.setdefault(id, len(self._order))
        grown = 0.0
        for term in terms:
            if term not in bag:
                bag[term] = 0.0
                self._post(term, id)
            bag[term] += count
            grown += count
        self._lengths[id] = self._lengths.get(id, 0.0) + grown
        self._total += grown

    def take(self, id: str, terms: Iterable[str], count: float = 1.0) -> None:
        """Take terms out of a bag again, as often as they were put in."""
        bag = self._bags.get(id, {})
        for term in terms:
            if term not in bag:
                continue
            bag[term] -= count
            self._lengths[id] -= count
            self._total -= count
            if bag[term] <= 0:
                del bag[term]
                del self._posts[term][id]
                self._champions.pop(term, None)

    @property
    def average(self) -> float:
        """The average length of a bag, at least 1."""
        return max(1.0, self._total / max(1, len(self._bags)))

    def frequency(self, term: str) -> int:
        """In how many bags a term stands."""
        return len(self._posts.get(term, ()))

    def idf(self, term: str) -> float:
        """The weight of a term by its rarity; greatest for a term that stands in no bag."""
        held = self.frequency(term)
        return math.log(1 + (len(self._bags) - held + 0.5) / (held + 0.5))

    def score(self, id: str, weights: Mapping[str, float]) -> float:
        """The BM25 score of one bag for weighted terms."""
        return sum(part for _, part in self.parts(id, weights))

    def rarity(self, term: str) -> float:
        """A gentler weight than ``idf``: a term that stands in every bag still counts."""
        return math.log(1 + len(self._bags) / max(self.frequency(term), 0.5))

    def parts(self, id: str, weights: Mapping[str, float]) -> list[tuple[str, float]]:
        """What each term that a bag holds adds to its score."""
        bag = self._bags.get(id)
        if not bag:
            return []
        slack = K1 * (1 - LENGTH + LENGTH * self._lengths[id] / self.average)
        held = [(term, weight, bag[term]) for term, weight in weights.items() if term in bag]
        return [(term, weight * count * (K1 + 1) / (count + slack)) for term, weight, count in held]

    def search(
        self, weights: Mapping[str, float], limit: int, keep: Callable[[str], bool] = lambda _: True
    ) -> list[tuple[str, float]]:
        """The best bags for weighted terms with their scores, best first, ties by insertion.

        Looks at no more than ``CANDIDATES`` bags, whatever the index holds.
        """
        candidates: dict[str, None] = {}
        for term in sorted(weights, key=lambda t: (self.frequency(t), t)):
            if len(candidates) >= CANDIDATES:
                break
            candidates.update(dict.fromkeys(self.holders(term)))
        scored = [(id, self.score(id, weights)) for id in candidates]
        scored.sort(key=lambda found: (-found[1], self._order[found[0]]))
        best: list[tuple[str, float]] = []
        for id, score in scored:
            if len(best) >= limit:
                break
            if keep(id):
                best.append((id, score))
        return best

    def holders(self, term: str) -> Iterable[str]:
        """The bags that hold a term, or its champions when there are more than ``POSTINGS``."""
        posts = self._posts.get(term)
        if posts is None:
            return ()
        if len(posts) <= POSTINGS:
            return posts
        made_at, champions = self._champions.get(term, (0, ()))
        # Made anew when the postings have grown by a fifth: the cost of a write stays constant on average.
        if made_at * 6 < len(posts) * 5:
            champions = tuple(sorted(posts, key=lambda id: (-self._impact(id, term), self._order[id]))[:POSTINGS])
            self._champions[term] = (len(posts), champions)
        return champions

    def alike(self, term: str, limit: int = 3) -> list[tuple[str, float]]:
        """Terms spelt nearly like this one from the third letter on, with the Dice coefficient of their trigrams."""
        own = trigrams(term)
        close: list[tuple[str, float]] = []
        for other in self._by_opening.get(term[:OPENING], ())[:POSTINGS]:
            if abs(len(other) - len(term)) <= FURTHER and self._posts.get(other):
                grams = trigrams(other)
                dice = 2 * len(own & grams) / (len(own) + len(grams))
                if dice >= ALIKE:
                    close.append((other, dice))
        return sorted(close, key=lambda found: (-found[1], found[0]))[:limit]

    def _post(self, term: str, id: str) -> None:
        posts = self._posts.get(term)
        if posts is None:
            posts = self._posts[term] = {}
            self._by_opening.setdefault(term[:OPENING], []).append(term)
        posts[id] = None

    def _impact(self, id: str, term: str) -> float:
        return self._bags[id][term] / (1.0 + self._lengths[id])
