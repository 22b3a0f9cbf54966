"""The past is only read: what writes anywhere is marked so, and a thing of the past refuses whatever is marked."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from contextmesh.base.errors import OntologyError, Problem

Method = TypeVar("Method", bound=Callable[..., Any])


def writes(method: Method) -> Method:
    """A method that changes its owner, or what is kept of it; refused by an owner whose class says ``is_past``.

    It then raises OntologyError, code ``past-is-read-only``, whatever it was given.
    """

    @wraps(method)
    def guarded(owner: object, /, *given: Any, **named: Any) -> Any:
        if getattr(owner, "is_past", False):
            raise only_read(method.__name__)
        return method(owner, *given, **named)

    guarded.writes = True  # type: ignore[attr-defined]
    return cast("Method", guarded)


def only_read(what: str) -> OntologyError:
    """The refusal of a write to the past."""
    message = f"`{what}` writes, and the past is only read"
    return OntologyError(Problem("past-is-read-only", message, subject=what, hint="write to the mesh of now"))


def is_writer(member: Any) -> bool:
    """Whether a member of a class is marked as one that writes."""
    return getattr(member, "writes", False) is True
