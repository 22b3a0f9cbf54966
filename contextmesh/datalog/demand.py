"""Rules rewritten so that only what a question needs is derived (magic sets; Beeri and Ramakrishnan 1991).

A relation is evaluated once per pattern of bound arguments. ``p bf`` holds the rows of p whose first argument
was wanted, ``p bf?`` the arguments that are wanted; no text can name either. What is wanted only ever comes
from constants and from rows, never from sums, so that there are finitely many wants.

A call with constants of a relation that hands its free arguments through unchanged (right-linear recursion,
as a path that is extended at its start) needs no rows per intermediate argument: every want of it leads to the
one question, so only answers are kept (Naughton and others 1989).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from contextmesh.datalog.ast import Aggregate, Atom, Compared, Const, Literal, Row, Rule, Sum, Term, Var
from contextmesh.datalog.plan import bound_body
from contextmesh.datalog.steps import names_in

Pattern = tuple[bool, ...]


@dataclass(slots=True)
class Demand:
    """The rewritten program.

    Attributes:
        rules: in the order in which they were wanted; the goal's first.
        seeds: wants that are there from the start.
        arities: of every new relation.
    """

    rules: list[Rule] = field(default_factory=list)
    seeds: list[tuple[str, Row]] = field(default_factory=list)
    arities: dict[str, int] = field(default_factory=dict)


def rewrite(goal: Rule, rules: Mapping[str, Sequence[Rule]]) -> Demand:
    """The goal and what it needs of the relations that ``rules`` derive. Those are read positively only."""
    return _Rewriter(rules).rewritten(goal)


class _Rewriter:
    def __init__(self, rules: Mapping[str, Sequence[Rule]]) -> None:
        self._rules = rules
        self._made = Demand()
        self._todo: list[tuple[str, Pattern]] = []
        self._known: dict[tuple[str, Pattern], None] = {}

    def rewritten(self, goal: Rule) -> Demand:
        only = self._single_call(goal)
        if only is not None:
            return self._direct(goal, *only)
        self._rule(goal, goal.head.relation, None)
        while self._todo:
            relation, pattern = self._todo.pop(0)
            for rule in self._rules[relation]:
                bound = tuple(term for term, b in zip(rule.head.terms, pattern, strict=True) if b)
                wanted = Atom(_wanted(relation, pattern), bound)
                self._rule(rule, _adorned(relation, pattern), wanted)
        return self._made

    def _rule(self, rule: Rule, head: str, wanted: Atom | None) -> None:
        """The rule behind its want, its calls adorned, and a rule for what each of its calls wants."""
        start = dict.fromkeys(names_in(wanted.terms)) if wanted is not None else {}
        finite = dict(start)
        body: list[Literal] = [wanted] if wanted is not None else []
        for literal in bound_body(rule, start):
            if isinstance(literal, Atom) and literal.relation in self._rules:
                literal = self._call(literal, finite, body)
            if isinstance(literal, Atom) or _copies(literal, finite):
                finite.update(dict.fromkeys(_plain_names(literal)))
            body.append(literal)
        self._made.rules.append(replace(rule, head=Atom(head, rule.head.terms), body=tuple(body)))

    def _call(self, atom: Atom, finite: Mapping[str, None], before: Sequence[Literal]) -> Atom:
        pattern = self._pattern(atom, finite)
        name = _adorned(atom.relation, pattern)
        self._want(atom.relation, pattern)
        args = tuple(term for term, bound in zip(atom.terms, pattern, strict=True) if bound)
        want = Atom(_wanted(atom.relation, pattern), args)
        if not before and all(isinstance(term, Const) for term in args):
            self._made.seeds.append((want.relation, _values(args)))
        elif want not in before:
            self._made.rules.append(Rule(want, tuple(before)))
        return Atom(name, atom.terms)

    def _pattern(self, atom: Atom, finite: Mapping[str, None]) -> Pattern:
        """Bound: a constant, or a variable whose values come from rows, where no rule's head computes a sum."""
        rules = self._rules[atom.relation]
        return tuple(
            (isinstance(term, Const) or (isinstance(term, Var) and term.name in finite))
            and not any(isinstance(rule.head.terms[i], Sum) for rule in rules)
            for i, term in enumerate(atom.terms)
        )

    def _want(self, relation: str, pattern: Pattern) -> None:
        if (relation, pattern) not in self._known:
            self._known[relation, pattern] = None
            self._todo.append((relation, pattern))
            self._made.arities[_adorned(relation, pattern)] = len(pattern)
            self._made.arities[_wanted(relation, pattern)] = sum(pattern)

    # ---- right-linear recursion --------------------------------------------------------------

    def _single_call(self, goal: Rule) -> tuple[Atom, Pattern] | None:
        """The goal's one call, if its bound arguments are constants and its relation is right-linear for it."""
        calls = [part for part in goal.body if isinstance(part, Atom) and part.relation in self._rules]
        if len(calls) != 1:
            return None
        pattern = self._pattern(calls[0], {})
        if not any(pattern) or not all(self._right_linear(rule, pattern) for rule in self._rules[calls[0].relation]):
            return None
        return calls[0], pattern

    def _right_linear(self, rule: Rule, pattern: Pattern) -> bool:
        """No call, or one of the relation itself with the same pattern that hands the free arguments through."""
        calls = [part for part in rule.body if isinstance(part, Atom) and part.relation in self._rules]
        if not calls:
            return True
        call = calls[0]
        if len(calls) > 1 or call.relation != rule.head.relation:
            return False
        through = [(h, c) for h, c, bound in zip(rule.head.terms, call.terms, pattern, strict=True) if not bound]
        names = [h.name for h, c in through if isinstance(h, Var) and h == c]
        elsewhere = [name for part in rule.body if part is not call for name in _names(part)]
        elsewhere += names_in([t for t, bound in zip(rule.head.terms, pattern, strict=True) if bound])
        elsewhere += names_in([t for t, bound in zip(call.terms, pattern, strict=True) if bound])
        if len(names) < len(through) or len(set(names)) < len(names) or set(names) & set(elsewhere):
            return False
        start = dict.fromkeys(names_in([t for t, bound in zip(rule.head.terms, pattern, strict=True) if bound]))
        rest = replace(rule, body=tuple(part for part in rule.body if part is not call))
        finite = dict(start)
        for literal in bound_body(rest, start):
            if isinstance(literal, Atom) or _copies(literal, finite):
                finite.update(dict.fromkeys(_plain_names(literal)))
        return self._pattern(call, finite) == pattern

    def _direct(self, goal: Rule, call: Atom, pattern: Pattern) -> Demand:
        """Wants lead to wants, and whatever an exit rule says for any of them answers the one question."""
        relation = call.relation
        answers, wanted = f"{relation} answers", _wanted(relation, pattern)
        free = [not bound for bound in pattern]
        self._made.arities |= {answers: sum(free), wanted: sum(pattern)}
        self._made.seeds.append((wanted, _values(_kept(call.terms, pattern))))
        for rule in self._rules[relation]:
            want = Atom(wanted, _kept(rule.head.terms, pattern))
            calls = [part for part in rule.body if isinstance(part, Atom) and part.relation == relation]
            rest = tuple(part for part in rule.body if part not in calls)
            if calls:
                self._made.rules.append(Rule(Atom(wanted, _kept(calls[0].terms, pattern)), (want, *rest)))
            else:
                self._made.rules.append(Rule(Atom(answers, _kept(rule.head.terms, free)), (want, *rest)))
        asked = Atom(answers, _kept(call.terms, free))
        body = tuple(asked if part is call else part for part in goal.body)
        self._made.rules.append(replace(goal, body=body))
        return self._made


