"""The worked example through the public library: ingest, assume, decide, contradict, supersede, reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contextmesh.demo.corpus import SOURCES
from contextmesh.demo.questions import QUESTIONS, Question
from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import Document
from contextmesh.ingest.pipeline import ingest
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.relations import day_of
from contextmesh.walk.ask import ask
from contextmesh.walk.index import WordIndex

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.graph.invalidation import Invalidation
    from contextmesh.ingest.report import BuildReport
    from contextmesh.policy import Policy
    from contextmesh.walk.answer import Answer

LINEAR = "Shard count grows linearly with corpus size"
IDLE_DAYS = "Half of the accelerators stand idle during the day"
IDLE_NIGHTS = "The accelerators stand idle between ten and six at night"
FORECAST = "The load of a tenant can be forecast a day ahead"
UNREAD = "Passages that nobody read for ninety days stay unread"
GATEWAY = "Lighthouse Gateway"
SCHEDULE = "Daytime Backfill Schedule"
SURVEYED = "61 shards were counted at 352 million passages, where a straight line foresees 44."
BUSY = "The accelerators were busy for 93 per cent of the hours between nine and five on 6 November."


@dataclass(frozen=True, slots=True)
class Demo:
    """The built example, and what refers into it.

    Attributes:
        linear: the assumption that the demo breaks, still active.
        counted: the evidence against it, taken in and not judged.
    """

    graph: ContextGraph
    resolver: Resolver
    index: WordIndex
    report: BuildReport
    linear: str
    counted: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A curated question, what came of it, and whether a reader would agree."""

    question: Question
    answer: Answer

    @property
    def right(self) -> bool:
        """Whether the outcome is the right one."""
        if self.question.dead_end is not None:
            return self.answer.dead_end == self.question.dead_end
        found = self.answer.answer
        return found is not None and any(words in found.label for words in self.question.right)


@dataclass(frozen=True)
class Story:
    """The demo from end to end: what was built, what was asked, what broke, what still answers.

    Attributes:
        before, after: the questions before and after the rejection.
    """

    demo: Demo
    before: tuple[Asked, ...]
    invalidation: Invalidation
    after: tuple[Asked, ...]

    @property
    def answered(self) -> int:
        """How many questions came out right before anything was broken."""
        return sum(asked.right for asked in self.before)

    def as_json(self) -> dict[str, Any]:
        """The shape that ``contextmesh demo --json`` prints."""
        health = self.demo.graph.health(near_misses=self.demo.resolver.near_misses())
        return {
            "build": self.demo.report.as_json(),
            "questions": [{**asked.answer.as_json(), "right": asked.right} for asked in self.before],
            "answered_right": self.answered,
            "invalidation": self.invalidation.as_json(),
            "questions_after": [{**asked.answer.as_json(), "right": asked.right} for asked in self.after],
            "health": health.as_json(),
        }


def build_demo(policy: Policy | None = None) -> Demo:
    """The bundled corpus as a graph, with its decisions, a contradiction, a supersession and a rejected assumption."""
    graph, resolver = ContextGraph(policy), Resolver()
    report = ingest(graph, resolver, [_document(number) for number in range(len(SOURCES))])
    linear, counted = _Author(graph, resolver).write()
    return Demo(graph, resolver, WordIndex(graph), report, linear, counted)


def demo_mesh(policy: Policy | None = None) -> Mesh:
    """The built example as a mesh in memory."""
    from contextmesh.api import Mesh

    demo = build_demo(policy)
    return Mesh(graph=demo.graph, resolver=demo.resolver)


def demo_rejection(policy: Policy | None = None) -> Invalidation:
    """The example's assumption, rejected on the evidence that counts against it."""
    demo = build_demo(policy)
    return demo.graph.reject(demo.linear, evidence_id=demo.counted)


def run_demo(policy: Policy | None = None) -> Story:
    """Builds, asks, breaks the assumption, and asks again."""
    demo = build_demo(policy)
    before = ask_all(demo)
    invalidation = demo.graph.reject(demo.linear, evidence_id=demo.counted)
    return Story(demo, before, invalidation, ask_all(demo))


def ask_all(demo: Demo) -> tuple[Asked, ...]:
    """Every curated question, in order."""
    return tuple(Asked(q, ask(demo.graph, demo.resolver, demo.index, q.text)) for q in QUESTIONS)


