"""One mutant laid down and read: refused with a code, equal, or another state that is read as it stands."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from bench.mutants_bytes import BENDS, FLOATS, PLANTS, TEXTS, exchanged
from bench.mutants_files import signed
from bench.mutants_subjects import Subject, kind_of
from bench.mutants_values import WAYS, Raw, Spot, Unfit, places
from contextmesh.base.errors import Refusal
from contextmesh.base.source import render_problem, render_refusal

try:
    import resource
except ImportError:  # no such limits on this system
    resource = None  # type: ignore[assignment]

SECONDS = 5.0
"""Of the processor; four times as long when it only waits."""

MEGABYTES = 192
"""What a reader may take on top of what the process has; a very long text of a mutant has a fifth of one."""

LONG = 16_000
"""So many characters tell a problem at most, whatever it quotes."""

_NOWHERE = ("missing-output", "missing-input")
"""Codes of what stands in no file."""

_CODE = re.compile(r"[a-z][a-z0-9-]*\Z")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One way to bend one field of one file.

    Attributes:
        family: of the way; ``bytes`` and ``file`` bend no field.
        shape: the field, without the number of its row; empty for the whole file.
        signed: whether digests are made to fit again.
        turn: counted up to bend the same field in another row.
    """

    subject: str
    file: str
    family: str
    way: str
    shape: str = ""
    signed: bool = False
    turn: int = 0

    @property
    def name(self) -> str:
        how = " signed" if self.signed else ""
        return f"{self.subject}/{self.file}/{self.shape}/{self.family}: {self.way}{how}/{self.turn}"

    @property
    def kind(self) -> str:
        return kind_of(self.file)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a mutant.

    Attributes:
        verdict: refused, equal, earlier (another whole state of the same place), another (read as it stands), unfit
            (there is no such mutant) or finding.
        words: the code of a refusal, or what is wrong.
    """

    verdict: str
    words: str = ""


class TooLong(BaseException):
    """The reader was stopped."""


@contextmanager
def bounds(seconds: float = SECONDS, megabytes: int = MEGABYTES) -> Iterator[None]:
    """Inside, a reader that takes too long is stopped, and one that takes too much memory gets none."""

    def stop(number: int, frame: Any) -> None:
        raise TooLong

    before = [signal.signal(number, stop) for number in (signal.SIGVTALRM, signal.SIGALRM)]
    limits = _limit(megabytes)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * 4)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGVTALRM, signal.SIGALRM), before, strict=True):
            signal.signal(number, handler)
        if limits is not None:
            resource.setrlimit(resource.RLIMIT_AS, limits)


def _limit(megabytes: int) -> tuple[int, int] | None:
    """Where the size of the process is known, at most so much more; the limits of before."""
    sizes = Path("/proc/self/statm")
    if resource is None or not sizes.exists():
        return None
    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(sizes.read_text("ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (megabytes << 20), before[1]))
    return before


def attempt(subject: Subject, mutant: Mutant, work: Path, seed: int) -> Outcome:
    """Lays a mutant down in a fresh folder, reads it, and says what came of it."""
    try:
        place = lay(subject, mutant, work, seed)
    except Unfit:
        return Outcome("unfit")
    before = listing(place)
    outcome = _read(subject, mutant, place)
    changed = [name for name, state in listing(place).items() if before.get(name) != state]
    changed += [name for name in before if name not in listing(place)]
    if changed and not subject.writes and outcome.verdict != "finding":
        return Outcome("finding", f"reading changed {', '.join(sorted(changed))}")
    return outcome


def _read(subject: Subject, mutant: Mutant, place: Path) -> Outcome:
    try:
        with bounds():
            seen = subject.read(place)
    except Refusal as refusal:
        return _refused(refusal)
    except TooLong:
        return Outcome("finding", f"went on for more than {SECONDS:g} seconds")
    except Exception as error:
        return Outcome("finding", f"{type(error).__name__}: {str(error)[:200]} at {_place_of(error)}")
    if seen.dump == subject.dump:
        return Outcome("equal")
    if seen.dump in subject.known:
        return Outcome("earlier")
    try:
        with bounds():
            seen.bind()
    except Refusal as refusal:
        return _refused(refusal)
    except (Exception, TooLong) as error:
        return Outcome("finding", f"when bound {type(error).__name__}: {str(error)[:200]} at {_place_of(error)}")
    try:
        with bounds(SECONDS * 2, MEGABYTES * 2):
            wrong = seen.again(mutant.file)
    except Refusal as refusal:
        wrong = f"what was read is refused afterwards: {refusal.code}: {str(refusal)[:200]}"
    except TooLong:
        wrong = "what was read cannot be written in time"
    except Exception as error:
        wrong = f"afterwards {type(error).__name__}: {str(error)[:200]} at {_place_of(error)}"
    return Outcome("another") if wrong is None else Outcome("finding", wrong)


def _refused(refusal: Refusal) -> Outcome:
    """A refusal that can be shown, and that says where."""
    shown = render_refusal(refusal)
    for problem in refusal.problems:
        if not _CODE.match(problem.code) or not problem.message or not shown:
            return Outcome("finding", f"a refusal without words: {problem}")
        if problem.where is None and problem.code not in _NOWHERE:
            return Outcome("finding", f"a refusal without a place: {problem.code}: {problem.message[:200]}")
        if len(render_problem(problem)) > LONG:
            return Outcome("finding", f"a problem told in {len(render_problem(problem))} signs: {problem.code}")
    return Outcome("refused", refusal.code)


def _place_of(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "contextmesh" in frame.filename] or list(frames)
    last = inside[-1]
    return f"{Path(last.filename).name}:{last.lineno} in {last.name}"


# ---- laying down ----------------------------------------------------------------------------


def lay(subject: Subject, mutant: Mutant, work: Path, seed: int) -> Path:
    """The place with its one bent file.

    Raises:
        Unfit: there is no such mutant.
    """
    clear(work)
    files = _files(subject, mutant, seed)
    place, elsewhere = work / "place", work / "elsewhere"
    place.mkdir(parents=True)
    elsewhere.mkdir()
    for name, data in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    if mutant.way in PLANTS and mutant.family == "file":
        PLANTS[mutant.way](place / mutant.file, elsewhere)
    return place


def _files(subject: Subject, mutant: Mutant, seed: int) -> dict[str, bytes]:
    dice = Random(f"{seed} {mutant.name}")  # repeatable, and no secret
    files = dict(subject.files)
    if mutant.family == "file" and mutant.way.startswith("exchanged"):
        files = exchanged(files, mutant.file, mutant.way.partition("with ")[2])
    elif mutant.family != "file":
        files[mutant.file] = bent(subject, mutant, dice)
    if files == subject.files and mutant.way not in PLANTS:
        raise Unfit
    return signed(files, mutant.file) if mutant.signed else files


def fits(subject: Subject, mutant: Mutant, seed: int) -> bool:
    """Whether there is such a mutant."""
    try:
        _files(subject, mutant, seed)
    except Unfit:
        return False
    return True


def bent(subject: Subject, mutant: Mutant, dice: Random) -> bytes:
    """The bytes of the file with one field or some bytes bent."""
    data = subject.files[mutant.file]
    if mutant.family == "bytes":
        return {**BENDS, **TEXTS, **FLOATS}[mutant.way](data, dice)
    form = subject.formats[mutant.file]
    assert form is not None, "fields are bent where a format is known"
    tree = form.parse(data)
    path = dice.choice([path for path in places(tree) if form.shape(tree, path) == mutant.shape])
    WAYS[mutant.family][mutant.way](Spot(tree, path, dice))
    with suppress(TypeError, KeyError, AttributeError, IndexError):  # it is no longer there to be derived from
        form.derive(tree, path)
    if isinstance(tree, Raw):
        raise Unfit
    return form.write(tree)


def clear(work: Path) -> None:
    """Removes a folder and what was planted in it, following nothing."""
    if work.exists():
        shutil.rmtree(work)


def listing(place: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """What each name of a folder is: mode, size, time of change, and the bytes of a small regular file."""
    found = {}
    for root, folders, names in os.walk(place):
        for name in [*folders, *names]:
            path = Path(root) / name
            status = path.lstat()
            small = stat.S_ISREG(status.st_mode) and status.st_size < 1 << 22
            data = path.read_bytes() if small else b""
            time = 0 if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns
            found[str(path.relative_to(place))] = (status.st_mode, status.st_size, time, data)
    return found
