"""Rows that input relations are promised: they are made when somebody looks at the relation, and a rule looks late.

A rule that joins an empty relation finds nothing whatever the others hold, so a stratum is evaluated the first time
without what only such rules would read. It owes a look at that: before a relation that it reads changes, it gets all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from contextmesh.datalog.ast import Row
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.seminaive import Stage


class Late:
    """What gives the rows of some relations, none of which were made yet; false once all are there.

    Attributes:
        owing: strata that were evaluated without some of what they read.
    """

    def __init__(self, gives: Mapping[str, Callable[[], Iterable[Row]]], relations: Mapping[str, Relation]) -> None:
        self._gives = dict(gives)
        self._relations = relations
        self.owing: dict[Stage, None] = {}

    def __bool__(self) -> bool:
        return bool(self._gives)

    def fill(self, name: str) -> bool:
        """Let a relation have what it was promised, as if that had stood there from the start; tells whether it was."""
        give = self._gives.pop(name, None)
        if give is None:
            return False
        relation = self._relations[name]
        assert not relation.log, f"{name} was changed before its rows were there"
        relation.give(give())
        return True

    def needed(self, stage: Stage) -> Iterator[str]:
        """What a stratum that is to be evaluated must see; each is to be filled before the next is asked for."""
        if stage.built:
            yield from self.owed((stage,))
            return
        for found in stage.reads:
            joined = [reading.relation for reading in found if reading.kind == "positive"]
            if any(name not in self._gives and not self._relations[name].rows for name in joined):
                continue
            for name in joined:
                yield name
                if not self._relations[name].rows:
                    break
            else:
                yield from (reading.relation for reading in found)
        if any(relation.name in self._gives for relation in stage.inputs):
            self.owing[stage] = None

    def owed(self, stages: Iterable[Stage]) -> Iterator[str]:
        """What those of the strata that owe a look must get now."""
        for stage in stages:
            if stage in self.owing:
                del self.owing[stage]
                yield from (relation.name for relation in stage.inputs)
