"""Which derived relations are likely to have one row for a value of their first column.

A guess from the rules, good for choosing a shape of table and for nothing else: each rule by itself is found to give
one row at most, that two of them do not disagree is hoped for (``X`` has the day of its source, or that of its
record), and that inputs have one row is the word of whoever gives them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from contextmesh.datalog.ast import Aggregate, Atom, Compared, Rule
from contextmesh.datalog.plan import solved
from contextmesh.datalog.program import Program
from contextmesh.datalog.safety import group_of, rule_variables
from contextmesh.datalog.steps import is_known, names_in


def functional(program: Program, given: Collection[str]) -> Mapping[str, None]:
    """The given relations, and those that follow from them; a recursive one never does."""
    found = dict.fromkeys(name for name in given if name in program.declarations)
    for stratum in program.strata:
        if not stratum.recursive and all(_gives_one(rule, found) for rule in stratum.rules):
            found |= dict.fromkeys(stratum.relations)
    return found


def _gives_one(rule: Rule, keyed: Collection[str]) -> bool:
    """Whether the first term of the head, and what follows from it, settles the others."""
    if len(rule.head.terms) < 2:
        return False
    known = dict.fromkeys(names_in(rule.head.terms[:1]))
    before = -1
    while before < len(known):
        before = len(known)
        for literal in rule.body:
            match literal:
                case Atom(relation, terms) if relation in keyed and is_known(terms[0], known):
                    known |= dict.fromkeys(names_in(terms))
                case Compared() if (let := solved(literal, known)) is not None:
                    known[let.name] = None
                case Aggregate() if all(name in known for name in group_of(literal, rule_variables(rule))):
                    known |= dict.fromkeys(names_in((literal.result,)))
    return all(is_known(term, known) for term in rule.head.terms)
