"""One transaction of documents: each becomes a source, its claims, the things it names, and perhaps a decision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from contextmesh.graph.batch import Batch
from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.cast import Cast
from contextmesh.ingest.claims import Claims
from contextmesh.ingest.documents import Document
from contextmesh.ingest.drafts import Draft, Drafts, draft, title_forms
from contextmesh.ingest.links import DERIVED_FROM, MENTIONS, SUPERSEDES, Linker
from contextmesh.ingest.names import Name
from contextmesh.ingest.records import IMPRECISE, link_record, put_record
from contextmesh.ingest.report import STAGES, Tally
from contextmesh.ingest.revise import compare
from contextmesh.ingest.roll import Roll
from contextmesh.ingest.sources import DIGEST, FIELDS, SOURCE, content_digest
from contextmesh.ingest.subject import subject_of
from contextmesh.ingest.terms import known_terms
from contextmesh.store.model import Node


class Intake:
    """What one transaction takes in: ``take`` each document, and ``settle`` once the transaction stands.

    Attributes:
        tallies: by stage; ``counts``: other numbers of the report.
        new, changed: ids of source nodes; ``decisions``: ids of the records among them.
    """

    def __init__(self, graph: ContextGraph, roll: Roll, batch: Batch) -> None:
        self.tallies = {name: Tally() for name in STAGES}
        self.counts: dict[str, int] = {}
        self.new: list[str] = []
        self.changed: list[str] = []
        self.decisions: list[str] = []
        self._batch = batch
        self._cast = Cast(roll, batch, self.tallies["RESOLVE"])
        self._claims = Claims(graph, batch)
        self._linker = Linker(batch, graph.policy.ontology, self.tallies["LINK"])

    def settle(self) -> None:
        """The graph took it: tell the resolver."""
        self._cast.settle()
        self._count("collapsed", self._cast.collapsed)

    def take(self, document: Document) -> None:
        """Write one document that is new or changed."""
        read = draft(document)
        self._tell(read)
        there = self._batch.has(document.id) and DIGEST in self._batch.node(document.id).attrs
        (self.changed if there else self.new).append(document.id)
        put_source(self._batch, document)
        self._cast.new_document()
        said = self._write_claims(read, changed=there)
        fresh = [(made, node) for made, node, is_new in said if is_new]
        self._name(read, fresh)
        if document.record is not None:
            decision = put_record(self._batch, document, document.id, read.rationale)
            link_record(self._linker, decision, document.id, [node.id for made, node, _ in said if made.key])
            self.decisions.append(decision.id)

    # -- claims ---------------------------------------------------------------------------------------

    def _write_claims(self, read: Drafts, *, changed: bool) -> list[tuple[Draft, Node, bool]]:
        """Every claim of the document, and whether its names are still to be linked."""
        source_id = read.document.id
        before = self._claims.of_source(source_id) if changed else {}
        revision = compare(tuple(before), tuple(made.label for made in read.claims))
        older = {new: old for old, new in revision.reworded}
        said: list[tuple[Draft, Node, bool]] = []
        for made in read.claims:
            if made.label in before:
                said.append((made, self._claims.seen(before[made.label], made, source_id), False))
                continue
            node, is_new = self._claims.put(made, source_id)
            self._linker.link(node.id, DERIVED_FROM, source_id)
            self._count("claims", is_new)
            said.append((made, node, True))
            if made.label in older:
                self._reword(before[older[made.label]], node, source_id)
        for label in revision.gone:
            if self._claims.leave(before[label], source_id, None) == "pruned":
                self.tallies["PRUNE"].admitted += 1
                self.tallies["PRUNE"].note("claims that their document no longer holds")
        return said

    def _reword(self, old: Node, new: Node, source_id: str) -> None:
        if self._claims.leave(old, source_id, new) == "superseded":
            self._linker.link(new.id, SUPERSEDES, old.id)
            self._count("reworded")

    # -- names ----------------------------------------------------------------------------------------

    def _name(self, read: Drafts, claims: list[tuple[Draft, Node]]) -> None:
        """Entities of the new claims, and the edges that mention them."""
        document = read.document
        subject = self._subject(document)
        named = [(made, node, read.names(made)) for made, node in claims]
        self._call_by_short_names(read, [name for _, _, names in named for name in names])
        # In a series of records its bare name is each record itself, and names nothing in particular.
        series = document.record.name.split(" ")[0] if document.record is not None else None
        spoken: dict[str, None] = dict.fromkeys((subject,) if subject else ())
        for made, node, names in named:
            texts = [name.text for name in names if name.text != series]
            texts.extend(gram[0] for gram in known_terms(made.label, self._cast.is_term))
            mentioned = dict.fromkeys(found for text in texts if (found := self._cast.entity(text)) is not None)
            if subject is not None and (made.about or (not mentioned and made.leans)):
                mentioned[subject] = None
            self._count("walkable", bool(mentioned))
            for entity_id in mentioned:
                self._linker.link(node.id, MENTIONS, entity_id)
                spoken[entity_id] = None
        self._introduce(document.id, spoken)

    def _call_by_short_names(self, read: Drafts, names: list[Name]) -> None:
        """Acronyms the document explains, and last names of those it names in full."""
        texts = dict.fromkeys(name.text for name in names)
        for short, long in read.short_forms.items():
            if long in texts or short in texts:
                target = self._cast.entity(long)
                if target is not None:
                    self._cast.alias(target, short, everywhere=True)
        for name in names:
            if name.kind == "proper" and " " in name.text:
                self._cast.entity(name.text)
                self._cast.shorten(name.text, first_too=name.text == read.document.title)

    def _introduce(self, source_id: str, spoken: Iterable[str]) -> None:
        """The source mentions what its claims do; what it was first to name was read in it."""
        for entity_id in spoken:
            self._linker.link(source_id, MENTIONS, entity_id)
            if entity_id in self._cast.made:
                del self._cast.made[entity_id]
                self._linker.link(entity_id, DERIVED_FROM, source_id)

    def _subject(self, document: Document) -> str | None:
        """The entity a document is about, with the names it goes by; None when its title names no thing."""
        subject = subject_of(document)
        if subject is None:
            return None
        found = self._cast.entity(subject.name)
        if found is not None:
            for alias in subject.everywhere:
                self._cast.alias(found, alias, everywhere=True)
            for alias in (*subject.here, *title_forms(document.title)[1:]):
                self._cast.alias(found, alias, everywhere=False)
            if document.kind == "jsonl":
                self._cast.shorten(title_forms(document.title)[-1], first_too=True)
        return found

    # -- counting -------------------------------------------------------------------------------------

    def _tell(self, read: Drafts) -> None:
        self.tallies["CHUNK"].admitted += read.sentences
        self._count("sentences", read.sentences)
        self.tallies["EXTRACT"].admitted += len(read.claims)
        headed = sum(made.sentence is None for made in read.claims)
        if headed:
            self.tallies["EXTRACT"].note("claims made from headers", headed)
        for reason, count in read.dropped.items():
            self.tallies["EXTRACT"].drop(reason, count)
        for made in read.claims:
            if any("a" <= char <= "z" or "0" <= char <= "9" for char in made.label.lower()):
                self.tallies["EMBED"].admitted += 1
            else:
                self.tallies["EMBED"].drop("no letters that the vector counts")

    def _count(self, name: str, count: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + count


def put_source(batch: Batch, document: Document) -> Node:
    """The source node of a document: what it is called, where and when it was read, a digest of it; not its text."""
    attrs: dict[str, Any] = {
        "origin": document.origin,
        "retrieved_at": document.date,
        "title": document.title,
        "kind": document.kind,
        DIGEST: content_digest(document),
    }
    if document.header:
        attrs[FIELDS] = dict(document.header)
    if document.date and document.date_day is None:
        attrs[IMPRECISE] = document.date
    label = document.title or document.id
    if not batch.has(document.id):
        return batch.add_node(SOURCE, label, id=document.id, attrs=attrs)
    there = batch.node(document.id)
    kept = {name: value for name, value in there.attrs.items() if name not in (FIELDS, IMPRECISE)}
    return batch.replace_node(replace(there, label=label, attrs={**kept, **attrs}))
