"""What any GRAPH.md and any rules folder must still provide, because Python reads it by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from contextmesh.base.errors import PolicyError, Problem, Where
from contextmesh.datalog.ast import Declaration
from contextmesh.datalog.program import Program
from contextmesh.policy.ontology import Ontology

OUTPUTS: Mapping[str, tuple[str, ...]] = {
    # legality
    "violation": ("code", "subject"),
    # propagation
    "rejected": ("assumption", "seq"),
    "fell": ("id", "root"),
    "rebuilt": ("id", "seq"),
    "invalid": ("id",),
    "live": ("id",),
    "edge_dead": ("edge",),
    "unfounded": ("id",),
    "suspect": ("id",),
    "rescued": ("id",),
    "lost": ("id", "justification"),
    "stands_on": ("id", "justification"),
    # lineage
    "replaced": ("new", "old"),
    "superseded": ("id",),
    "status": ("assumption", "word"),
    "current": ("id",),
    # provenance and time
    "sourced": ("id",),
    "gap": ("id",),
    "redacted": ("id", "why"),
    "known": ("id", "day"),
    "undated": ("id",),
    "names_successor": ("id", "key"),
    # walk
    "walks": ("type", "price"),
    "reads_back": ("type", "price"),
    "asserts": ("kind",),
    "answers": ("kind",),
    "asks_for": ("words", "place", "type", "direction"),
    "looks_for": ("words", "sign"),
    "ground_word": ("type",),
    "dead_end": ("question", "reason"),
    # health and prune
    "signal": ("kind", "subject"),
    "severity": ("kind", "word"),
    "remedy": ("kind", "words"),
    "prunable": ("id", "reason"),
    # schedule
    "task": ("task", "assumption"),
    "failed": ("task",),
    "stale": ("task",),
    "done": ("task",),
    "pending": ("task",),
    "ready": ("task",),
    "blocked": ("task", "reason"),
}
"""Relations that Python reads, with their columns. Rules may change what is in them, not whether they exist."""

INTEGRITY_OUTPUTS: Mapping[str, tuple[str, ...]] = {
    "integrity_violation": ("code", "subject", "file", "row", "field", "item"),
}
"""The same of the rules in integrity.dl."""

KINDS = ("entity", "claim", "source", "decision", "assumption", "evidence")
"""Node types that Python acts on by name; GRAPH.md declares at least these."""

EDGE_TYPES = (
    "mentions",
    "derived_from",
    "cites",
    "contradicts",
    "supports",
    "depends_on",
    "produces",
    "supersedes",
    "justified_by",
)
"""Edge types that Python writes by name; GRAPH.md declares at least these."""


def check_contract(program: Program, ontology: Ontology, inputs: Iterable[Declaration], graph_md: str) -> None:
    """Refuses a policy that lacks something Python fills or reads.

    Args:
        inputs: the declarations of the shipped inputs.
        graph_md: the name of the file the ontology was read from.

    Raises:
        PolicyError: every lack (codes ``missing-output``, ``changed-output``, ``missing-input``, ``changed-input``,
            ``missing-type``).
    """
    problems = [*_types(ontology, graph_md), *_inputs(program, inputs), *_outputs(program, OUTPUTS)]
    if problems:
        raise PolicyError(*problems)


def check_integrity(program: Program, inputs: Iterable[Declaration]) -> None:
    """The same of the rules that compare files.

    Raises:
        PolicyError: as ``check_contract``.
    """
    problems = [*_inputs(program, inputs), *_outputs(program, INTEGRITY_OUTPUTS)]
    if problems:
        raise PolicyError(*problems)


def _types(ontology: Ontology, graph_md: str) -> Iterator[Problem]:
    lacks = [("node", name) for name in KINDS if name not in ontology.kinds]
    lacks += [("edge", name) for name in EDGE_TYPES if name not in ontology.edge_types]
    for what, name in lacks:
        hint = "the engine writes it by name: put its row back"
        message = f"{graph_md} declares no {what} type `{name}`"
        yield Problem("missing-type", message, name, where=Where(graph_md), hint=hint)


def _outputs(program: Program, wanted_outputs: Mapping[str, tuple[str, ...]]) -> Iterator[Problem]:
    for name, columns in wanted_outputs.items():
        found = program.declarations.get(name)
        wanted = f"output {name}({', '.join(columns)})."
        if found is None:
            message = f"no rules file declares `{name}`, which is read from outside"
            yield Problem("missing-output", message, name, hint=f"declare it: {wanted}")
        elif found.kind != "output" or found.columns != columns:
            message = f"`{name}` is declared otherwise than it is read from outside"
            yield _changed("changed-output", message, found, wanted)


def _inputs(program: Program, inputs: Iterable[Declaration]) -> Iterator[Problem]:
    for wanted in inputs:
        found = program.declarations.get(wanted.name)
        text = f"input {wanted.name}({', '.join(wanted.columns)})."
        if found is None:
            message = f"no rules file declares the input `{wanted.name}`, which is filled from outside"
            yield Problem("missing-input", message, wanted.name, hint=f"declare it: {text}")
        elif found.kind != "input" or len(found.columns) != len(wanted.columns):
            message = f"`{wanted.name}` is declared otherwise than it is filled from outside"
            yield _changed("changed-input", message, found, text)


def _changed(code: str, message: str, found: Declaration, wanted: str) -> Problem:
    where = found.at.source.where(found.at.span) if found.at is not None else None
    return Problem(code, message, found.name, where=where, hint=f"declare it: {wanted}")
