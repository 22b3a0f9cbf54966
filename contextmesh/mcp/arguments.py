"""Arguments as a client sent them, checked against the table: nothing unknown is let pass, nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from contextmesh.base.errors import InputError, Problem, Refusal
from contextmesh.base.strict import parse
from contextmesh.mcp.catalogue import Argument, Kind, Tool

_NAMES: Mapping[Kind, str] = {
    "text": "text",
    "whole": "a whole number",
    "list": "a list of texts",
    "object": "an object",
}


def checked(tool: Tool, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Every argument of the tool, absent ones as None.

    A list, an object or a number that a client sent as its JSON text is read, since several clients do so.

    Raises:
        InputError: ``unknown-argument``, ``missing-argument``, ``wrong-type``, ``broken-json``, ``out-of-range``; all.
    """
    given = given or {}
    problems = [_unknown(tool, name) for name in given if tool.argument(name) is None]
    values: dict[str, Any] = {}
    for argument in tool.arguments:
        try:
            values[argument.name] = _value(tool, argument, given.get(argument.name))
        except Refusal as refusal:
            problems += refusal.problems
    if problems:
        raise InputError(*problems)
    return values


def start_of(next: str | None) -> int:
    """Where a page begins.

    Raises:
        InputError: ``bad-cursor``.
    """
    if next is None:
        return 0
    if not next.isascii() or not next.isdigit() or len(next) > 12:
        hint = "give `next` as the page before gave it, or leave it out"
        raise InputError(Problem("bad-cursor", f"next is no place to go on from: {next[:40]!r}", "next", hint=hint))
    return int(next)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    near = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else None


def _value(tool: Tool, argument: Argument, value: Any) -> Any:
    if value is None:
        if argument.required:
            hint = f"{tool.name} needs {', '.join(a.name for a in tool.arguments if a.required)}"
            raise InputError(Problem("missing-argument", f"{argument.name} is missing", argument.name, hint=hint))
        return None
    if argument.kind == "text":
        return _text(argument, value)
    if isinstance(value, str):
        value = _unwrapped(argument, value)
    if argument.kind == "whole":
        return _whole(argument, value)
    if argument.kind == "list":
        if not isinstance(value, list) or not all(isinstance(member, str) for member in value):
            raise _wrong(argument, value)
        return value
    if not isinstance(value, dict):
        raise _wrong(argument, value)
    return value


def _text(argument: Argument, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(argument, value)
    if argument.required and not value.strip():
        raise InputError(Problem("missing-argument", f"{argument.name} is blank", argument.name))
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        message = f"{argument.name} holds an unpaired surrogate"
        raise InputError(Problem("wrong-type", message, argument.name)) from None
    return value


def _unwrapped(argument: Argument, text: str) -> Any:
    """The value whose JSON text was sent in its place."""
    try:
        return parse(text.encode("utf-8"), argument.name).value
    except (Refusal, UnicodeEncodeError) as error:
        why = error.problem.message if isinstance(error, Refusal) else "it is not text"
        message = f"{argument.name} must be {_NAMES[argument.kind]}, and its text is no JSON: {why}"
        code = "broken-json" if argument.kind != "whole" else "wrong-type"
        raise InputError(Problem(code, message, argument.name, hint=_example(argument))) from None


def _whole(argument: Argument, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(argument, value)
    least, most = argument.least, argument.most
    if (least is not None and value < least) or (most is not None and value > most):
        message = f"{argument.name} must be from {least} to {most}, and is {str(value)[:40]}"
        raise InputError(Problem("out-of-range", message, argument.name))
    return value


def _wrong(argument: Argument, value: Any) -> InputError:
    shown = json.dumps(value, default=str)[:60]
    message = f"{argument.name} must be {_NAMES[argument.kind]}, and is {shown}"
    return InputError(Problem("wrong-type", message, argument.name, hint=_example(argument)))


def _example(argument: Argument) -> str:
    shown = {"text": '"words"', "whole": "10", "list": '["a", "b"]', "object": '{"key": "value"}'}
    return f"write {argument.name}: {shown[argument.kind]}"


def _unknown(tool: Tool, name: str) -> Problem:
    known = [argument.name for argument in tool.arguments]
    takes = f"{tool.name} takes {', '.join(known)}" if known else f"{tool.name} takes no arguments"
    near = did_you_mean(name, known)
    message = f"unknown argument {name[:60]}" + (f", {near}" if near else "")
    return Problem("unknown-argument", message, subject=name[:60], hint=takes)
