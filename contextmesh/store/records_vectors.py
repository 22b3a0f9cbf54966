"""Vectors as float32, read from the bytes of a file when somebody looks at one; no number is ever rounded."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import overload

FLOAT32 = 4
_NOT_FINITE = (b"\x7f", b"\xff")


class Vector(Sequence[float]):
    """A vector over a part of a file's bytes; equal to any sequence of the same numbers."""

    __slots__ = ("_view",)

    def __init__(self, view: memoryview) -> None:
        self._view = view

    def __len__(self) -> int:
        return len(self._view) // FLOAT32

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[float]: ...
    def __getitem__(self, at: int | slice) -> float | Sequence[float]:
        return self._numbers()[at]

    def __iter__(self) -> Iterator[float]:
        return iter(self._numbers())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"Vector({len(self)} numbers)"

    @property
    def raw(self) -> bytes:
        """Its bytes, little-endian."""
        return bytes(self._view)

    def _numbers(self) -> array[float]:
        numbers = array("f", self._view.tobytes())
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers


def packed(vector: Sequence[float]) -> bytes | None:
    """The numbers as float32, little-endian, or None when one of them is not exactly a float32."""
    if isinstance(vector, Vector):
        return vector.raw
    try:
        numbers = array("f", vector)
    except OverflowError:
        return None
    if any(a != b for a, b in zip(numbers, vector, strict=True)):
        return None
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def first_not_finite(data: bytes) -> int | None:
    """The index of the first number of float32 bytes that is infinite or none, or None; looks at bytes, not numbers."""
    high = data[3::FLOAT32]
    found: list[int] = []
    for byte in _NOT_FINITE:
        at = high.find(byte)
        while at >= 0 and not data[at * FLOAT32 + 2] & 0x80:
            at = high.find(byte, at + 1)
        if at >= 0:
            found.append(at)
    return min(found, default=None)
