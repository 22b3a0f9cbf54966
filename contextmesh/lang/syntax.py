"""What is said about a rules text that is not Datalog: what was expected, what was found, what to do."""

from __future__ import annotations

import unicodedata

from contextmesh.base.errors import Problem
from contextmesh.base.source import Source, Span
from contextmesh.lang.parser import END, Fault

_WORDS = {
    "NAME": "a name",
    "VAR": "a variable",
    "WILDCARD": "`_`",
    "STRING": "a text in double quotes",
    "INT": "a whole number",
    "LABEL": "a label",
    "COMMA": "a comma",
    "DOT": "a full stop",
    "COLON": "`:`",
    "IF": "`:-`",
    "GOAL": "`?-`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "NOT": "`not`",
    END: "the end of the text",
}
_TERM = ("INT", "LPAR", "MINUS", "NAME", "STRING", "VAR", "WILDCARD")
_COMPARISON = ("EQ", "GE", "GT", "LE", "LT", "NE")
_GROUPS: tuple[tuple[tuple[str, ...], str], ...] = (
    ((*_TERM, "NOT"), "a literal"),
    (_TERM, "a term"),
    (_COMPARISON, "a comparison such as `=` or `<`"),
)
_HINTS = {
    "!": "negation is written `not p(X)`",
    "\\+": "negation is written `not p(X)`",
    "\\=": "unequal is written `!=`",
    "<>": "unequal is written `!=`",
    "==": "equality is written `=`",
    "=<": "at most is written `<=`",
    "=>": "at least is written `>=`; a rule is written `head :- body.`",
    "<-": "a rule is written `head :- body.`",
    "->": "a rule is written `head :- body.`",
    "&": "literals are joined by a comma",
    "&&": "literals are joined by a comma",
    ";": "write one rule for each alternative",
    "|": "write one rule for each alternative",
    "||": "write one rule for each alternative",
    "#": "a comment starts with `%`",
    "/": "a comment starts with `%`; arithmetic is `+` and `-`",
    "*": "arithmetic is `+` and `-` over whole numbers",
    "'": "a text stands in double quotes",
    "`": "a text stands in double quotes",
    "[": "there are no lists: a term is a variable, a value or a sum",
}


def syntax_problem(source: Source, fault: Fault) -> Problem:
    """A Fault in words."""
    return Problem(
        "syntax",
        f"expected {_expected(fault)}, found {_found(fault)}",
        where=source.where(fault.span),
        hint=_hint(fault),
    )


def character_problem(source: Source, at: int) -> Problem:
    """A control character, line separator or half of a surrogate pair in the text itself."""
    code = ord(source.text[at])
    name = unicodedata.name(source.text[at], "a control character" if code < 0xA0 else "half of a surrogate pair")
    return Problem(
        "bad-character",
        f"the text holds U+{code:04X} ({name.lower()}), which no rules text may hold",
        where=source.where(Span(at, at + 1)),
        hint=None if 0xD800 <= code < 0xE000 else f"in a text between quotes, write it as \\u{code:04x}",
    )


def _expected(fault: Fault) -> str:
    left = [t for t in fault.expected if t in _WORDS or t in _COMPARISON or t == "MINUS"]
    if fault.before and fault.before[-1][0] == "NAME" and len(fault.before) == 1:
        left = [t for t in left if t != "NAME"] if fault.before[0][1] not in ("input", "relation", "output") else left
    words: list[str] = []
    for group, word in _GROUPS:
        if all(t in left for t in group):
            words.append(word)
            left = [t for t in left if t not in group]
    left = [t for t in left if t != "MINUS"]
    if fault.kind != END and "DOT" in left:
        left = [t for t in left if t != END]
    if not fault.before and "NAME" in left and "LABEL" in left:
        words, left = ["a rule, a fact or a declaration"], []
    words += [_WORDS[t] for t in left]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _found(fault: Fault) -> str:
    shown = fault.text if len(fault.text) <= 40 else f"{fault.text[:40]}…"
    match fault.kind:
        case "$END":
            return "the end of the text"
        case "VAR":
            return f"the variable {shown}"
        case "DOT":
            return "a full stop"
        case "COMMA":
            return "a comma"
        case "OPEN_STRING":
            return "a text without its closing quote"
        case "FLOAT":
            return f"the number {shown}"
        case "BAD" if not fault.text.isascii():
            return f"{shown} (U+{ord(fault.text):04X}, {unicodedata.name(fault.text, 'unnamed').lower()})"
        case _:
            return f"`{shown}`"


def _hint(fault: Fault) -> str | None:
    """The usual mistake behind a fault, when there is one."""
    last = fault.before[-1][0] if fault.before else ""
    if fault.text in _HINTS and fault.kind in ("BAD", "FOREIGN"):
        return _HINTS[fault.text]
    match (fault.kind, last):
        case ("BAD", "NAME" | "VAR" | "WILDCARD") if fault.text.isalpha():
            return "names are made of a-z, A-Z, 0-9 and `_`; any other text stands in double quotes"
        case ("BAD", _) if fault.text.isalpha():
            return "a text outside a-z, A-Z, 0-9 and `_` stands in double quotes"
        case ("LPAR", "VAR"):
            return "the name of a relation starts with a lower-case letter"
        case ("VAR", "") | ("VAR", "NOT"):
            return "the name of a relation starts with a lower-case letter"
        case ("LPAR", "NAME"):
            return "there are no function terms: a term is a variable, a value or a sum"
        case ("RPAR", "LPAR"):
            return "a relation has at least one column"
        case ("LBRACE", "NAME"):
            return "an aggregate is written `N = count { X : p(X) }`"
        case ("OPEN_STRING", _):
            return "a text ends on its own line; a newline in it is written \\n"
        case ("FLOAT", _):
            return "numbers are whole; write hundredths, or put the text in double quotes"
        case ("GOAL", _):
            return "a question is asked with a query, not in a rules text"
        case ("IF", ""):
            return "a rule has a head: `head :- body.`"
        case ("NAME" | "LABEL", "RPAR"):
            return "a full stop ends each statement"
        case ("$END", _):
            return "a full stop ends each statement" if "DOT" in fault.expected else None
        case _:
            return None
