"""The total order of values: whole numbers before text, text by code point."""

from __future__ import annotations

from contextmesh.datalog.ast import Row, Value

Key = tuple[bool, Value]


def value_key(value: Value) -> Key:
    """A sort key; keys compare as the values do under ``<``."""
    return isinstance(value, str), value


def row_key(row: Row) -> tuple[Key, ...]:
    """The key of a row, column by column."""
    return tuple(value_key(value) for value in row)
