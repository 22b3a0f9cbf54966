"""The refusal for a name that names something now, and named nothing in a past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, UnknownError

if TYPE_CHECKING:
    from contextmesh.graph.timeline import Past
    from contextmesh.store.model import Node


def not_then(name: str, node: Node, past: Past) -> UnknownError:
    """Code ``unknown-node``: what bears the name now, and why it is not in this past."""
    bounds = past.bounds
    asked = " and ".join(word for word in (bounds.as_of, bounds.valid_at) if word is not None)
    if node.id in dict.fromkeys(past.undated):
        why = f"no source dates it, so nothing says that it was there by {asked}"
    else:
        why = f"it is later than {asked}"
    message = f"{name!r} names the {node.type} {node.id} now, and {why}"
    hint = "ask about a later date, or leave the date out"
    return UnknownError(Problem("unknown-node", message, subject=name, hint=hint))
