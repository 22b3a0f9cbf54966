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
    "STRING": "a text in quotes",
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
_DECLARES = ("input", "relation", "output")
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
    "`": "a text stands in quotes",
    "@": "a label is written @name, with a lower-case letter first, before a rule",
    "\ufeff": "a byte order mark may stand at the very start of a text alone",
    "\xa0": "white space is space, tab and newline",
    "[": "there are no lists: a term is a variable, a value or a sum",
}


_RELATION_NAME = "the name of a relation starts with a lower-case letter"
_DIGITS = "a number is written with the digits 0-9 alone, and a name does not start with one"
_USUAL = {
    # (what was found, what stood before it): what to do
    ("LPAR", "VAR"): _RELATION_NAME,
    ("VAR", ""): _RELATION_NAME,
    ("VAR", "NOT"): f"`not` stands before a relation; {_RELATION_NAME}",
    ("LPAR", "NOT"): "`not` stands right before a relation: `not p(X)`",
    ("NOT", "NOT"): "negation does not nest; give the negated part a rule of its own",
    ("LPAR", "NAME"): "there are no function terms: a term is a variable, a value or a sum",
    ("RPAR", "LPAR"): "a relation has at least one column",
    ("DOT", "NAME"): "a relation has its columns in parentheses: `p(X)`",
    ("COMMA", "NAME"): "a relation has its columns in parentheses: `p(X)`",
    ("LBRACE", "NAME"): "an aggregate is written `N = count { X : p(X) }`",
    ("OPEN_STRING", "any"): "a text ends on its own line; a newline in it is written \\n",
    ("FLOAT", "any"): "numbers are whole; write hundredths, or put the text in quotes",
    ("NAME", "INT"): _DIGITS,
    ("VAR", "INT"): _DIGITS,
    ("PLUS", "any"): "a positive number has no sign",
    ("VAR", "MINUS"): "the negative of X is written `0 - X`",
    ("NOT", "any"): "the word not as a value stands in quotes",
    ("IF", ""): "a rule has a head: `head :- body.`",
    ("STRING", "STRING"): "a label has one text",
    ("NAME", "NAME"): "a label stands before a rule, and a relation's name before `(`",
    ("NAME", "RPAR"): "a full stop ends each statement",
    ("LABEL", "RPAR"): "a full stop ends each statement",
    ("DOT", "RPAR"): "a full stop ends each statement",
}


def syntax_problem(source: Source, fault: Fault, *, query: bool = False) -> Problem:
    """A Fault in words; ``query`` tells whether it stands in a query."""
    opening = "a rule, a fact or a declaration"
    if query:
        opening = "a rule or a fact" if fault.kind == "GOAL" else "a rule, a fact or `?-`"
    return Problem(
        "syntax",
        f"expected {_expected(fault, opening)}, found {_found(fault)}",
        where=source.where(fault.span),
        hint=_hint(fault, query),
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


def _expected(fault: Fault, opening: str) -> str:
    left = [t for t in fault.expected if t in _WORDS or t in _COMPARISON or t == "MINUS"]
    if not fault.before and "LABEL" in left:
        return opening
    if len(fault.before) == 1 and fault.before[0][0] == "NAME" and fault.before[0][1] not in _DECLARES:
        left = [t for t in left if t != "NAME"]
    words: list[str] = []
    for group, word in _GROUPS:
        if all(t in left for t in group):
            words.append(word)
            left = [t for t in left if t not in group]
    if fault.kind != END and "DOT" in left:
        left = [t for t in left if t != END]
    words = [_WORDS[t] for t in left if t in _WORDS] + words
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
            name = unicodedata.name(fault.text, "a character without a name").lower()
            return f"{shown if shown.isprintable() else 'the invisible'} U+{ord(fault.text):04X} ({name})"
        case _:
            return f"`{shown}`"


def _hint(fault: Fault, query: bool) -> str | None:
    """The usual mistake behind a fault, when there is one."""
    last = fault.before[-1][0] if fault.before else ""
    if fault.kind in ("BAD", "FOREIGN") and fault.text in _HINTS:
        return _HINTS[fault.text]
    if fault.kind == "BAD" and fault.text.isalpha():
        return "names are made of a-z, A-Z, 0-9 and `_`; any other text stands in quotes"
    if fault.kind == "GOAL":
        return f"a query asks one question, at its end{'' if query else ', and a rules text asks none'}"
    if fault.kind == "IF" and query and not any(kind == "IF" for kind, _ in fault.before):
        return "a query with rules of its own ends with the question: `?- body.`"
    declares = bool(fault.before) and fault.before[0][1] in _DECLARES
    if declares and (fault.kind, last) == ("DOT", "NAME"):
        return "a declaration names its columns: `input edge(from, to).`"
    if fault.kind == END:
        return _USUAL["DOT", "RPAR"] if "DOT" in fault.expected else None
    return _USUAL.get((fault.kind, last)) or _USUAL.get((fault.kind, "any"))
