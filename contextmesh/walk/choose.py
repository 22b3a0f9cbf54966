"""Which of the nodes a walk met answers, and what else it met that is worth showing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.walk.kinds import SOURCE
from contextmesh.walk.seeds import NAME

if TYPE_CHECKING:
    from contextmesh.walk.roads import Roads
    from contextmesh.walk.scoring import Scorer
    from contextmesh.walk.seeds import Seeds
    from contextmesh.walk.settings import WalkSettings
    from contextmesh.walk.subject import Subject
    from contextmesh.walk.visits import Visit, Walk

# What meeting the question's demand for an edge type is worth, beside words.
ASKED_GAIN = 0.5
# What it is worth to be of the node type that the question calls by its name.
KIND_GAIN = 0.2
# What it is worth to have been read in the source that matters most.
HOME_GAIN = 0.3
# Each edge further from the question costs a little: of two that fit alike the nearer answers.
HOP_COST = 0.01
# Evidence fits at least this share as well as the answer.
NEARLY = 0.6


@dataclass(slots=True)
class Candidate:
    """A visit that may answer, and its score."""

    visit: Visit
    score: float


def candidates(
    walk: Walk, seeds: Seeds, scorer: Scorer, roads: Roads, settings: WalkSettings, subject: Subject
) -> list[Candidate]:
    """What may answer, best first; ties by price, then in the order of meeting.

    A node answers if it shares with the question, beside names, a word of what is asked, or is of the kind asked
    for (a reason, a role, anything when nothing more is asked); a statement that the question names always does.
    When a step met the one edge type that the question asks for, only what such steps led to can answer; a node
    from which no such step leads is not itself the answer, unless it answers for itself.
    """
    found: list[Candidate] = []
    visits = walk.visits
    strongest = max([v.strength for v in visits.values() if v.place.kind == SOURCE], default=1.0)
    demanded = any(visit.asked == 1.0 for visit in visits.values())
    named = frozenset(seed.id for seed in seeds.seeds if seed.how == NAME)
    lacking = dict.fromkeys(id for id, _ in walk.unmet)
    rest, highest = scorer.rest, max(strongest, 1e-9)
    for visit in visits.values():
        place = visit.place
        kind = place.kind
        if (visit.asked < 1.0) if demanded else kind not in roads.answers:
            continue
        if visit.id in lacking and visit.id not in subject.own:
            continue
        if not subject.admits(visit):
            continue
        # What the words of a node are worth; a source's or an entity's strength is no measure of them.
        words = visit.strength if place.spoken else 0.0
        fits = words + ASKED_GAIN * visit.asked - HOP_COST * visit.hops
        if kind in scorer.kinds:
            fits += KIND_GAIN
        meant = demanded or visit.id in named
        # Says a word of what is asked, or is of the kind asked for.
        if meant or (fits >= settings.answer_floor and (visit.said & rest or scorer.is_of_the_kind_asked_for(place))):
            home = visits.get(place.home) if place.home is not None else None
            at_home = home.strength / highest if home is not None else 0.0
            found.append(Candidate(visit, (fits + HOME_GAIN * at_home) / (1.0 + HOME_GAIN)))
    found.sort(key=lambda c: (-c.score, c.visit.price))
    return found


def evidence(found: list[Candidate], shown: frozenset[str], limit: int) -> tuple[str, ...]:
    """Further statements that fit nearly as well as the best, best first, but those already shown."""
    if not found:
        return ()
    least = found[0].score * NEARLY
    return tuple(c.visit.id for c in found if c.score >= least and c.visit.id not in shown)[:limit]


def sources(walk: Walk, limit: int) -> tuple[str, ...]:
    """The sources met, strongest first, ties in the order of meeting."""
    met = [visit for visit in walk.visits.values() if visit.place.kind == SOURCE]
    met.sort(key=lambda visit: -visit.strength)
    return tuple(visit.id for visit in met[:limit])
