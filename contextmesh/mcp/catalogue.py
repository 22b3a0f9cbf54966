"""The one table of tools: names, arguments with types, words and annotations. Server, checks and tests read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["text", "whole", "list", "object"]
Role = Literal["read", "write", "plan", "more"]

_SCHEMA: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "whole": {"type": "integer"},
    "list": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object"},
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    Attributes:
        kind: ``text``, ``whole`` (a whole number), ``list`` (of texts) or ``object``.
        least, most: bounds of a whole number.
    """

    name: str
    kind: Kind = "text"
    words: str = ""
    required: bool = False
    least: int | None = None
    most: int | None = None

    def schema(self) -> dict[str, Any]:
        made = dict(_SCHEMA[self.kind])
        if self.words:
            made["description"] = self.words
        bounds = {"minimum": self.least, "maximum": self.most}
        return made | {name: bound for name, bound in bounds.items() if bound is not None}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        words: what it does, for the model that chooses it.
        answers: the keys that every answer has.
        role: ``read``; ``write``; ``plan``, a write that needs a plan and a registry; ``more``, the door to the rest.
        core: whether the short list has it.
    """

    name: str
    words: str
    arguments: tuple[Argument, ...]
    answers: tuple[str, ...]
    role: Role = "read"
    core: bool = False
    destructive: bool = False
    idempotent: bool = True

    def argument(self, name: str) -> Argument | None:
        return next((a for a in self.arguments if a.name == name), None)

    def input_schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "type": "object",
            "properties": {a.name: a.schema() for a in self.arguments},
            "additionalProperties": False,
        }
        required = [a.name for a in self.arguments if a.required]
        if required:
            made["required"] = required
        return made

    def output_schema(self) -> dict[str, Any]:
        """What an answer has, or else the error: clients hold refusals against the schema too."""
        if not self.answers:
            return {"type": "object"}
        return {"type": "object", "anyOf": [{"required": list(self.answers)}, {"required": ["error"]}]}

    def annotations(self) -> dict[str, bool]:
        """Hints in the words of the protocol; those of a read that follow from its being one are left out."""
        if self.role == "read":
            return {"readOnlyHint": True}
        return {"readOnlyHint": False, "destructiveHint": self.destructive, "idempotentHint": self.idempotent}

    def as_json(self, *, short: bool = False) -> dict[str, Any]:
        """The tool as ``tools/list`` shows it; short without the schema of its answer."""
        shown = {
            "name": self.name,
            "description": self.words,
            "inputSchema": self.input_schema(),
            "annotations": self.annotations(),
        }
        return shown if short else {**shown, "outputSchema": self.output_schema()}


LIMIT = Argument("limit", "whole", "rows at most", least=1, most=200)
NEXT = Argument("next", words="`next` of the page before")
PAGE = (LIMIT, NEXT)
ON = Argument("on", words="ISO date of this commit, for as_of")

TOOLS: tuple[Tool, ...] = (
    Tool(
        "mesh_ask",
        "Ask in plain words. Gives an answer with its path to a source, or one named dead end. Counts the walk.",
        (
            Argument("question", required=True),
            Argument("budget", "whole", "tokens that path and evidence may cost", least=1, most=100_000),
        ),
        ("question", "answer", "dead_end", "detail", "path"),
        core=True,
    ),
    Tool(
        "mesh_get_node",
        "One node by id or name: what is concluded of it, where it was read, its edges.",
        (
            Argument("id", words="id, name or record key", required=True),
            Argument("edge_types", "list", "show only edges of these types"),
            *PAGE,
        ),
        ("id", "type", "label", "conclusions", "edges", "next"),
        core=True,
    ),
    Tool(
        "mesh_health",
        "What is wrong with the mesh, the worst first, each with its remedy.",
        (Argument("signal", words="show all items of this kind"), *PAGE),
        ("status", "signals", "next"),
        core=True,
    ),
    Tool(
        "mesh_lineage",
        "What superseded what around a node, oldest first.",
        (Argument("id", words="id, name or record key", required=True), *PAGE),
        ("id", "lineage", "next"),
    ),
    Tool(
        "mesh_blast_radius",
        "What would fall if an assumption were rejected, with reasons, and how much would stand. Changes nothing.",
        (Argument("assumption", words="id or statement", required=True), *PAGE),
        ("assumption", "committed", "invalidated", "invalidated_count", "preserved_count", "next"),
        core=True,
    ),
    Tool(
        "mesh_explain_as_of",
        "Ask the mesh as it was: what would have been answered, on what was known by a date.",
        (
            Argument("question", required=True),
            Argument("as_of", words="ISO date: known by then", required=True),
            Argument("valid_at", words="ISO date: said by sources dated no later"),
        ),
        ("question", "answer", "dead_end", "detail", "path", "as_of"),
    ),
    Tool(
        "mesh_reconstruct_decision",
        "What a decision stood on, what came only afterwards, and what nothing dates.",
        (
            Argument("decision", words="id, name or record key", required=True),
            Argument("as_of", words="ISO date: known by then"),
            *PAGE,
        ),
        ("decision", "dated", "reasons", "next"),
    ),
    Tool(
        "mesh_query",
        "A bounded Datalog query over facts and conclusions, such as fell(X, A), node(X, decision). "
        "Relations are in contextmesh://schema.",
        (Argument("query", required=True), *PAGE),
        ("columns", "rows", "row_count", "next"),
    ),
    Tool(
        "mesh_why",
        "The shortest proof of a fact, such as invalid('decision:x'), down to lines of rules; "
        "or, for each rule, what is missing.",
        (Argument("fact", required=True), *PAGE),
        ("fact", "holds", "steps", "next"),
    ),
    Tool(
        "mesh_submit_evidence",
        "Record an observation from a source of the mesh. It carries no verdict: a person judges it.",
        (
            Argument("text", required=True),
            Argument("source_id", required=True),
            Argument("external_id", words="its id in your system"),
            Argument("metadata", "object"),
            ON,
        ),
        ("id", "new", "generation"),
        role="write",
        core=True,
    ),
    Tool(
        "mesh_recheck",
        "Let the plan's registered auditors look at every standing result. Executes no work; a result they disprove "
        "takes down what stood on it.",
        (ON,),
        ("round", "audited", "invalidations", "complete", "generation"),
        role="plan",
        destructive=True,
        idempotent=False,
    ),
    Tool(
        "mesh_repair",
        "Move a task of the plan to a new ground and to registered keys; mesh_resume does it then.",
        (
            Argument("task", required=True),
            Argument("assumes", words="the new ground, a statement", required=True),
            Argument("worker_key", words="a registered key"),
            Argument("auditor_key", words="a registered key"),
            Argument("produces", "list", "labels of what it makes"),
            ON,
        ),
        ("task", "assumption", "generation"),
        role="plan",
        idempotent=False,
    ),
    Tool(
        "mesh_resume",
        "One round of the plan: only what is due is executed, by its registered workers.",
        (ON,),
        ("round", "executed", "failed", "complete", "generation"),
        role="plan",
        destructive=True,
        idempotent=False,
    ),
)

MORE = Tool(
    "mesh_more",
    "Call one of the tools that this short list leaves out; without arguments it lists them.",
    (Argument("tool"), Argument("arguments", "object")),
    (),
    role="more",
    core=True,
    destructive=True,
    idempotent=False,
)


def offered(*, plan: bool) -> tuple[Tool, ...]:
    """Every tool that can be called; those of a plan only where there is one."""
    return tuple(tool for tool in TOOLS if plan or tool.role != "plan")


def listed(*, plan: bool, core: bool) -> tuple[Tool, ...]:
    """What ``tools/list`` shows."""
    every = offered(plan=plan)
    return (*(tool for tool in every if tool.core), MORE) if core else every
