"""Write a decision with all its edges as one transaction; an explicit id is an idempotency key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import OntologyError, Problem
from contextmesh.base.ids import AUTO_DECISION, slug
from contextmesh.graph.batch import Batch, id_taken, require_text
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY, LISTS, payload_digest
from contextmesh.store.model import Node, Provenance, a
from contextmesh.store.relations import ASSUMPTION, DECISION, JUSTIFICATIONS, SUPERSEDES

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

EXTRACTOR = "decision-log"
CHECKS = ("rationale-present", "provenance-present")
REPLACED_BY = "superseded_by"
SUPPORTS = "supports"

_ROLE_OF_GROUND = {
    "assumption": "depends_on",
    "decision": "depends_on",
    "claim": "derived_from",
    "source": "cites",
    "evidence": "supported_by",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """Everything one decision says."""

    title: str
    rationale: str
    source: str
    cites: tuple[str, ...]
    derived_from: tuple[str, ...]
    depends_on: tuple[str, ...]
    produces: tuple[str, ...]
    supersedes: str | None
    supported_by: tuple[str, ...]
    justifications: tuple[tuple[str, ...], ...]
    attrs: Mapping[str, Any]


def decide(graph: ContextGraph, proposal: Proposal, id: str | None) -> Node:
    """Write a decision, or return the one that an explicit id already holds with the same payload.

    Raises:
        OntologyError: ``blank-text``, ``reserved-id``, ``id-taken``, ``other-payload``, ``bad-justifications``,
            ``unlinkable-ground``, and whatever the rules refuse.
        UnknownError: ``unknown-node``.
        InputError: ``not-canonical``.
    """
    require_text(proposal.title, "a decision's title")
    require_text(proposal.rationale, "a decision's rationale")
    require_canonical({"id": id, "title": proposal.title, "why": proposal.rationale, "attrs": dict(proposal.attrs)})
    _require_attrs(proposal)
    for name in _named(proposal):
        graph.node(name)
    proposal = _with_grounds_linked(graph, proposal)
    digest = _digest(graph, proposal)
    if id is None:
        node_id, identity = _automatic(graph, proposal.title), "auto"
    else:
        _require_explicit(id)
        there = graph.store.nodes.get(id)
        if there is not None:
            return _same(graph, there, proposal, digest)
        node_id, identity = id, "explicit"
    with graph.batch("decide") as batch:
        return _put(batch, node_id, identity, digest, proposal)


def _put(batch: Batch, node_id: str, identity: str, digest: str, proposal: Proposal) -> Node:
    attrs: dict[str, Any] = {
        "rationale": proposal.rationale,
        IDENTITY: identity,
        FINGERPRINT: digest,
        **proposal.attrs,
    }
    if proposal.justifications:
        attrs[JUSTIFICATIONS] = [list(grounds) for grounds in proposal.justifications]
    provenance = Provenance(proposal.source, None, EXTRACTOR, CHECKS, batch.build)
    node = Node(node_id, DECISION, proposal.title, attrs, provenance, build=batch.build)
    batch.stage.put_node(node)
    for type_, src, dst in _edges(node_id, proposal):
        batch.link(src, type_, dst)
    if proposal.supersedes is not None:
        old = batch.node(proposal.supersedes)
        batch.stage.put_node(replace(old, attrs={**old.attrs, REPLACED_BY: node_id}))
    return node


def _edges(node_id: str, proposal: Proposal) -> Iterable[tuple[str, str, str]]:
    """Type, source and target of every edge, in the order in which the graph keeps them."""
    for name in dict.fromkeys((proposal.source, *proposal.cites)):
        yield "cites", node_id, name
    for name in proposal.supported_by:
        yield SUPPORTS, name, node_id
    for type_ in ("derived_from", "depends_on", "produces"):
        for name in getattr(proposal, type_):
            yield type_, node_id, name
    if proposal.supersedes is not None:
        yield SUPERSEDES, node_id, proposal.supersedes


def _digest(graph: ContextGraph, proposal: Proposal) -> str:
    targets = {
        "cites": [name for name in proposal.cites if name != proposal.source],
        "derived_from": proposal.derived_from,
        "depends_on": [name for name in proposal.depends_on if graph.node(name).type == ASSUMPTION],
        "produces": proposal.produces,
    }
    return payload_digest(
        title=proposal.title,
        rationale=proposal.rationale,
        source_id=proposal.source,
        targets={name: targets[name] for name in LISTS},
        supersedes=proposal.supersedes,
    )


def _automatic(graph: ContextGraph, title: str) -> str:
    """The id of the smallest n that is free; ids are never freed, so the search goes on where it ended."""
    n = graph.decision_numbers.get(title, 1)
    while (node_id := slug(f"{title}|{n}", AUTO_DECISION)) in graph.store.nodes:
        n += 1
    graph.decision_numbers[title] = n
    return node_id


def _require_explicit(id: str) -> None:
    if not id:
        raise OntologyError(Problem("blank-id", "an id that is given must not be empty", hint="leave it out"))
    if id.startswith(f"{AUTO_DECISION}:"):
        message = f"ids that start with `{AUTO_DECISION}:` are made for decisions without one"
        raise OntologyError(Problem("reserved-id", message, subject=id, hint="choose another id, or none"))


def _same(graph: ContextGraph, there: Node, proposal: Proposal, digest: str) -> Node:
    """The decision of this id, when it says the same in every part."""
    if there.type != DECISION:
        raise id_taken(there, DECISION, proposal.title)
    stated = tuple(tuple(grounds) for grounds in there.attrs.get(JUSTIFICATIONS, ()))
    supporters = {edge.src for edge in graph.edges_to(there.id, SUPPORTS)}
    needs = {edge.dst for edge in graph.edges_from(there.id, "depends_on")}
    differs = [
        name
        for name, other in (
            ("payload", there.attrs.get(FINGERPRINT) != digest),
            ("justifications", stated != proposal.justifications),
            ("attrs", any(there.attrs.get(k) != v for k, v in proposal.attrs.items())),
            ("supported_by", not supporters.issuperset(proposal.supported_by)),
            ("depends_on", not needs.issuperset(proposal.depends_on)),
        )
        if other
    ]
    if differs:
        raise OntologyError(
            Problem(
                "other-payload",
                f"{there.id} already holds another decision: {', '.join(differs)} differ",
                subject=there.id,
                fields=(("stored", str(there.attrs.get(FINGERPRINT))), ("given", digest)),
                hint="an explicit id is an idempotency key: repeat the same payload, or choose another id",
            )
        )
    return there


def _named(proposal: Proposal) -> dict[str, None]:
    """Every node the decision names."""
    names = (
        proposal.source,
        *proposal.cites,
        *proposal.derived_from,
        *proposal.depends_on,
        *proposal.produces,
        *proposal.supported_by,
        *(() if proposal.supersedes is None else (proposal.supersedes,)),
        *(ground for grounds in proposal.justifications for ground in grounds),
    )
    return dict.fromkeys(names)


def _require_attrs(proposal: Proposal) -> None:
    own = ("rationale", IDENTITY, FINGERPRINT, REPLACED_BY, JUSTIFICATIONS)
    for name in own:
        if name in proposal.attrs:
            message = f"the attribute `{name}` of a decision is written for you"
            raise OntologyError(Problem("reserved-attr", message, subject=name, hint="leave it out"))
    if any(not grounds for grounds in proposal.justifications):
        message = "a justification without grounds would justify anything"
        raise OntologyError(Problem("bad-justifications", message, subject=proposal.title))


def _with_grounds_linked(graph: ContextGraph, proposal: Proposal) -> Proposal:
    """Every stated ground is an edge too, so that walks and lineage see it."""
    for ground in dict.fromkeys(g for grounds in proposal.justifications for g in grounds):
        linked: Sequence[str] = (
            proposal.source,
            *proposal.cites,
            *proposal.derived_from,
            *proposal.depends_on,
            *proposal.supported_by,
        )
        if ground in linked:
            continue
        kind = graph.node(ground).type
        role = _ROLE_OF_GROUND.get(kind)
        if role is None:
            message = f"{a(kind)} cannot be the ground of a decision"
            raise OntologyError(Problem("unlinkable-ground", message, subject=ground))
        more: dict[str, Any] = {role: (*getattr(proposal, role), ground)}
        proposal = replace(proposal, **more)
    return proposal
