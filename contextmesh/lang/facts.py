"""Facts from a folder of tab-separated files: one file a relation, one line a row, one field a column."""

from __future__ import annotations

import re
from pathlib import Path

from contextmesh.base.errors import InputError, Problem, Where
from contextmesh.base.files import read_bytes
from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.limits import WHOLE_MAX, WHOLE_MIN

_WHOLE = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_RELATION = re.compile(r"(?!not\.)[a-z][A-Za-z0-9_]*\.tsv", re.ASCII)
_LONGEST = len(str(WHOLE_MIN))
MAX_BYTES = 256 * 1024 * 1024
"""Of one file."""


def read_facts(directory: Path) -> dict[str, list[Row]]:
    """The rows of each ``<relation>.tsv``, relations by name, rows in the order of their lines.

    A field is a whole number when it is written like one (``0``, ``-17``, but not ``007``), and text otherwise,
    as it stands: there are no quotes and no escapes. An empty file is a relation without rows.

    Raises:
        InputError: not-a-directory; no-facts when no file ends in ``.tsv``; bad-relation-name; not-utf-8;
            ragged-row, with the line; integer-range; and those of base.files.read_bytes.
    """
    if not directory.is_dir():
        raise _refusal("not-a-directory", f"{directory} is not a directory", directory)
    files = sorted(path for path in directory.iterdir() if path.suffix == ".tsv")
    if not files:
        hint = "facts are read from files such as edge.tsv"
        raise _refusal("no-facts", f"{directory} has no file that ends in .tsv", directory, hint=hint)
    return {path.stem: _rows(path) for path in files}


def _rows(path: Path) -> list[Row]:
    if not _RELATION.fullmatch(path.name):
        hint = "a relation is named with a-z first, then a-z, A-Z, 0-9 and `_`"
        raise _refusal("bad-relation-name", f"{path.stem} is not the name of a relation", path, hint=hint)
    data = read_bytes(path, limit=MAX_BYTES).removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at_line = data.count(b"\n", 0, error.start) + 1
        message = f"{path} is not UTF-8: byte {error.start} is {data[error.start]:#04x}"
        raise _refusal("not-utf-8", message, path, at_line) from None
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        row = tuple(_value(field, path, number) for field in line.removesuffix("\r").split("\t"))
        if rows and len(row) != len(rows[0]):
            message = f"line {number} has {len(row)} fields, and the lines before it have {len(rows[0])}"
            raise _refusal("ragged-row", message, path, number, hint="one tab stands between two fields")
        rows.append(row)
    return rows


def _value(field: str, path: Path, line: int) -> Value:
    if not _WHOLE.fullmatch(field):
        return field
    number = int(field) if len(field) <= _LONGEST else None
    if number is None or not WHOLE_MIN <= number <= WHOLE_MAX:
        message = f"line {line} has a number outside the range of whole numbers, -2^63 to 2^63 - 1"
        raise _refusal("integer-range", message, path, line)
    return number


def _refusal(code: str, message: str, path: Path, line: int | None = None, hint: str | None = None) -> InputError:
    return InputError(Problem(code, message, subject=str(path), where=Where(str(path), line), hint=hint))
