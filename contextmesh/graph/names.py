"""Find nodes by name: label, other names and record key, whatever their case; built once, then kept up."""

from __future__ import annotations

from collections.abc import Iterator

from contextmesh.store.model import Node
from contextmesh.store.receipt import Receipt
from contextmesh.store.store import Store


class Names:
    """An index from folded names to node ids; follows the store's receipts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ids: dict[str, dict[str, None]] = {}
        for node in store.nodes.values():
            self._add(node)
        store.observers.append(self._follow)

    def find(self, name: str) -> tuple[Node, ...]:
        """Nodes that bear this name now, in the order in which they came to bear it."""
        wanted = fold(name)
        found = (self._store.nodes[node_id] for node_id in self._ids.get(wanted, ()))
        return tuple(node for node in found if wanted in _names(node))

    def _follow(self, receipt: Receipt) -> None:
        for node_id in receipt.nodes:
            self._add(self._store.nodes[node_id])

    def _add(self, node: Node) -> None:
        for name in _names(node):
            self._ids.setdefault(name, {})[node.id] = None


def fold(name: str) -> str:
    """Case and runs of white space do not tell names apart."""
    return " ".join(name.casefold().split())


def _names(node: Node) -> dict[str, None]:
    return {fold(name): None for name in _spoken(node)}


def _spoken(node: Node) -> Iterator[str]:
    yield node.label
    aliases = node.attrs.get("aliases")
    if isinstance(aliases, list | tuple):
        yield from (alias for alias in aliases if isinstance(alias, str))
    key = node.attrs.get("record_key")
    if isinstance(key, str):
        yield key
