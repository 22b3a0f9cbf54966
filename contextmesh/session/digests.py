"""``contextmesh.digests``: the SHA-256 of each file of a generation, beside its manifest.

Manifest version 2 has no place for them. A directory of another writer has no such file and loads without; where the
file is there, a companion that still parses but is not byte for byte what was committed is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from contextmesh.base import fields
from contextmesh.base.canon import pretty_bytes
from contextmesh.base.chain import is_digest
from contextmesh.base.errors import Problem, SessionError, Where
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.session.files import MANIFEST_SIZE, read_member
from contextmesh.session.manifest import Manifest, numbered

SCHEMA = "contextmesh.digests"
_KEYS = ("schema", "version", "generation", "files")


def digests_name(generation: int) -> str:
    return numbered("digests", generation)


def digests_bytes(generation: int, files: Mapping[str, bytes]) -> bytes:
    """The file for these contents."""
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return pretty_bytes({"schema": SCHEMA, "version": 1, "generation": generation, "files": digests})


def require_committed(directory: Path, manifest: Manifest, files: Mapping[str, bytes]) -> None:
    """Raises SessionError, changed-file, for a companion that is not the one that was committed, if that is known."""
    name = digests_name(manifest.generation)
    path = directory / name
    if not path.exists() and not path.is_symlink():
        return
    document = parse(read_member(directory, name, limit=MANIFEST_SIZE), str(path), refusal=SessionError)
    try:
        row = fields.record(document.value, _KEYS)
        fields.header(row, SCHEMA, (1,))
        if fields.whole(row, "generation") != manifest.generation:
            raise Fault("generation-differs", f"must be {manifest.generation}", ("generation",))
        known = fields.mapping(row, "files")
        for file, digest in known.items():
            if not is_digest(digest):
                raise Fault("malformed-digest", "must be 64 lowercase hex digits", ("files", file))
    except Fault as fault:
        raise SessionError(document.problem(fault)) from None
    for file, data in files.items():
        if known.get(file) != hashlib.sha256(data).hexdigest():
            raise SessionError(changed_file(directory / file, data))


def changed_file(path: Path, data: bytes) -> Problem:
    """What is said of a companion that still parses and is not what was committed."""
    lines = data.count(b"\n") + 1
    column = len(data) - data.rfind(b"\n")
    cut = not data.endswith(b"\n")
    message = f"{path} is not what was committed"
    if cut:
        message += ": its last line has lost its end"
    return Problem(
        "changed-file",
        message,
        subject=str(path),
        fields=(("bytes", len(data)),),
        where=Where(str(path), lines, column) if cut else Where(str(path)),
        note="it parses, and its SHA-256 differs from the one recorded with this generation",
        hint="restore the file from a copy, or go back to an earlier generation",
    )
