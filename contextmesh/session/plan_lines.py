"""A plan that went on, as a line of the journal: the tasks that changed, the round, and what the ledger gained."""

from __future__ import annotations

import json
from typing import Any

from contextmesh.base import fields
from contextmesh.base.canon import pretty_bytes
from contextmesh.base.chain import is_digest
from contextmesh.base.fields import Fault
from contextmesh.session.state import Carried

_KEYS = ("round", "tasks", "entries", "head")


def plan_body(old: Carried, new: Carried) -> dict[str, Any] | None:
    """What changed, or None when it is more than a line can say: another plan, tasks gone, another ledger."""
    was, now = json.loads(old.execution), json.loads(new.execution)
    before, after = json.loads(old.ledger)["entries"], json.loads(new.ledger)["entries"]
    names = [task["name"] for task in was["tasks"]]
    if was["plan"] != now["plan"] or names != [task["name"] for task in now["tasks"][: len(names)]]:
        return None
    if after[: len(before)] != before:
        return None
    there = {task["name"]: task for task in was["tasks"]}
    changed = [task for task in now["tasks"] if there.get(task["name"]) != task]
    return {"round": now["round"], "tasks": changed, "entries": after[len(before) :], "head": new.ledger_head}


class Plan:
    """The two files of a plan while lines are folded into them; what comes of it is checked like files that were read.

    Attributes:
        execution, ledger: the parsed files.
        changed: whether a line was folded in.
    """

    def __init__(self, execution: Any, ledger: Any) -> None:
        self.execution = execution
        self.ledger = ledger
        self.changed = False

    def fold(self, body: object) -> None:
        """One more line.

        Raises:
            Fault: it is no line of a plan, or the files cannot take it.
        """
        row = fields.record(body, _KEYS)
        number = fields.whole(row, "round")
        head = fields.text(row, "head")
        if not is_digest(head):
            raise Fault("malformed-digest", "must be 64 lowercase hex digits", ("head",))
        tasks, entries = _rows(self.execution, "tasks"), _rows(self.ledger, "entries")
        places = {task.get("name"): place for place, task in enumerate(tasks) if isinstance(task, dict)}
        for index, task in enumerate(fields.array(row, "tasks")):
            if not isinstance(task, dict) or not isinstance(task.get("name"), str):
                raise Fault("wrong-type", "must be a task with a name", ("tasks", index))
            if task["name"] in places:
                tasks[places[task["name"]]] = task
            else:
                places[task["name"]] = len(tasks)
                tasks.append(task)
        entries.extend(fields.array(row, "entries"))
        self.execution["round"], self.ledger["head"] = number, head
        self.changed = True

    def carried(self) -> Carried:
        """The files as they are now, not yet checked."""
        return Carried(pretty_bytes(self.execution), pretty_bytes(self.ledger), self.ledger["head"])


def _rows(document: Any, key: str) -> list[Any]:
    """A damaged file is refused for what it is when it is checked."""
    rows = document.get(key) if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise Fault("wrong-type", f"cannot be folded into a file without {key}", (key,))
    return rows
