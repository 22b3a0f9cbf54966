"""A call by name: the tool is looked up, its arguments are checked, and it is run; the SDK has no part in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import Problem, UnknownError
from contextmesh.mcp.arguments import checked, did_you_mean
from contextmesh.mcp.budget import noted
from contextmesh.mcp.catalogue import MORE, Tool, listed, offered
from contextmesh.mcp.served import EVERY_ASK
from contextmesh.mcp.tools import READS
from contextmesh.mcp.writes import WRITES

if TYPE_CHECKING:
    from contextmesh.mcp.served import Served


def call(served: Served, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The answer of a tool, as a JSON document.

    Raises:
        UnknownError: ``unknown-tool``.
        Refusal: what the arguments, the rules or the session refuse.
    """
    if name == MORE.name:
        return _more(served, checked(MORE, given))
    tool = tool_named(served, name)
    values = checked(tool, given)
    if tool.role in ("write", "plan"):
        served.require_writable()
        return WRITES[tool.name](served, values)
    if tool.name == "mesh_ask":  # of the reads the only one that commits anything: counters of walks
        answer, problems = served.ask(lambda mesh: READS[tool.name](mesh, values))
        return noted(answer, [served.without_places(problem.as_json()) for problem in problems])
    return served.read(lambda mesh: READS[tool.name](mesh, values))


def tool_named(served: Served, name: str) -> Tool:
    """Raises UnknownError, ``unknown-tool``."""
    every = offered(plan=served.has_plan)
    found = next((tool for tool in every if tool.name == name), None)
    if found is not None:
        return found
    if any(tool.name == name for tool in offered(plan=True)):
        hint = "it needs a session with a plan, and a server that was launched with the registry of its workers"
        raise UnknownError(Problem("unknown-tool", f"{name} is not offered here", subject=name, hint=hint))
    known = [tool.name for tool in every]
    hint = did_you_mean(name, known) or f"one of {', '.join(known)}"
    raise UnknownError(Problem("unknown-tool", f"no tool is called {name[:60]}", subject=name[:60], hint=hint))


def may_write(served: Served, name: str) -> bool:
    """Whether a call may have to wait for its turn to commit."""
    if name == "mesh_ask":
        return served.checkpoint == EVERY_ASK
    return name not in READS


def _more(served: Served, values: dict[str, Any]) -> dict[str, Any]:
    """The rest of the tools by name, or a call of any of them."""
    if values["tool"] is not None:
        return call(served, tool_named(served, values["tool"]).name, values["arguments"])
    short = {tool.name for tool in listed(plan=served.has_plan, core=True)}
    rest = [tool for tool in offered(plan=served.has_plan) if tool.name not in short]
    return {"tools": [tool.as_json(short=True) for tool in rest]}
