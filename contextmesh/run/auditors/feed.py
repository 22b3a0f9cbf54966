"""Auditor: does any advisory of a folder name this version of this package? Read anew at each look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from contextmesh.base.errors import InputError, Problem, Where
from contextmesh.base.fields import Fault, path_text
from contextmesh.base.files import read_bytes
from contextmesh.base.shallow_yaml import yaml_value
from contextmesh.base.strict import parse
from contextmesh.run.auditors.osv import Advisory, judge, read_advisory
from contextmesh.run.verdict import AuditContext, Verdict

SUFFIXES = (".yaml", ".yml", ".json")
SIZE = 16 * 1024 * 1024
FILES = 200_000


@dataclass(frozen=True, slots=True)
class AdvisoryFeed:
    """Disproves a ground such as "argon2-cffi 21.3.0 has no open advisory".

    Attributes:
        directory: of advisories in the OSV form, YAML or JSON, at any depth.
        package, version: what is stood on.
        as_of: what was known by the end of that day; None: everything.
    """

    directory: Path | str
    package: str
    version: str
    as_of: date | None = None

    def __call__(self, context: AuditContext) -> Verdict:
        """Raises InputError: a file is damaged, or an advisory on the package cannot be evaluated."""
        seen = 0
        for path, advisory in advisories(Path(self.directory)):
            seen += 1
            found = judge(advisory, self.package, self.version, self.as_of)
            if found.word == "affected":
                about = f": {advisory.summary}" if advisory.summary else ""
                return context.disproved(f"{advisory.id} affects {self.package} {self.version} ({found.why}){about}")
            if found.word == "cannot_evaluate":
                message = f"{advisory.id} cannot be evaluated for {self.package} {self.version}: {found.why}"
                raise InputError(Problem("cannot-evaluate", message, subject=advisory.id, where=Where(str(path))))
        return context.ok(f"none of {seen} advisories names {self.package} {self.version}")


def advisories(directory: Path) -> Iterator[tuple[Path, Advisory]]:
    """Every advisory below a folder, in the order of their paths.

    Raises:
        InputError: ``missing-folder``; ``too-many-files``, so that no advisory is passed over in silence; a file
            that cannot be read, or is no advisory.
    """
    if not directory.is_dir():
        message = f"{directory} is no folder of advisories"
        raise InputError(Problem("missing-folder", message, subject=str(directory), where=Where(str(directory))))
    paths = sorted(path for path in directory.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    if len(paths) > FILES:
        message = f"{directory} holds {len(paths)} files of advisories, and {FILES} are read at most"
        hint = "name the folder of one ecosystem"
        raise InputError(Problem("too-many-files", message, str(directory), where=Where(str(directory)), hint=hint))
    for path in paths:
        yield path, read_file(path)


def read_file(path: Path) -> Advisory:
    """One advisory.

    Raises:
        InputError: it cannot be read, or is no advisory.
    """
    data = read_bytes(path, limit=SIZE)
    value = parse(data, str(path)).value if path.suffix.lower() == ".json" else _yaml(data, path)
    try:
        return read_advisory(value)
    except Fault as fault:
        where = path_text(fault.path)
        message = f"{path} is no advisory: {where} {fault.message}"
        raise InputError(Problem(fault.code, message, subject=where, where=Where(str(path)))) from None


def _yaml(data: bytes, path: Path) -> object:
    """Scalars stay texts: a version 1.10 must not become the number 1.1, nor a time lose its zone."""
    where = None
    try:
        return yaml_value(data.decode("utf-8"), str(path))
    except UnicodeDecodeError as error:
        why = str(error)
    except InputError as error:
        why, where = error.problem.message, error.problem.where
    message = f"{path} cannot be read as YAML: {why}"
    raise InputError(Problem("damaged-file", message, str(path), where=where or Where(str(path))))
