"""Lines of rows decoded in C, with the types of their columns: the one place that knows msgspec.

What it refuses, the careful reader refuses too, and says what and where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, Literal

from contextmesh.store.records_format import Suspect

Rows = Sequence[tuple[Any, ...]]


def decode(kind: str, line: bytes) -> Rows:
    """The rows of a line; attributes, terms and older records are left as the bytes they are (``raw``).

    Raises:
        Suspect: it is no JSON, or a column has another type or a number out of range.
    """
    read = _decoders().get(kind)
    if read is None:
        raise Suspect
    return read(line)


def raw(value: Any) -> bytes:
    """The bytes of a value that was left undecoded."""
    return bytes(value)


@cache
def _decoders() -> dict[str, Callable[[bytes], Rows]]:
    from msgspec import DecodeError, Meta, Raw, ValidationError
    from msgspec.json import Decoder

    number = Annotated[int, Meta(ge=0)]
    from_one = Annotated[int, Meta(ge=1)]
    name = Annotated[str, Meta(min_length=1)]
    weight = Annotated[float, Meta(gt=0)]
    span = tuple[number, number] | None
    provenance = tuple[number | str, span, number, tuple[number, ...], number]
    numbers = tuple[number, ...]
    maybe = number | None
    vector = Literal[0, 1] | Annotated[list[float], Meta(min_length=1)]
    rows: dict[str, Any] = {
        "nodes": tuple[name, number, str, Raw, provenance | None, vector, number, bool, number, number],
        "edges": tuple[name, number, number, number, maybe, numbers, weight, number, number, number],
        "assumptions": tuple[number, str, from_one, str, number, maybe, maybe, maybe, numbers],
        "verdicts": tuple[number, number, number],
        "facts": tuple[str, list[str | int], number, bool],
        "older": tuple[number, Literal["node", "edge"], Raw, bool],
        "transactions": tuple[number, str, str | None, number],
    }

    def reader(kind: str) -> Callable[[bytes], Rows]:
        decoder = Decoder(tuple[Literal[kind], list[rows[kind]]])  # type: ignore[valid-type]

        def read(line: bytes) -> Rows:
            try:
                found: tuple[str, Rows] = decoder.decode(line)
            except (ValidationError, DecodeError, RecursionError):
                raise Suspect from None
            return found[1]

        return read

    return {kind: reader(kind) for kind in rows}
