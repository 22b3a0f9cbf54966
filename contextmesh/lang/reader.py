"""One statement's tree at a time into declarations, rules and literals, with a place on every part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast
from typing import Literal as Choice

from contextmesh.base.errors import Problem
from contextmesh.base.source import Source, Span
from contextmesh.datalog.ast import (
    Aggregate,
    At,
    Atom,
    Compared,
    Const,
    Declaration,
    Label,
    Literal,
    Not,
    Rule,
    Sum,
    Term,
    Var,
    Wildcard,
)
from contextmesh.datalog.limits import WHOLE_MAX, WHOLE_MIN
from contextmesh.lang.parser import span_of
from contextmesh.lang.plain import plain_rule
from contextmesh.lang.words import BadEscape, unquote

if TYPE_CHECKING:
    from lark import Token

    from contextmesh.lang.parser import Node

MAX_DEPTH = 64
"""Sums and parentheses inside each other."""
MAX_COLUMNS = 64
MAX_LITERALS = 200
"""Literals of one body."""

_KINDS = ("input", "relation", "output")
_AGGREGATES = ("count", "min", "max", "sum")


class Bad(Exception):
    """A statement that is a sentence of the grammar and still says nothing; caught in Reader."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem

    @classmethod
    def too_deep(cls, source: Source, span: Span) -> Bad:
        message = f"sums and parentheses stand deeper than {MAX_DEPTH} in each other"
        hint = "name the parts with variables: `Y = X + 1`"
        return cls(Problem("too-deep", message, where=source.where(span), hint=hint))


