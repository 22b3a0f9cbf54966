"""Why something was decided, where the statement that is nearest to the question only says again that it was.

"Why was X rejected?" is answered by "X was rejected" in nearly every word, and that is no reason. Writers put it
into the next sentence, so that one answers, where it stands in the same source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.walk.answer import Step
from contextmesh.walk.places import HEADER
from contextmesh.walk.roads import BACKWARD, FORWARD
from contextmesh.walk.scoring import REASON

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contextmesh.store.model import Edge, Node
    from contextmesh.walk.choose import Candidate
    from contextmesh.walk.index import Index
    from contextmesh.walk.justify import Standing
    from contextmesh.walk.question import Question
    from contextmesh.walk.scoring import Scorer

DERIVED_FROM = "derived_from"
# A statement with at most so many words that the question does not have says nothing but the question.
NEW_WORDS = 1
# Between two sentences that follow each other stand at most so many signs.
GAP = 3
# Of the statements that fit, and of those that a source holds, so many are looked at.
FITTING, IN_SOURCE = 12, 2000

NOT_SAID = "The sources say that it is so, and none says why."


@dataclass(frozen=True, slots=True)
class Reading:
    """A question and what it is read against."""

    question: Question
    scorer: Scorer
    index: Index
    nodes: Mapping[str, Node]
    standing: Standing


def only_restates(reading: Reading, best: Candidate) -> bool:
    """Whether a reason was asked for and the best answer has none: it says again what was asked."""
    if REASON not in reading.question.signs or not reading.question.rest:
        return False
    id = best.visit.id
    if reading.scorer.shows_word(id) or reading.nodes[id].provenance is None:
        return False
    known = reading.question.variants
    new = [word for word in dict.fromkeys(reading.index.words(id)) if word not in known]
    return len(new) <= NEW_WORDS


def reason_given(reading: Reading, found: Sequence[Candidate]) -> tuple[Candidate, list[Step]] | None:
    """The candidate after which the reason stands, and the steps from it there; no steps when it has one itself.

    Only what was read where the best candidate was read is looked at.
    """
    home = _home(reading.nodes[found[0].visit.id])
    for candidate in found[:FITTING]:
        id = candidate.visit.id
        node = reading.nodes[id]
        if home is None or _home(node) != home or not reading.scorer.says_all(id):
            continue
        read = node.provenance
        if read is None or HEADER in read.checks or read.span is None:
            continue
        if reading.scorer.shows_word(id):
            return candidate, []
        steps = _after(reading, node, read.span[1], home)
        if steps:
            return candidate, steps
    return None


def _after(reading: Reading, node: Node, end: int, home: str) -> list[Step]:
    """The way over the source to the sentence that follows in it."""
    edges, standing = reading.index.edges, reading.standing
    up = _edge(reading, node.id, home)
    if up is None:
        return []
    followers: list[tuple[int, Edge]] = []
    for edge in edges.into(home, IN_SOURCE):
        if edge.type == DERIVED_FROM and edge.src != node.id and standing.holds(edge):
            read = reading.nodes[edge.src].provenance
            if read is not None and read.span is not None and end <= read.span[0] <= end + GAP:
                followers.append((read.span[0], edge))
    if not followers:
        return []
    _, down = min(followers, key=lambda found: found[0])
    return [Step.of(reading.nodes[home], up, FORWARD), Step.of(reading.nodes[down.src], down, BACKWARD)]


def _edge(reading: Reading, src: str, dst: str) -> Edge | None:
    between = reading.index.edges.between(src, dst)
    return next((edge for edge in between if edge.type == DERIVED_FROM and reading.standing.holds(edge)), None)


def _home(node: Node) -> str | None:
    return node.provenance.source_id if node.provenance is not None else None


def joined(way: list[Step], further: list[Step]) -> list[Step]:
    """A way that goes on, without going twice through a node."""
    places = {step.id: at for at, step in enumerate(way)}
    met = [at for at, step in enumerate(further) if step.id in places]
    return way + further if not met else way[: places[further[met[-1]].id] + 1] + further[met[-1] + 1 :]
