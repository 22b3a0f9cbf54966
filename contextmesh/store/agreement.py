"""What the record of an assumption can contradict: one question, asked of a whole file, of a save and of one write."""

from __future__ import annotations

from typing import Protocol

from contextmesh.base.fields import Fault, shown
from contextmesh.store.model import Assumption, Node
from contextmesh.store.relations import ASSUMPTION


class View(Protocol):
    """A graph as far as records are compared."""

    def node(self, id: str, /) -> Node | None: ...
    def assumption(self, id: str, /) -> Assumption | None: ...
    def is_rejected(self, id: str, /) -> bool:
        """Whether a verdict names the assumption."""
        ...

    def is_drawn(self, src: str, dst: str, /) -> bool:
        """Whether a supersedes edge leads from one to the other."""
        ...


def flaw_of_record(record: Assumption, view: View) -> Fault | None:
    """The first field that node, verdicts, edges or another record contradict, with its path in the record."""
    node = view.node(record.id)
    if node is None or node.type != ASSUMPTION:
        what = "names no node" if node is None else f"names a {node.type}, not an assumption"
        return Fault("no-such-assumption", what, ("id",), subject=record.id)
    if node.label != record.statement:
        note = f"the node's label is {shown(node.label)}"
        return Fault("statement-differs", "is not the label of its node", ("statement",), subject=record.id, note=note)
    if (record.rejected_at_build is not None) != view.is_rejected(record.id):
        word = "names a build" if record.rejected_at_build is not None else "lacks a build"
        message = f"{word} of its rejection, and the verdicts say otherwise"
        return Fault("rejection-differs", message, ("rejected_at_build",), subject=record.id)
    for key, other in (("supersedes", record.supersedes), ("superseded_by", record.superseded_by)):
        if other is None:
            continue
        twin = view.assumption(other)
        if twin is None:
            message = f"names {shown(other)}, which is no assumption here"
            return Fault("unknown-id", message, (key,), subject=record.id)
        back = twin.superseded_by if key == "supersedes" else twin.supersedes
        pair = (record.id, other) if key == "supersedes" else (other, record.id)
        if back != record.id or not view.is_drawn(*pair):
            what = "its record does not say so" if back != record.id else "no supersedes edge leads there"
            message = f"names {shown(other)}, and {what}"
            return Fault("supersession-differs", message, (key,), subject=record.id)
    for index, witness in enumerate(record.evidence_ids):
        if view.node(witness) is None:
            message = f"names {shown(witness)}, which is no node here"
            return Fault("unknown-id", message, ("evidence_ids", index), subject=record.id)
    return None
