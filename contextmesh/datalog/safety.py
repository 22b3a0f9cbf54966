"""Safety: every variable is bound by something that has finitely many values, in some order of the body."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from contextmesh.base.errors import Problem
from contextmesh.datalog.ast import Aggregate, Atom, Compared, Const, Literal, Not, Rule, Sum, Term, Var, Wildcard
from contextmesh.datalog.fold import place

_Found = Var | Wildcard


def ordered_body(rule: Rule) -> tuple[Literal, ...]:
    """The body in an order in which every literal can be evaluated when it is reached.

    The written order is kept as far as that allows.
    """
    order, left = ordered(rule.body, (), rule_variables(rule))
    assert not left, "only a checked rule has an order"
    return order


def inner_order(aggregate: Aggregate, bound: Collection[str]) -> tuple[Literal, ...]:
    """The same for the body of an aggregate, with the variables of its group bound already."""
    order, left = ordered(aggregate.body, bound, ())
    assert not left, "only a checked rule has an order"
    return order


def outer_variables(body: Sequence[Literal]) -> tuple[str, ...]:
    """The variables of a body by first occurrence, without those that stand only inside the braces of aggregates."""
    return tuple(dict.fromkeys(v.name for literal in body for v in _variables(outer_terms(literal))))


def group_of(aggregate: Aggregate, outer: Collection[str]) -> tuple[str, ...]:
    """The variables of an aggregate's braces that the rest of the rule (its ``outer`` variables and head) shares."""
    names = dict.fromkeys(v.name for v in _variables(_inner_terms(aggregate)))
    return tuple(name for name in names if name in outer)


def rule_variables(rule: Rule) -> tuple[str, ...]:
    """The outer variables of body and head: what a binding of the rule gives values to."""
    heads = (v.name for v in _variables(rule.head.terms))
    return tuple(dict.fromkeys([*outer_variables(rule.body), *heads]))


def ordered(
    body: Sequence[Literal], bound: Collection[str], outer: Collection[str]
) -> tuple[tuple[Literal, ...], tuple[Literal, ...]]:
    """What can be evaluated, in order, and what never can.

    Args:
        bound: variables that have a value before the body.
        outer: variables that an aggregate of this body shares with the rest of its rule.
    """
    known = dict.fromkeys(bound)
    order: list[Literal] = []
    left = list(body)
    while left:
        ready = next((i for i, literal in enumerate(left) if _ready(literal, known, outer)), None)
        if ready is None:
            break
        literal = left.pop(ready)
        order.append(literal)
        known.update(dict.fromkeys(_binds(literal)))
    return tuple(order), tuple(left)


def check_safety(rule: Rule) -> list[Problem]:
    """One problem for each variable without a value, at its first use, and one for each misplaced wildcard."""
    if not rule.body:
        return [_fact(rule, found) for found in _first(_terms(rule.head.terms))]
    outer = rule_variables(rule)
    order, left = ordered(rule.body, (), outer)
    known = dict.fromkeys(name for literal in order for name in _binds(literal))
    implied = known | dict.fromkeys(name for literal in left for name in _would_bind(literal))
    problems = _free(rule, left, outer, implied) or _free(rule, left, outer, known)
    problems += [p for a in rule.body if isinstance(a, Aggregate) for p in _inside(a, outer)]
    seen: dict[tuple[str | None, object], Problem] = {}
    for problem in problems:
        key = problem.where if problem.subject == "_" else None
        seen.setdefault((problem.subject, key), problem)
    return list(seen.values())


def _free(rule: Rule, left: Sequence[Literal], outer: Collection[str], known: Collection[str]) -> list[Problem]:
    needed = [(found, literal) for literal in left for found in _needs(literal, outer)]
    needed += [(found, rule.head) for found in _terms(rule.head.terms)]
    return [_unbound(found, literal) for found, literal in needed if _is_free(found, known)]


def _would_bind(literal: Literal) -> list[str]:
    """What a literal would bind if it could be evaluated: not the cause when that has no value."""
    match literal:
        case Compared(op="=", left=Var(name=name), right=Sum()) | Compared(op="=", left=Sum(), right=Var(name=name)):
            return [name]
        case Aggregate(result=Var(name=name)):
            return [name]
        case Atom():
            return _binds(literal)
        case _:
            return []


def _inside(aggregate: Aggregate, outer: Collection[str]) -> list[Problem]:
    """What is wrong inside the braces, given that the group is bound (its own lack is told outside)."""
    group = group_of(aggregate, outer)
    order, left = ordered(aggregate.body, group, ())
    bound = dict.fromkeys([*group, *(name for literal in order for name in _binds(literal))])
    found = [(f, literal) for literal in left for f in _needs(literal, ()) if _is_free(f, bound)]
    over = [(f, aggregate) for f in _terms(aggregate.over) if _is_free(f, bound)]
    return [_unbound(f, literal) for f, literal in [*found, *over]]


