"""What an ask gives: an answer with its path, or one dead end; as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.walk.roads import FORWARD

if TYPE_CHECKING:
    from contextmesh.store.model import Edge, Node

LABEL = 74
MARK, ASCII_MARK = "…", "..."
# A label costs this many tokens a word, and this many beside.
TOKENS_A_WORD, TOKENS_BESIDE = 1.3, 8


@dataclass(frozen=True, slots=True)
class Step:
    """A node on a path, and the edge by which the path came to it.

    Attributes:
        edge, direction: the edge's type, and ``forward`` when it was walked from its source to its target,
            ``backward`` otherwise; None for the first step.
        edge_id: the edge itself.
        source, span: where the node was read: a source's id, and half-open character offsets in its text.
        quote: the words that were read there, the rationale of a decision, or None.
    """

    id: str
    type: str
    label: str
    edge: str | None = None
    direction: str | None = None
    edge_id: str | None = None
    source: str | None = None
    span: tuple[int, int] | None = None
    quote: str | None = None

    @classmethod
    def of(cls, node: Node, edge: Edge | None = None, direction: str | None = None) -> Step:
        """The step to a node."""
        read = node.provenance
        stated = node.attrs.get("quote", node.attrs.get("rationale"))
        quote = stated if isinstance(stated, str) else node.label if read is not None and read.span else None
        return cls(
            id=node.id,
            type=node.type,
            label=node.label,
            edge=edge.type if edge is not None else None,
            direction=direction,
            edge_id=edge.id if edge is not None else None,
            source=read.source_id if read is not None else None,
            span=read.span if read is not None else None,
            quote=quote,
        )

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "type": self.type,
            "label": self.label,
            "edge": self.edge,
            "direction": self.direction,
            "source": self.source,
            "span": list(self.span) if self.span is not None else None,
            "quote": self.quote,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one ask. Either ``answer`` or ``dead_end`` is set, never both.

    Attributes:
        question: as asked.
        answer: the claim, decision or other node that answers.
        dead_end: entity_unresolved, no_typed_edge, wrong_node_type or pruned_too_early.
        detail: a sentence: what a reader should know beside the answer, or what to do about the dead end.
        score: how well the answer fits, in [0, 1]; 0 for a dead end.
        hops: edges from the seed to the answer.
        path: from a seed to the answer, and on to a source that it stands on.
        evidence: other statements the walk met that fit nearly as well, best first.
        sources: sources the walk met, by how much they matter to the question, best first.
        tokens: an estimate of what reading the path and the evidence costs.
        conflicts: live statements that contradict the answer.
        expanded: how many nodes had their edges followed.
        seeds: the nodes the walk started from, best first.
    """

    question: str
    answer: Step | None = None
    dead_end: str | None = None
    detail: str = ""
    score: float = 0.0
    hops: int = 0
    path: tuple[Step, ...] = ()
    evidence: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tokens: int = 0
    conflicts: tuple[str, ...] = ()
    expanded: int = 0
    seeds: tuple[str, ...] = ()

    def as_json(
        self, *, session: str | None = None, generation: int | None = None, as_of: str | None = None
    ) -> dict[str, object]:
        """The JSON document of an answer; where it was asked is for the caller to say."""
        found: Mapping[str, object] | None = None
        if self.answer is not None:
            found = {"id": self.answer.id, "type": self.answer.type, "text": self.answer.label}
        return {
            "question": self.question,
            "answer": found,
            "dead_end": self.dead_end,
            "detail": self.detail,
            "score": self.score,
            "hops": self.hops,
            "path": [step.as_json() for step in self.path],
            "evidence": list(self.evidence),
            "sources": list(self.sources),
            "tokens": self.tokens,
            "conflicts": list(self.conflicts),
            "session": session,
            "generation": generation,
            "as_of": as_of,
        }


def render_step(step: Step, *, ascii_only: bool = False) -> str:
    """``(claim) label``, ``-[cites]-> (source) label`` or ``<-[mentions]- (claim) label``; long labels are cut."""
    node = f"({step.type}) {shorten(step.label, ascii_only=ascii_only)}"
    if step.edge is None:
        return node
    return f"-[{step.edge}]-> {node}" if step.direction == FORWARD else f"<-[{step.edge}]- {node}"


def render_path(path: tuple[Step, ...], *, ascii_only: bool = False) -> str:
    """A path as text, a step a line, the steps after the first indented."""
    lines = [render_step(step, ascii_only=ascii_only) for step in path]
    return "\n".join(line if at == 0 else f"  {line}" for at, line in enumerate(lines))


def shorten(label: str, *, ascii_only: bool = False) -> str:
    """A label on one line of at most 74 characters; with ``ascii_only`` other characters become escapes."""
    line = " ".join(label.split())
    mark = ASCII_MARK if ascii_only else MARK
    if ascii_only:
        line = line.encode("ascii", "backslashreplace").decode("ascii")
    return line if len(line) <= LABEL else line[: LABEL - len(mark)] + mark


def token_estimate(label: str) -> int:
    """About what a label costs a language model to read."""
    return int(len(label.split()) * TOKENS_A_WORD) + TOKENS_BESIDE
