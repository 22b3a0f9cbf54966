"""What is wrong with a session directory, each with its file, place and generation, and the command that mends it.

Looking changes nothing. A directory without any of this is one that every command can read and write.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contextmesh.base.errors import Problem, Refusal
from contextmesh.base.files import is_staged
from contextmesh.policy import Policy
from contextmesh.session import files
from contextmesh.session.digests import digests_name
from contextmesh.session.keep import KEEP, holds_number
from contextmesh.session.load import find_manifest, read_generation
from contextmesh.session.lock import HOLDER, LOCK, held_by, writer_lock
from contextmesh.session.manifest import POINTER, numbered
from contextmesh.session.pointer import Pointer, alone, copied, pointer
from contextmesh.session.verify import Read, verified

_OURS = re.compile(r"(?:session|graph|records|vectors|resolver|execution|runledger|journal|digests)-([0-9]{6,})\.\w+\Z")
POLICY_DIFFERS = "policy-differs"
NO_SESSION = "no-session"
_OF_THE_POLICY = ("no-such-node-type", "no-such-edge-type", "missing-field", "illegal-pair")
_TOLD = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        code: a stable word in kebab-case.
        severity: error (something cannot be read), warn (it will be in the way) or info (it is not ours).
        file: the path, in the words the directory was named by.
        line, column: 1-based, where the file is text and the place is known.
        generation: which one it is about, if it is about one.
        command: what mends it, to be typed as it stands; None when only a copy from elsewhere does.
        mends: whether ``mend`` does it.
    """

    code: str
    severity: str
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    generation: int | None = None
    command: str | None = None
    note: str | None = None
    mends: bool = False

    def as_json(self) -> dict[str, Any]:
        names = ("code", "severity", "message", "file", "line", "column", "generation", "command", "note")
        return {name: getattr(self, name) for name in names}


def examine(directory: Path, policy: Policy) -> tuple[Finding, ...]:
    """Everything that is wrong, damage first.

    Raises:
        SessionError: there is no directory of this name, or it cannot be listed.
    """
    return tuple(_Examination(directory, policy).findings())


