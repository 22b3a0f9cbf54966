"""A typed context graph as a declarative rules engine: the library's front door. Names load when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contextmesh.base.version import VERSION

if TYPE_CHECKING:
    from contextmesh.api import Mesh as Mesh
    from contextmesh.base.errors import LimitReached as LimitReached
    from contextmesh.base.errors import OntologyError as OntologyError
    from contextmesh.base.errors import PolicyError as PolicyError
    from contextmesh.base.errors import Problem as Problem
    from contextmesh.base.errors import Refusal as Refusal
    from contextmesh.base.errors import RuleError as RuleError
    from contextmesh.base.errors import SessionError as SessionError
    from contextmesh.base.errors import SessionLockedError as SessionLockedError
    from contextmesh.graph.graph import ContextGraph as ContextGraph
    from contextmesh.policy import Policy as Policy
    from contextmesh.policy.kinds import EdgeType as EdgeType
    from contextmesh.policy.kinds import NodeType as NodeType
    from contextmesh.resolve.resolver import Resolver as Resolver
    from contextmesh.run.ledger import RunLedger as RunLedger
    from contextmesh.run.registry import TaskRegistry as TaskRegistry
    from contextmesh.run.runner import Runner as Runner
    from contextmesh.run.verdict import Verdict as Verdict
    from contextmesh.session.session import Session as Session

__version__ = VERSION

_HOMES = {
    "Mesh": "api",
    "ContextGraph": "graph",
    "Policy": "policy",
    "Resolver": "resolve",
    "Session": "session",
    "NodeType": "kinds",
    "EdgeType": "kinds",
    **dict.fromkeys(("RunLedger", "Runner", "TaskRegistry", "Verdict"), "run"),
    **dict.fromkeys(
        (
            "LimitReached",
            "OntologyError",
            "PolicyError",
            "Problem",
            "Refusal",
            "RuleError",
            "SessionError",
            "SessionLockedError",
        ),
        "errors",
    ),
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_load(home), name)


def _load(home: str) -> Any:
    """The module behind a name; written out, so that no text of a caller's ever chooses one."""
    if home == "api":
        from contextmesh import api

        return api
    if home == "graph":
        from contextmesh.graph import graph

        return graph
    if home == "policy":
        from contextmesh import policy

        return policy
    if home == "resolve":
        from contextmesh.resolve import resolver

        return resolver
    if home == "run":
        from contextmesh import run

        return run
    if home == "session":
        from contextmesh.session import session

        return session
    if home == "kinds":
        from contextmesh.policy import kinds

        return kinds
    from contextmesh.base import errors

    return errors
