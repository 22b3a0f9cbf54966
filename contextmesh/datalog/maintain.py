"""Keep a stratum true when what it reads has changed: its rows change by exactly what the change implies.

Losses first: rows that some rule derived from a row that went (or past a ``not`` whose row came, or in a group
of an aggregate that changed) are candidates. In a stratum that is not recursive a candidate goes when no rule
derives it any more. In a recursive one all candidates and what was derived from them go, and those that still
have a derivation come back (delete and rederive; Gupta, Mumick and Subrahmanian 1993). Then gains, semi-naive
from what came. Candidates are found in the state before the change, which is shown again for as long as that
takes when a rule's other literals need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import ne
from typing import Any, Literal

from contextmesh.datalog.ast import Row
from contextmesh.datalog.bulk import BULK, Bulk
from contextmesh.datalog.facts import Relation, Rewound
from contextmesh.datalog.limits import Meter
from contextmesh.datalog.seminaive import Reading, Stage

Net = tuple[list[Row], list[Row]]
Which = Literal[0, 1, 2]
"""Rows that came, rows that went, both."""

CAME, WENT, WAS_EMPTY, IS_EMPTY = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class Work:
    """What to run for one way in which the inputs changed.

    Attributes:
        losses, gains: an input, which of its rows drive, the function.
        back: the losses must see the state before the change.
        empty: rows of inputs that were empty when this was planned; it holds while they are.
    """

    losses: tuple[tuple[int, Which, Callable[..., Any]], ...]
    gains: tuple[tuple[int, Which, Callable[..., Any]], ...]
    back: bool
    empty: tuple[dict[Any, Any], ...]


class Maintained(Stage):
    """A stage that can also be brought up to date by deltas."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._work: dict[tuple[bool, tuple[tuple[int, int], ...]], Work] = {}
        self._rows = [relation.rows for relation in self.inputs]
        self._head_rows = [head.rows for head in self.heads]
        loose = {r.relation for found in self.reads for r in found if r.kind != "positive"}
        self._plain = [relation.name not in loose for relation in self.inputs]

    def is_idle(self) -> bool:
        """Whether what changed cannot matter: inputs that were emptied, where nothing stands that could be lost."""
        if self._stands():
            return False
        ends = list(map(len, self.logs))
        for at in compress(count(), map(ne, ends, self.cursors)):
            if not self._plain[at] or (self._rows[at] and len(self.inputs[at])):
                return False
        self.cursors = ends
        return True

    def _stands(self) -> bool:
        """Whether any row is derived now, those left aside that an undo may need."""
        return any(rows and len(head) for rows, head in zip(self._head_rows, self.heads, strict=True))

    def update(self, meter: Meter) -> bool:
        """Take in what changed since the last evaluation; tells whether rows went and came back meanwhile."""
        ends = list(map(len, self.logs))
        changes: list[tuple[int, int]] = []
        nets: dict[int, Net] = {}
        for at in compress(count(), map(ne, ends, self.cursors)):
            relation = self.inputs[at]
            net = nets[at] = relation.net(self.cursors[at])
            added, dropped, size = len(net[0]), len(net[1]), len(relation)
            code = (CAME if added else 0) | (WENT if dropped else 0) | (0 if size else IS_EMPTY)
            changes.append((at, code | WAS_EMPTY if size == added - dropped else code))
        standing = not self.recursive or self._stands()
        key = (standing, tuple(changes))
        bulk = any(len(added) > BULK for added, _ in nets.values())
        work = None if bulk else self._work.get(key)
        if work is None or any(work.empty):
            work = self._planned(changes, nets if bulk else {}, standing, meter)
            if not bulk:
                self._work[key] = work
        returned: list[list[Row]] = []
        if work.losses and any(self._head_rows):
            candidates = self._candidates(work, nets, meter)
            if any(candidates):
                returned = self._withdraw(candidates, meter)
        if work.gains or returned:
            self._gain(work, nets, returned, meter)
        self.cursors = ends
        return bool(returned)

    def forget_codes(self) -> None:
        super().forget_codes()
        self._work.clear()

    # ---- losses ------------------------------------------------------------------------------

    def _candidates(self, work: Work, nets: dict[int, Net], meter: Meter) -> list[dict[Row, bool]]:
        undo: list[tuple[Relation, Rewound]] = []
        before: tuple[dict[Row, bool], ...] = tuple({} for _ in self.heads)
        found: tuple[list[Row], ...] = tuple([] for _ in self.heads)
        try:
            if work.back:
                undo = [(self.inputs[at], self.inputs[at].rewind(*net)) for at, net in nets.items()]
            for at, which, run in work.losses:
                run(_rows(nets[at], which), found, meter, before)
            if self.recursive:
                self._follow(found, meter, before)
        finally:
            for relation, steps in reversed(undo):
                relation.replay(steps)
        return list(before)

    def _follow(self, found: tuple[list[Row], ...], meter: Meter, before: tuple[dict[Row, bool], ...]) -> None:
        """What the stratum derived from candidates is a candidate too."""
        while any(found):
            meter.round()
            more = found if self.linear else tuple([] for _ in self.heads)
            for place, rows in enumerate(found):
                code = self.round_code("withdraw", place) if rows else None
                if code is not None:
                    code.run(rows, more, meter, before)
            if self.linear:
                return
            found = more

    def _withdraw(self, candidates: list[dict[Row, bool]], meter: Meter) -> list[list[Row]]:
        """Withdraw what has lost its last derivation; in a recursive stratum, tell what came back."""
        provers = self.provers()
        returned: list[list[Row]] = []
        if not self.recursive:
            for head, code, rows in zip(self.heads, provers, candidates, strict=True):
                head.withdraw([row for row in rows if not code.run(row, meter)])
            return returned
        for head, rows in zip(self.heads, candidates, strict=True):
            head.withdraw(list(rows))
        for code, rows in zip(provers, candidates, strict=True):
            returned.append([row for row in rows if code.run(row, meter)])
        for head, back in zip(self.heads, returned, strict=True):
            head.bring_back(back)
        return returned

    # ---- gains -------------------------------------------------------------------------------

    def _gain(self, work: Work, nets: dict[int, Net], returned: list[list[Row]], meter: Meter) -> None:
        found: tuple[list[Row], ...] = ([],) if len(self.heads) == 1 else tuple([] for _ in self.heads)
        try:
            for at, which, run in work.gains:
                run(_rows(nets[at], which), found, meter, ())
        except BaseException:
            self.take_back(found)
            raise
        if any(found):
            self.enter(found, meter)
        if self.recursive:
            if returned:
                found = tuple([*back, *rows] for back, rows in zip(returned, found, strict=True))
            self.close(found, meter)

    # ---- which functions ---------------------------------------------------------------------

    def _planned(self, changes: Sequence[tuple[int, int]], nets: dict[int, Net], standing: bool, meter: Meter) -> Work:
        """With ``nets`` for these very rows, else for all that change so.

        Where nothing of a recursive stratum is ``standing``, a rule that joins it is driven by what others find.
        """
        changed = dict(changes)
        empty = tuple(rows for at, rows in enumerate(self._rows) if at not in changed and not rows)
        code = {r.name: 0 if r.rows else WAS_EMPTY | IS_EMPTY for r in self.inputs}
        code |= {self.inputs[at].name: found for at, found in changes}
        place = {relation.name: at for at, relation in enumerate(self.inputs)}
        losing: list[Reading] = []
        gaining: list[Reading] = []
        back = False
        for found, own in zip(self.reads, self.own, strict=True):
            if not standing and own:
                continue
            joined = [r for r in found if r.kind == "positive"]
            if not any(code[r.relation] & WAS_EMPTY for r in joined):
                driven = [r for r in found if _loses(r, code[r.relation])]
                vanished = [r for r in joined if code[r.relation] & IS_EMPTY]
                losing += vanished[:1] or driven
                back = back or any(_hidden(r, found, code) for r in driven)
            if not any(code[r.relation] & IS_EMPTY for r in joined):
                driven = [r for r in found if _gains(r, code[r.relation])]
                gaining += [r for r in joined if code[r.relation] & WAS_EMPTY][:1] or driven
        if nets:
            gaining = self._adding(gaining, place, nets, meter)
        return Work(
            tuple(self._driven("withdraw", losing, place, code)),
            tuple(self._driven("derive", gaining, place, code)),
            back,
            empty,
        )

    def _adding(
        self, gaining: list[Reading], place: dict[str, int], nets: dict[int, Net], meter: Meter
    ) -> list[Reading]:
        """Those that are not seen to add nothing."""
        left = dict.fromkeys(gaining)
        for name, at in place.items():
            came = nets[at][0] if at in nets else []
            driven = [r for r in gaining if r.kind == "positive" and r.relation == name] if len(came) > BULK else []
            if driven:
                rules = [(self.rules[r.rule], r.at) for r in driven]
                adding = Bulk(came, self.inputs).adding(rules, lambda n, rows: self._finds(driven[n], rows, meter))  # noqa: B023
                for number in range(len(driven)):
                    if number not in adding:
                        del left[driven[number]]
        return list(left)

    def _finds(self, driver: Reading, rows: Sequence[Row], meter: Meter) -> bool:
        """Whether these rows drive a rule to any; true also where that is not seen, beside rows that stand."""
        if any(self._head_rows):
            return True
        found: tuple[list[Row], ...] = tuple([] for _ in self.heads)
        try:
            self.code("derive", [driver]).run(rows, found, meter, ())
        finally:
            self.take_back(found)
        return any(found)

    def _driven(
        self, mode: Literal["derive", "withdraw"], driven: list[Reading], place: dict[str, int], code: dict[str, int]
    ) -> list[tuple[int, Which, Callable[..., Any]]]:
        by_relation: dict[str, list[Reading]] = {}
        for reading in driven:
            by_relation.setdefault(reading.relation, []).append(reading)
        runs: list[tuple[int, Which, Callable[..., Any]]] = []
        for relation, found in by_relation.items():
            for group in self.groups(found):
                kind = group[0].kind
                losing = mode == "withdraw"
                which: Which = 2 if kind == "folded" else 1 if (kind == "positive") == losing else 0
                runs.append((place[relation], which, self.code(mode, group).run))
        return runs


def _rows(net: Net, which: Which) -> list[Row]:
    return net[0] + net[1] if which == 2 else net[which]


def _loses(reading: Reading, code: int) -> int:
    return code & {"positive": WENT, "negated": CAME, "folded": CAME | WENT}[reading.kind]


def _gains(reading: Reading, code: int) -> int:
    return code & {"positive": CAME, "negated": WENT, "folded": CAME | WENT}[reading.kind]


def _hidden(driver: Reading, found: Sequence[Reading], code: dict[str, int]) -> bool:
    """Whether what the rule derived before through ``driver`` may not show in the state after the change."""
    return driver.kind == "folded" or any(_loses(other, code[other.relation]) for other in found if other != driver)
