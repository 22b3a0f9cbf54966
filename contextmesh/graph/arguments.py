"""What a caller in Python gives is what a write takes: text where an id is wanted, lists where many are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from contextmesh.base.errors import InputError, Problem


def require_texts(**given: Any) -> None:
    """Raises InputError, code ``wrong-type``, where one of these is no text; None is one that was left out."""
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            hint = "give the id of one node, as text" if isinstance(value, list | tuple | set) else None
            raise _wrong(name, "text", value, hint)


def require_required(**given: Any) -> None:
    """As ``require_texts``, where None is no text."""
    for name, value in given.items():
        if value is None:
            raise _wrong(name, "text", value, None)
    require_texts(**given)


def require_lists(**given: Any) -> None:
    """Raises InputError, code ``wrong-type``, where one of these is no list of ids: one id alone is text, and none."""
    for name, value in given.items():
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise _wrong(name, "a list of ids", value, f"{name}=[…]")
        if isinstance(value, list | tuple):
            require_required(**{f"{name}[{at}]": id for at, id in enumerate(value)})


def require_justifications(given: Any) -> None:
    """Raises InputError, code ``wrong-type``, for what is no list of lists of ids; None is one that was left out."""
    if given is None:
        return
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise _wrong("justifications", "a list of lists of ids", given, "justifications=[[…], …]")
    if isinstance(given, list | tuple):
        require_lists(**{f"justifications[{at}]": grounds for at, grounds in enumerate(given)})


def require_mapping(name: str, value: Any) -> None:
    """Raises InputError, code ``wrong-type``, for what is no dict; None is one that was left out."""
    if value is not None and not isinstance(value, Mapping):
        raise _wrong(name, "a dict", value, None)


def _wrong(name: str, wanted: str, value: Any, hint: str | None) -> InputError:
    message = f"`{name}` is {wanted}, and was given as {type(value).__name__}"
    return InputError(Problem("wrong-type", message, subject=name, hint=hint))
