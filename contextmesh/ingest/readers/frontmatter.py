"""YAML, read by PyYAML as a tree of marked scalars: nothing is constructed, no alias unfolded, all of it bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from contextmesh.base.errors import InputError, Problem
from contextmesh.base.shallow_yaml import yaml_tree

_FENCE = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
MAX_BYTES = 1 << 18
MAX_NODES = 50_000
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Scalar:
    """One scalar: the keys that lead to it (positions of lists left out), its text, its place in the YAML text."""

    path: tuple[str, ...]
    value: str
    start: int
    end: int
    block: bool


def front_matter(text: str) -> tuple[str, int, int] | None:
    """The YAML at the head of a text, its offset, and the 1-based line after it; None when there is none."""
    opening = _FENCE.match(text)
    if opening is None:
        return None
    closing = _CLOSE.search(text, opening.end())
    if closing is None or closing.end() - opening.end() > MAX_BYTES:
        return None
    inside = text[opening.end() : closing.start()]
    return inside, opening.end(), text.count("\n", 0, closing.end()) + 2


def yaml_scalars(text: str, name: str) -> list[Scalar]:
    """Every scalar of the first YAML document of a text, in order.

    Raises:
        InputError: bad-yaml (not YAML), yaml-too-big (too long, too many nodes, or too deep).
    """
    if len(text) > MAX_BYTES:
        raise InputError(Problem("yaml-too-big", f"the YAML is longer than {MAX_BYTES} characters", subject=name))
    return _collect(yaml_tree(text, name), name)


def _collect(root: Any, name: str) -> list[Scalar]:
    found: list[Scalar] = []
    seen: dict[int, None] = {}
    stack: list[tuple[Any, tuple[str, ...]]] = [(root, ())] if root is not None else []
    while stack:
        node, path = stack.pop()
        if node.id != "scalar":
            if id(node) in seen:  # an alias: said once already
                continue
            seen[id(node)] = None
        if len(seen) + len(found) > MAX_NODES or len(path) > MAX_DEPTH:
            raise _too_big(name)
        if node.id == "scalar":
            found.append(_scalar(node, path))
        elif node.id == "sequence":
            stack.extend((child, path) for child in reversed(node.value))
        else:
            stack.extend((child, (*path, str(key.value))) for key, child in reversed(node.value))
    return found


def _scalar(node: Any, path: tuple[str, ...]) -> Scalar:
    return Scalar(path, node.value, node.start_mark.index, node.end_mark.index, node.style in ("|", ">"))


def _too_big(name: str) -> InputError:
    return InputError(Problem("yaml-too-big", f"the YAML has more than {MAX_NODES} nodes or is too deep", subject=name))
