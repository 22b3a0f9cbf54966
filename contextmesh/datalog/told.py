"""What an engine tells of a change: the net delta to whoever wrote, events to whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from contextmesh.datalog.adhoc import GIVEN
from contextmesh.datalog.ast import Row
from contextmesh.datalog.events import Derived, Evaluated, Event, Unchanged, Withdrawn
from contextmesh.datalog.facts import Delta, Relation
from contextmesh.datalog.seminaive import Stage


def net_delta(since: Mapping[Relation, int], report: Collection[str] | None) -> Delta:
    """What changed since positions in the logs, in the relations of the report (None: all)."""
    added: dict[str, list[Row]] = {}
    dropped: dict[str, list[Row]] = {}
    for relation, mark in since.items():
        name = relation.name
        if len(relation.log) == mark or name.endswith(GIVEN) or (report is not None and name not in report):
            continue
        came, went = relation.net(mark)
        if came:
            added[name] = came
        if went:
            dropped[name] = went
    return Delta(added, dropped)


def tell(listener: Callable[[Event], None], stage: Stage, marks: Sequence[int], *, whole: bool) -> None:
    """The events of one evaluation of a stratum; ``marks`` are where the logs of its relations stood."""
    listener(Evaluated(stage.names, "whole" if whole else "delta"))
    silent = True
    for head, mark in zip(stage.heads, marks, strict=True):
        added, dropped = head.net(mark)
        if added:
            listener(Derived(head.name, tuple(added)))
        if dropped:
            listener(Withdrawn(head.name, tuple(dropped)))
        silent = silent and not added and not dropped
    if silent:
        listener(Unchanged(stage.names))
