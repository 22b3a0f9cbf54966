"""What one transaction changed: facts added, rows derived and withdrawn, and why each node fell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from contextmesh.base.canon import digest
from contextmesh.datalog.ast import Row
from contextmesh.datalog.facts import Delta
from contextmesh.store.model import Assumption, Edge, Node

SHOWN = 48
"""Characters of a statement or label that a chain shows."""

SPELT_OUT = 64
LAST = 16


class Chain:
    """One step of a reason; ``before`` is shared with every chain that goes the same way.

    Attributes:
        words: what the step leads to.
        via: how it leads there; None at the root.
        length: steps from the root.
        root: the chain's first, or None for itself.
    """

    __slots__ = ("_told", "before", "length", "root", "via", "words")

    def __init__(
        self,
        words: str,
        via: str | None = None,
        before: Chain | None = None,
        length: int = 0,
        root: Chain | None = None,
    ) -> None:
        self.words = words
        self.via = via
        self.before = before
        self.length = length
        self.root = root
        self._told: tuple[str, ...] | None = None

    def then(self, via: str, words: str) -> Chain:
        """The chain with one step more."""
        return Chain(words, via, self, self.length + 1, self.root or self)

    def as_words(self) -> tuple[str, ...]:
        """From the root: ``assumption(…)``, ``<-depends_on-``, a label, …

        A chain of more than 64 steps keeps its root and its last 16, and says how many lie between. What was told
        of a shorter one is kept, so that the chains beyond it need not say it anew.
        """
        told = self._told
        if told is None:
            before = self.before
            if before is not None and before._told is not None and self.via is not None and self.length <= SPELT_OUT:
                told = (*before._told, self.via, self.words)
            else:
                told = self._words()
            if self.length <= SPELT_OUT:
                self._told = told
        return told

    def _words(self) -> tuple[str, ...]:
        kept = self.length if self.length <= SPELT_OUT else LAST
        parts: list[str] = []
        step = self
        for _ in range(kept):
            if step._told is not None and kept == self.length:
                return (*step._told, *reversed(parts))
            assert step.before is not None and step.via is not None, "it has a length"
            parts += [step.words, step.via]
            step = step.before
        if kept < self.length:
            parts.append(f"… {self.length - kept} steps …")
        return (*reversed([*parts, (self.root or self).words]),)

    def __repr__(self) -> str:
        return f"Chain({' '.join(self.as_words())!r})"


@dataclass(frozen=True)
class Receipt:
    """The delta of one transaction, committed or let go.

    Attributes:
        seq: its number; a dry run bears the number it would have had.
        kind: the word its writer gave it.
        committed: False for a dry run.
        added: facts that came and went.
        derived: rows of the derived relations it tells (``Store.told``) that came and went, exactly.
        nodes, edges, assumptions: ids of the records put, in order.
        live_after: how many nodes are live after it; 0 for a dry run that did not ask for ``live``.
        replaced: the records that other ones took the place of, as they were.
        stated: rows among the facts that were stated by themselves, not by a record, in order.
    """

    seq: int
    kind: str
    committed: bool
    added: Delta
    derived: Delta
    nodes: tuple[str, ...]
    edges: tuple[str, ...]
    assumptions: tuple[str, ...]
    live_after: int
    replaced: tuple[Node | Edge | Assumption, ...] = field(default=(), repr=False, compare=False)
    _reasons: Callable[[], Mapping[str, Chain]] = field(default=dict, repr=False, compare=False)
    _live_list: Callable[[], tuple[str, ...]] = field(default=tuple, repr=False, compare=False)
    stated: tuple[tuple[str, Row], ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def fell(self) -> tuple[str, ...]:
        """Nodes that gained a root of failure, each once."""
        return _firsts(self.derived.plus("fell"))

    @cached_property
    def _chains(self) -> Mapping[str, Chain]:
        """Put into words when a reason is first asked for, as things stood when it was made."""
        return self._reasons() if self.derived.plus("invalid") else {}

    @cached_property
    def invalidated(self) -> tuple[str, ...]:
        """The plus side of ``invalid/1``, nearest to the root first."""
        by_depth: dict[int, list[str]] = {}
        chains = self._chains
        for name in _firsts(self.derived.plus("invalid")):
            depth = chains[name].length if name in chains else 0
            level = by_depth.get(depth)
            if level is None:
                by_depth[depth] = [name]
            else:
                level.append(name)
        return tuple(name for depth in sorted(by_depth) for name in sorted(by_depth[depth]))

    @cached_property
    def restored(self) -> tuple[str, ...]:
        """The minus side of ``invalid/1``: rebuilt, or newly supported."""
        return _firsts(self.derived.minus("invalid"))

    @cached_property
    def dead_edges(self) -> tuple[str, ...]:
        return tuple(sorted(_firsts(self.derived.plus("edge_dead"))))

    @cached_property
    def preserved(self) -> tuple[str, ...]:
        """Every node live after it, in the order of insertion; reads the whole graph when asked."""
        return self._live_list()

    def because(self, node_id: str) -> tuple[str, ...]:
        """Why a node fell, as words from the root; empty when it did not fall in this transaction."""
        chain = self._chains.get(node_id)
        return chain.as_words() if chain is not None else ()

    def reasons(self) -> list[tuple[str, tuple[str, ...]]]:
        """Each node of ``invalidated`` with ``because`` of it."""
        chains = self._chains
        return [(name, chains[name].as_words() if name in chains else ()) for name in self.invalidated]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over number, kind and both deltas, rows sorted."""
        return digest({"seq": self.seq, "kind": self.kind, "facts": _sides(self.added), "rows": _sides(self.derived)})

    def as_json(self) -> dict[str, object]:
        return {"seq": self.seq, "kind": self.kind, "digest": self.digest}


def _firsts(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(row[0]) for row in rows))


def _sides(delta: Delta) -> dict[str, object]:
    return {
        side: {relation: [list(row) for row in sorted(rows, key=_sort_key)] for relation, rows in named.items() if rows}
        for side, named in (("added", delta.added), ("dropped", delta.dropped))
    }


def _sort_key(row: Row) -> list[tuple[bool, int, str]]:
    return [(isinstance(v, str), v if isinstance(v, int) else 0, v if isinstance(v, str) else "") for v in row]
