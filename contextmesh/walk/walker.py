"""A best-first walk over live edges under a budget: prices from the rules, order by insertion, busy nodes held back."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from contextmesh.walk.index import ENTITY, SOURCE
from contextmesh.walk.roads import BACKWARD, FORWARD
from contextmesh.walk.seeds import NAME
from contextmesh.walk.strength import Strength
from contextmesh.walk.visits import Visit, Walk

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index
    from contextmesh.walk.question import Ask, Question
    from contextmesh.walk.roads import Roads
    from contextmesh.walk.scoring import Scorer
    from contextmesh.walk.seeds import Seeds
    from contextmesh.walk.settings import WalkSettings

# A seed found by word starts this far behind those found by name, and up to as far again the worse it fits.
WORD_START = 2.0
# A node whose label the question spells out by this share is what it asks about, though it does not name it.
LABEL_SHARE = 0.6
# A node that has become this much stronger since its edges were followed has them followed again.
STRONGER = 1.3
# A name with more edges than this is gone on from without looking where they all lead.
FEW = 8


class Walker:
    """Walks for one question; nothing it does changes the graph."""

    def __init__(
        self,
        store: Store,
        index: Index,
        roads: Roads,
        question: Question,
        scorer: Scorer,
        settings: WalkSettings,
        is_live: Callable[[str], bool],
    ) -> None:
        self._nodes = store.nodes
        self._dead = store.engine.read("edge_dead")  # nothing is written while a walk goes on
        self._edges_of = index.edges
        self._roads = roads
        self._question = question
        self._scorer = scorer
        self._settings = settings
        self._is_live = is_live
        self._named = {name.id: name for name in question.names}
        self._pool: tuple[str, ...] = ()
        self._walk = Walk()
        self._strength = Strength(store, index, roads, question, scorer, self._walk)
        self._heap: list[tuple[float, int, str]] = []
        self._pushed = 0

    def run(self, seeds: Seeds) -> Walk:
        """The walk from these seeds."""
        self._pool = seeds.pool
        # Where there are names, a walk goes by way of them: the path then says how the answer hangs together.
        start = WORD_START if any(seed.how == NAME for seed in seeds.seeds) else 0.0
        for seed in seeds.seeds:
            price = 0.0 if seed.how == NAME else start + 2 * (1.0 - seed.share)
            self._meet(seed.id, price, seed.how == NAME)
        while self._heap and self._walk.expanded < self._settings.max_expand:
            price, _, id = heapq.heappop(self._heap)
            visit = self._walk.visits[id]
            if price > visit.price or visit.strength <= visit.spread * STRONGER:
                continue
            visit.spread = visit.strength
            self._walk.expanded += 1
            if visit.hops < self._settings.hop_budget:
                self._expand(visit)
        return self._walk

    # -- seeds --------------------------------------------------------------------------------

    def _meet(self, id: str, price: float, named: bool) -> None:
        kind = self._nodes[id].type
        said = covered = self._scorer.said(id)
        if kind == SOURCE:
            covered = self._scorer.covered(id)
            strength = self._scorer.passage(id)
        elif kind == ENTITY:
            strength = 1.0 if named else 0.5
        else:
            strength = self._scorer.statement(id).score
        self._walk.visits[id] = Visit(id, price, 0, strength=strength, said=said, covered=covered)
        self._push(self._walk.visits[id])

    # -- steps --------------------------------------------------------------------------------

    def _expand(self, visit: Visit) -> None:
        asks = self._asks_at(visit)
        open_asks = dict.fromkeys(asks)
        for edge, direction in self._edges(visit.id, asks):
            target = edge.dst if direction == FORWARD else edge.src
            if self._is_live(target) and not self._dead.holds((edge.id,)):
                self._relax(visit, edge, direction, target, asks)
                for ask in asks:
                    if (ask.type, ask.direction) == (edge.type, direction):
                        open_asks.pop(ask, None)
        if len(dict.fromkeys(ask.type for ask in asks)) == 1 and self._nodes[visit.id].type not in (ENTITY, SOURCE):
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
        some: dict[str, Edge] = {}
        for other in self._pool:
            pair = (id, other) if direction == FORWARD else (other, id)
            some.update((edge.id, edge) for edge in edges.between(*pair))
        for edge in list_them(id, fan):
            some.setdefault(edge.id, edge)
        return some.values()

    def _relax(self, visit: Visit, edge: Edge, direction: str, target: str, asks: tuple[Ask, ...]) -> None:
        if target not in self._walk.visits and self._leads_back(visit, target):
            return
        asked = _share_asked(asks, edge.type, direction) if asks else 0.0
        met = self._reach(visit, edge, direction, target, asked, self._strength.of(visit, target))
        if self._nodes[visit.id].type == ENTITY and self._nodes[target].type not in (ENTITY, SOURCE):
            self._read_at_home(visit, met)

    def _reach(self, visit: Visit, edge: Edge, direction: str, target: str, asked: float, strength: float) -> Visit:
        """Meet a node, or meet it again: by a cheaper way, or with more strength."""
        price = visit.price + self._strength.price(edge, direction, target, strength, asked)
        known = self._walk.visits.get(target)
        if known is None:
            known = Visit(target, price, visit.hops + 1, visit.id, edge, direction, asked=asked)
            self._walk.visits[target] = known
            self._strengthen(known, visit, strength)
            self._push(known)
            return known
        known.asked = max(known.asked, asked)
        stronger = strength > known.strength
        if stronger:
            self._strengthen(known, visit, strength)
        # What a node already led to keeps its place within the hop budget.
        if price < known.price and known.spread < 0 and not (known.led_on and visit.hops + 1 > known.hops):
            known.price, known.hops = price, visit.hops + 1
            known.parent, known.edge, known.direction = visit.id, edge, direction
            self._push(known)
        elif stronger and known.spread >= 0 and strength > known.spread * STRONGER:
            self._push(known)
        return known

    def _read_at_home(self, entity: Visit, statement: Visit) -> None:
        """A statement met by way of a name is read where it stands: its source is met with it."""
        home = self._strength.home(statement.id)
        if home is None or statement.hops >= self._settings.hop_budget or not self._is_live(home):
            return
        for edge in self._edges_of.between(statement.id, home):
            if edge.type in self._roads.forward and not self._dead.holds((edge.id,)):
                statement.led_on = True
                self._reach(statement, edge, FORWARD, home, 0.0, self._strength.bridged(entity, home))
                return

    def _strengthen(self, known: Visit, by: Visit, strength: float) -> None:
        known.strength = strength
        known.said = by.said | self._scorer.said(known.id)
        known.covered = by.covered | self._scorer.covered(known.id)

    def _leads_back(self, visit: Visit, target: str) -> bool:
        """Whether a name leads only to what the source it was met in, or the source of the statement, leads to."""
        edges = self._edges_of
        if self._nodes[target].type != ENTITY or self._question.asks or edges.leaving(target) != 1:
            return False
        home = visit.id if self._nodes[visit.id].type == SOURCE else self._strength.home(visit.id)
        if edges.reaching(target) > FEW or edges.out_of(target)[0].dst != home:
            return False
        return all(home in (edge.src, self._strength.home(edge.src)) for edge in edges.into(target))

    def _asks_at(self, visit: Visit) -> tuple[Ask, ...]:
        """The asks of the question that this node is the subject or object of."""
        if not self._question.asks or visit.hops > 0:
            return ()
        name = self._named.get(visit.id)
        if name is not None:
            start, end = name.start, name.end
        elif self._scorer.label_share(visit.id) >= LABEL_SHARE:
            start, end = self._scorer.span(visit.id)
        else:
            return ()
        # What leaves an entity leads to where it was read, which is no answer to "What is X based on?".
        inward = self._nodes[visit.id].type in (ENTITY, SOURCE)
        return tuple(
            ask
            for ask in self._question.asks
            if (ask.end <= start if ask.place == "before" else ask.start >= end)
            and not (inward and ask.direction == FORWARD)
        )

    def _push(self, visit: Visit) -> None:
        self._pushed += 1
        heapq.heappush(self._heap, (visit.price, self._pushed, visit.id))


def _share_asked(asks: tuple[Ask, ...], type_: str, direction: str) -> float:
    """1 when this is the one edge type asked for; less when the words ask for any of several."""
    types = dict.fromkeys(ask.type for ask in asks)
    if any(ask.type == type_ and ask.direction == direction for ask in asks):
        return 1.0 / len(types)
    return 0.0
