"""What a user types to a node: an id, a name, a record's key; and the search by part of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, UnknownError
from contextmesh.base.wording import counted
from contextmesh.graph.arguments import require_required
from contextmesh.graph.names import fold
from contextmesh.graph.portrait import redacted_for

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.resolve.resolver import Resolver
    from contextmesh.store.model import Node

_KEY = re.compile(r"([a-z]+)[\s_-]*0*(\d+)")
_SHOWN = 5


def node_named(graph: ContextGraph, resolver: Resolver, name: str, *, kind: str | None = None) -> Node:
    """The node with this id, else the one that bears this name, record key or alias.

    A decision is preferred to an entity of the same name: it is what has a lineage.

    Raises:
        UnknownError: ``unknown-node`` with close names; ``ambiguous-name`` with the ids that bear it.
        InputError: ``wrong-type``: no text.
    """
    require_required(name=name)
    exact = graph.store.nodes.get(name)
    if exact is not None and (kind is None or exact.type == kind):
        return exact
    for bearers in _readings(graph, resolver, name, kind):
        if len(bearers) == 1:
            return bearers[0]
        if bearers:
            raise _ambiguous(name, bearers)
    if kind is not None:
        for bearers in ((exact,) if exact is not None else (), *_readings(graph, resolver, name, None)):
            if bearers:
                raise _of_another_kind(name, kind, bearers[0])
    raise _unknown(graph, name, kind)


def find_nodes(graph: ContextGraph, text: str, *, limit: int = 20) -> tuple[Node, ...]:
    """Nodes whose id or name holds every word of the text: whole names first, then in the order of writing."""
    words = fold(text).split()
    if not words:
        return ()
    whole = {node.id: node for node in graph.find(text)}
    for node in graph.store.nodes.values():
        if len(whole) >= limit:
            break
        spoken = f"{fold(node.label)} {node.id.casefold()}"
        if node.id not in whole and all(word in spoken for word in words):
            whole[node.id] = node
    return tuple(whole.values())[:limit]


def _readings(graph: ContextGraph, resolver: Resolver, name: str, kind: str | None) -> Iterator[tuple[Node, ...]]:
    """Ever looser readings of a name; the first that names anything decides."""
    nodes = graph.store.nodes
    yield _fitting((nodes[f"decision:{key}"] for key in _keys(name) if f"decision:{key}" in nodes), kind)
    yield _fitting(graph.find(name), kind)
    resolved = resolver.peek(name).id
    yield _fitting((nodes[resolved],) if resolved is not None and resolved in nodes else (), kind)


def _keys(name: str) -> Iterator[str]:
    """``PEP 245``, ``pep-0245`` and ``Pep_245`` are the record key ``pep-245``."""
    folded = fold(name)
    yield re.sub(r"[\s_]+", "-", folded)
    match = _KEY.fullmatch(folded)
    if match:
        yield f"{match[1]}-{match[2]}"


def _fitting(nodes: Iterator[Node] | tuple[Node, ...], kind: str | None) -> tuple[Node, ...]:
    found = tuple({node.id: node for node in nodes if kind is None or node.type == kind}.values())
    decisions = tuple(node for node in found if node.type == "decision")
    return decisions if len(decisions) == 1 else found


def _ambiguous(name: str, nodes: tuple[Node, ...]) -> UnknownError:
    shown = ", ".join(node.id for node in nodes[:_SHOWN])
    return UnknownError(
        Problem("ambiguous-name", f"{name!r} names {len(nodes)} nodes", subject=name, hint=f"give one id: {shown}")
    )


def _of_another_kind(name: str, kind: str, bearer: Node) -> UnknownError:
    message = f"no {kind} is called {name!r}: that is the {bearer.type} {bearer.id}"
    hint = f"name an {kind}" if kind[:1] in "aeiou" else f"name a {kind}"
    hint += f"; `contextmesh query 'node(X, {kind})'` lists them"
    return UnknownError(Problem("unknown-node", message, subject=name, hint=hint))


def _unknown(graph: ContextGraph, name: str, kind: str | None) -> UnknownError:
    known = [text for n in graph.store.nodes.values() if kind in (None, n.type) for text in (n.id, n.label)]
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(repr(c) for c in close)}?" if close else "`find` lists nodes by part of a name"
    gone = sum(redacted_for(node) is not None for node in graph.store.nodes.values())
    note = f"the words of {counted(gone, 'node')} were redacted, with their names and ids, which nothing remembers"
    problem = Problem("unknown-node", f"no {kind or 'node'} is called {name!r}", subject=name, hint=hint)
    return UnknownError(replace(problem, note=note) if gone else problem)
