"""Rules to text: ``parse_rules(render_rules(text)) == text``, but for places. Comments are no part of the tree."""

from __future__ import annotations

from contextmesh.datalog.ast import (
    Aggregate,
    Atom,
    Compared,
    Const,
    Declaration,
    Label,
    Literal,
    Not,
    Query,
    Rule,
    RuleText,
    Sum,
    Term,
    Var,
    Wildcard,
)
from contextmesh.lang.words import quote, write_value

WIDTH = 120
"""The longest line, as long as its parts allow."""
DEEPEST = 40
"""The literals of a rule stand below each other, behind its head, unless the head is longer than this."""


def render_rules(text: RuleText) -> str:
    """Declarations first, then rules and facts, a statement a line; empty text for nothing."""
    statements = [*map(render_declaration, text.declarations), *map(render_rule, text.rules)]
    return "".join(f"{statement}\n" for statement in statements)


def render_query(query: Query) -> str:
    """The query's own rules, then ``?- body.``."""
    body = ", ".join(map(render_literal, query.body))
    return "".join(f"{render_rule(rule)}\n" for rule in query.rules) + f"?- {body}.\n"


def render_declaration(declaration: Declaration) -> str:
    """``input name(column, …).``"""
    return f"{declaration.kind} {declaration.name}({', '.join(declaration.columns)})."


def render_rule(rule: Rule) -> str:
    """A rule or fact with its label on a line above; its literals fill lines up to WIDTH."""
    head = render_atom(rule.head)
    literals = [render_literal(literal) for literal in rule.body]
    label = f"{render_label(rule.label)}\n" if rule.label else ""
    if not literals:
        return f"{label}{head}."
    first = f"{head} :- "
    indent = " " * (len(first) if len(first) <= DEEPEST else 4)
    return label + _filled(first, [*(f"{literal}," for literal in literals[:-1]), f"{literals[-1]}."], indent)


def _filled(line: str, words: list[str], indent: str) -> str:
    """``line`` and then the words, on as few lines as WIDTH allows."""
    lines = []
    for i, word in enumerate(words):
        if i and len(line) + len(word) > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += f"{word} "
    return "\n".join([*lines, line.rstrip()])


def render_label(label: Label) -> str:
    """``@name "words"``."""
    return f"@{label.name}" if label.words is None else f"@{label.name} {quote(label.words)}"


def render_literal(literal: Literal) -> str:
    """One literal of a body."""
    match literal:
        case Atom():
            return render_atom(literal)
        case Not(atom):
            return f"not {render_atom(atom)}"
        case Compared(op, left, right):
            return f"{render_term(left)} {op} {render_term(right)}"
        case Aggregate(kind, result, over, body):
            terms = ", ".join(map(render_term, over))
            inner = ", ".join(map(render_literal, body))
            return f"{render_term(result)} = {kind} {{ {terms} : {inner} }}"


def render_atom(atom: Atom) -> str:
    """``relation(term, …)``."""
    return f"{atom.relation}({', '.join(map(render_term, atom.terms))})"


def render_term(term: Term) -> str:
    """A term; a sum on the right of a sum stands in parentheses."""
    match term:
        case Var(name):
            return name
        case Const(value):
            return write_value(value)
        case Wildcard():
            return "_"
        case Sum(op, left, right):
            second = f"({render_term(right)})" if isinstance(right, Sum) else render_term(right)
            return f"{render_term(left)} {op} {second}"
