"""Cases from text: what is stated, what is written, and what must follow, in the words of the rule language.

    case "A decision falls with the assumption it stands on".
    given   node(a, assumption), node(d, decision), edge(l, d, depends_on, a).
    given   node(e, evidence), edge(m, e, contradicts, a).
    reject(a, e).
    expect  fell(d, a), not live(d), 2 = count { X : invalid(X) }.
    only    fell(a, a), fell(d, a).

A step is a word and literals, and ends with a full stop; `%` starts a comment. Steps before the first case are steps of
every case of the file.

======================= ====================================================================================
``given FACT, ….``      facts come, and nobody judges them
``drop FACT, ….``       facts go
``write FACT, ….``      facts come as one transaction, which the rules of ``violation`` judge
``reject(A, E).``       a verdict is written: the evidence E disproves the assumption A
``refused CODE(X), ….`` the write right before is refused, and these are all the violations that are expected
``expect LITERAL, ….``  each holds; literals that share variables hold together
``only FACT, ….``       each relation that is named has these rows, and no others
======================= ====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from typing import Literal as Choice

from contextmesh.base.errors import Problem, RuleError
from contextmesh.base.source import Source, Span
from contextmesh.datalog.ast import At, Atom, Const, Literal, Row
from contextmesh.datalog.fold import ground, place
from contextmesh.lang.parser import span_of
from contextmesh.lang.reader import Bad, Reader
from contextmesh.lang.rules import MAX_PROBLEMS, checked_source, refuse, sentence_tree, statements
from contextmesh.lang.words import BadEscape, unquote

if TYPE_CHECKING:
    from lark import Token

Kind = Choice["given", "drop", "write", "reject", "refused", "expect", "only"]

MAX_CASES = 2000
"""Of one file."""
MAX_STEPS = 10_000
"""Of one file, all cases together."""

_FACTS = ("given", "drop", "write", "only")
_WORDS = ("case", *_FACTS, "reject", "refused", "expect")


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        facts: of ``given``, ``drop``, ``write``, ``only``: relation, row and place; of ``reject`` the relation is the
            word itself, and the row the assumption and the evidence.
        body: the literals of ``expect`` and ``refused``, as written.
    """

    kind: Kind
    facts: tuple[tuple[str, Row, At], ...]
    body: tuple[Literal, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Case:
    """What it says, the steps of the file and then its own, and where it starts."""

    says: str
    steps: tuple[Step, ...]
    at: At


@dataclass(frozen=True, slots=True)
class CaseText:
    """The cases of one text, in the order written."""

    source: Source
    cases: tuple[Case, ...]


def parse_cases(source: Source) -> CaseText:
    """The cases of a text.

    Raises:
        RuleError: every problem of the text, at most 20: those of ``parse_rules``, ``not-ground`` for a fact with a
            variable, ``case-twice``, ``no-cases``.
    """
    source = checked_source(source)
    reader = _CaseReader(source)
    for tokens in statements(source, reader.problems):
        reader.step(tokens)
        if len(reader.problems) >= MAX_PROBLEMS:
            break
    if not reader.cases and not reader.problems:
        hint = 'a case starts with: case "What is true of these rules".'
        reader.problems.append(Problem("no-cases", f"{source.name} holds no case", subject=source.name, hint=hint))
    refuse(reader.problems)
    return CaseText(source, tuple(reader.made()))


class _CaseReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.common: list[Step] = []
        self.cases: dict[str, tuple[At, list[Step]]] = {}
        self._steps = self.common
        self._count = 0

    def made(self) -> Iterator[Case]:
        for says, (at, steps) in self.cases.items():
            yield Case(says, (*self.common, *steps), at)

    def step(self, tokens: Sequence[Token]) -> None:
        try:
            self._read(tokens)
        except Bad as bad:
            self.problems.append(bad.problem)
        except RuleError as refusal:
            self.problems += refusal.problems
        self._count += 1
        if self._count > MAX_STEPS or len(self.cases) > MAX_CASES:
            what = f"{MAX_STEPS} steps" if self._count > MAX_STEPS else f"{MAX_CASES} cases"
            message = f"a file of cases has at most {what}, and more start here"
            hint = "part it into several files"
            self.problems += [Problem("too-long", message, where=self.source.where(span_of(tokens[0])), hint=hint)]
            refuse(self.problems[:MAX_PROBLEMS])

    def _read(self, tokens: Sequence[Token]) -> None:
        word = str(tokens[0])
        if tokens[0].type != "NAME" or word not in _WORDS:
            shown = f"`{word}`" if len(word) <= 40 else "this"
            raise self._bad(f"a step starts with {', '.join(_WORDS[:-1])} or {_WORDS[-1]}, not {shown}", tokens[0])
        at = At(self.source, Span(span_of(tokens[0]).start, span_of(tokens[-1]).end))
        if word == "case":
            self._case(tokens, at)
        elif word == "reject":
            self._steps.append(Step("reject", (self._verdict(tokens),), (), at))
        else:
            self._steps.append(self._literals(cast(Kind, word), tokens, at))

    def _case(self, tokens: Sequence[Token], at: At) -> None:
        shape = [token.type for token in tokens]
        if shape != ["NAME", "STRING", "DOT"]:
            wrong = next(
                (t for t, want in zip(tokens, ("NAME", "STRING", "DOT"), strict=False) if t.type != want), None
            )
            raise self._bad("a case is the word, what it says in quotes, and a full stop", wrong or tokens[-1])
        says = unquote(str(tokens[1]))
        if isinstance(says, BadEscape):
            raise self._bad(f"`{says.escape}` is no escape of a text", tokens[1])
        if says in self.cases:
            first, where = place(self.cases[says][0]), place(at)
            also = (first,) if first is not None else ()
            hint = "a case is chosen by what it says: say it otherwise"
            problem = Problem(
                "case-twice", "a case says what one before it says", says, where=where, also=also, hint=hint
            )
            raise RuleError(problem)
        self.cases[says] = (at, [])
        self._steps = self.cases[says][1]

    def _verdict(self, tokens: Sequence[Token]) -> tuple[str, Row, At]:
        tree = sentence_tree(self.source, "fact", tokens, self.problems)
        reader = Reader(self.source)
        atom = reader.fact(tree) if tree is not None else None
        self.problems += reader.problems
        if atom is not None and len(atom.terms) != 2:
            raise self._bad("a verdict names an assumption and the evidence: reject(a, e)", tokens[0])
        at = At(self.source, span_of(tokens[0])) if atom is None or atom.at is None else atom.at
        return "reject", ground(atom) if atom is not None else (), at

    def _literals(self, kind: Kind, tokens: Sequence[Token], at: At) -> Step:
        if len(tokens) < 2 or tokens[1].type == "DOT":
            raise self._bad(f"{kind} says nothing", tokens[0])
        tree = sentence_tree(self.source, "goal", tokens[1:], self.problems)
        reader = Reader(self.source)
        body = reader.goal(tree) if tree is not None else ()
        self.problems += reader.problems
        if kind == "refused" and (not self._steps or self._steps[-1].kind not in ("write", "reject")):
            raise self._bad("refused stands right after a write or a reject", tokens[0])
        if kind not in _FACTS:
            wrong = [part for part in body if kind == "refused" and not isinstance(part, Atom)]
            if wrong:
                raise Bad(Problem("syntax", "a violation is written CODE(SUBJECT)", where=place(wrong[0].at)))
            return Step(kind, (), body, at)
        facts = []
        for part in body:
            if not isinstance(part, Atom):
                raise Bad(Problem("syntax", f"{kind} takes facts, such as node(x, claim)", where=place(part.at)))
            facts.append((part.relation, ground(part), part.at or at))
        return Step(kind, tuple(facts), (), at)

    def _bad(self, message: str, token: Token) -> Bad:
        return Bad(Problem("syntax", message, where=self.source.where(span_of(token))))


def fact_atom(relation: str, row: Row, at: At | None = None) -> Atom:
    """A row as an atom."""
    return Atom(relation, tuple(Const(value) for value in row), at)
