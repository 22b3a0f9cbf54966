"""Mutants of sessions given to the command line: an exit code of the documentation, no traceback, no file changed."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from itertools import cycle, islice
from pathlib import Path

from bench.mutants_plan import in_order
from bench.mutants_subjects import Subject
from bench.mutants_try import SECONDS, Mutant, Outcome, TooLong, bounds, clear, lay, listing
from bench.mutants_values import Unfit
from bench.mutants_world import QUESTION
from contextmesh.cli.app import main as contextmesh

COMMANDS: dict[str, tuple[str, ...]] = {
    "doctor": ("doctor",),
    "inspect": ("session inspect",),
    "log": ("session log",),
    "ask": ("ask", QUESTION),
    "health": ("health",),
    "save": ("session save",),
    "migrate": ("session migrate",),
}
WRITES = ("save", "migrate")
ANSWERS = (0, 1, 2, 3, 4)


def commanded(subjects: Mapping[str, Subject], count: int, work: Path, seed: int) -> list[tuple[Mutant, Outcome]]:
    """So many mutants of sessions, each given to the next command."""
    mine = [subject for subject in subjects.values() if subject.signs]
    found: list[tuple[Mutant, Outcome]] = []
    commands = cycle(COMMANDS)
    mutants = in_order(mine, seed + 1)
    while len(found) < count:
        for mutant in islice(mutants, count - len(found)):
            try:
                place = lay(subjects[mutant.subject], mutant, work, seed)
            except Unfit:
                continue
            found.append((mutant, answer(next(commands), place, as_json=len(found) % 2 == 1)))
    clear(work)
    return found


def answer(command: str, place: Path, *, as_json: bool) -> Outcome:
    """What one command made of a directory."""
    words = [*COMMANDS[command][0].split(), *COMMANDS[command][1:], "--session", str(place)]
    before, out, err = listing(place), io.StringIO(), io.StringIO()
    try:
        with bounds(SECONDS * 2), redirect_stdout(out), redirect_stderr(err):
            code = contextmesh([*words, *(["--json"] if as_json else [])])
    except TooLong:
        return Outcome("finding", f"{command} went on for too long")
    said = out.getvalue() + err.getvalue()
    if code not in ANSWERS or "Traceback" in said:
        return Outcome("finding", f"{command} left with {code}: {said[-300:]}")
    is_reader = command not in WRITES
    if (is_reader or code == 2) and _without_locks(listing(place)) != _without_locks(before):
        return Outcome("finding", f"{command} changed a file and left with {code}")
    return Outcome("refused" if code else "equal", str(code))


def _without_locks(found: dict[str, tuple[int, int, int, bytes]]) -> dict[str, tuple[int, int, int, bytes]]:
    """Who takes the lock says so in its two files, also when it is refused afterwards."""
    return {name: state for name, state in found.items() if not name.startswith("session.lock")}
