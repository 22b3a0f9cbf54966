"""Named paths to documents, one after another; what cannot be read is told of, and the rest goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from itertools import islice
from pathlib import Path

from contextmesh.base.errors import InputError, Problem
from contextmesh.ingest.build import build_document
from contextmesh.ingest.documents import Document, Skipped
from contextmesh.ingest.files import STDIN, Found, ReadLimits, find_files, open_file, read_text
from contextmesh.ingest.guess import JSON, JSONL, KINDS, kind_of, kind_of_text
from contextmesh.ingest.readers.jsonl import document_in, read_rows


def read_paths(
    paths: Iterable[str | Path], *, kind: str | None = None, limits: ReadLimits | None = None
) -> Iterator[Document | Skipped]:
    """The documents of files, folders (recursively) and ``-`` for standard input, in a fixed order.

    Args:
        kind: markdown, rst, text, jsonl or decisions; guessed from name and content when left out.

    Raises:
        InputError: missing-path, for every named path that does not exist; unknown-kind.
    """
    if kind is not None and kind not in KINDS:
        hint = f"one of {', '.join(KINDS)}"
        raise InputError(Problem("unknown-kind", f"{kind} is no kind of document", subject=kind, hint=hint))
    bounds = limits if limits is not None else ReadLimits()
    return _distinct(_documents(find_files(paths, bounds), kind, bounds))


def _documents(
    files: Iterator[Found | Skipped], kind: str | None, limits: ReadLimits
) -> Iterator[tuple[Found | None, Document | Skipped]]:
    for found in files:
        if isinstance(found, Skipped):
            yield None, found
        else:
            for item in _file(found, kind, limits):
                yield found, item


def _distinct(items: Iterator[tuple[Found | None, Document | Skipped]]) -> Iterator[Document | Skipped]:
    """Each file once, however often it is named; files of one name in different folders get ids of their own."""
    read: dict[str, None] = {}
    taken: dict[str, str] = {}
    for found, item in items:
        if isinstance(item, Skipped) or found is None or item.kind == JSONL:
            yield item
            continue
        place = str(found.path.resolve()) if found.name != "stdin" else item.id
        if place in read:
            continue
        read[place] = None
        owner = taken.setdefault(item.id, place)
        yield item if owner == place else _renamed(item)


def _renamed(document: Document) -> Document:
    return replace(document, id=f"{document.id}~{sha256(document.origin.encode()).hexdigest()[:6]}")


def _file(found: Found, kind: str | None, limits: ReadLimits) -> Iterator[Document | Skipped]:
    stdin = str(found.path) == STDIN
    guessed = kind or kind_of("" if stdin else found.path.suffix, named=found.named)
    if guessed is None:
        message = f"files that end in {found.path.suffix} are not read from a folder"
        yield Skipped(found.origin, "unknown-kind", f"{message}; name the file itself to read it as text")
        return
    file = open_file(found)
    if isinstance(file, Skipped):
        yield file
        return
    try:
        if guessed == JSONL:
            yield from _rows(found, read_rows(found, file, limits))
            return
        text = read_text(found, file, limits)
        if isinstance(text, Skipped):
            yield text
        else:
            yield from _text(found, text, guessed, limits, sure=kind is not None)
    finally:
        if not stdin:
            file.close()


def _rows(found: Found, rows: Iterator[Document | Skipped]) -> Iterator[Document | Skipped]:
    first = list(islice(rows, 1))
    if not first:
        yield Skipped(found.origin, "empty-file", "holds no rows")
    yield from first
    yield from rows


def _text(found: Found, text: str, kind: str, limits: ReadLimits, *, sure: bool) -> Iterator[Document | Skipped]:
    if not sure:
        kind = kind_of_text(text, kind)
    if kind == JSONL:
        yield from _rows(found, read_rows(found, BytesIO(text.encode("utf-8", "surrogatepass")), limits))
    elif kind == JSON:
        yield from _json(found, text, limits)
    else:
        yield build_document(found, text, kind)


def _json(found: Found, text: str, limits: ReadLimits) -> Iterator[Document | Skipped]:
    """A JSON file that is not of lines: an array of objects, or one object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield from _rows(found, read_rows(found, BytesIO(text.encode()), limits))
        return
    if isinstance(value, list):
        lines = "\n".join(json.dumps(row, ensure_ascii=True) for row in value)
        yield from _rows(found, read_rows(found, BytesIO(lines.encode()), limits))
    elif isinstance(value, dict):
        yield document_in(found, found.origin, text.encode())
    else:
        yield Skipped(found.origin, "no-text", "is a JSON value without fields")