class Reader:
    """What has been read of one source, and what was wrong with it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.declarations: list[Declaration] = []
        self.rules: list[Rule] = []
        self.problems: list[Problem] = []

    def plain(self, tokens: Sequence[Token]) -> bool:
        """Reads a statement of plain atoms as ``statement`` would from its tree; tells whether it was one."""
        rule = plain_rule(self.source, tokens, literals=MAX_LITERALS, columns=MAX_COLUMNS)
        if rule is not None:
            self.rules.append(rule)
        return rule is not None

    def statement(self, tree: Node) -> None:
        (child,) = _trees(tree)
        try:
            if child.data == "declaration":
                self.declarations.append(self._declaration(child))
            else:
                self.rules.append(self._rule(child))
        except Bad as bad:
            self.problems.append(bad.problem)

    def goal(self, tree: Node) -> tuple[Literal, ...]:
        try:
            return self._body(_child(tree, "body"))
        except Bad as bad:
            self.problems.append(bad.problem)
            return ()

    def fact(self, tree: Node) -> Atom | None:
        try:
            return self._atom(_child(tree, "atom"))
        except Bad as bad:
            self.problems.append(bad.problem)
            return None

    # ---- statements ------------------------------------------------------------------------

    def _declaration(self, tree: Node) -> Declaration:
        kind, name = _tokens(tree)[:2]
        if kind not in _KINDS:
            raise self._bad(f"a declaration starts with input, relation or output, not `{kind}`", span_of(kind))
        columns = [t for t in _tokens(_child(tree, "columns")) if t.type == "NAME"]
        self._count(columns, MAX_COLUMNS, "columns", _span(tree))
        for i, column in enumerate(columns):
            if column in columns[:i]:
                raise self._bad(f"{name} has two columns named {column}", span_of(column))
        span = Span(_span(tree).start, _span(tree).end)
        declared = cast(Choice["input", "relation", "output"], str(kind))
        return Declaration(declared, str(name), tuple(str(c) for c in columns), At(self.source, span))

    def _rule(self, tree: Node) -> Rule:
        head = self._atom(_child(tree, "atom"))
        bodies = [t for t in _trees(tree) if t.data == "body"]
        body = self._body(bodies[0]) if bodies else ()
        labels = [self._label(t) for t in _trees(tree) if t.data == "label"]
        assert head.at is not None
        at = At(self.source, Span(head.at.span.start, _span(tree).end))
        return Rule(head, body, labels[0] if labels else None, at)

    def _label(self, tree: Node) -> Label:
        name, *words = _tokens(tree)
        return Label(str(name)[1:], self._unquoted(words[0]) if words else None)

    # ---- literals --------------------------------------------------------------------------

    def _body(self, tree: Node) -> tuple[Literal, ...]:
        trees = _trees(tree)
        self._count(trees, MAX_LITERALS, "literals", _span(tree))
        return tuple(self._literal(t) for t in trees)

    def _literal(self, tree: Node) -> Literal:
        at = At(self.source, _span(tree))
        match tree.data:
            case "atom":
                return self._atom(tree)
            case "negated":
                return Not(self._atom(_child(tree, "atom")), at)
            case "compared":
                left, right = _trees(tree)
                (op,) = _tokens(tree)
                word = cast(Choice["=", "!=", "<", "<=", ">", ">="], str(op))
                return Compared(word, self._term(left), self._term(right), at)
            case _:
                return self._aggregate(tree, at)

    def _atom(self, tree: Node) -> Atom:
        name = _tokens(tree)[0]
        terms = _trees(_child(tree, "terms"))
        self._count(terms, MAX_COLUMNS, "terms", _span(tree))
        return Atom(str(name), tuple(self._term(t) for t in terms), At(self.source, _span(tree)))

    def _aggregate(self, tree: Node, at: At) -> Aggregate:
        result, over, inner = _trees(tree)
        kind = next(t for t in _tokens(tree) if t.type == "NAME")
        if kind not in _AGGREGATES:
            raise self._bad(f"the aggregates are count, min, max and sum, not `{kind}`", span_of(kind))
        terms = tuple(self._term(t) for t in _trees(over))
        self._count(terms, MAX_COLUMNS, "terms", _span(over))
        if kind in ("min", "max") and len(terms) > 1:
            raise self._bad(f"{kind} is over one value, not {len(terms)}", _span(over))
        for literal in _trees(inner):
            if literal.data == "aggregate":
                hint = "give the inner one a rule of its own"
                raise self._bad("an aggregate cannot stand inside an aggregate", _span(literal), hint)
        word = cast(Choice["count", "min", "max", "sum"], str(kind))
        return Aggregate(word, self._term(result), terms, self._body(inner), at)

    # ---- terms -----------------------------------------------------------------------------

    def _term(self, tree: Node, room: int = MAX_DEPTH) -> Term:
        """``room`` is how many sums and groups may still stand inside."""
        if room < 0:
            raise Bad.too_deep(self.source, _span(tree))
        at = At(self.source, _span(tree))
        match tree.data:
            case "sum":
                return self._sum(tree, room)
            case "group":
                return self._term(_trees(tree)[0], room)
            case "variable":
                return Var(str(tree.children[0]), at)
            case "wildcard":
                return Wildcard(at)
            case "symbol":
                return Const(str(tree.children[0]), at)
            case "text":
                return Const(self._unquoted(_tokens(tree)[0]), at)
            case _:
                return Const(self._number(tree), at)

    def _sum(self, tree: Node, room: int) -> Term:
        """``a + b - c`` is ``(a + b) - c``; the first part stands deepest."""
        parts = _trees(tree)
        operators = [str(t) for t in _tokens(tree)]
        start = _span(tree).start
        term = self._term(parts[0], room - len(operators))
        for i, (operator, part) in enumerate(zip(operators, parts[1:], strict=True)):
            right = self._term(part, room - (len(operators) - i))
            at = At(self.source, Span(start, _span(part).end))
            term = Sum("+" if operator == "+" else "-", term, right, at)
        return term

    def _number(self, tree: Node) -> int:
        tokens = _tokens(tree)
        digits = str(tokens[-1]).lstrip("0") or "0"
        if len(digits) <= len(str(WHOLE_MAX)):
            number = -int(digits) if len(tokens) > 1 else int(digits)
            if WHOLE_MIN <= number <= WHOLE_MAX:
                return number
        message = "the number is outside the range of whole numbers, -2^63 to 2^63 - 1"
        hint = "a number that is only a name goes in double quotes"
        raise Bad(Problem("integer-range", message, where=self.source.where(_span(tree)), hint=hint))

    def _unquoted(self, token: Token) -> str:
        text = unquote(str(token))
        if isinstance(text, BadEscape):
            start = span_of(token).start + text.at
            message = f"`{text.escape}` is no escape of a text"
            hint = 'the escapes are \\" \\\\ \\n \\t \\r \\uXXXX and \\u{X}'
            raise self._bad(message, Span(start, start + len(text.escape)), hint)
        return text

    # ---- refusals --------------------------------------------------------------------------

    def _count(self, things: Sequence[object], limit: int, what: str, span: Span) -> None:
        if len(things) > limit:
            message = f"there are {len(things)} {what} here, and {limit} are allowed"
            raise Bad(Problem("too-long", message, where=self.source.where(span)))

    def _bad(self, message: str, span: Span, hint: str | None = None) -> Bad:
        return Bad(Problem("syntax", message, where=self.source.where(span), hint=hint))


def _trees(tree: Node) -> list[Node]:
    """The sub-trees; tokens and absent parts left out."""
    return [child for child in tree.children if child is not None and not isinstance(child, str)]


def _tokens(tree: Node) -> list[Token]:
    return [child for child in tree.children if isinstance(child, str)]


def _child(tree: Node, data: str) -> Node:
    return next(child for child in _trees(tree) if child.data == data)


def _span(tree: Node) -> Span:
    """From the first token to the last; iterative, down the edges of the tree."""
    return Span(span_of(_edge(tree, 1)).start, span_of(_edge(tree, -1)).end)


def _edge(tree: Node, step: int) -> Token:
    node: Node | Token = tree
    while not isinstance(node, str):
        node = next(_present(node, step))
    return node


def _present(tree: Node, step: int) -> Iterator[Node | Token]:
    return (child for child in tree.children[::step] if child is not None)
