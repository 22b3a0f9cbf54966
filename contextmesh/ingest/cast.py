"""RESOLVE: names become entities through the resolver. What is registered waits until the graph has taken the nodes."""

from __future__ import annotations

import re

from contextmesh.base.ids import slug
from contextmesh.graph.batch import Batch
from contextmesh.ingest.report import Tally
from contextmesh.ingest.roll import Roll
from contextmesh.ingest.words import COMMON
from contextmesh.resolve.normalise import normalise, own_form

ENTITY = "entity"
_PERSONAL = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}")


class Cast:
    """The entities of one transaction. ``settle`` after it has been committed; throw away when it was refused."""

    def __init__(self, roll: Roll, batch: Batch, tally: Tally) -> None:
        self._roll = roll
        self._batch = batch
        self._tally = tally
        self._fresh: dict[str, str] = {}  # form -> id, of this transaction
        self._spaced: dict[str, str] = {}  # form without spaces -> id, of this transaction
        self._labels: dict[str, tuple[str, dict[str, None]]] = {}  # id -> label and names to register
        self._local: dict[str, str] = {}  # form -> id, of this document alone
        self._known: dict[str, str | None] = {}  # surface -> id, looked up before
        self.made: dict[str, None] = {}
        self.collapsed = 0

    def new_document(self) -> None:
        """Forget what only the last document called something."""
        self._local = {}

    def entity(self, name: str) -> str | None:
        """The id of what a name stands for, made when it is new; None when nothing of the name can be told apart."""
        form = _form(name)
        if not form:
            self._tally.drop("nothing left of the name")
            return None
        found = self._local.get(form) or self.known(name)
        if found is None:
            found = self._make(name, form)
            self._tally.note("new entities")
        self._tally.admitted += 1
        return found

    def known(self, name: str) -> str | None:
        """The id of a name that stands for something already: by its form, or by its letters spaced otherwise."""
        form = _form(name)
        fresh = self._fresh.get(form)
        if fresh is None and (near := self._spaced.get(form.replace(" ", ""))) is not None:
            self._labels[near][1][name] = None
            self._fresh[form] = fresh = near
            self.collapsed += 1
        if fresh is not None or not form:
            return fresh
        if name not in self._known:
            self._known[name] = self._look_up(name)
        return self._known[name]

    def is_term(self, name: str) -> bool:
        """Whether a term is a name already."""
        return self.entity_of(name) is not None

    def alias(self, entity_id: str, name: str, *, everywhere: bool) -> None:
        """Let a name stand for an entity, in this document or in all; one that means something else is left alone."""
        form = _form(name)
        if not form:
            return
        self._local[form] = entity_id
        if not everywhere or self.known(name) is not None:
            return
        self._fresh[form] = entity_id
        node = self._batch.node(entity_id)
        label, names = self._labels.setdefault(entity_id, (node.label, {}))
        names[name] = None
        listed = node.attrs.get("aliases", [])
        self._batch.set_attrs(entity_id, aliases=[*listed, *([name] if name not in listed and name != label else [])])
        self.collapsed += 1

    def shorten(self, full: str, *, first_too: bool) -> None:
        """Let a person's last name (and first, for who a document is about) stand for them in this document."""
        if not _PERSONAL.fullmatch(full):
            return
        target = self.entity_of(full)
        words = full.split()
        for word in (words[-1], words[0]) if first_too else (words[-1],):
            form = _form(word)
            if (
                target
                and len(word) > 2
                and word[0].isupper()
                and word.lower() not in COMMON
                and self.known(word) is None
            ):
                self._local.setdefault(form, target)

    def entity_of(self, name: str) -> str | None:
        """What a name stands for now, without making anything."""
        return self._local.get(_form(name)) or self.known(name)

    def settle(self) -> None:
        """Tell the resolver what the committed transaction made."""
        for entity_id, (label, names) in self._labels.items():
            self._roll.register(entity_id, label, list(names))

    def _make(self, name: str, form: str) -> str:
        entity_id = slug(name, ENTITY, scripts=True)
        if not self._batch.has(entity_id) or self._batch.node(entity_id).label != name:
            entity_id = self._batch.add_node(ENTITY, name, attrs={"canonical": name, "aliases": []}).id
            self.made[entity_id] = None
        self._fresh[form] = self._spaced[form.replace(" ", "")] = entity_id
        self._labels.setdefault(entity_id, (name, {}))
        return entity_id

    def _look_up(self, name: str) -> str | None:
        found = self._roll.find(name)
        if found is None:
            return None
        label = self._batch.node(found).label
        if own_form(label) != own_form(name):
            self.collapsed += 1
            self._labels.setdefault(found, (label, {}))[1][name] = None
        return found


def _form(name: str) -> str:
    return own_form(name) or normalise(name)