# ---- what a literal needs and gives ------------------------------------------------------------


def _ready(literal: Literal, known: Collection[str], outer: Collection[str]) -> bool:
    if isinstance(literal, Compared) and literal.op == "=":
        left, right = literal.left, literal.right
        known_left, known_right = (all(not _is_free(f, known) for f in _terms([t])) for t in (left, right))
        return (known_left and (known_right or isinstance(right, Var))) or (known_right and isinstance(left, Var))
    return all(not _is_free(found, known) for found in _needs(literal, outer))


def _needs(literal: Literal, outer: Collection[str]) -> Iterator[_Found]:
    """The variables and misplaced wildcards that must have a value before the literal."""
    match literal:
        case Atom():
            yield from (f for term in literal.terms if isinstance(term, Sum) for f in _terms([term]))
        case Not():
            for term in literal.atom.terms:
                if not isinstance(term, Wildcard):
                    yield from _terms([term])
        case Compared():
            yield from _terms([literal.left, literal.right])
        case Aggregate():
            if not isinstance(literal.result, Var):
                yield from _terms([literal.result])
            shared = group_of(literal, outer)
            yield from (v for v in _variables(_inner_terms(literal)) if v.name in shared)


def _binds(literal: Literal) -> list[str]:
    """The variables that have a value after the literal."""
    match literal:
        case Atom():
            return [term.name for term in literal.terms if isinstance(term, Var)]
        case Compared(op="="):
            return [term.name for term in (literal.left, literal.right) if isinstance(term, Var)]
        case Aggregate(result=Var(name=name)):
            return [name]
        case _:
            return []


def _is_free(found: _Found, known: Collection[str]) -> bool:
    return isinstance(found, Wildcard) or found.name not in known


# ---- terms ---------------------------------------------------------------------------------------


def outer_terms(literal: Literal) -> tuple[Term, ...]:
    """The terms of a literal that stand outside the braces of an aggregate; any sum there must be worked out."""
    match literal:
        case Atom():
            return literal.terms
        case Not():
            return literal.atom.terms
        case Compared():
            return (literal.left, literal.right)
        case Aggregate():
            return (literal.result,)


def _inner_terms(aggregate: Aggregate) -> tuple[Term, ...]:
    return (*aggregate.over, *(term for literal in aggregate.body for term in outer_terms(literal)))


def _variables(terms: Sequence[Term]) -> Iterator[Var]:
    return (found for found in _terms(terms) if isinstance(found, Var))


def _terms(terms: Sequence[Term]) -> Iterator[_Found]:
    """Variables and wildcards in the order written."""
    stack = list(reversed(terms))
    while stack:
        match term := stack.pop():
            case Sum():
                stack += [term.right, term.left]
            case Const():
                pass
            case _:
                yield term


def _first(found: Iterator[_Found]) -> list[_Found]:
    return list(dict.fromkeys(found))


# ---- words ---------------------------------------------------------------------------------------


def _fact(rule: Rule, found: _Found) -> Problem:
    what = f"the variable {found.name}" if isinstance(found, Var) else "a wildcard"
    message = f"the fact {rule.head.relation} has {what}; a fact is made of constants"
    return Problem("unsafe-variable", message, subject=_name(found), where=place(found.at or rule.at))


def _unbound(found: _Found, literal: Literal) -> Problem:
    """``literal`` is where the variable is used; an Atom here is a head, or has the variable in a sum."""
    match literal:
        case Atom() if any(isinstance(t, Sum) and found in list(_terms([t])) for t in literal.terms):
            where = f"the sum in `{literal.relation}`"
        case Atom():
            where = f"the head `{literal.relation}`"
        case Not():
            where = f"`not {literal.atom.relation}`"
        case Compared():
            where = f"the comparison `{literal.op}`"
        case Aggregate():
            where = f"the aggregate `{literal.kind}`"
    if isinstance(found, Wildcard):
        message = f"a wildcard stands in {where}, where a value is needed"
        hint = "give it a name, and bind the name in a positive literal"
    else:
        message = f"the variable {found.name} in {where} has no value: no positive literal of its rule binds it"
        hint = f"add a positive literal with {found.name}"
        if isinstance(literal, Not):
            hint += ", or write `_` for whatever stands there"
    return Problem("unsafe-variable", message, subject=_name(found), where=place(found.at or literal.at), hint=hint)


def _name(found: _Found) -> str:
    return found.name if isinstance(found, Var) else "_"
