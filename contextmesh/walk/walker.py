"""A best-first walk over live edges under a budget: prices from the rules, order by insertion, busy nodes held back."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from contextmesh.walk.kinds import ENTITY, SOURCE
from contextmesh.walk.roads import BACKWARD, FORWARD
from contextmesh.walk.scoring import PATH_SHARE
from contextmesh.walk.seeds import NAME
from contextmesh.walk.strength import Strength
from contextmesh.walk.visits import Visit, Walk

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index
    from contextmesh.walk.places import Place
    from contextmesh.walk.question import Ask, Question
    from contextmesh.walk.roads import Roads
    from contextmesh.walk.scoring import Scorer
    from contextmesh.walk.seeds import Seeds
    from contextmesh.walk.settings import WalkSettings
    from contextmesh.walk.ways import Way, Ways

# A seed found by word starts this far behind those found by name, and up to as far again the worse it fits.
WORD_START = 2.0
# A node whose label the question spells out by this share is what it asks about, though it does not name it.
LABEL_SHARE = 0.6
# A node that has become this much stronger since its edges were followed has them followed again.
STRONGER = 1.3
# An edge that the question asks for is nearly free.
ASKED_PRICE = 0.2
# Nodes of the pool with more edges than this are looked up one by one.
MANY = 256


class Walker:
    """Walks for one question; nothing it does changes the graph."""

    def __init__(
        self,
        store: Store,
        index: Index,
        roads: Roads,
        ways: Ways,
        question: Question,
        scorer: Scorer,
        settings: WalkSettings,
    ) -> None:
        self._nodes = store.nodes
        self._edges_of = index.edges
        self._roads = roads
        self._question = question
        self._scorer = scorer
        self._settings = settings
        self._ways = ways
        self._leads_only_to = ways.leads_only_to
        self._named = {name.id: name for name in question.names}
        self._names_a_subject = any(ways.places.of(id).spoken for id in self._named)
        self._pool: tuple[str, ...] = ()
        self._from_pool: dict[str, list[Edge]] | None = None
        self._walk = Walk()
        self._visits = self._walk.visits
        self._strength = Strength(ways, question, scorer, self._visits)
        self._heap: list[tuple[float, int, Visit]] = []
        self._pushed = 0

    def run(self, seeds: Seeds) -> Walk:
        """The walk from these seeds."""
        self._pool = seeds.pool
        # Where there are names, a walk goes by way of them: the path then says how the answer hangs together.
        start = WORD_START if any(seed.how == NAME for seed in seeds.seeds) else 0.0
        for seed in seeds.seeds:
            price = 0.0 if seed.how == NAME else start + 2 * (1.0 - seed.share)
            self._meet(seed.id, price, seed.how == NAME)
        walk, heap, most = self._walk, self._heap, self._settings.max_expand
        while heap and walk.expanded < most:
            price, _, visit = heapq.heappop(heap)
            if price > visit.price or visit.strength <= visit.spread * STRONGER:
                continue
            visit.spread = visit.strength
            walk.expanded += 1
            if visit.hops < self._settings.hop_budget:
                self._expand(visit)
        self._ways.trim()
        return walk

    # -- seeds --------------------------------------------------------------------------------

    def _meet(self, id: str, price: float, named: bool) -> None:
        visit = self._first(self._ways.places.of(id))
        visit.price, visit.said, visit.covered = price, visit.own, visit.held
        visit.strength = visit.fits if visit.place.kind != ENTITY else 1.0 if named else 0.5
        self._push(visit)

    def _first(self, place: Place) -> Visit:
        """A node that is met for the first time, and not yet weighed."""
        fit = self._scorer.fit(place)
        visit = self._visits[place.id] = Visit(place.id, place, fit.score, fit.said, fit.held)
        return visit

    # -- steps --------------------------------------------------------------------------------

    def _expand(self, visit: Visit) -> None:
        asks = self._asks_at(visit)
        if asks:
            self._expand_asked(visit, asks)
            return
        ways = self._ways.of(visit.id)
        if ways is None:
            along = (self._ways.way(*step) for step in self._edges(visit.id, ()))
            ways = [way for way in along if way is not None]
        self._follow(visit, ways, 0.0)

    def _expand_asked(self, visit: Visit, asks: tuple[Ask, ...]) -> None:
        """Follow the edges of a node that the question asks edges of, and note those that are not there."""
        open_asks = dict.fromkeys(asks)
        for edge, direction in self._edges(visit.id, asks):
            way = self._ways.way(edge, direction)
            if way is not None:
                self._follow(visit, [way], _share_asked(asks, edge.type, direction))
                for ask in asks:
                    if (ask.type, ask.direction) == (edge.type, direction):
                        open_asks.pop(ask, None)
        if len(dict.fromkeys(ask.type for ask in asks)) == 1 and visit.place.spoken:
            self._walk.unmet.extend((visit.id, ask) for ask in open_asks)

    def _edges(self, id: str, asks: tuple[Ask, ...]) -> Iterator[tuple[Edge, str]]:
        """The edges a walk may follow from here; of a busy node, those to relevant nodes and its first few."""
        roads, nodes = self._roads, self._nodes
        for edge in self._some(id, FORWARD):
            if edge.type in roads.forward:
                yield edge, FORWARD
        asked_back = [ask.type for ask in asks if ask.direction == BACKWARD]
        for edge in self._some(id, BACKWARD):
            if edge.type in asked_back or (edge.type in roads.backward and nodes[edge.src].type in roads.asserts):
                yield edge, BACKWARD

    def _some(self, id: str, direction: str) -> Iterable[Edge]:
        edges, fan = self._edges_of, self._settings.fan
        count, list_them = (edges.leaving, edges.out_of) if direction == FORWARD else (edges.reaching, edges.into)
        if count(id) <= fan:
            return list_them(id)
        some = {edge.id: edge for edge in self._with_pool(id, direction)}
        for edge in list_them(id, fan):
            some.setdefault(edge.id, edge)
        return some.values()

    def _with_pool(self, id: str, direction: str) -> Iterable[Edge]:
        """The edges between a busy node and relevant ones, in the order of the pool."""
        edges, pool = self._edges_of, self._pool
        if direction == FORWARD:
            return [edge for other in pool for edge in edges.between(id, other)]
        if self._from_pool is None:
            if any(edges.leaving(other) > MANY for other in pool):
                return [edge for other in pool for edge in edges.between(other, id)]
            self._from_pool = {}
            for other in pool:
                for edge in edges.out_of(other):
                    self._from_pool.setdefault(edge.dst, []).append(edge)
        return self._from_pool.get(id, ())

    def _follow(self, visit: Visit, ways: Iterable[Way], asked: float) -> None:
        """Go along some of the ways on from a node."""
        visits, masses, strength, reach = self._visits, self._scorer.masses, self._strength.of, self._reach
        by_name = visit.place.kind == ENTITY
        for way in ways:
            place = way[0]
            known = visits.get(place.id)
            if known is None:
                if place.kind == ENTITY and self._leads_back(visit, place.id):
                    continue
                known = self._first(place)
            if place.spoken:
                reach(visit, way, known, known.fits + PATH_SHARE * masses[visit.said & ~known.own], asked)
                if by_name:
                    self._read_at_home(visit, known)
            else:
                reach(visit, way, known, strength(visit, known), asked)

    def _reach(self, visit: Visit, way: Way, known: Visit, strength: float, asked: float) -> None:
        """Meet a node, or meet it again: by a cheaper way, or with more strength."""
        if asked > known.asked:
            known.asked = asked
        stronger = strength > known.strength
        if stronger:
            known.strength = strength
            known.said = visit.said | known.own
            known.covered = visit.covered | known.held
        if known.spread < 0:
            # The price of the edge's type, more for a busy target, less for a repeated observation or a good fit.
            price = way[1] * (1.6 - (strength if strength < 1.0 else 1.0)) / way[2]
            price = visit.price + (price * ASKED_PRICE if asked else price)
            # What a node already led to keeps its place within the hop budget.
            if price < known.price and not (known.led_on and visit.hops + 1 > known.hops):
                known.price, known.hops, known.parent = price, visit.hops + 1, visit.id
                known.edge, known.direction = way[3], way[4]
                self._push(known)
        elif stronger and strength > known.spread * STRONGER:
            self._push(known)

    def _read_at_home(self, entity: Visit, statement: Visit) -> None:
        """A statement met by way of a name is read where it stands: its source is met with it."""
        way = self._ways.to_home(statement.id)
        if way is None or statement.hops >= self._settings.hop_budget:
            return
        statement.led_on = True
        home = self._visits.get(way[0].id)
        if home is None:
            home = self._first(way[0])
        self._reach(statement, way, home, self._strength.bridged(entity, home), 0.0)

    def _leads_back(self, visit: Visit, target: str) -> bool:
        """Whether a name leads only to what the source it was met in, or the source of the statement, leads to."""
        if self._question.asks:
            return False
        alone = self._leads_only_to(target)
        return alone is not None and alone == (visit.id if visit.place.kind == SOURCE else visit.place.home)

    def _asks_at(self, visit: Visit) -> tuple[Ask, ...]:
        """The asks of the question that this node is the subject or object of."""
        if not self._question.asks or visit.hops > 0:
            return ()
        name = self._named.get(visit.id)
        if name is not None:
            start, end = name.start, name.end
        elif not self._names_a_subject and self._scorer.label_share(visit.id) >= LABEL_SHARE:
            start, end = self._scorer.span(visit.id)
        else:
            return ()
        # What leaves an entity leads to where it was read, which is no answer to "What is X based on?".
        inward = not visit.place.spoken
        return tuple(
            ask
            for ask in self._question.asks
            if (ask.end <= start if ask.place == "before" else ask.start >= end)
            and not (inward and ask.direction == FORWARD)
        )

    def _push(self, visit: Visit) -> None:
        self._pushed += 1
        heapq.heappush(self._heap, (visit.price, self._pushed, visit))


def _share_asked(asks: tuple[Ask, ...], type_: str, direction: str) -> float:
    """1 when this is the one edge type asked for; less when the words ask for any of several."""
    types = dict.fromkeys(ask.type for ask in asks)
    if any(ask.type == type_ and ask.direction == direction for ask in asks):
        return 1.0 / len(types)
    return 0.0