def mend(directory: Path, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Does what is safe: removes the fresh files that interrupted writers left, while nobody is writing.

    Raises:
        SessionLockedError: locked.
    """
    if not any(finding.mends for finding in findings):
        return ()
    with writer_lock(directory):
        names = files.staged_names(directory)
        for name in names:
            files.remove(directory, name)
    return names


class _Examination:
    def __init__(self, directory: Path, policy: Policy) -> None:
        self._directory, self._policy = directory, policy
        files.identity(directory)
        with os.scandir(directory) as entries:
            self._entries = {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}
        self._numbers = files.generations(directory)
        self._refusals: dict[int | None, Refusal] = {}
        self._notices: list[tuple[int, Problem]] = []
        self._loaded: dict[int | None, None] = {}
        for number in self._numbers or (None,):
            self._read(number)
        self._whole = next((n for n in self._numbers if n in self._loaded), None)
        self._saved = self._saved_by_pointer()
        self._told: dict[tuple[str, str], None] = {}

    def findings(self) -> Iterator[Finding]:
        order = {"error": 0, "warn": 1, "info": 2}
        yield from sorted(self._all(), key=lambda finding: order[finding.severity])

    def _all(self) -> Iterator[Finding]:
        saved = self._saved.generation if self._saved is not None else None
        yield from self._lost()  # first: what the others tell presumes that it is done
        if saved is not None and saved in self._refusals:
            yield from self._damage(saved)
        yield from self._links()
        for number in self._refusals:
            if saved is None or number != saved:
                yield from self._damage(number)
        yield from self._torn()
        yield from self._pointer()
        yield from self._lock()
        yield from self._left_over()

    def _read(self, number: int | None) -> None:
        try:
            state = verified(self._directory, read_generation(self._directory, self._policy, number), self._policy)
        except Refusal as refusal:
            if self._is_newest(number) or refusal.code not in (POLICY_DIFFERS, *_OF_THE_POLICY):
                self._refusals[number] = refusal
            return
        self._loaded[number] = None
        if self._is_newest(number):
            self._notices.extend((state.generation, notice) for notice in state.notices)

    def _is_newest(self, number: int | None) -> bool:
        """An earlier generation may be of other rules, or end in a torn line: nothing is ever added to it."""
        return not self._numbers or number == self._numbers[0]

    def _saved_by_pointer(self) -> Pointer | None:
        """What the pointer holds, when a generation newer than every whole one can be had from nothing else."""
        held = pointer(self._directory)
        if held is None or held.generation in self._loaded or held.generation <= (self._whole or 0):
            return None
        if not self._numbers and files.latest(self._directory) is None:  # it never had any other
            return None
        is_whole = self._is_whole(held)
        if not alone(self._directory, held) and not (is_whole and self._is_another(held)):
            return None
        if is_whole:
            self._whole = held.generation
        return held

    def _is_whole(self, held: Pointer) -> bool:
        try:
            contents = {name: files.read_member(self._directory, name) for name in held.manifest.files}
            verified(self._directory, Read(held.manifest, held.stated, contents), self._policy, adopt_policy=True)
        except Refusal as refusal:
            return refusal.code in _OF_THE_POLICY
        return True

    def _is_another(self, held: Pointer) -> bool:
        try:
            return files.read_member(self._directory, held.manifest.name) != held.stated
        except Refusal:
            return True

    # ---- what cannot be read ----------------------------------------------------------------

    def _lost(self) -> Iterator[Finding]:
        """The manifest that only the pointer still holds, unless it is told as a link, or as damage."""
        held = self._saved
        if held is None or held.generation in self._refusals:
            return
        name = held.manifest.name
        file = self._directory / name
        if file.is_symlink():
            return
        command = copied(self._directory, POINTER, name)
        message = f"{file} is not a manifest, and {self._directory / POINTER} is a copy of the one that was"
        note = f"until then generation {held.generation} is not read, and nothing is written"
        yield Finding("pointer-differs", "error", message, str(file), None, None, held.generation, command, note)

    def _damage(self, number: int | None) -> Iterator[Finding]:
        for problem in self._refusals[number].problems[:_TOLD]:
            where = problem.where
            file = where.file if where is not None else str(self._directory)
            if (problem.code, file) in self._told:
                continue
            yield Finding(
                "damaged-generation" if number is not None else "damaged-session",
                "error",
                f"{problem.message} [{problem.code}]",
                file,
                where.line if where is not None else None,
                where.column if where is not None else None,
                number,
                self._command(number, problem.code),
                problem.note,
            )

    def _command(self, number: int | None, code: str) -> str | None:
        """What mends a generation that cannot be read."""
        home = self._quoted()
        if code == NO_SESSION:
            return f"contextmesh init {home}"
        if self._saved is not None and number == self._saved.generation:
            return copied(self._directory, POINTER, self._saved.manifest.name)
        if code == POLICY_DIFFERS:
            return f"contextmesh session save --adopt-policy --session {home}"
        if code in _OF_THE_POLICY:
            return f"contextmesh doctor --session {home} --policy DIR"
        if number is not None and self._whole is not None:
            if number > self._whole:
                return f"contextmesh session restore {self._whole} --session {home}"
            return self._remove(name for name in self._entries if generation_in(name) == number)
        graph = numbered("graph", number) if number is not None else "graph-000001.json"
        if code == "conclusion-differs" and graph in self._entries:
            file = shlex.quote(str(self._directory / graph))
            return f"contextmesh session import --recompute {file} --session {home}.recomputed"
        return None

    def _torn(self) -> Iterator[Finding]:
        for number, problem in self._notices:
            where = problem.where
            yield Finding(
                problem.code,
                "warn",
                problem.message,
                where.file if where is not None else str(self._directory),
                where.line if where is not None else None,
                where.column if where is not None else None,
                number,
                f"contextmesh session save --session {self._quoted()}",
                problem.note,
            )

    def _links(self) -> Iterator[Finding]:
        saved = self._saved.manifest.name if self._saved is not None else None
        for name, entry in sorted(self._entries.items(), key=lambda item: item[0] != saved):
            number = generation_in(name)
            if not entry.is_symlink() or (number is None and name not in (LOCK, HOLDER, KEEP)):
                continue
            file = str(self._directory / name)
            self._told["linked-file", file] = None
            command = self._remove([name])
            if name == saved:
                command = copied(self._directory, POINTER, name)
            elif number is not None and number in self._refusals and self._whole is not None:
                restore = f"contextmesh session restore {self._whole} --session {self._quoted()}"
                command = f"{restore} && {command}" if number > self._whole else command
            note = "whoever can write where it leads decides what the session says"
            yield Finding(
                "planted-link", "error", f"{file} is a symbolic link", file, None, None, number, command, note
            )

    # ---- what is in the way -----------------------------------------------------------------

    def _pointer(self) -> Iterator[Finding]:
        if not self._numbers or self._saved is not None:
            return
        newest = self._numbers[0]
        try:
            stated = files.read_member(self._directory, numbered("session", newest))
            same = files.read_pointer(self._directory) == stated
        except Refusal:
            same = False
        file = self._directory / POINTER
        linked = file.is_symlink()
        if same and not linked:
            return
        name = numbered("session", newest)
        command = copied(self._directory, name, POINTER)
        if same:
            message = f"{file} is a symbolic link, and older readers follow it wherever it leads"
            yield Finding("planted-link", "warn", message, str(file), None, None, newest, command)
            return
        note = "a reader that looks for no numbers opens another generation, or none"
        message = f"{file} is not a copy of {name}"
        yield Finding("pointer-differs", "warn", message, str(file), None, None, newest, command, note)

    def _lock(self) -> Iterator[Finding]:
        entry = self._entries.get(LOCK)
        if entry is not None and not entry.is_symlink() and not entry.is_file(follow_symlinks=False):
            file = str(self._directory / LOCK)
            command = f"rm -r -- {shlex.quote(file)}"
            yield Finding(
                "lock-unusable", "error", f"{file} is no regular file, so nobody can write", file, command=command
            )
        holder = held_by(self._directory)
        if holder is not None:
            pid = dict(holder.fields)["pid"]
            command = f"ps -p {pid}" if pid is not None else f"contextmesh doctor --session {self._quoted()}"
            note = "the lock ends with its process; nothing is to be done unless that process hangs"
            yield Finding("lock-held", "info", holder.message, str(self._directory / LOCK), command=command, note=note)
        if KEEP in self._entries and not holds_number(self._directory):
            file = str(self._directory / KEEP)
            command = f"contextmesh session save --keep 1 --session {self._quoted()}"
            message = f"{file} holds no number, so one earlier generation is kept"
            yield Finding("keep-unreadable", "warn", message, file, command=command)

    def _left_over(self) -> Iterator[Finding]:
        known = self._known()
        writing = held_by(self._directory) is not None
        for name, entry in self._entries.items():
            file = str(self._directory / name)
            if name in known or (entry.is_symlink() and generation_in(name) is not None):
                continue
            if is_staged(name):
                if not writing and entry.is_file(follow_symlinks=False):
                    command = f"contextmesh doctor --mend --session {self._quoted()}"
                    message = f"{file} was left by a writer that was interrupted"
                    yield Finding("stale-staging", "warn", message, file, command=command, mends=True)
            elif generation_in(name) is not None:
                message = f"{file} belongs to no generation that is here"
                yield Finding(
                    "stray-file", "warn", message, file, None, None, generation_in(name), self._remove([name])
                )
            else:
                kind = "folder" if stat.S_ISDIR(entry.stat(follow_symlinks=False).st_mode) else "file"
                parent = shlex.quote(str(self._directory.absolute().parent))
                command = f"mv -- {shlex.quote(file)} {parent}"
                note = "no command reads, changes or deletes it"
                yield Finding(
                    "foreign-file", "info", f"{file} is a {kind} of somebody else", file, command=command, note=note
                )

    def _known(self) -> dict[str, None]:
        """Names that the manifests give, and those of the directory itself."""
        known = dict.fromkeys((POINTER, LOCK, HOLDER, KEEP))
        if self._saved is not None:
            manifest = self._saved.manifest
            known |= dict.fromkeys((manifest.name, *manifest.files, digests_name(manifest.generation)))
        for number in self._numbers or (None,):
            try:
                manifest = find_manifest(self._directory, None, number)
            except Refusal:
                known |= {name: None for name in self._entries if number is not None and generation_in(name) == number}
                continue
            known |= dict.fromkeys((*manifest.files, digests_name(manifest.generation)))
            if number is not None:
                known[manifest.name] = None
        return known

    def _remove(self, names: Any) -> str:
        return f"rm -- {' '.join(shlex.quote(str(self._directory / name)) for name in names)}"

    def _quoted(self) -> str:
        return shlex.quote(str(self._directory))


def generation_in(name: str) -> int | None:
    """The generation that a file name of ours bears."""
    match = _OURS.match(name)
    return int(match[1]) if match is not None else None
