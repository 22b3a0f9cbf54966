"""What a record said by a day: its attributes less whatever names something that is of a later day, or of none.

No source dates an attribute. But what names a record is no older than that record, so whatever names one that is left
out of the past was written later than that past, whoever wrote it: who replaced a decision, one more justification, one
more place where a claim stands, a reference in a header. What a successor of then had written over is told again.

An attribute that GRAPH.md asks for, or that makes a fact, is the text of its record and no reference: it stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from contextmesh.graph.decisions import REPLACED_BY
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY
from contextmesh.store.model import Node
from contextmesh.store.relations import DECISION, SUPERSEDES

if TYPE_CHECKING:
    from contextmesh.store.store import Store

REFERS, STATUS, NAMED, PATHS = "refers", "record_status", "refers_named", "refers_path"
"""Attributes of a record's header: the keys it names by relation, its status, and for each key its title and link."""

_TEXTS = ("rationale", "retrieved_at", "record_key", STATUS, "imprecise_date", FINGERPRINT, IDENTITY)

Gone = Mapping[str, None]


@dataclass(frozen=True, slots=True)
class Header:
    """What a record's header did not say yet.

    Attributes:
        unnamed: keys that it did not name.
        is_amended: whether one of them is what replaced the record, so that its status is of a later day as well.
    """

    unnamed: Gone
    is_amended: bool


def nodes_then(store: Store, kept: Mapping[str, Node], gone: Gone, headers: Mapping[str, Header]) -> dict[str, Node]:
    """The nodes among those kept that were other than they are, as they were."""
    texts = _Texts(store)
    changed = dict.fromkeys(id for id in headers if id in kept)
    if gone:
        changed |= dict.fromkeys(_naming(kept.values(), gone, texts))
    found = {}
    for id in changed:
        node = kept[id]
        attrs = dict(node.attrs)
        if id in headers and node.type == DECISION:
            _take_back(attrs, headers[id])
        for name in [name for name in attrs if name not in texts[node.type]] if gone else ():
            left = _less(attrs[name], gone)
            if left is None:
                del attrs[name]
            else:
                attrs[name] = left
        if REPLACED_BY in node.attrs and REPLACED_BY not in attrs and (by := _successor(store, id, kept)) is not None:
            attrs[REPLACED_BY] = by
        read = node.provenance
        found[id] = replace(node, attrs=attrs, provenance=None if read is not None and read.source_id in gone else read)
    return found


class _Texts(dict[str, frozenset[str]]):
    """By kind of node, the attributes that are text of the record and name nothing."""

    def __init__(self, store: Store) -> None:
        self._ontology = store.policy.ontology

    def __missing__(self, kind: str) -> frozenset[str]:
        self[kind] = frozenset((*self._ontology.must_carry(kind), *_TEXTS))
        return self[kind]


def _naming(nodes: Iterable[Node], gone: Gone, texts: _Texts) -> Iterator[str]:
    """Ids of the nodes that name something that is gone."""
    for node in nodes:
        if node.provenance is not None and node.provenance.source_id in gone:
            yield node.id
            continue
        for name, value in node.attrs.items():
            if not _is_of(value, gone) or name in texts[node.type]:
                continue
            yield node.id
            break


def _is_of(value: Any, gone: Gone) -> bool:
    """Whether a value names something that is gone, anywhere in it."""
    if isinstance(value, str):
        return value in gone
    if isinstance(value, Mapping):
        return any(key in gone or _is_of(inner, gone) for key, inner in value.items())
    return isinstance(value, list | tuple) and any(_is_of(inner, gone) for inner in value)


def _less(value: Any, gone: Gone) -> Any:
    """A value without what names something that is gone; None when nothing is left of it. A row falls as a whole."""
    if not _is_of(value, gone):
        return value
    if isinstance(value, Mapping):
        left = {key: _less(inner, gone) for key, inner in value.items() if key not in gone}
        return {key: inner for key, inner in left.items() if inner is not None or value[key] is None} or None
    if isinstance(value, list | tuple):
        return [inner for inner in value if not _is_of(inner, gone)] or None
    return None


def _successor(store: Store, id: str, kept: Mapping[str, Node]) -> str | None:
    """The last decision of then that was written as the successor of this one."""
    edges = store.engine.match("edge", (None, None, SUPERSEDES, id))
    return next((by for by in reversed([str(row[1]) for row in edges]) if _writes(kept.get(by))), None)


def _writes(node: Node | None) -> bool:
    return node is not None and FINGERPRINT in node.attrs


def _take_back(attrs: dict[str, Any], header: Header) -> None:
    """Leave out of a header's attributes what it did not say yet."""
    if header.is_amended:
        attrs.pop(STATUS, None)
    left = {word: [key for key in keys if key not in header.unnamed] for word, keys in attrs[REFERS].items()}
    attrs[REFERS] = {word: keys for word, keys in left.items() if keys}
    for name in (NAMED, PATHS):
        if isinstance(attrs.get(name), Mapping):
            attrs[name] = {key: text for key, text in attrs[name].items() if key not in header.unnamed}
    for name in (REFERS, NAMED, PATHS):
        if attrs.get(name) == {}:
            del attrs[name]
