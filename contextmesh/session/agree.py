"""What only a pair of files can contradict: every name of the resolver stands for an entity of the graph."""

from __future__ import annotations

from collections.abc import Iterable

from contextmesh.base.errors import SessionError
from contextmesh.base.strict import Document, parse
from contextmesh.resolve.resolver import Resolver
from contextmesh.run.plan_fits import problems_of
from contextmesh.store.integrity import Comparison
from contextmesh.store.store import Store

ENTITY = "entity"


def misfits(resolver: Resolver, store: Store, ids: Iterable[str]) -> bool:
    """Whether one of these ids that has a name is no entity of the graph, or has another label there."""
    for id in ids:
        label, node = resolver.labels.get(id), store.nodes.get(id)
        if label is not None and (node is None or node.type != ENTITY or node.label != label):
            return True
    return False


def require_resolver_fits(resolver: Resolver, store: Store, file: str, data: bytes | None = None) -> None:
    """Compares the names with the graph, by rules/integrity.dl.

    Args:
        file: the name of the resolver's file.
        data: its bytes, to say the line of what is wrong; None when the names are not those of a file alone.

    Raises:
        SessionError: resolver-differs: an id that is no entity of the graph, or has another label there.
    """
    found = Comparison(store)
    for row, (id, label) in enumerate(resolver.labels.items()):
        found.say("resolver_row", row, id, label)
        found.name(id)
    violations = found.violations()
    if violations:
        document = Document(file, None) if data is None else parse(data, file, refusal=SessionError)
        raise SessionError(*problems_of(violations, document))
