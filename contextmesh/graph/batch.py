"""One transaction of nodes and edges: reads see what the batch has put; its end writes all or nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import OntologyError, Problem
from contextmesh.base.ids import AUTO_DECISION, free_id
from contextmesh.datalog.ast import Row
from contextmesh.store import relations
from contextmesh.store.fingerprint import FINGERPRINT, counts
from contextmesh.store.model import NO_ATTRS, Assumption, Edge, Node, Provenance, new_edge, new_node
from contextmesh.store.receipt import Receipt
from contextmesh.store.store import Store
from contextmesh.store.view import edge_between, unknown_assumption, unknown_node


class Batch:
    """Writes of one transaction. Get one from ``ContextGraph.batch``.

    Attributes:
        stage: the transaction itself.
        receipt: set once it is committed; stays None when nothing was written.
    """

    def __init__(self, store: Store, kind: str) -> None:
        self.store = store
        self.stage = store.stage(kind)
        self.receipt: Receipt | None = None
        self._origins: dict[str, Provenance] = {}

    def commit(self) -> Receipt | None:
        """Write what was put; None when nothing was. Called for you at the end of a ``with`` block.

        Raises:
            OntologyError: every violation of the batch (the first 20); nothing was written.
        """
        if self.stage:
            self.receipt = self.stage.commit()
        return self.receipt

    # -- reading ----------------------------------------------------------------------------------

    @property
    def build(self) -> int:
        return self.store.build if self.stage.build is None else self.stage.build

    def has(self, node_id: str) -> bool:
        return self.stage.node(node_id) is not None

    def node(self, node_id: str) -> Node:
        """Raises UnknownError, code ``unknown-node``."""
        found = self.stage.node(node_id)
        if found is None:
            raise unknown_node(self.store, node_id)
        return found

    def edge(self, src: str, type: str, dst: str) -> Edge | None:
        """The edge of this source, type and target, staged or standing."""
        return edge_between(self.stage.edge, self.stage.node, src, str(type), dst)[0]

    # -- nodes --------------------------------------------------------------------------------------

    def add_node(
        self,
        type: str,
        label: str,
        *,
        id: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        provenance: Provenance | None = None,
        embedding: Sequence[float] | None = None,
    ) -> Node:
        """Add a node, or find the one of this type and label and merge attributes into it.

        Without an id the node gets a readable one, which grows when another thing owns it. Provenance is kept
        as first recorded. An assumption also gets its record.

        Raises:
            OntologyError: ``id-taken``, ``reserved-id``, ``blank-id``, ``bad-justifications``.
            InputError: ``not-canonical``, a value that JSON cannot carry.
        """
        type_, given = str(type), dict(attrs or {})
        require_canonical({"id": id, "type": type_, "label": label, "attrs": given})
        if type_ == relations.ASSUMPTION:
            given = {name: value for name, value in given.items() if name not in relations.BY_RECORD}
        node_id = self._node_id(type_, label, id)
        self._require_justifications(node_id, given)
        vector = None if embedding is None else tuple(float(x) for x in embedding)
        there = self.stage.node(node_id)
        if there is None:
            origin = self._shared(provenance)
            node = new_node(node_id, type_, label, given or NO_ATTRS, origin, vector, self.build)
            if type_ == relations.ASSUMPTION:
                self.stage.put_assumption(Assumption(node_id, label, created_at_build=self.build))
            self.stage.put_node(node)
            return node
        merged = replace(
            there,
            attrs={**there.attrs, **given},
            provenance=there.provenance or provenance,
            embedding=vector if vector is not None else there.embedding,
        )
        if merged == there:
            return there
        self._require_unfixed(there, merged)
        self.stage.put_node(merged)
        return merged

    def replace_node(self, node: Node) -> Node:
        """Put a changed record of a node that is here; its facts follow.

        Raises:
            UnknownError: ``unknown-node``.
            OntologyError: ``two-identities`` for another type; ``decision-fixed``; ``bad-justifications``.
            InputError: ``not-canonical``.
        """
        there = self.node(node.id)
        require_canonical({"label": node.label, "attrs": dict(node.attrs)})
        self._require_justifications(node.id, node.attrs)
        self._require_unfixed(there, node)
        if node != there:
            self.stage.put_node(node)
        return node

    def set_provenance(self, node_id: str, provenance: Provenance) -> Node:
        """Record where a node was read, over what was recorded before."""
        return self.replace_node(replace(self.node(node_id), provenance=provenance))

    def set_attrs(self, node_id: str, **changes: Any) -> Node:
        """Set attributes of a node that is here."""
        return self.replace_node(self.node(node_id).with_attrs(**changes))

    # -- edges --------------------------------------------------------------------------------------

    def add_edge(
        self,
        src: str,
        type: str,
        dst: str,
        *,
        assumption: str | None = None,
        evidence: Sequence[str] = (),
        weight: float = 1.0,
    ) -> Edge:
        """Add an edge; a repeat is one more observation, and its weight is added.

        Raises:
            OntologyError: ``bad-weight``, ``already-bound``, ``decision-fixed``.
            UnknownError: ``unknown-assumption``, ``unknown-node`` for evidence that is not here.
        """
        type_ = str(type)
        if not math.isfinite(weight) or weight <= 0:
            message = f"the weight of an observation is a positive number, not {weight!r}"
            raise OntologyError(Problem("bad-weight", message, subject=f"{src} -[{type_}]-> {dst}"))
        if not (src.isascii() and dst.isascii() and type_.isascii()):
            require_canonical([src, type_, dst])
        if assumption is not None and self.stage.assumption(assumption) is None:
            raise unknown_assumption(self.store, assumption)
        for witness in evidence:
            self.node(witness)
        stage = self.stage
        there, edge_id = edge_between(stage.edge, stage.node, src, type_, dst)
        if there is None:
            self._require_open(src, type_, dst)
            witnesses = tuple(dict.fromkeys(evidence)) if evidence else ()
            edge = new_edge(edge_id, src, type_, dst, assumption, witnesses, float(weight), self.build)
            stage.edges[edge_id] = edge
            return edge
        edge = replace(
            there,
            weight=there.weight + weight,
            assumption_id=_bound(there, assumption),
            evidence_ids=tuple(dict.fromkeys((*there.evidence_ids, *evidence))),
        )
        self.stage.put_edge(edge)
        return edge

    def link(self, src: str, type: str, dst: str) -> Edge:
        """The edge of this source, type and target, added when missing; a repeat is no observation."""
        return self.edge(src, type, dst) or self.add_edge(src, type, dst)

    def fact(self, relation: str, row: Row) -> None:
        """State a row of an input relation for the life of this graph in memory; files hold records, not such rows."""
        self.stage.fact(relation, row)

    # -- parts --------------------------------------------------------------------------------------

    def _node_id(self, type_: str, label: str, given: str | None) -> str:
        def another(candidate: str) -> bool:
            there = self.stage.node(candidate)
            if there is None:
                return self.stage.edge(candidate) is not None
            return (there.type, there.label) != (type_, label)

        if given is None:
            return free_id(label, type_, another)
        if not given:
            raise OntologyError(Problem("blank-id", "an id that is given must not be empty", hint="leave it out"))
        if given.startswith(f"{AUTO_DECISION}:"):
            message = f"ids that start with `{AUTO_DECISION}:` are made for decisions without one"
            raise OntologyError(Problem("reserved-id", message, subject=given, hint="choose another id, or none"))
        there = self.stage.node(given)
        if there is not None and (there.type, there.label) != (type_, label):
            raise id_taken(there, type_, label)
        return given

    def _shared(self, provenance: Provenance | None) -> Provenance | None:
        """What one source is known to say of a node as a whole is one record."""
        if provenance is None or provenance.span is not None:
            return provenance
        known = self._origins.setdefault(provenance.source_id, provenance)
        return known if known == provenance else provenance

    def _require_justifications(self, node_id: str, attrs: Mapping[str, Any]) -> None:
        if relations.JUSTIFICATIONS not in attrs:
            return
        stated = attrs[relations.JUSTIFICATIONS]
        shaped = isinstance(stated, list | tuple) and all(
            isinstance(grounds, list | tuple) and grounds and all(isinstance(g, str) for g in grounds)
            for grounds in stated
        )
        if not shaped:
            message = f"the justifications of {node_id} are not a list of non-empty lists of ids"
            raise OntologyError(Problem("bad-justifications", message, subject=node_id))
        for ground in (g for grounds in stated for g in grounds):
            if ground == node_id:
                message = f"{node_id} is stated as its own ground"
                raise OntologyError(Problem("bad-justifications", message, subject=node_id))
            self.node(ground)

    def _require_unfixed(self, there: Node, changed: Node) -> None:
        """A decision that bears a fingerprint keeps what the fingerprint is of, and its justifications."""
        if FINGERPRINT not in there.attrs or there.id not in self.store.nodes:
            return
        for name in ("label", "provenance"):
            if getattr(there, name) != getattr(changed, name):
                raise _fixed(there.id, name)
        for name in ("rationale", FINGERPRINT, relations.JUSTIFICATIONS):
            if there.attrs.get(name) != changed.attrs.get(name):
                raise _fixed(there.id, name)

    def _require_open(self, src: str, type_: str, dst: str) -> None:
        """No new ground, product or predecessor for a decision that bears a fingerprint."""
        node = self.store.nodes.get(src)
        if node is None or FINGERPRINT not in node.attrs:
            return
        source = node.provenance.source_id if node.provenance is not None else None

        def type_of(name: str) -> str | None:
            found = self.stage.node(name)
            return found.type if found is not None else None

        if type_ == relations.SUPERSEDES or counts(type_, dst, source, type_of):
            raise _fixed(src, f"its {type_} edges")


def id_taken(there: Node, type_: str, label: str) -> OntologyError:
    """The refusal for an explicit id that another thing owns."""
    return OntologyError(
        Problem(
            "id-taken",
            f"{there.id} is already the {there.type} {there.label!r}",
            subject=there.id,
            fields=(("type", type_), ("label", label)),
            hint="give the new thing an id of its own, or none at all",
        )
    )


def _bound(there: Edge, assumption: str | None) -> str | None:
    if assumption is None or there.assumption_id == assumption:
        return there.assumption_id
    if there.assumption_id is not None:
        raise already_bound(there)
    return assumption


def already_bound(edge: Edge) -> OntologyError:
    message = f"{edge.id} is bound to {edge.assumption_id}; what it stands on is not exchanged behind its back"
    return OntologyError(Problem("already-bound", message, subject=edge.id, fields=(("bound", edge.assumption_id),)))


def _fixed(node_id: str, what: str) -> OntologyError:
    message = f"{node_id} is a decision already made; {what} cannot change"
    hint = "write a decision that supersedes it"
    return OntologyError(Problem("decision-fixed", message, subject=node_id, fields=(("field", what),), hint=hint))


def require_text(value: str, name: str) -> None:
    """Raises OntologyError, code ``blank-text``, for text of white space alone."""
    if not value.strip():
        raise OntologyError(Problem("blank-text", f"{name} must not be blank", subject=name))
