"""The ``memory.jsonl`` of the reference MCP memory server: entities with observations, and relations by name.

An entity becomes an entity, an observation a claim that mentions it and was read in the file, and a relation an edge
of its type where GRAPH.md has that type between two entities, else a claim that says it in words and mentions both.
Reading a file again changes nothing; whatever does not become what it was is told with its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from contextmesh.base import fields
from contextmesh.base.fields import Fault
from contextmesh.base.ids import slug
from contextmesh.exchange.jsonl import LIMITS, FileLimits, Line, lines_of
from contextmesh.exchange.report import Report, count
from contextmesh.graph.batch import Batch
from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.model import Node, Provenance

EXTRACTOR = "memory-file"
CHECKS = ("said-in-file",)
KIND, RELATION = "entity_type", "relation"
_ENTITY = ("type", "name", "entityType", "observations")
_RELATION = ("type", "from", "to", "relationType")
_NAME = re.compile(r"[^a-z0-9]+")
_MISSES = 64


@dataclass(frozen=True, slots=True)
class TextLimits:
    """How long its texts may be.

    Attributes:
        name: characters of a name, a kind or a type of relation.
        observation: characters of an observation.
        observations: of one entity.
    """

    name: int = 1_024
    observation: int = 65_536
    observations: int = 100_000


def import_memory(
    graph: ContextGraph,
    resolver: Resolver,
    data: bytes,
    file: str,
    *,
    sizes: FileLimits = LIMITS,
    texts: TextLimits | None = None,
) -> Report:
    """Write what the file says as one transaction of a new build.

    Raises:
        InputError: a line that is not of this format, with its number; OntologyError: what the rules refuse.
            Nothing was written.
    """
    taken = _Taken(graph, resolver, file, texts or TextLimits())
    for line in lines_of(data, file, sizes):
        taken.check(line)
    batch = Batch(graph.store, "import")
    batch.stage.set_build(graph.build + 1)
    taken.write(batch)
    if batch.stage.nodes or batch.stage.edges:
        batch.commit()
    taken.register()
    return taken.report


class _Taken:
    """One file on its way in."""

    def __init__(self, graph: ContextGraph, resolver: Resolver, file: str, limits: TextLimits) -> None:
        self._graph, self._resolver, self._limits = graph, resolver, limits
        self.report = Report(file, "memory")
        self._entities: list[tuple[Line, Mapping[str, Any]]] = []
        self._relations: list[tuple[Line, Mapping[str, Any]]] = []
        self._ids: dict[str, str] = {}
        self._new_names: dict[str, str] = {}

    # ---- reading ----------------------------------------------------------------------------

    def check(self, line: Line) -> None:
        """Raises InputError for a line that is not of this format."""
        try:
            value = line.document.value
            if not isinstance(value, dict):
                raise Fault("wrong-type", f"must be an object, and is {fields.kind_of(value)}")
            if "type" not in value:
                raise Fault("missing-key", "lacks type", fields=(("missing", "type"),))
            if fields.word(value, "type", ("entity", "relation")) == "entity":
                row = fields.record(value, _ENTITY)
                self._require_short(row, ("name", "entityType"))
                self._require_observations(row)
                self._entities.append((line, row))
                count(self.report.read, "entities")
                count(self.report.read, "observations", len(row["observations"]))
            else:
                row = fields.record(value, _RELATION)
                self._require_short(row, ("from", "to", "relationType"))
                self._relations.append((line, row))
                count(self.report.read, "relations")
        except Fault as fault:
            raise line.refusal(fault) from None

    def _require_short(self, row: Mapping[str, Any], keys: tuple[str, ...]) -> None:
        for key in keys:
            if len(fields.text(row, key)) > self._limits.name:
                raise Fault("out-of-range", f"is longer than {self._limits.name} characters", (key,))

    def _require_observations(self, row: Mapping[str, Any]) -> None:
        observations = fields.texts(row, "observations")
        if len(observations) > self._limits.observations:
            raise Fault("out-of-range", f"has more than {self._limits.observations} members", ("observations",))
        for index, text in enumerate(observations):
            if len(text) > self._limits.observation:
                message = f"is longer than {self._limits.observation} characters"
                raise Fault("out-of-range", message, ("observations", index))

    # ---- writing ----------------------------------------------------------------------------

    def write(self, batch: Batch) -> None:
        """Everything that was read, into one transaction."""
        if not (self._entities or self._relations):
            return
        self._known = {node.label: node.id for node in self._graph.store.nodes.values() if node.type == "entity"}
        source = self._source(batch)
        for line, row in self._entities:
            self._entity(batch, source, line, row)
        seen: dict[tuple[str, str, str], None] = {}
        for line, row in self._relations:
            key = (row["from"], row["relationType"], row["to"])
            if key in seen:
                self.report.note("repeated-relation", "stands in an earlier line too", line=line.number)
                continue
            seen[key] = None
            self._relation(batch, source, line, row)
        for id in batch.stage.nodes:
            count(self.report.changed if id in self._graph.store.nodes else self.report.written, "nodes")
        for id in batch.stage.edges:
            count(self.report.changed if id in self._graph.store.edges else self.report.written, "edges")

    def register(self) -> None:
        """The new names, once what bears them stands."""
        for id, name in self._new_names.items():
            for kept in self._resolver.register(id, name):
                self.report.note("name-kept", f"the name {kept!r} stays with another thing", subject=id)

    def _source(self, batch: Batch) -> Node:
        name = PurePath(self.report.file).name
        there = self._graph.store.nodes.get(f"source:{slug(self.report.file)}")
        if there is not None:
            return there
        attrs = {"origin": self.report.file, "retrieved_at": ""}
        return batch.add_node("source", name, id=f"source:{slug(self.report.file)}", attrs=attrs)

    def _entity(self, batch: Batch, source: Node, line: Line, row: Mapping[str, Any]) -> None:
        name = row["name"]
        if not name.strip():
            self.report.note("blank-text", f"an entity without a name; {_lost(row)}", line=line.number)
            return
        if name in self._ids:
            self.report.note("repeated-entity", "stands in an earlier line too; both are one", line=line.number)
        id = self._named(batch, source, name, line)
        self._kind(batch, id, row["entityType"], line)
        spans = _Spans(line)
        for text in dict.fromkeys(row["observations"]):
            if not text.strip():
                self.report.note("blank-text", "an observation without words", line=line.number, subject=id)
                continue
            claim = self._claim(batch, source, text, spans.next(text), {"quote": text})
            batch.link(claim.id, "mentions", id)
        repeated = len(row["observations"]) - len(dict.fromkeys(row["observations"]))
        for _ in range(repeated):
            self.report.note("repeated-observation", "is said twice of one thing", line=line.number, subject=id)

    def _kind(self, batch: Batch, id: str, kind: str, line: Line) -> None:
        there = batch.node(id).attrs.get(KIND)
        if there is None:
            batch.set_attrs(id, **{KIND: kind})
        elif there != kind:
            text = f"is of the kind {there!r} already, and is called {kind!r} here"
            self.report.note("kind-differs", text, line=line.number, subject=id)

    def _named(self, batch: Batch, source: Node, name: str, line: Line) -> str:
        """The entity of this name: of this file, of this graph, by an alias of it, or a new one."""
        known = self._ids.get(name)
        if known is not None:
            return known
        id = self._known.get(name)
        if id is None:
            bearer = self._resolver.bearer(name)
            if bearer is not None and bearer in self._graph.store.nodes:
                id = bearer
                text = f"{name!r} is {self._resolver.labels[id]!r} here"
                self.report.note("known-as", text, line=line.number, subject=id)
        if id is None:
            id = batch.add_node("entity", name, attrs={"canonical": name, "aliases": []}).id
            self._new_names[id] = name
        self._ids[name] = id
        batch.link(source.id, "mentions", id)
        return id

    def _claim(self, batch: Batch, source: Node, text: str, span: tuple[int, int], attrs: dict[str, Any]) -> Node:
        read = Provenance(source.id, span, EXTRACTOR, CHECKS, batch.build)
        claim = batch.add_node("claim", text, attrs=attrs if not _has(batch, text) else None, provenance=read)
        batch.link(claim.id, "derived_from", source.id)
        return claim

    def _relation(self, batch: Batch, source: Node, line: Line, row: Mapping[str, Any]) -> None:
        start, end, said = row["from"], row["to"], row["relationType"]
        if not (start.strip() and end.strip() and said.strip()):
            self.report.note("blank-text", f"a relation without a name: {start!r} {said!r} {end!r}", line=line.number)
            return
        for name in (start, end):
            if name not in self._ids:
                self.report.note("undeclared-entity", f"no line declares {name!r}", line=line.number)
        src, dst = (self._named(batch, source, name, line) for name in (start, end))
        type_ = _NAME.sub("_", said.lower()).strip("_")
        legal = self._graph.policy.ontology.is_legal(type_, "entity", "entity")
        if legal and src != dst:
            batch.link(src, type_, dst)
            count(self.report.read, "typed relations")
            return
        words = " ".join(said.replace("_", " ").split())
        label = f"{start} {words} {end}"
        attrs = {RELATION: {"from": start, "type": said, "to": end}}
        claim = self._claim(batch, source, label, (line.start, line.start + len(line.document.text or "")), attrs)
        for id in dict.fromkeys((src, dst)):
            batch.link(claim.id, "mentions", id)
        text = f"{said!r} joins no two entities in GRAPH.md, so a claim says it"
        self.report.note("relation-as-claim", text, line=line.number, subject=claim.id)


def _has(batch: Batch, text: str) -> bool:
    """Whether a claim of these words is here, which keeps the words it was read by."""
    return batch.has(slug(text, "claim", scripts=True))


class _Spans:
    """Where the observations of one line stand in the file, each looked for after the one before.

    A text that is written in neither usual way is said to stand somewhere in the line; after a few of those no more are
    looked for, so that a line costs what it is long.
    """

    def __init__(self, line: Line) -> None:
        self._said = line.document.text or ""
        self._start = line.start
        self._cursor = self._misses = 0
        self._ascii = False

    def next(self, text: str) -> tuple[int, int]:
        """The characters of this text, or of the whole line."""
        for ascii_only in (self._ascii, not self._ascii):
            if self._misses >= _MISSES:
                break
            quoted = json.dumps(text, ensure_ascii=ascii_only)
            at = self._said.find(quoted, self._cursor)
            if at >= 0:
                self._ascii, self._cursor = ascii_only, at + len(quoted)
                return self._start + at + 1, self._start + self._cursor - 1
            self._misses += 1
        return self._start, self._start + len(self._said)


def _lost(row: Mapping[str, Any]) -> str:
    return f"its {len(row['observations'])} observations are of nothing"
