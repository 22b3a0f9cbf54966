"""One call at a time on one graph, whatever thread it comes from: reading may derive, and so write, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

Given = ParamSpec("Given")
Gives = TypeVar("Gives")
Call = Callable[Concatenate["ContextGraph", Given], Gives]


def alone(method: Call[Given, Gives]) -> Call[Given, Gives]:
    """A method that holds its graph's lock while it runs; a thread that holds the lock already goes on."""

    @wraps(method)
    def held(graph: ContextGraph, /, *given: Given.args, **named: Given.kwargs) -> Gives:
        with graph.store.lock:
            return method(graph, *given, **named)

    return held
