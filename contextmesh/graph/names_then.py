"""The table of names of a past: of what was there, by the names its records had. It neither learns nor logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from contextmesh.resolve.normalise import block_keys, normalise
from contextmesh.resolve.resolver import Attempt, Resolution, Resolver, Step

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph


class PastResolver(Resolver):
    """What a table would say in which everything that was there was registered, in the order of now.

    A mention is looked up in a table of those things alone that it could name; the whole one is made only for
    somebody who reads it.
    """

    is_past = True

    def __init__(self, graph: ContextGraph, now: Resolver) -> None:
        self.threshold = now.threshold
        self.log: list[Attempt] = []
        self._steps: list[Step] = []
        self._nodes = graph.store.nodes
        self._now = now
        self._peeked: dict[str, Resolver] = {}

    def resolve(self, mention: str) -> Resolution:
        return self.peek(mention)

    def peek(self, mention: str) -> Resolution:
        normal = normalise(mention)
        found = self._peeked.get(normal)
        if found is None:
            # Where anything at all is taken, a thing may be that shares no more than a few letters.
            found = self._table(self._related_then(normal)) if self.threshold > 0 else self.whole
            self._peeked[normal] = found
        return found.peek(mention)

    def bearer(self, name: str) -> str | None:
        return self.whole.bearer(name)

    @cached_property
    def whole(self) -> Resolver:
        """Everything that was there."""
        return self._table(self._now.labels)

    @property
    def labels(self) -> Mapping[str, str]:
        return self.whole.labels

    @property
    def aliases(self) -> Mapping[str, str]:
        return self.whole.aliases

    @property
    def blocks(self) -> Mapping[str, Mapping[str, None]]:
        return self.whole.blocks

    def to_json(self) -> dict[str, Any]:
        return self.whole.to_json()

    def _table(self, ids: Iterable[str]) -> Resolver:
        table = Resolver(self.threshold)
        for id in ids:
            node = self._nodes.get(id)
            if node is not None:
                table.register(id, node.label, _aliases(node.attrs))
        return table

    def _related_then(self, normal: str) -> list[str]:
        """What shares a word with a form, or has an alias that is filed where the form is; in the order of now."""
        ids = dict.fromkeys(id for id in self._now._related(normal) if id in self._nodes)
        for key in block_keys(normal):
            ids |= self._aliased.get(key, {})
        return sorted(ids, key=self._places.__getitem__)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {id: at for at, id in enumerate(self._now.labels)}

    @cached_property
    def _aliased(self) -> dict[str, dict[str, None]]:
        """What had aliases then, by the blocks of those."""
        found: dict[str, dict[str, None]] = {}
        for id in self._now.labels:
            node = self._nodes.get(id)
            for name in _aliases(node.attrs) if node is not None else ():
                for key in block_keys(normalise(name)):
                    found.setdefault(key, {})[id] = None
        return found


def _aliases(attrs: Mapping[str, Any]) -> list[str]:
    listed = attrs.get("aliases")
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list | tuple) else []