class _Author:
    """Writes what no reader finds in prose: who decided what, on which grounds, and what was proved wrong."""

    def __init__(self, graph: ContextGraph, resolver: Resolver) -> None:
        self._graph = graph
        self._resolver = resolver

    def write(self) -> tuple[str, str]:
        """Everything, in the order in which it happened; the ids of the main assumption and its evidence."""
        linear = self._graph.assume(LINEAR, created_by="capacity planning").id
        self._plan(linear)
        self._embed()
        self._backfill()
        self._shrink_and_move()
        counted = self._graph.submit_evidence(SURVEYED, source_id="source:tenant-survey").id
        self._reshard()
        self._graph.add_edge(
            self._claim("Product quantisation cost four points"),
            "contradicts",
            self._claim("Product quantisation costs less than one point"),
        )
        # A name in the network plan that nothing has been written about yet.
        self._entity(GATEWAY)
        return linear, counted

    def _plan(self, linear: str) -> None:
        self._graph.decide(
            "Sharding by passage count",
            id="decision:shard-by-count",
            rationale="The count is known before a passage is written, and the number of shards follows the corpus.",
            source="source:sharding-note",
            derived_from=[self._claim("Counting passages was chosen"), self._claim("The sharding rule opens")],
            depends_on=[linear],
            produces=[self._entity("Shard Allocation Table")],
        )
        self._graph.decide(
            "Rent one builder node of 512 gigabytes",
            id="decision:rent-builder",
            rationale="Eight open shards are the most that a straight line foresees in any week of the rebuild.",
            source="source:capacity-plan",
            derived_from=[self._claim("The capacity plan gives the Index Builder")],
            depends_on=[linear],
        )

    def _embed(self) -> None:
        self._graph.decide(
            "Stay on Ferrule-384",
            id="decision:ferrule-384",
            rationale="Keeping the model spares the archive a backfill of the whole corpus.",
            source="source:charter",
            cites=["source:embedding-review"],
        )
        self._graph.decide(
            "Adopt Ferrule-768 as the embedding model",
            id="decision:ferrule-768",
            rationale="A third of the archive is scanned manuscripts, and recall on them is what the old model lacks.",
            source="source:embedding-review",
            derived_from=[
                self._claim("Ferrule-768 raised recall"),
                self._claim("Vectors from the two models cannot be compared"),
            ],
            supersedes="decision:ferrule-384",
        )

    def _backfill(self) -> None:
        """By day at first, on an assumption that a measurement then rejected."""
        idle = self._graph.assume(IDLE_DAYS, created_by="capacity planning").id
        self._graph.decide(
            "Run the backfill by day",
            id="decision:backfill-by-day",
            rationale="By day somebody is there when a batch fails.",
            source="source:backfill-runbook",
            depends_on=[idle],
            produces=[self._entity(SCHEDULE)],
        )
        busy = self._graph.submit_evidence(BUSY, source_id="source:cost-review").id
        self._graph.reject(
            idle, evidence_id=busy, replacement="The accelerators stand idle between ten and six at night"
        )
        self._graph.decide(
            "Run the backfill at night",
            id="decision:backfill-at-night",
            rationale="The accelerators are idle then, and live traffic is low.",
            source="source:backfill-runbook",
            derived_from=[self._claim("The backfill yields to live traffic")],
            supersedes="decision:backfill-by-day",
        )
        self._graph.decide(
            "Write new passages to both indexes",
            id="decision:dual-write",
            rationale="As long as both indexes are whole, a rollback loses nothing.",
            source="source:backfill-runbook",
            derived_from=[self._claim("New passages are written to both indexes")],
        )

    def _shrink_and_move(self) -> None:
        self._graph.decide(
            "Compress shards by scalar quantisation",
            id="decision:scalar-quantisation",
            rationale="It halves the memory of a shard, and the trial saw no loss of recall.",
            source="source:compression-trial",
            derived_from=[self._claim("Scalar quantisation halved")],
        )
        unread = self._graph.assume(UNREAD, created_by="budget").id
        self._graph.decide(
            "Move unread passages to the Cold Tier",
            id="decision:cold-tier",
            rationale="Serving memory is the largest standing cost.",
            source="source:cost-review",
            derived_from=[self._claim("Moving sixty million passages"), self._claim("Serving memory is the largest")],
            depends_on=[unread],
        )
        self._graph.decide(
            "Cut over a tenth of the queries a day",
            id="decision:gradual-cut-over",
            rationale="A tenth is enough to see a fall in recall, and few enough to move back within a minute.",
            source="source:cut-over-plan",
            derived_from=[self._claim("The cut-over moves one tenth"), self._claim("A rollback takes under a minute")],
        )

    def _reshard(self) -> None:
        forecast = self._graph.assume(FORECAST, created_by="search team").id
        wrong = self._claim("The sharding rule was wrong")
        self._graph.decide(
            "Sharding by measured load",
            id="decision:shard-by-load",
            rationale="Load is what fills memory and misses latency budgets; the number of passages only hints at it.",
            source="source:postmortem",
            derived_from=[wrong, self._claim("Three of the 2,140 tenants hold")],
            depends_on=[forecast],
            supersedes="decision:shard-by-count",
            supported_by=[wrong],
        )
        self._graph.decide(
            "The Index Builder opens at most eight shards",
            id="decision:open-shard-limit",
            rationale="A builder that waits is late; a builder that is killed starts again.",
            source="source:postmortem",
            derived_from=[self._claim("The postmortem recommends")],
        )

    def _claim(self, opening: str) -> str:
        """The id of the one claim that opens with these words."""
        found = [node.id for node in self._graph.live_nodes("claim") if node.label.startswith(opening)]
        assert len(found) == 1, f"{len(found)} claims open with {opening!r}"
        return found[0]

    def _entity(self, name: str) -> str:
        node = self._graph.add_node("entity", name, attrs={"canonical": name, "aliases": []})
        self._resolver.register(node.id, name)
        return node.id


def _document(number: int) -> Document:
    text = SOURCES[number]
    return Document(
        id=text.id, title=text.title, text=text.text, origin="demo", date=text.date, date_day=day_of(text.date)
    )
