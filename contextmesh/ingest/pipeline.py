"""Documents into the graph: CHUNK, EXTRACT, RESOLVE, LINK, EMBED, PRUNE, in transactions of a few documents each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, field

from contextmesh.base.errors import InputError, OntologyError
from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import Document, Skipped
from contextmesh.ingest.intake import Intake
from contextmesh.ingest.records import join_records
from contextmesh.ingest.report import STAGES, BuildReport, Stage, Tally
from contextmesh.ingest.roll import Roll
from contextmesh.ingest.sources import SourceBook
from contextmesh.resolve.resolver import Resolver

__all__ = ["BuildReport", "Progress", "ingest"]

Progress = Callable[[str, int, int], None]
"""stage, done, total (0 when unknown)"""

RUN_DOCUMENTS = 64
RUN_CHARACTERS = 400_000
"""A transaction takes documents until one of these is reached; a crash between two loses none that was written."""


def ingest(
    graph: ContextGraph,
    resolver: Resolver,
    documents: Iterable[Document | Skipped],
    *,
    progress: Progress | None = None,
) -> BuildReport:
    """Write documents into a graph, and the names they hold into a resolver.

    A document whose text stands in the graph already changes nothing. A changed one adds what is new, moves the
    places of what stayed, lets a reworded claim supersede the old one, and prunes what it no longer says.
    A run of documents that the rules refuse is written one by one, and one that is refused alone is skipped.

    Args:
        documents: as ``read_paths`` yields them, or made by hand.
        progress: told of each document read; the total is 0 when it is not known.
    """
    total = len(documents) if isinstance(documents, Sized) else 0
    work = _Work(graph, resolver, SourceBook(graph))
    run: list[Document] = []
    size = 0
    for done, item in enumerate(documents, start=1):
        if isinstance(item, Skipped):
            work.skipped.append(item)
        else:
            placed = work.placed(item)
            run += placed
            size += sum(len(document.text) for document in placed)
        if len(run) >= RUN_DOCUMENTS or size >= RUN_CHARACTERS:
            work.write(run)
            run, size = [], 0
        if progress is not None:
            progress("ingest", done, total)
    if run:
        work.write(run)
    return work.report()


@dataclass(slots=True)
class _Work:
    """One ingest while it runs."""

    graph: ContextGraph
    resolver: Resolver
    book: SourceBook
    _roll: Roll | None = None
    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in STAGES})
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    begun: bool = False

    @property
    def roll(self) -> Roll:
        """Made when the first document is written: an ingest that changes nothing needs none."""
        if self._roll is None:
            self._roll = Roll(self.resolver, self.graph.store)
        return self._roll

    def placed(self, document: Document) -> list[Document]:
        """The document under its id, when it is new or changed; one that no graph can hold is skipped."""
        try:
            placed = self.book.place(document)
        except InputError as refused:
            message = f"is refused: {refused.problem.message}"
            self.skipped.append(Skipped(document.origin or document.id, refused.code, message))
            return []
        if placed is None:
            self.unchanged.append(self.book.id_of(document))
            return []
        return [placed]

    def write(self, documents: Sequence[Document]) -> None:
        """One run as one transaction; when the rules refuse it, each document as its own."""
        try:
            self._commit(documents)
        except (OntologyError, InputError) as refused:
            if len(documents) > 1:
                for document in documents:
                    self.write([document])
                return
            (document,) = documents
            message = f"is refused: {refused.problem.message}"
            self.skipped.append(Skipped(document.origin or document.id, refused.code, message))
            self.book.forget(document)

    def _commit(self, documents: Sequence[Document]) -> None:
        with self.graph.batch("ingest") as batch:
            if not self.begun:
                batch.stage.set_build(self.graph.build + 1)
            intake = Intake(self.graph, self.roll, batch)
            for document in documents:
                intake.take(document)
        self.begun = True
        intake.settle()
        for name, tally in intake.tallies.items():
            self.tallies[name].add(tally)
        self.new.extend(intake.new)
        self.changed.extend(intake.changed)
        for name, count in intake.counts.items():
            self.counts[name] = self.counts.get(name, 0) + count
        join_records(self.graph, intake.decisions, self.tallies["LINK"])

    def report(self) -> BuildReport:
        """What was done, once all of it is."""
        count = self.counts.get
        return BuildReport(
            build=self.graph.build,
            new=tuple(self.new),
            changed=tuple(self.changed),
            unchanged=tuple(self.unchanged),
            skipped=tuple(self.skipped),
            spans_in=count("sentences", 0),
            dropped_at_resolve=sum(self.tallies["RESOLVE"].reasons.values()),
            committed_walkable=count("walkable", 0),
            collapsed_aliases=count("collapsed", 0),
            pruned_nodes=self.tallies["PRUNE"].admitted,
            claims_new=count("claims", 0),
            claims_changed=count("reworded", 0),
            stages=tuple(_stage(name, self.tallies[name]) for name in STAGES),
        )


def _stage(name: str, tally: Tally) -> Stage:
    reasons = sorted(tally.reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    notes = tuple(f"{count} {words}" for words, count in tally.notes.items())
    return Stage(name, tally.admitted, tuple(reasons), notes)
