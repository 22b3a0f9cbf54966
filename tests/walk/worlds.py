"""Small graphs to ask: built by hand, or drawn; each with its resolver and index."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.model import Provenance
from contextmesh.walk.answer import Answer
from contextmesh.walk.ask import ask
from contextmesh.walk.index import WordIndex
from contextmesh.walk.settings import WalkSettings

WORDS = ("shard", "merge", "queue", "memory", "recall", "tenant", "probe", "budget")
NAMES = ("Index Builder", "Shard Map", "Query Router", "北海支店")


@dataclass
class World:
    """A graph, the names it knows, an index over it; ``read`` writes what a reader of documents would."""

    graph: ContextGraph = field(default_factory=ContextGraph)
    resolver: Resolver = field(default_factory=Resolver)

    def __post_init__(self) -> None:
        self.index = WordIndex(self.graph)

    def entity(self, name: str) -> str:
        node = self.graph.add_node("entity", name, attrs={"canonical": name, "aliases": []})
        self.resolver.register(node.id, name)
        return node.id

    def source(self, title: str) -> str:
        attrs = {"origin": "memo", "retrieved_at": "2025-01-02"}
        return self.graph.add_node("source", title, attrs=attrs).id

    def claim(self, sentence: str, source: str, mentions: tuple[str, ...] = ()) -> str:
        """A sentence read from a source, with the names that stand in it."""
        with self.graph.batch("read") as batch:
            claim = batch.add_node("claim", sentence, provenance=Provenance(source, (0, len(sentence))))
            batch.add_edge(claim.id, "derived_from", source)
        for name in mentions:
            entity = self.entity(name)
            with self.graph.batch("link") as batch:
                batch.add_edge(claim.id, "mentions", entity)
                batch.add_edge(source, "mentions", entity)
                batch.add_edge(entity, "derived_from", source)
        return claim.id

    def ask(self, question: str, **settings: int) -> Answer:
        return ask(self.graph, self.resolver, self.index, question, settings=WalkSettings(**settings))

    def structure(self) -> dict[str, object]:
        """Everything an ask must not change."""
        store = self.graph.store
        declared = store.policy.program.declarations
        return {
            "rows": {name: sorted(map(repr, store.engine.rows(name))) for name in declared},
            "nodes": list(store.nodes.values()),
            "edges": list(store.edges.values()),
            "assumptions": list(store.assumptions.values()),
            "seq": (store.seq, store.build),
        }


DECISIONS = ("Decide one", "Decide two", "Decide three", "Decide four")
LINEAGES = (
    "What replaced {}?",
    "What did {} replace?",
    "Why {}?",
    "What does {} depend on?",
    "What depends on {}?",
    "{}",
)

sentences = st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(lambda words: " ".join(words) + " holds.")
questions = st.one_of(
    st.builds(str.format, st.sampled_from(LINEAGES), st.sampled_from(DECISIONS[:3])),
    st.lists(st.sampled_from((*WORDS, *NAMES, "why", "what", "replaced")), min_size=1, max_size=5).map(" ".join),
    st.text(max_size=30).filter(str.strip),
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A few sources with claims, decisions on assumptions and on each other, some rejected, some superseded."""
    world = World()
    sources = [world.source(f"Memo {n} on {draw(st.sampled_from(WORDS))}") for n in range(draw(st.integers(1, 3)))]
    claims = [
        world.claim(
            f"{n}: {draw(sentences)}",
            draw(st.sampled_from(sources)),
            tuple(draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))),
        )
        for n in range(draw(st.integers(0, 5)))
    ]
    graph = world.graph
    assumptions = [
        graph.assume(f"{word} stays flat").id
        for word in draw(st.lists(st.sampled_from(WORDS), max_size=3, unique=True))
    ]
    decisions: list[str] = []
    for n, title in enumerate(DECISIONS[: draw(st.sampled_from((0, 2, 3, 4)))]):
        made = world.entity(f"Artefact {n}") if draw(st.booleans()) else None
        decision = graph.decide(
            title,
            rationale=draw(sentences),
            source=draw(st.sampled_from(sources)),
            derived_from=draw(st.lists(st.sampled_from(claims), max_size=2, unique=True)) if claims else (),
            depends_on=draw(st.lists(st.sampled_from([*assumptions, *decisions]), max_size=2, unique=True))
            if assumptions or decisions
            else (),
            produces=(made,) if made else (),
            supersedes=draw(st.sampled_from(decisions))
            if decisions and draw(st.sampled_from((True, True, False)))
            else None,
        )
        decisions.append(decision.id)
    for assumption in assumptions:
        if draw(st.booleans()):
            seen = graph.submit_evidence(f"{assumption} was measured", source_id=sources[0])
            graph.reject(assumption, evidence_id=seen.id)
    if len(claims) > 1 and draw(st.booleans()):
        graph.add_edge(claims[0], "contradicts", claims[1])
    return world
