"""A row of ``violation`` becomes a Problem: the rules decide, this says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches

from contextmesh.base.errors import OntologyError, Problem, fields_of
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.explain import Derivation
from contextmesh.policy import Ontology
from contextmesh.store.explain import one_line
from contextmesh.store.model import Edge, Node

REPORTED = 20
"""How many violations of one transaction are told."""


class Wording:
    """Words for the violations of one transaction, while its facts still stand."""

    def __init__(
        self, engine: Engine, ontology: Ontology, node_of: Callable[[str], Node | None], edges: Mapping[str, Edge]
    ) -> None:
        self._engine = engine
        self._ontology = ontology
        self._node_of = node_of
        self._edges = edges

    def refusal(self, rows: Sequence[Row], order: Mapping[str, int]) -> OntologyError:
        """Every violation (the first 20) in the order in which the records were put."""
        ranked = sorted(rows, key=lambda row: (order.get(str(row[1]), len(order)), str(row[1]), str(row[0])))
        problems = [self._problem(str(row[0]), str(row[1]), row) for row in ranked[:REPORTED]]
        if len(ranked) > REPORTED:
            left = len(ranked) - REPORTED
            problems.append(Problem("more-violations", f"and {left} more", fields=(("count", left),)))
        return OntologyError(problems[0], *problems[1:])

    def _problem(self, rule_code: str, subject: str, row: Row) -> Problem:
        derivation = self._engine.explain("violation", row)
        note = one_line(derivation) if derivation is not None else None
        words = _WORDS.get(rule_code)
        told = words(self, subject) if words is not None else None
        code, message, fields, hint = told or (_kebab(rule_code), _generic(rule_code, subject, derivation), {}, None)
        return Problem(code, message, subject=subject, fields=fields_of(fields), note=note, hint=hint)

    # -- one method a code ------------------------------------------------------------------------

    def no_such_node_type(self, subject: str) -> _Told:
        kind = self._kind(subject)
        return (
            "no-such-node-type",
            f"`{kind}` is not a node type of GRAPH.md{did_you_mean(kind, self._ontology.kinds)}",
            {"type": kind},
            f"GRAPH.md has {', '.join(self._ontology.kinds)}",
        )

    def no_such_edge_type(self, subject: str) -> _Told:
        kind = self._edges[subject].type
        return (
            "no-such-edge-type",
            f"`{kind}` is not an edge type of GRAPH.md{did_you_mean(kind, self._ontology.edge_types)}",
            {"type": kind},
            f"GRAPH.md has {', '.join(self._ontology.edge_types)}",
        )

    def unknown_source(self, subject: str) -> _Told:
        edge = self._edges[subject]
        return self._unknown_end(edge, edge.src, "from")

    def unknown_target(self, subject: str) -> _Told:
        edge = self._edges[subject]
        return self._unknown_end(edge, edge.dst, "to")

    def self_edge(self, subject: str) -> _Told:
        edge = self._edges[subject]
        return ("self-edge", f"{edge.src} -[{edge.type}]-> itself: an edge joins two nodes", _ends(edge), None)

    def illegal_pair(self, subject: str) -> _Told:
        edge = self._edges[subject]
        pair = f"{self._kind(edge.src)}-[{edge.type}]->{self._kind(edge.dst)}"
        legal = sorted(f"{a}->{b}" for a, b in self._ontology.legal_pairs(edge.type))
        allows = f"GRAPH.md allows {', '.join(legal)}" if legal else "GRAPH.md allows no pair for it"
        return ("illegal-pair", f"{pair} is not a legal pair; {allows}", _ends(edge), None)

    def missing_field(self, subject: str) -> _Told | None:
        node = self._node_of(subject)
        if node is None:
            return None
        must = self._ontology.must_carry(node.type)
        missing = [f for f in must if not self._engine.holds("carries", (subject, f))]
        words = ", ".join(f"`{f}`" for f in missing)
        return (
            "missing-field",
            f"{node.type} {subject} lacks {words}; GRAPH.md says it must carry {', '.join(f'`{f}`' for f in must)}",
            {"type": node.type, "missing": ", ".join(missing)},
            None,
        )

    def two_identities(self, subject: str) -> _Told:
        labels = [str(row[1]) for row in self._engine.match("named", (subject, None))]
        return (
            "two-identities",
            f"{subject} would name two things: {' and '.join(repr(x) for x in labels)}",
            {},
            "give the new thing an id of its own, or none at all",
        )

    def repeated_edge(self, subject: str) -> _Told:
        edge = self._edges[subject]
        ids = [str(row[0]) for row in self._engine.match("edge", (None, edge.src, edge.type, edge.dst))]
        other = next(name for name in ids if name != subject)
        message = f"{edge.src} -[{edge.type}]-> {edge.dst} is already the edge {other}"
        return ("repeated-edge", message, _ends(edge), None)

    def edge_id_taken(self, subject: str) -> _Told:
        return ("id-taken", f"the edge id {subject} already names something else", {}, None)

    def node_id_taken(self, subject: str) -> _Told:
        hint = "give the node another id, or none at all"
        return ("id-taken", f"{subject} already names an edge", {}, hint)

    def already_rejected(self, subject: str) -> _Told:
        hint = "add the new evidence as a contradiction; the rejection stands"
        return ("already-rejected", f"{subject} was rejected before, on other evidence", {}, hint)

    def unwitnessed_verdict(self, subject: str) -> _Told:
        return (
            "unwitnessed-verdict",
            f"no live evidence contradicts {subject}, so it cannot be rejected",
            {},
            "submit evidence first, and name it in the rejection",
        )

    def supersedes_itself(self, subject: str) -> _Told:
        return ("supersedes-itself", f"{subject} would come to supersede itself", {}, None)

    # -- parts ------------------------------------------------------------------------------------

    def _kind(self, node_id: str) -> str:
        node = self._node_of(node_id)
        return node.type if node is not None else "?"

    def _unknown_end(self, edge: Edge, end: str, word: str) -> _Told:
        return (
            "unknown-node",
            f"the edge {edge.src} -[{edge.type}]-> {edge.dst} leads {word} {end}, which is not in the graph",
            {**_ends(edge), "missing": end},
            "add the node first, or in the same batch",
        )


_Told = tuple[str, str, dict[str, str], str | None]

_WORDS: Mapping[str, Callable[[Wording, str], _Told | None]] = {
    "no_such_node_type": Wording.no_such_node_type,
    "no_such_edge_type": Wording.no_such_edge_type,
    "unknown_source": Wording.unknown_source,
    "unknown_target": Wording.unknown_target,
    "self_edge": Wording.self_edge,
    "illegal_pair": Wording.illegal_pair,
    "missing_field": Wording.missing_field,
    "two_identities": Wording.two_identities,
    "repeated_edge": Wording.repeated_edge,
    "edge_id_taken": Wording.edge_id_taken,
    "node_id_taken": Wording.node_id_taken,
    "already_rejected": Wording.already_rejected,
    "unwitnessed_verdict": Wording.unwitnessed_verdict,
    "supersedes_itself": Wording.supersedes_itself,
}


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """``; did you mean `x`?`` or nothing."""
    close = get_close_matches(name, known, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _generic(code: str, subject: str, derivation: Derivation | None) -> str:
    """A rule of the user's own: its label's words, or its code."""
    words = derivation.words if derivation is not None else None
    return words or f"the rules refuse {subject}: {code.replace('_', ' ')}"


def _kebab(code: str) -> str:
    return code.replace("_", "-")


def _ends(edge: Edge) -> dict[str, str]:
    return {"src": edge.src, "type": edge.type, "dst": edge.dst}
