"""Two prompts, for the two things people do with a memory that can fall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from contextmesh.base.errors import InputError, Problem, UnknownError

_RECORD = """\
Write down a decision with its grounds: {subject}

1. mesh_ask what is known about it already; keep the ids on the path of each answer. A dead end is a finding: say so.
2. mesh_get_node on what you mean to cite: is it live, who said it, where was it read?
3. Name every assumption the decision would stand on, one falsifiable sentence each. For those that exist, run
   mesh_blast_radius: what falls with them would fall with this decision's neighbours too.
4. What you observed yourself goes in as mesh_submit_evidence, from a source that is in the mesh. It carries no verdict.
5. Draft the decision record: title, date, rationale, what it cites, what it depends on, what it supersedes. A person
   puts the record in with `contextmesh ingest FILE --as decisions --session DIR`.
"""
_INVESTIGATE = """\
Find out what fell and why: {subject}

1. mesh_health: begin with the signals invalidated_nodes and open_contradictions.
2. mesh_query `fell(X, A), node(X, decision)`: each decision X with the assumption A that took it down.
3. For each, mesh_why `fell('<X>', '<A>')` gives the proof, down to the line of the rule.
4. mesh_get_node on X: does something live supersede it (mesh_lineage)? What does it still stand on?
5. Report what fell, on which evidence, what replaced it, and what still stands although it lost a ground.
   Where a plan is offered, mesh_resume executes only what is due after a mesh_repair.
"""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text with one place to fill in."""

    name: str
    words: str
    argument: str
    argument_words: str
    required: bool
    text: str


PROMPTS = (
    Prompt(
        "record_decision", "Record a decision with its grounds.", "decision", "what is to be decided", True, _RECORD
    ),
    Prompt(
        "investigate_fall",
        "Investigate what fell, and why.",
        "subject",
        "an assumption, a decision or an area; everything when left out",
        False,
        _INVESTIGATE,
    ),
)


def filled(name: str, given: Mapping[str, str] | None) -> str:
    """The text of a prompt.

    Raises:
        UnknownError: ``unknown-prompt``. InputError: ``missing-argument``, ``unknown-argument``.
    """
    prompt = next((p for p in PROMPTS if p.name == name), None)
    if prompt is None:
        hint = f"one of {', '.join(p.name for p in PROMPTS)}"
        raise UnknownError(Problem("unknown-prompt", f"no prompt is called {name[:60]}", name[:60], hint=hint))
    for other in given or {}:
        if other != prompt.argument:
            hint = f"did you mean {prompt.argument}?"
            raise InputError(Problem("unknown-argument", f"unknown argument {other[:60]}", other[:60], hint=hint))
    subject = (given or {}).get(prompt.argument, "").strip()
    if prompt.required and not subject:
        raise InputError(Problem("missing-argument", f"{prompt.argument} is missing", prompt.argument))
    return prompt.text.format(subject=subject or "everything")
