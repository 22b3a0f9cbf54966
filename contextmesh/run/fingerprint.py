"""A fingerprint of a callable's code: equal for equal code under one Python, and silent about what it cannot see."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import partial
from types import CodeType

UNKNOWN = ""
"""Of a callable without Python code; it is compared with nothing."""


def fingerprint(function: object) -> str:
    """``py3.11:`` and 16 hex digits over bytecode, constants and names; ``UNKNOWN`` when there is no bytecode.

    Line numbers, the file and comments do not count; what the function calls does not either.
    """
    code = _code_of(function)
    if code is None:
        return UNKNOWN
    sha = hashlib.sha256()
    for part in _parts(code):
        sha.update(part.encode("utf-8", "backslashreplace") + b"\x00")
    return f"py{sys.version_info.major}.{sys.version_info.minor}:{sha.hexdigest()[:16]}"


def comparable(one: str, other: str) -> bool:
    """Whether two fingerprints were made by one version of Python from code that could be seen."""
    return bool(one) and bool(other) and one.split(":")[0] == other.split(":")[0]


def _code_of(function: object) -> CodeType | None:
    while isinstance(function, partial):
        function = function.func
    function = getattr(function, "__wrapped__", function)
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(getattr(type(function), "__call__", None), "__code__", None)  # noqa: B004
    return code if isinstance(code, CodeType) else None


def _parts(code: CodeType) -> Iterator[str]:
    """Depth first over nested functions; sets of constants in sorted order, for they have none of their own."""
    stack = [code]
    while stack:
        one = stack.pop()
        yield one.co_code.hex()
        yield " ".join((*one.co_names, "/", *one.co_varnames, "/", *one.co_freevars))
        for constant in one.co_consts:
            if isinstance(constant, CodeType):
                stack.append(constant)
            elif isinstance(constant, frozenset):
                yield "{" + ",".join(sorted(map(repr, constant))) + "}"
            else:
                yield repr(constant)
