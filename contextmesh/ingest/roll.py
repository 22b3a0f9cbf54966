"""Names to entities by form alone: what the resolver's table says, and the same letters spaced otherwise.

Scores are for questions. Here a name that merely shares words with another stays a thing of its own, also when a
question once took one for the other; and a look-up costs the same however many names there are.
"""

from __future__ import annotations

from contextmesh.resolve.normalise import normalise, own_form
from contextmesh.resolve.resolver import Resolver
from contextmesh.resolve.similarity import SPACING, similarity
from contextmesh.store.store import Store


class Roll:
    """Every name of one ingest; built once over the resolver, then told of what is registered."""

    def __init__(self, resolver: Resolver, store: Store) -> None:
        self._resolver = resolver
        self._store = store
        self._own: dict[str, str] = {}
        self._letters: dict[str, str] = {}
        for entity_id, label in resolver.labels.items():
            self._add(entity_id, label)

    def find(self, name: str) -> str | None:
        """The id of the thing that bears this name."""
        own, normal = own_form(name), normalise(name)
        found = self._own.get(own)
        if found is None:
            for form in dict.fromkeys((own, normal)):
                known = self._resolver.aliases.get(form)
                if known is not None and self._is_named(known, name, own, normal):
                    found = known
                    break
        if found is None:
            found = self._letters.get(own.replace(" ", ""))
        return found if found in self._store.nodes else None

    def register(self, entity_id: str, label: str, names: list[str]) -> None:
        """Register with the resolver, and remember."""
        self._resolver.register(entity_id, label, names)
        self._add(entity_id, label)

    def _add(self, entity_id: str, label: str) -> None:
        own = own_form(label)
        if own:
            self._own.setdefault(own, entity_id)
            self._letters.setdefault(own.replace(" ", ""), entity_id)

    def _is_named(self, entity_id: str, name: str, own: str, normal: str) -> bool:
        """Whether the table's form is a name of the thing, not a guess by score that a question left behind."""
        label = self._resolver.labels[entity_id]
        if own != normal and own_form(label) != own and self._resolver.aliases.get(own) != entity_id:
            return False  # the forms are equal only because letters of another script were dropped
        node = self._store.nodes.get(entity_id)
        listed = node.attrs.get("aliases") if node is not None else None
        if isinstance(listed, list | tuple) and any(own_form(a) == own for a in listed if isinstance(a, str)):
            return True
        return not self._resolver.threshold <= similarity(normal, normalise(label)) < SPACING
