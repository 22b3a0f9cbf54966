"""Files as trees whose every field can be bent, and a session whose digests were made to fit again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.mutants_values import Path, written
from contextmesh.base.chain import GENESIS, link
from contextmesh.base.errors import Refusal
from contextmesh.base.ids import edge_key, slug
from contextmesh.store.records_format import COLUMNS, PROVENANCE

_FRAME = re.compile(rb'\{"at":(.*?),"body":(.*),"digest":"(.*?)","kind":(.*?),"rest":(.*)\}\Z', re.DOTALL)
_SIMPLE = re.compile(r"[a-z_]+\Z")
_MAPS = ("canonical", "aliases", "blocks", "digests", "files")


@dataclass(frozen=True, slots=True)
class Format:
    """How a file becomes a tree and a tree a file.

    Attributes:
        shape: a path without what does not matter: numbers of rows, names that are data.
        derive: makes what is derived within the file fit what was bent at a path.
    """

    parse: Callable[[bytes], Any]
    write: Callable[[Any], bytes]
    shape: Callable[[Any, Path], str]
    derive: Callable[[Any, Path], None] = lambda tree, path: None


def _shape(tree: Any, path: Path) -> str:
    return ".".join(_step(path[: at + 1], tree) for at in range(len(path)))


def _step(path: Path, tree: Any) -> str:
    step = path[-1]
    if isinstance(step, int):
        return "[]"
    is_map = len(path) > 1 and (path[-2] in _MAPS or (path[-2] in ("nodes", "edges") and not _SIMPLE.match(step)))
    return "{}" if is_map or not _SIMPLE.match(step) else step


def _json(data: bytes) -> Any:
    return json.loads(data)


def _json_text(tree: Any) -> bytes:
    return written(tree).encode("utf-8") + b"\n"


def _lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


def _lines_text(tree: list[Any]) -> bytes:
    return "".join(f"{written(line)}\n" for line in tree).encode("utf-8")


def _line_shape(tree: Any, path: Path) -> str:
    line = tree[path[0]]
    word = next((line[key] for key in ("kind", "type", "schema") if key in line), "") if isinstance(line, dict) else ""
    return f"{word}{_shape(tree, path)}"


def _row_shape(tree: Any, path: Path) -> str:
    """The column of a row by its name."""
    line = tree[path[0]]
    if isinstance(line, dict) or len(path) < 4:
        return f"{'header' if isinstance(line, dict) else line[0]}{_shape(tree, path)}"
    column = COLUMNS[line[0]][int(path[3])]
    inner = path[4:]
    if column == "provenance" and inner:
        return ".".join([line[0], column, PROVENANCE[int(inner[0])], *(["[]"] if len(inner) > 1 else [])])
    return ".".join([line[0], column, *([_shape(line, inner)] if inner else [])])


def _edge_id(tree: Any, path: Path) -> None:
    """An edge whose ends or type were bent gets the id that is made from them."""
    if len(path) == 3 and path[0] == "edges" and path[2] in ("src", "dst", "type"):
        edge = tree["edges"][path[1]]
        ends = [edge.get(key) for key in ("src", "type", "dst")]
        if all(type(end) is str for end in ends):
            edge["id"] = slug(edge_key(*ends), "edge")


def _row_edge_id(tree: Any, path: Path) -> None:
    if len(path) != 4 or tree[path[0]][0] != "edges" or path[3] not in (1, 2, 3):
        return
    ids = [row[0] for line in tree[1:] if line[0] == "nodes" for row in line[1]]
    row = tree[path[0]][1][path[2]]
    try:
        row[0] = slug(edge_key(ids[row[1]], tree[0]["words"][row[2]], ids[row[3]]), "edge")
    except (IndexError, TypeError):
        return


JSON = Format(_json, _json_text, _shape)
GRAPH = Format(_json, _json_text, _shape, _edge_id)
LINES = Format(_lines, _lines_text, _line_shape)
RECORDS = Format(_lines, _lines_text, _row_shape, _row_edge_id)


# ---- digests that fit again -----------------------------------------------------------------


def signed(files: dict[str, bytes], bent: str) -> dict[str, bytes]:
    """A session in which what guards a bent file was made anew: chains, digests, the manifest and its copy.

    What cannot be read any more is left as it is.
    """
    files = dict(files)
    number = bent.rpartition("-")[2].partition(".")[0]
    manifest_name = f"session-{number}.json"
    if not number.isdigit() or manifest_name not in files:
        return files
    if bent.startswith("runledger"):
        files[bent] = _chained(files[bent])
    manifest = _object(files[manifest_name])
    if bent != manifest_name and manifest is not None:
        _state(manifest, files)
        files[manifest_name] = _json_text(manifest)
    digests = f"digests-{number}.json"
    stated = _object(files.get(digests, b""))
    if stated is not None and bent != digests and isinstance(stated.get("files"), dict):
        there = [name for name in stated["files"] if name in files]
        stated["files"] = {name: hashlib.sha256(files[name]).hexdigest() for name in there}
        files[digests] = _json_text(stated)
    files["session.json"] = files[manifest_name]
    journal = f"journal-{number}.jsonl"
    if journal in files:
        head = _object(files.get(f"runledger-{number}.json", b"")) or {}
        files[journal] = _rechained(files[journal], files[manifest_name], head.get("head"))
    return files


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _state(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    for name in manifest.get("digests") or {}:
        if name in files:
            manifest["digests"][name] = hashlib.sha256(files[name]).hexdigest()
    ledger = _object(files.get(str(manifest.get("ledger")), b""))
    if ledger is not None and isinstance(ledger.get("head"), str):
        manifest["ledger_head"] = ledger["head"]


def _chained(data: bytes) -> bytes:
    """A ledger whose digests follow from its entries."""
    ledger = _object(data)
    if ledger is None or not isinstance(ledger.get("entries"), list):
        return data
    try:
        ledger["head"] = _chain(ledger["entries"], GENESIS)
    except (Refusal, TypeError, AttributeError, KeyError):
        return data
    return _json_text(ledger)


def _chain(entries: list[Any], head: str) -> str:
    for entry in entries:
        head = link({key: value for key, value in entry.items() if key != "digest"}, head)
        entry["digest"] = head
    return head


def _rechained(data: bytes, manifest: bytes, ledger_head: str | None) -> bytes:
    """A journal whose every line has the digest of what it holds after the line before."""
    head, lines = hashlib.sha256(manifest).hexdigest(), []
    for line in data.split(b"\n"):
        match = _FRAME.match(line)
        if match is None:
            lines.append(line)
            continue
        at, body, _, kind, rest = match.groups()
        if kind == b'"plan"' and ledger_head is not None:
            body, ledger_head = _plan_body(body, ledger_head)
        covered = b'{"at":%s,"body":%s,"kind":%s,"previous":"%s","rest":%s}' % (at, body, kind, head.encode(), rest)
        head = hashlib.sha256(covered).hexdigest()
        digest = head.encode()
        lines.append(b'{"at":%s,"body":%s,"digest":"%s","kind":%s,"rest":%s}' % (at, body, digest, kind, rest))
    return b"\n".join(lines)


def _plan_body(text: bytes, head: str) -> tuple[bytes, str]:
    body = _object(text)
    if body is None or not isinstance(body.get("entries"), list):
        return text, head
    try:
        body["head"] = made = _chain(body["entries"], head)
        return written(body).encode("utf-8"), made
    except (Refusal, TypeError, AttributeError, KeyError, UnicodeEncodeError):
        return text, head
