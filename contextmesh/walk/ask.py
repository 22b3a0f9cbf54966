"""A question to an answer: read, seed, walk, choose, justify; or one dead end. The graph's structure never changes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import InputError, Problem
from contextmesh.walk.answer import Answer, Step, token_estimate
from contextmesh.walk.because import NOT_SAID, Reading, joined, only_restates, reason_given
from contextmesh.walk.choose import Candidate, candidates, evidence, sources
from contextmesh.walk.deadend import dead_end
from contextmesh.walk.justify import Standing
from contextmesh.walk.kinds import SOURCE
from contextmesh.walk.question import read_question
from contextmesh.walk.scoring import Scorer
from contextmesh.walk.seeds import Seeds, find_seeds
from contextmesh.walk.settings import WalkSettings
from contextmesh.walk.subject import Lack, Subject, lacking
from contextmesh.walk.telemetry import count_walk
from contextmesh.walk.visits import Walk
from contextmesh.walk.walker import Walker

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.resolve.resolver import Resolver
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index

DEFAULT = WalkSettings()
LONGEST_QUESTION = 10_000


def ask(
    graph: ContextGraph,
    resolver: Resolver,
    index: Index,
    question: str,
    *,
    settings: WalkSettings = DEFAULT,
    budget_tokens: int | None = None,
) -> Answer:
    """Answers a question from the graph, by a path of live edges that ends in a source where there is one.

    Nothing is written but counters on the store (``walks``, ``traversals``); the resolver may learn an alias.

    Args:
        index: over this graph.
        budget_tokens: the most that path and evidence may cost to read; evidence is dropped first, then the
            end of the path. The answer itself is always there, and ``detail`` says when it alone costs more.

    Raises:
        InputError: ``blank-question``, ``question-too-long``, ``bad-budget``, ``not-canonical``.
    """
    _require_question(question, budget_tokens)
    return _Ask(graph.store, resolver, index, question, settings).run(budget_tokens)


class _Ask:
    def __init__(self, store: Store, resolver: Resolver, index: Index, text: str, settings: WalkSettings) -> None:
        self._store = store
        self._settings = settings
        self._index = index
        live = store.engine.read("live")  # nothing is written while a question is answered
        self._is_live = cache(lambda id: live.holds((id,)))
        self._roads = index.roads()
        self._question = read_question(text, index, resolver, self._roads)
        self._ways = index.ways(self._roads, settings.fan)
        self._scorer = Scorer(index, self._ways.places, self._question)
        self._standing = Standing(store, index, self._roads, self._is_live)

    def run(self, budget: int | None) -> Answer:
        store, question, settings = self._store, self._question, self._settings
        seeds = find_seeds(question, self._index, self._scorer, store, settings, self._is_live)
        walker = Walker(store, self._index, self._roads, self._ways, question, self._scorer, settings)
        walk = walker.run(seeds)
        subject = Subject(store, self._index, self._roads, question, self._standing, seeds, walk)
        found = candidates(walk, seeds, self._scorer, self._roads, settings, subject)
        if not found:
            return self._fail(seeds, walk, subject)
        answer = self._answer(found, seeds, walk, subject, budget)
        count_walk(store, answer.path)
        return answer

    def _fail(self, seeds: Seeds, walk: Walk, subject: Subject) -> Answer:
        reason, detail = dead_end(self._store, self._question, seeds, walk, self._roads, subject)
        return Answer(
            question=self._question.text,
            dead_end=reason,
            detail=detail,
            sources=sources(walk, self._settings.sources),
            expanded=walk.expanded,
            seeds=tuple(seed.id for seed in seeds.seeds),
        )

    def _answer(self, found: list[Candidate], seeds: Seeds, walk: Walk, subject: Subject, budget: int | None) -> Answer:
        best = found[0]
        way = self._standing.steps_of(walk.way_to(best.visit.id))
        newer = self._standing.successors(best.visit.id)
        detail = (
            _lineage_detail(way[-1], newer)
            or self._fallen_detail(way, seeds)
            or self._unmet_detail(best, walk, subject)
        )
        reading = Reading(self._question, self._scorer, self._index, self._store.nodes, self._standing)
        if not newer and best.visit.asked < 1.0 and only_restates(reading, best):
            given = reason_given(reading, found)
            if given is not None:
                best, further_on = given
                way = joined(self._standing.steps_of(walk.way_to(best.visit.id)), further_on)
            detail = detail or ("" if given is not None else NOT_SAID)
        # What is current answers; unless the question asks for this very step of the lineage.
        asked_for = way[-1] if best.visit.asked == 1.0 else None
        way, newer = _joined(way, newer, to_the_end=asked_for is not None)
        answer = asked_for or (newer or way)[-1]
        path = [*way, *newer]
        path += self._standing.down_to_source(path[-1].id)
        shown = frozenset(step.id for step in path)
        further = evidence(found, shown, self._settings.evidence)
        limit = self._settings.sources
        kept, further, tokens, over = _within(budget, path, path.index(answer) + 1, further, self._store)
        return Answer(
            question=self._question.text,
            answer=answer,
            detail=" ".join(part for part in (detail, over) if part),
            score=round(min(1.0, best.score), 4),
            hops=path.index(answer),
            path=tuple(kept),
            evidence=further,
            sources=_with_own(sources(walk, limit), path, limit),
            tokens=tokens,
            conflicts=self._standing.conflicts(answer.id),
            expanded=walk.expanded,
            seeds=tuple(seed.id for seed in seeds.seeds),
        )

    def _fallen_detail(self, way: list[Step], seeds: Seeds) -> str:
        """Says so when what the question names fell, and what superseded it is shown in its stead."""
        stand_in = next((step for step in way if step.id in seeds.stand_ins), None)
        if stand_in is None:
            return ""
        old = self._store.nodes[seeds.stand_ins[stand_in.id]].label
        return f"{old!r} no longer stands; {stand_in.label!r} superseded it."

    def _unmet_detail(self, best: Candidate, walk: Walk, subject: Subject) -> str:
        """Says so when the graph lacks the very edge that was asked for, and what the answer is then."""
        if best.visit.id in subject.own:
            return f"{lacking(self._store, subject.lack_of(best.visit.id))}; it is current."
        if best.visit.asked == 1.0 or not walk.unmet:
            return ""
        id, ask = walk.unmet[0]
        return f"{lacking(self._store, Lack(id, ask.type, ask.direction))}; this answers by its words alone."


def _joined(way: list[Step], newer: list[Step], *, to_the_end: bool) -> tuple[list[Step], list[Step]]:
    """A way and the steps to what is current, without going twice through a node.

    The way is cut where it had met a newer node already, unless it must be kept to its end.
    """
    places = {step.id: at for at, step in enumerate(way)}
    met = [at for at, step in enumerate(newer) if step.id in places]
    if not met:
        return way, newer
    if to_the_end:
        return way, newer[: met[0]]
    return way[: places[newer[met[-1]].id] + 1], newer[met[-1] + 1 :]


def _lineage_detail(old: Step, newer: list[Step]) -> str:
    return f"{old.label!r} was superseded; {newer[-1].label!r} is current." if newer else ""


def _with_own(ranked: tuple[str, ...], path: list[Step], limit: int) -> tuple[str, ...]:
    """The ranked sources, and the one the path ends in as the last when it is not among them."""
    own = path[-1].id if path[-1].type == SOURCE else path[-1].source
    if own is None or own in ranked:
        return ranked
    return (*ranked[: limit - 1], own)


def _within(
    budget: int | None, path: list[Step], needed: int, further: tuple[str, ...], store: Store
) -> tuple[list[Step], tuple[str, ...], int, str]:
    """What of the path and the evidence fits a budget: evidence goes first, then the end of the path."""
    costs = [token_estimate(step.label) for step in path]
    spent = sum(costs)
    if budget is None:
        return path, further, spent + sum(token_estimate(store.nodes[id].label) for id in further), ""
    kept = list(path)
    while spent > budget and len(kept) > needed:
        spent -= token_estimate(kept.pop().label)
    if spent > budget:
        # The way to the answer is dropped, not bent: a path keeps only edges that are there.
        kept = kept[-1:]
        spent = token_estimate(kept[0].label)
    room: list[str] = []
    for id in further:
        cost = token_estimate(store.nodes[id].label)
        if spent + cost > budget:
            break
        spent += cost
        room.append(id)
    over = f"The answer alone costs {spent} tokens, more than the budget of {budget}." if spent > budget else ""
    return kept, tuple(room), spent, over


def _require_question(question: str, budget: int | None) -> None:
    require_canonical(question)
    if not question.strip():
        raise InputError(Problem("blank-question", "the question is empty", hint="ask in words"))
    if len(question) > LONGEST_QUESTION:
        message = f"the question has {len(question):,} characters, and at most {LONGEST_QUESTION:,} are read"
        raise InputError(Problem("question-too-long", message, hint="ingest a document instead, and ask about it"))
    if budget is not None and budget < 1:
        raise InputError(Problem("bad-budget", f"a budget is at least 1 token, not {budget}", subject="budget"))
