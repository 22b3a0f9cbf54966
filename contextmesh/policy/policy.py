"""Policy: GRAPH.md and rules/ as one value, with a digest. Shipped, or with a user's files laid over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from contextmesh.base.canon import digest
from contextmesh.base.errors import Problem, Refusal, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Declaration, Row, RuleText
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.graphmd import parse_graph_md
from contextmesh.lang.render import render_rules
from contextmesh.lang.rules import parse_rules
from contextmesh.policy.contract import check_contract, check_integrity
from contextmesh.policy.files import INTEGRITY, Files, laid_over, shipped
from contextmesh.policy.ontology import Ontology
from contextmesh.policy.read import read_ontology
from contextmesh.policy.schema import ontology_facts


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be written, and what follows from what is written.

    Attributes:
        ontology: the tables of GRAPH.md.
        program: the checked rules, but for those of ``integrity``.
        integrity: the rules of integrity.dl, which compare the files of a session in an engine of their own.
        digest: SHA-256 over the canonical text of all parts; comments, layout and prose do not count.
        facts: the ontology as facts, by relation: given to every engine with the program.
        sources: GRAPH.md, then the rules files by name.
    """

    ontology: Ontology
    program: Program = field(repr=False, compare=False)
    integrity: Program = field(repr=False, compare=False)
    digest: str
    facts: Mapping[str, tuple[Row, ...]] = field(repr=False, compare=False)
    sources: tuple[Source, ...] = field(repr=False, compare=False)

    @classmethod
    def load(cls, directory: Path | str | None = None) -> Policy:
        """The shipped policy, or what ``directory`` lays over it (see policy.files); the shipped one is kept.

        Raises:
            PolicyError: a file that cannot be read, a GRAPH.md that does not make an ontology, or rules that lack
                something read from outside.
            RuleError: rules that are not Datalog, or do not make a program; every problem of every file.
        """
        if directory is None:
            return _shipped_policy()
        return _build(laid_over(shipped(), Path(directory)))


@cache
def _shipped_policy() -> Policy:
    return _build(shipped())


def _build(files: Files) -> Policy:
    ontology = read_ontology(parse_graph_md(files.graph_md))
    texts = _parsed(files)
    program, integrity = _programs(texts)
    check_contract(program, ontology, _shipped_inputs(), files.graph_md.name)
    check_integrity(integrity, _shipped_inputs(integrity=True))
    parts = {
        "ontology": ontology.as_json(),
        "rules": {name: render_rules(text) for name, text in texts.items()},
    }
    return Policy(ontology, program, integrity, digest(parts), ontology_facts(ontology), files.all())


def _programs(texts: Mapping[str, RuleText]) -> tuple[Program, Program]:
    """Of the graph, and of what compares files: all their problems are told at once."""
    made: list[Program] = []
    problems: list[Problem] = []
    apart = [texts[INTEGRITY]]
    for chosen in ([text for name, text in texts.items() if name != INTEGRITY], apart):
        try:
            made.append(build_program(chosen))
        except RuleError as error:
            problems += error.problems
    if problems:
        raise RuleError(*problems)
    return made[0], made[1]


def _parsed(files: Files) -> dict[str, RuleText]:
    """Every rules file; all their problems are told at once."""
    texts: dict[str, RuleText] = {}
    problems: list[Problem] = []
    for name, source in files.rules.items():
        try:
            texts[name] = _parse(source)
        except Refusal as refusal:
            problems += refusal.problems
    if problems:
        raise RuleError(*problems)
    return texts


@lru_cache(maxsize=64)
def _parse(source: Source) -> RuleText:
    """Kept, since an overlay shares most of its files with the shipped policy."""
    return parse_rules(source)


@cache
def _shipped_inputs(*, integrity: bool = False) -> tuple[Declaration, ...]:
    return tuple(_inputs(integrity))


def _inputs(integrity: bool) -> Iterator[Declaration]:
    for name, source in shipped().rules.items():
        if (name == INTEGRITY) == integrity:
            yield from (d for d in _parse(source).declarations if d.kind == "input")
