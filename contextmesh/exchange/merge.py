"""One graph into another, by id: what is new comes in, what is here stays, and what contradicts is refused whole.

What comes in happened, as far as this graph is concerned, after all that is here; the order in which it happened over
there is kept, since the rules compare transaction numbers. Its builds keep their age. A name goes to whom it belongs
here already; a weight, being a sum over observations that both may have seen, becomes the greater of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.exchange.lines import stated_facts
from contextmesh.exchange.report import Report, count
from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.fingerprint import FINGERPRINT, fingerprint
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.stage import Stage
from contextmesh.store.store import Store
from contextmesh.store.view import edge_between

_TOLD = 20
ALIASES = "aliases"
_Value = TypeVar("_Value")


def merge(graph: ContextGraph, resolver: Resolver, other: Store, names: Resolver, report: Report) -> Resolver:
    """Write what another graph holds into this one, as one transaction; the table of names to use from now on.

    Raises:
        OntologyError: ``import-conflict`` for each record of the same id that says something else (the first 20), or
            what the rules refuse; nothing was written.
    """
    store = graph.store
    count(report.read, "nodes", len(other.nodes))
    count(report.read, "edges", len(other.edges))
    count(report.read, "assumptions", len(other.assumptions))
    was_empty = not store.nodes
    merging = _Merging(store, other, report)
    stage = merging.stage()
    if stage:
        if merging.build != store.build:
            stage.set_build(merging.build)
        receipt = stage.commit()
        report.fell = tuple(id for id in receipt.invalidated if id not in merging.new)
        if merging.set_aside:
            later = store.stage("import")
            for node in merging.set_aside:
                later.put_node(node)
            later.commit(reasons=False)
    for table, came in ((store.walks, other.walks), (store.traversals, other.traversals)):
        for id, number in came.items():
            table[id] = max(number, table.get(id, 0))
    if was_empty and not resolver.labels and not resolver.log:
        store.seq = max(store.seq, other.seq)  # a session counts its own making too, and never back
        return Resolver.restored(names.threshold, names.labels, names.aliases, names.blocks, names.log)
    _merge_names(store, resolver, names, report)
    return resolver


class _Merging:
    """Two stores side by side.

    Attributes:
        new: ids that are not here yet.
        build: the build of this graph once the other is in it.
        set_aside: evidence of verdicts that come in, pruned since: to be put once they stand.
    """

    def __init__(self, store: Store, other: Store, report: Report) -> None:
        self._store, self._other, self._report = store, other, report
        self._conflicts: list[Problem] = []
        self._base = store.seq if store.nodes else 0
        self.new = {id: None for id in other.nodes if id not in store.nodes}
        self.set_aside: list[Node] = []
        self._witnesses = {str(row[1]): None for row in other.engine.rows("verdict")}
        self.build = max(store.build + 1, other.build) if store.nodes else max(store.build, other.build)

    def stage(self) -> Stage:
        """Everything that is new or gained something."""
        stage = self._store.stage("import")
        born = {str(row[0]): int(row[1]) for row in self._other.engine.rows("born")}
        for node in self._other.nodes.values():
            self._put_node(stage, node, born[node.id])
        for record in self._other.assumptions.values():
            self._put_assumption(stage, record)
        for edge in self._other.edges.values():
            self._put_edge(stage, edge, born[edge.id])
        for row in self._other.engine.rows("verdict"):
            assumption, evidence, at = str(row[0]), str(row[1]), int(row[2])
            if not any(self._store.engine.match("verdict", (assumption, evidence, None))):
                stage.put_verdict(assumption, evidence, at=self._base + at)
                count(self._report.written, "verdicts")
        for relation, fact in stated_facts(self._other):
            if not self._store.engine.holds(relation, fact):
                stage.fact(relation, fact)
                count(self._report.written, "facts")
        self._require_fingerprints(stage)
        if self._conflicts:
            raise OntologyError(*_capped(self._conflicts))
        return stage

    def _put_node(self, stage: Stage, node: Node, born: int) -> None:
        there = self._store.nodes.get(node.id)
        if there is None:
            provenance = node.provenance
            if provenance is not None:
                provenance = replace(provenance, recorded_at_build=self._aged(provenance.recorded_at_build))
            made = replace(node, build=self._aged(node.build), provenance=provenance)
            if node.pruned and node.id in self._witnesses:
                self.set_aside.append(made)
                made = replace(made, pruned=False)
            stage.put_node(made, born=self._base + born)
            count(self._report.written, "nodes")
            return
        for field in ("type", "label"):
            self._require_same(node.id, field, getattr(there, field), getattr(node, field))
        merged = replace(
            there,
            attrs=self._attrs(there, node),
            provenance=self._either(node.id, "provenance", there.provenance, node.provenance),
            embedding=there.embedding if there.embedding is not None else node.embedding,
        )
        if there.pruned != node.pruned:
            self._report.note(
                "pruned-differs", "is set aside in one of the two; here it stays as it is", subject=node.id
            )
        self._count("nodes", merged != there)
        if merged != there and merged.type == there.type:
            stage.put_node(merged)

    def _attrs(self, there: Node, node: Node) -> dict[str, Any]:
        attrs = dict(there.attrs)
        for name, value in node.attrs.items():
            if name == ALIASES and isinstance(value, list) and isinstance(attrs.get(name), list):
                attrs[name] = [*attrs[name], *(alias for alias in value if alias not in attrs[name])]
            elif name in attrs:
                self._require_same(node.id, f"attrs.{name}", attrs[name], value)
            else:
                attrs[name] = value
        return attrs

    def _put_assumption(self, stage: Stage, record: Assumption) -> None:
        there = self._store.assumptions.get(record.id)
        rejected_at = None if record.rejected_at_build is None else self._aged(record.rejected_at_build)
        if there is None:
            created = self._aged(record.created_at_build)
            stage.put_assumption(replace(record, created_at_build=created, rejected_at_build=rejected_at))
            count(self._report.written, "assumptions")
            return
        for field in ("statement", "version", "created_by"):
            self._require_same(record.id, field, getattr(there, field), getattr(record, field))
        merged = replace(
            there,
            supersedes=self._either(record.id, "supersedes", there.supersedes, record.supersedes),
            superseded_by=self._either(record.id, "superseded_by", there.superseded_by, record.superseded_by),
            rejected_at_build=there.rejected_at_build if there.rejected_at_build is not None else rejected_at,
            evidence_ids=tuple(dict.fromkeys((*there.evidence_ids, *record.evidence_ids))),
        )
        self._count("assumptions", merged != there)
        if merged != there:
            stage.put_assumption(merged)

    def _put_edge(self, stage: Stage, edge: Edge, born: int) -> None:
        def is_node(id: str) -> bool:
            return stage.node(id) is not None

        there, id = edge_between(stage.edge, is_node, edge.src, edge.type, edge.dst)
        if there is None:
            stage.put_edge(replace(edge, id=id, build=self._aged(edge.build)), born=self._base + born)
            count(self._report.written, "edges")
            return
        merged = replace(
            there,
            assumption_id=self._either(id, "assumption_id", there.assumption_id, edge.assumption_id),
            evidence_ids=tuple(dict.fromkeys((*there.evidence_ids, *edge.evidence_ids))),
            weight=max(there.weight, edge.weight),
        )
        self._count("edges", merged != there)
        if merged != there:
            stage.put_edge(merged)

    def _require_fingerprints(self, stage: Stage) -> None:
        """A decision of both keeps exactly the grounds its fingerprint is of."""

        def type_of(id: str) -> str | None:
            node = stage.node(id)
            return node.type if node is not None else None

        out: dict[str, list[Edge]] = {}
        for edge in stage.edges.values():
            if edge.src in self._store.nodes and edge.id not in self._store.edges:
                out.setdefault(edge.src, []).append(edge)
        for id in dict.fromkeys((*out, *(n for n in stage.nodes if n in self._store.nodes))):
            node = stage.node(id)
            if node is None or FINGERPRINT not in node.attrs:
                continue
            standing = [self._store.edges[str(r[0])] for r in self._store.engine.match("edge", (None, id, None, None))]
            made = fingerprint(node, [*standing, *out.get(id, ())], type_of)
            self._require_same(id, f"attrs.{FINGERPRINT}", made, node.attrs[FINGERPRINT])

    def _aged(self, build: int) -> int:
        return max(0, self.build - (self._other.build - build))

    def _count(self, kind: str, is_changed: bool) -> None:
        count(self._report.changed if is_changed else self._report.unchanged, kind)

    def _either(self, id: str, field: str, here: _Value | None, there: _Value | None) -> _Value | None:
        if here is None or there is None:
            return here if there is None else there
        self._require_same(id, field, _said(here), _said(there))
        return here

    def _require_same(self, id: str, field: str, here: object, there: object) -> None:
        if here == there and type(here) is type(there):
            return
        message = f"{id} is here already, and its {field} differs"
        fields = (("field", field), ("here", _short(here)), ("there", _short(there)))
        hint = "change one of the two, or import into an empty session and compare them"
        self._conflicts.append(Problem("import-conflict", message, subject=id, fields=fields, hint=hint))


def _merge_names(store: Store, resolver: Resolver, names: Resolver, report: Report) -> None:
    forms: dict[str, list[str]] = {}
    for form, id in names.aliases.items():
        forms.setdefault(id, []).append(form)
    for id, label in names.labels.items():
        if id not in store.nodes or store.nodes[id].label != label:
            continue
        for name in resolver.register(id, label, forms.get(id, ())):
            report.note("name-kept", f"the name {name!r} stays with another thing here", subject=id)
    if names.log:
        text = f"{len(names.log)} lines about names that were looked up stay where they were written"
        report.note("log-left", text)


def _capped(conflicts: list[Problem]) -> Iterator[Problem]:
    yield from conflicts[:_TOLD]
    if len(conflicts) > _TOLD:
        ids = ", ".join(dict.fromkeys(str(problem.subject) for problem in conflicts[_TOLD:]))
        yield Problem("more-conflicts", f"and {len(conflicts) - _TOLD} more records differ", note=ids)


def _said(value: Any) -> Any:
    """What two records must agree on: when something was recorded is each graph's own."""
    return replace(value, recorded_at_build=0) if hasattr(value, "recorded_at_build") else value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
