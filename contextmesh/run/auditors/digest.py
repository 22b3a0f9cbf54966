"""Auditor: is a file still the one that was looked at?"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from contextmesh.base.chain import is_digest
from contextmesh.base.errors import InputError, Problem
from contextmesh.base.files import read_bytes
from contextmesh.run.verdict import AuditContext, Verdict


@dataclass(frozen=True, slots=True)
class FileDigest:
    """Disproves a ground such as "limits.toml is the version that was reviewed".

    Attributes:
        sha256: 64 hex digits, lower case.
        limit: the most bytes to read.
    """

    path: Path | str
    sha256: str
    limit: int = 1 << 30

    def __post_init__(self) -> None:
        if not is_digest(self.sha256):
            message = f"a SHA-256 is 64 lowercase hex digits, not {self.sha256!r}"
            raise InputError(Problem("malformed-digest", message, subject="sha256"))

    def __call__(self, context: AuditContext) -> Verdict:
        """A file that is gone is another file too; one that cannot be read raises InputError."""
        try:
            data = read_bytes(Path(self.path), limit=self.limit)
        except InputError as error:
            if error.code != "missing-file":
                raise
            return context.disproved(f"{self.path} is gone")
        found = hashlib.sha256(data).hexdigest()
        if found != self.sha256:
            return context.disproved(f"{self.path} has the SHA-256 {found}, and had {self.sha256}")
        return context.ok(f"{self.path} has the SHA-256 {found}")