def _kept(terms: Sequence[Term], which: Sequence[bool]) -> tuple[Term, ...]:
    return tuple(term for term, kept in zip(terms, which, strict=True) if kept)


def _values(terms: Sequence[Term]) -> Row:
    return tuple(term.value for term in terms if isinstance(term, Const))


def _adorned(relation: str, pattern: Pattern) -> str:
    return f"{relation} {''.join('b' if bound else 'f' for bound in pattern)}"


def _wanted(relation: str, pattern: Pattern) -> str:
    return _adorned(relation, pattern) + "?"


def _copies(literal: Literal, finite: Mapping[str, None]) -> bool:
    """An equation that passes a constant or a finite variable on."""
    if not isinstance(literal, Compared) or literal.op != "=":
        return False
    sides = (literal.left, literal.right)
    return any(isinstance(t, Const) or (isinstance(t, Var) and t.name in finite) for t in sides)


def _plain_names(literal: Literal) -> list[str]:
    match literal:
        case Atom():
            return [t.name for t in literal.terms if isinstance(t, Var)]
        case Compared(left=left, right=right):
            return [t.name for t in (left, right) if isinstance(t, Var)]
    return []


def _names(literal: Literal) -> list[str]:
    match literal:
        case Atom():
            return list(names_in(literal.terms))
        case Compared():
            return list(names_in((literal.left, literal.right)))
        case Aggregate():
            inner = [name for part in literal.body for name in _names(part)]
            return [*names_in((literal.result, *literal.over)), *inner]
        case _:
            return list(names_in(literal.atom.terms))


def reachable(start: Collection[str], reads: Mapping[str, Collection[str]]) -> dict[str, None]:
    """The relations that some depend on, themselves included, in a fixed order."""
    found = dict.fromkeys(start)
    todo = list(found)
    for name in todo:
        for other in reads.get(name, ()):
            if other not in found:
                found[other] = None
                todo.append(other)
    return found
