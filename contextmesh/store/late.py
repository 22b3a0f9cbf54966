"""Values that are worked out when somebody reads them, yet as of when they were promised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import ref

from contextmesh.base.errors import Refusal

Value = TypeVar("Value")

PURGE = 64


class Late(Generic[Value]):
    """One such value. Reading it again gives the same, or raises the same refusal."""

    __slots__ = ("__weakref__", "_made", "_make", "_refused")

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make: Callable[[], Value] | None = make
        self._made: list[Value] = []
        self._refused: Refusal | None = None

    def get(self) -> Value:
        """Raises whatever working it out raised."""
        if self._make is not None:
            make, self._make = self._make, None
            try:
                self._made.append(make())
            except Refusal as refusal:
                self._refused = refusal
        if self._refused is not None:
            raise self._refused
        return self._made[0]


class Promises:
    """What was promised of one state of a store and may still be read; kept before the state goes."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: list[ref[Late[object]]] = []

    def late(self, make: Callable[[], Value]) -> Late[Value]:
        """A promise, which costs nothing when nobody holds it any more."""
        if len(self._open) >= PURGE:
            self._open = [kept for kept in self._open if kept() is not None]
        promise = Late(make)
        self._open.append(ref(promise))  # type: ignore[arg-type]
        return promise

    def keep(self) -> None:
        """Work out whatever somebody still holds, oldest first; to be called before the state changes."""
        promises, self._open = self._open, []
        for kept in promises:
            promise = kept()
            if promise is not None:
                try:
                    promise.get()
                except Refusal:
                    continue  # told to whoever reads it
