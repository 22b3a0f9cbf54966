"""A Program is rules that passed every check; this module is the only way to make one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from contextmesh.base.errors import Problem, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Declaration, Query, Row, Rule, RuleText, Var
from contextmesh.datalog.check import check_given, check_names, declared, inferred
from contextmesh.datalog.fold import ground, place
from contextmesh.datalog.kinds import ANY, Columns, check_kinds, column_kinds
from contextmesh.datalog.safety import check_safety
from contextmesh.datalog.strata import Stratum, check_strata, stratify

GOAL = "_goal"
"""The relation of a query's answer; no text can name it. It has one column for each column of the query."""


@dataclass(frozen=True, slots=True)
class Program:
    """Checked rules in strata.

    Attributes:
        declarations: every relation, by name; inferred ones too when the program stands alone.
        rules: the rules, without facts, in the order written.
        facts: the facts of the text, worked out, in the order written, each once. A derived relation may have some.
        strata: the derived relations and their rules, in evaluation order.
        stratum_of: each relation's place in ``strata``; -1 for a relation that no rule derives.
        columns: what kinds each column can hold (datalog.kinds).
    """

    declarations: Mapping[str, Declaration]
    rules: tuple[Rule, ...]
    facts: tuple[tuple[str, Row], ...]
    strata: tuple[Stratum, ...]
    stratum_of: Mapping[str, int]
    columns: Columns = field(repr=False)

    def with_query(self, query: Query) -> Program:
        """This program with the query's own rules and ``GOAL``, in strata after all others.

        Raises:
            RuleError: every problem of the query; ``standing-relation`` when a rule of it derives a relation
                of this program.
        """
        goal = Rule(Atom(GOAL, tuple(Var(name) for name in query.columns)), query.body)
        rules = (*query.rules, goal)
        own: dict[str, Rule] = {}
        for rule in rules:
            if rule.head.relation not in self.declarations:
                own.setdefault(rule.head.relation, rule)
        problems = [_standing(r) for r in query.rules if r.head.relation in self.declarations]
        known = dict(self.declarations)
        known |= {name: _local(rule) for name, rule in own.items()}
        problems += check_names(rules, known, standalone=True)
        new, facts, columns, more = _checked([r for r in rules if r.head.relation in own], self.columns)
        _refuse([*problems, *more], [query.source])
        strata = stratify(new)
        first = len(self.strata)
        places = dict.fromkeys(own, -1) | {
            name: first + i for i, stratum in enumerate(strata) for name in stratum.relations
        }
        return replace(
            self,
            declarations=known,
            rules=(*self.rules, *new),
            facts=tuple(dict.fromkeys([*self.facts, *facts])),
            strata=(*self.strata, *strata),
            stratum_of={**self.stratum_of, **places},
            columns=columns,
        )


def build_program(
    texts: Sequence[RuleText],
    *,
    standalone: bool = False,
    facts: Mapping[str, Sequence[Row]] | None = None,
) -> Program:
    """The program of some texts.

    Args:
        standalone: declarations are optional, and relations are inferred from use, from facts in the texts and
            from ``facts``; a fact in a text may fill a declared input. Otherwise each relation must be declared.
        facts: facts that will be given from outside. They are checked against the program and not part of it.

    Raises:
        RuleError: every problem of all texts, in the order of texts and places.
    """
    given = facts or {}
    rules = [rule for text in texts for rule in text.rules]
    known, problems = declared([d for text in texts for d in text.declarations])
    if standalone:
        known |= inferred(rules, known, given)
    problems += check_names(rules, known, standalone=standalone)
    problems += check_given(given, known)
    open_to_facts = {d.name: (ANY,) * len(d.columns) for d in known.values() if standalone or d.kind == "input"}
    new, ground_facts, columns, more = _checked(rules, open_to_facts)
    _refuse([*problems, *more], [text.source for text in texts])
    strata = stratify(new)
    places = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
    stratum_of = {name: places.get(name, -1) for name in known}
    return Program(known, new, tuple(dict.fromkeys(ground_facts)), strata, stratum_of, columns)


_Checked = tuple[tuple[Rule, ...], list[tuple[str, Row]], Columns, list[Problem]]


def _checked(rules: Sequence[Rule], given: Columns) -> _Checked:
    """Rules without facts, facts as rows, kinds of columns, and every problem of safety, strata and kinds."""
    columns = column_kinds(rules, given)
    problems: list[Problem] = []
    new: list[Rule] = []
    facts: list[tuple[str, Row]] = []
    for rule in rules:
        wrong = [*check_safety(rule), *check_kinds(rule, columns)]
        problems += wrong
        if rule.body:
            new.append(rule)
        elif not wrong:
            try:
                facts.append((rule.head.relation, ground(rule.head)))
            except RuleError as refusal:
                problems += refusal.problems
    problems += check_strata(new)
    return tuple(new), facts, columns, problems


def _refuse(problems: Sequence[Problem], sources: Sequence[Source]) -> None:
    """All problems as one refusal, by text and place; those without a place come first."""
    if not problems:
        return
    order = {source.name: i for i, source in enumerate(sources)}

    def key(problem: Problem) -> tuple[int, int, int]:
        where = problem.where
        return (-1, 0, 0) if where is None else (order.get(where.file, -1), where.line or 0, where.column or 0)

    raise RuleError(*sorted(problems, key=key))


def _local(rule: Rule) -> Declaration:
    head = rule.head
    columns = tuple(f"c{i}" for i in range(1, len(head.terms) + 1))
    if head.relation == GOAL:
        columns = tuple(term.name for term in head.terms if isinstance(term, Var))
    return Declaration("relation", head.relation, columns, head.at)


def _standing(rule: Rule) -> Problem:
    name = rule.head.relation
    message = f"{name} belongs to the program, and a query's own rules derive relations of their own"
    return Problem("standing-relation", message, name, where=place(rule.head.at), hint="give it another name")
