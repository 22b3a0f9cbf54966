"""Where a walk starts: at what the question names, then at what shares its words, then at what is near as a vector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.resolve.embed import cosine, embed, node_text

if TYPE_CHECKING:
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index
    from contextmesh.walk.question import Question
    from contextmesh.walk.scoring import Scorer
    from contextmesh.walk.settings import WalkSettings

NAME, WORD, VECTOR = "name", "word", "vector"
"""How a seed was found."""

SUPERSEDES = "supersedes"

# Two shared terms that make up this share of the question, or three, or all there are, make a seed.
SHARED = 2
SURELY = 3
SEED_MASS = 0.25
# How many near spellings and near texts a search by vector looks at.
NEAR_TEXTS = 200
# Pools of relevant nodes, for the edges of busy ones.
POOL_STATEMENTS = 150
POOL_SOURCES = 40


@dataclass(frozen=True, slots=True)
class Seed:
    """A start: how it was found (name, word or vector), and how good it is, 1 for the best of its kind."""

    id: str
    how: str
    share: float


@dataclass(frozen=True, slots=True)
class Seeds:
    """Every start, in order, and what the search met on the way.

    Attributes:
        hits: nodes that the question names, whether or not they are live.
        stand_ins: live nodes that superseded a named one that fell, with that one.
        pool: nodes worth meeting, best first; a busy node gives its edges to these first.
    """

    seeds: tuple[Seed, ...]
    hits: tuple[str, ...]
    pool: tuple[str, ...]
    stand_ins: dict[str, str]


def find_seeds(
    question: Question,
    index: Index,
    scorer: Scorer,
    store: Store,
    settings: WalkSettings,
    is_live: Callable[[str], bool],
) -> Seeds:
    """Seeds by name, by word, and by vector when there are no others.

    A question that names only what fell starts from what replaced it, or nowhere, and so does one that names only
    a record that is not here: other nodes that share its words are not what it asks about.
    """
    hits = tuple(name.id for name in question.names)
    standing = _standing(hits, index, is_live)
    named = [Seed(id, NAME, 1.0) for id in standing]
    stand_ins = {new: old for new, old in standing.items() if old is not None}
    if (hits and not named) or (question.absent and not hits):
        return Seeds((), hits, (), {})
    statements = index.statements.search(scorer.statement_weights, POOL_STATEMENTS, is_live)
    sources = index.passages.search(scorer.passage_weights, POOL_SOURCES, is_live)
    scorer.scale(sources[0][1] if sources else 1.0)
    pool = tuple(id for id, _ in (*sources, *statements))
    ranked = sorted(statements, key=lambda found: -scorer.statement(found[0]).score)
    words = [id for id, _ in ranked if _enough(id, question, scorer)][: settings.word_seeds]
    best = scorer.statement(words[0]).score if words else 1.0
    by_word = [Seed(id, WORD, scorer.statement(id).score / best) for id in words]
    if named or by_word:
        by_word += [
            Seed(id, WORD, score / sources[0][1]) for id, score in sources[: settings.source_seeds] if id in store.nodes
        ]
        return Seeds(_firsts([*named, *by_word]), hits, pool, stand_ins)
    return Seeds(_firsts(_by_vector(question, index, store, settings, is_live)), hits, pool, {})


def _standing(hits: tuple[str, ...], index: Index, is_live: Callable[[str], bool]) -> dict[str, str | None]:
    """Each live node that the question names; and what superseded one that fell, with the name of that one."""
    found: dict[str, str | None] = {}
    for id in hits:
        if is_live(id):
            found[id] = None
            continue
        fallen = [id]
        for old in fallen:
            for edge in index.edges.into(old):
                if edge.type != SUPERSEDES or edge.src in fallen:
                    continue
                if is_live(edge.src):
                    found.setdefault(edge.src, id)
                elif len(fallen) < NEAR_TEXTS:
                    fallen.append(edge.src)
    return found


def _enough(id: str, question: Question, scorer: Scorer) -> bool:
    own = scorer.statement(id).own
    shared = own.bit_count()
    if shared >= min(SURELY, len(question.terms)):
        return shared > 0
    return shared >= SHARED and scorer.mass(own) >= SEED_MASS


def _by_vector(
    question: Question, index: Index, store: Store, settings: WalkSettings, is_live: Callable[[str], bool]
) -> list[Seed]:
    """Statements near the question as vectors. Only those that hold one of its terms, or one spelt alike, can be."""
    wanted = embed(question.text)
    near: dict[str, None] = {}
    for term in question.terms:
        for spelt in (term, *(other for other, _ in index.statements.alike(term))):
            for id in index.statements.holders(spelt):
                near[id] = None
                if len(near) >= NEAR_TEXTS:
                    break
    found = [(id, cosine(wanted, embed(node_text(store.nodes[id])))) for id in near if is_live(id)]
    close = sorted((f for f in found if f[1] >= settings.vector_floor), key=lambda f: (-f[1], index.order(f[0])))
    return [Seed(id, VECTOR, value / close[0][1]) for id, value in close[: settings.word_seeds]]


def _firsts(seeds: list[Seed]) -> tuple[Seed, ...]:
    unique: dict[str, Seed] = {}
    for seed in seeds:
        unique.setdefault(seed.id, seed)
    return tuple(unique.values())
