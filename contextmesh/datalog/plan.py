"""The order in which a body is evaluated, and which index each step needs.

The order is greedy, by what is bound: first whatever only tests, then whatever only computes, then the atom
that shares most with what is known (Ullman, Principles of Database Systems: bound is easier). Atoms that share
no variable with what is known come last, so that a product of unrelated relations is never made early.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from contextmesh.datalog.ast import Aggregate, Atom, Compared, Const, Literal, Not, Rule, Sum, Term, Var, Wildcard
from contextmesh.datalog.facts import Where
from contextmesh.datalog.safety import group_of, rule_variables
from contextmesh.datalog.steps import (
    Absent,
    Bind,
    Columns,
    Fold,
    Let,
    Member,
    Plan,
    Scan,
    Step,
    Test,
    is_known,
    names_in,
)


def drive(rule: Rule, at: int, *, losing: bool) -> Plan:
    """The rule as found from one row of its body atom ``at``, or of the atom under its ``not``.

    A row that went lets a ``not`` with wildcards hold only if no other row forbids it; a row that came ends
    it in any case, so ``losing`` leaves the literal out.
    """
    literal = rule.body[at]
    rest = [other for i, other in enumerate(rule.body) if i != at]
    if isinstance(literal, Atom):
        return _planned(rule, literal.terms, rest)
    assert isinstance(literal, Not)
    loose = any(isinstance(term, Wildcard) for term in literal.atom.terms)
    plan = _planned(rule, literal.atom.terms, rule.body if loose and not losing else rest)
    return replace(plan, distinct=loose)


def drive_group(rule: Rule, at: int, inner: int) -> Plan:
    """The rule for the groups that one row of the literal ``inner`` within the aggregate ``at`` belongs to."""
    aggregate = rule.body[at]
    assert isinstance(aggregate, Aggregate)
    literal = aggregate.body[inner]
    atom = literal.atom if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom)
    group = group_of(aggregate, rule_variables(rule))
    terms = tuple(
        t if isinstance(t, Const) or (isinstance(t, Var) and t.name in group) else Wildcard() for t in atom.terms
    )
    return replace(_planned(rule, terms, rule.body), distinct=True)


def whole(rule: Rule, sizes: Mapping[str, int] | None = None) -> Plan:
    """The rule from nothing; with ``sizes`` of relations, from the smallest that nothing leads to."""
    return Plan(None, _steps(rule, rule.body, (), rule.head.terms, sizes), rule.head.terms)


def keyed(plan: Plan) -> Plan:
    """The same with constants as keys of indexes, for a rule that is run once: an index on values outlives it."""
    return replace(plan, steps=tuple(_keyed(step) for step in plan.steps))


def _keyed(step: Step) -> Step:
    match step:
        case Scan() | Absent():
            named = {**dict(zip(step.columns, step.keys, strict=True)), **{c: Const(v) for c, v in step.where}}
            columns = tuple(sorted(named))
            return replace(step, columns=columns, where=(), keys=tuple(named[c] for c in columns))
        case Fold():
            return replace(step, steps=tuple(_keyed(inner) for inner in step.steps))
    return step


def prove(rule: Rule) -> Plan:
    """The rule as found from a row of its head."""
    return _planned(rule, rule.head.terms, rule.body, head=())


def bound_body(rule: Rule, bound: Collection[str], also: Sequence[Literal] = ()) -> tuple[Literal, ...]:
    """The literals of a body, and ``also``, in the order of a plan; ``bound`` names have a value already."""
    ordered = _ordered([*also, *rule.body], dict.fromkeys(bound), rule_variables(rule))
    return tuple(literal for literal, _ in ordered)


# ---- a row enters --------------------------------------------------------------------------------


def _planned(rule: Rule, terms: Sequence[Term], body: Sequence[Literal], head: tuple[Term, ...] | None = None) -> Plan:
    names: list[str | None] = []
    tests: list[Test] = []
    sums: list[Literal] = []
    known: dict[str, None] = {}
    for column, term in enumerate(terms):
        given = f" {column}"  # a blank keeps it apart from every name a rule can use
        match term:
            case Wildcard():
                names.append(None)
            case Var(name) if name not in known:
                known[name] = None
                names.append(name)
            case Sum():
                known[given] = None
                names.append(given)
                sums.append(Compared("=", Var(given), term))
            case _:
                known[given] = None
                names.append(given)
                tests.append(Test("=", Var(given), term))
    made = rule.head.terms if head is None else head
    bind = Bind(tuple(names), tuple(tests))
    return Plan(bind, _steps(rule, [*sums, *body], known, made), made)


# ---- order ---------------------------------------------------------------------------------------


def _steps(
    rule: Rule,
    body: Sequence[Literal],
    bound: Collection[str],
    head: Sequence[Term],
    sizes: Mapping[str, int] | None = None,
) -> tuple[Step, ...]:
    outer = rule_variables(rule)
    order = list(_ordered(body, dict.fromkeys(bound), outer, sizes))
    steps: list[Step] = []
    later = dict.fromkeys(names_in(head))
    for literal, known in reversed(order):
        steps.append(_step(literal, known, later, outer))
        later.update(dict.fromkeys(_mentioned(literal)))
    return tuple(reversed(steps))


def _ordered(
    body: Sequence[Literal],
    known: Mapping[str, None],
    outer: Collection[str],
    sizes: Mapping[str, int] | None = None,
) -> Iterator[tuple[Literal, Mapping[str, None]]]:
    """Each literal with what is bound when it is reached."""
    bound = dict(known)
    left = list(body)
    while left:
        (rank, _), at = min((_rank(literal, bound, outer, sizes), i) for i, literal in enumerate(left))
        assert rank < 9, "only a checked rule has a plan"
        literal = left.pop(at)
        yield literal, dict(bound)
        bound.update(dict.fromkeys(_bound_by(literal, bound)))


def _rank(
    literal: Literal, known: Mapping[str, None], outer: Collection[str], sizes: Mapping[str, int] | None
) -> tuple[int, float]:
    """When to take a literal: the smaller the sooner; 9 is not yet."""
    match literal:
        case Compared():
            if is_known(literal.left, known) and is_known(literal.right, known):
                return (0, 0)
            return (1, 0) if solved(literal, known) is not None else (9, 0)
        case Not():
            return (0, 1) if all(isinstance(t, Wildcard) or is_known(t, known) for t in literal.atom.terms) else (9, 0)
        case Aggregate():
            shared = group_of(literal, outer)
            result = isinstance(literal.result, Var) or is_known(literal.result, known)
            return (3, 0) if result and all(name in known for name in shared) else (9, 0)
        case Atom():
            return _rank_atom(literal, known, sizes)


def _rank_atom(atom: Atom, known: Mapping[str, None], sizes: Mapping[str, int] | None) -> tuple[int, float]:
    if any(isinstance(t, Sum) and not is_known(t, known) for t in atom.terms):
        return (9, 0)
    fixed = sum(1 for t in atom.terms if is_known(t, known))
    if fixed == len(atom.terms):
        return (0, 0.5)
    joined = any(is_known(t, known) and not isinstance(t, Const) for t in atom.terms)
    free = (len(atom.terms) - fixed) / len(atom.terms)
    if sizes is not None and not joined:
        # A constant is taken to leave a tenth; a relation of the rule's own stratum has no size yet.
        return (5, sizes.get(atom.relation, 0) * 0.1**fixed)
    return (4 if joined else 5 if fixed else 6, free)


def solved(literal: Compared, known: Mapping[str, None]) -> Let | None:
    """What an equation gives its one unknown variable, moved out of a sum if it stands in one."""
    if literal.op != "=":
        return None
    for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
        if not is_known(other, known):
            continue
        term = other
        while isinstance(side, Sum):
            if is_known(side.right, known):
                term, side = Sum("-" if side.op == "+" else "+", term, side.right), side.left
            elif is_known(side.left, known):
                term = Sum("-", term, side.left) if side.op == "+" else Sum("-", side.left, term)
                side = side.right
            else:
                break
        if isinstance(side, Var):
            return Let(side.name, term, inverse=term is not other)
    return None


def _bound_by(literal: Literal, known: Mapping[str, None]) -> list[str]:
    match literal:
        case Atom():
            return [t.name for t in literal.terms if isinstance(t, Var)]
        case Compared():
            let = solved(literal, known)
            return [let.name] if let is not None else []
        case Aggregate(result=Var(name)):
            return [name]
    return []


# ---- steps ---------------------------------------------------------------------------------------


def _step(literal: Literal, known: Mapping[str, None], later: Mapping[str, None], outer: Collection[str]) -> Step:
    match literal:
        case Compared():
            if is_known(literal.left, known) and is_known(literal.right, known):
                return Test(literal.op, literal.left, literal.right)
            let = solved(literal, known)
            assert let is not None
            return let
        case Not():
            return _absent(literal.atom, known)
        case Aggregate():
            return _fold(literal, known, outer)
        case Atom():
            return _scan(literal, known, later)


def _absent(atom: Atom, known: Mapping[str, None]) -> Step:
    if not any(isinstance(t, Wildcard) for t in atom.terms):
        return Member(atom.relation, atom.terms, negated=True)
    columns, where, keys = _lookup(atom, known)
    return Absent(atom.relation, columns, where, keys)


def _scan(atom: Atom, known: Mapping[str, None], later: Mapping[str, None]) -> Step:
    if all(is_known(t, known) for t in atom.terms):
        return Member(atom.relation, atom.terms, negated=False)
    columns, where, keys = _lookup(atom, known)
    binds: dict[str, int] = {}
    same: list[tuple[int, str]] = []
    for column, term in enumerate(atom.terms):
        if isinstance(term, Var) and term.name not in known:
            if term.name in binds:
                same.append((column, term.name))
            else:
                binds[term.name] = column
    needed = bool(same) or any(name in later for name in binds)
    taken = tuple((column, name) for name, column in binds.items())
    return Scan(atom.relation, columns, where, keys, taken, tuple(same), needed)


def _lookup(atom: Atom, known: Mapping[str, None]) -> tuple[Columns, Where, tuple[Term, ...]]:
    """Constants choose a part of the relation, what is bound is the key within it."""
    columns = tuple(i for i, t in enumerate(atom.terms) if not isinstance(t, Const) and is_known(t, known))
    where = tuple((i, t.value) for i, t in enumerate(atom.terms) if isinstance(t, Const))
    return columns, where, tuple(atom.terms[i] for i in columns)


def _fold(aggregate: Aggregate, known: Mapping[str, None], outer: Collection[str]) -> Fold:
    """Names inside the braces that are not of the group get a blank, so that they meet no other name."""
    group = group_of(aggregate, outer)
    body = [_renamed(literal, group) for literal in aggregate.body]
    over = tuple(_renamed_term(t, group) for t in aggregate.over)
    inside = dict.fromkeys(name for name in known if name in group)
    order = list(_ordered(body, inside, ()))
    steps: list[Step] = []
    later = dict.fromkeys(names_in(over))
    for literal, bound in reversed(order):
        steps.append(_step(literal, bound, later, ()))
        later.update(dict.fromkeys(_mentioned(literal)))
    result = aggregate.result
    target = result.name if isinstance(result, Var) and result.name not in known else None
    return Fold(aggregate, tuple(reversed(steps)), over, target)


def _renamed(literal: Literal, keep: Collection[str]) -> Literal:
    match literal:
        case Atom():
            return Atom(literal.relation, tuple(_renamed_term(t, keep) for t in literal.terms))
        case Not():
            return Not(Atom(literal.atom.relation, tuple(_renamed_term(t, keep) for t in literal.atom.terms)))
        case Compared():
            return Compared(literal.op, _renamed_term(literal.left, keep), _renamed_term(literal.right, keep))
        case Aggregate():
            raise AssertionError("an aggregate within an aggregate has no meaning")


def _renamed_term(term: Term, keep: Collection[str]) -> Term:
    match term:
        case Var(name) if name not in keep:
            return Var(f"{name} inside")
        case Sum(op, left, right):
            return Sum(op, _renamed_term(left, keep), _renamed_term(right, keep))
    return term


# ---- names ---------------------------------------------------------------------------------------


def _mentioned(literal: Literal) -> Iterator[str]:
    match literal:
        case Atom():
            yield from names_in(literal.terms)
        case Not():
            yield from names_in(literal.atom.terms)
        case Compared():
            yield from names_in((literal.left, literal.right))
        case Aggregate():
            yield from names_in((literal.result, *literal.over))
            for inner in literal.body:
                yield from _mentioned(inner)
