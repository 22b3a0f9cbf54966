"""Which mutants there are, and an order in which the first few hundred hold every file and every way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from random import Random

from bench.mutants_bytes import BENDS, FLOATS, PLANTS, TEXTS
from bench.mutants_subjects import Subject, kind_of
from bench.mutants_try import Mutant, fits
from bench.mutants_values import WAYS, places

_SIGNED = ("graph", "resolver", "records", "journal", "vectors", "execution", "runledger", "session")


def mutants_of(subject: Subject) -> Iterator[Mutant]:
    """Every way at every field of every file, and of each file as a whole."""
    for file, form in subject.formats.items():
        ways: list[tuple[str, str, str]] = [("bytes", way, "") for way in _bends(subject, file)]
        if form is not None:
            tree = form.parse(subject.files[file])
            shapes = dict.fromkeys(form.shape(tree, path) for path in places(tree))
            ways += [(family, way, shape) for family, named in WAYS.items() for way in named for shape in shapes]
        signs = subject.signs and kind_of(file) in _SIGNED and file != "session.json"
        for family, way, shape in ways:
            for signed in (False, True) if signs else (False,):
                yield Mutant(subject.name, file, family, way, shape, signed)
        for way in PLANTS:
            yield Mutant(subject.name, file, "file", way)
        for other in subject.files:
            if other != file and (kind_of(other) == kind_of(file) or subject.formats.get(other) is form is None):
                for signed in (False, True) if signs else (False,):
                    yield Mutant(subject.name, file, "file", f"exchanged with {other}", signed=signed)


def _bends(subject: Subject, file: str) -> list[str]:
    if subject.signs and subject.formats[file] is None and kind_of(file) != "vectors":
        return ["cut", "bit flipped", "empty"]
    if kind_of(file) == "vectors":
        return [*BENDS, *FLOATS]
    return [*BENDS] if subject.formats[file] is not None or subject.signs else [*BENDS, *TEXTS]


def in_order(subjects: Iterable[Subject], seed: int) -> Iterator[Mutant]:
    """All of them without end, one of each file and way in turn; from the second turn on at another row."""
    queues: dict[tuple[str, str, str, str], list[Mutant]] = defaultdict(list)
    for subject in subjects:
        for mutant in mutants_of(subject):
            queues[mutant.subject, mutant.file, mutant.family, mutant.way].append(mutant)
    dice = Random(seed)
    keys = [*queues]
    dice.shuffle(keys)
    for mutants in queues.values():
        dice.shuffle(mutants)
    longest = max(map(len, queues.values()), default=0)
    for turn in count():
        for place in range(longest):
            for key in keys:
                if place < len(queues[key]):
                    mutant = queues[key][place]
                    yield Mutant(
                        mutant.subject, mutant.file, mutant.family, mutant.way, mutant.shape, mutant.signed, turn
                    )


def a_few(subjects: Sequence[Subject], seed: int) -> list[Mutant]:
    """So few that a test may try them: of every subject one of every kind of file, and one of each way.

    A file is bent in the way chosen least so far; a way that is left bends the smallest subject it can.
    """
    dice = Random(seed)
    seen: Counter[tuple[str, str]] = Counter()
    chosen: list[Mutant] = []
    for subject in subjects:
        files: dict[str, dict[tuple[str, str], list[Mutant]]] = defaultdict(lambda: defaultdict(list))
        for mutant in mutants_of(subject):
            files[kind_of(mutant.file)][mutant.family, mutant.way].append(mutant)
        for ways in files.values():
            keys = [*ways]
            dice.shuffle(keys)
            keys.sort(key=lambda key: seen[key])
            chosen += islice(_fitting(subject, ways, keys, seed, dice, seen), 1)
    for subject in sorted(subjects, key=lambda subject: sum(map(len, subject.files.values()))):
        left = {(family, way) for family, of_it in WAYS.items() for way in of_it if not seen[family, way]}
        if not left:
            break
        ways = defaultdict(list)
        for mutant in mutants_of(subject):
            if (mutant.family, mutant.way) in left:
                ways[mutant.family, mutant.way].append(mutant)
        chosen += _fitting(subject, ways, [*ways], seed, dice, seen)
    return chosen


def _fitting(
    subject: Subject,
    ways: Mapping[tuple[str, str], list[Mutant]],
    keys: Iterable[tuple[str, str]],
    seed: int,
    dice: Random,
    seen: Counter[tuple[str, str]],
) -> Iterator[Mutant]:
    """One of each of these ways, where there is one."""
    for key in keys:
        some = dice.sample(ways[key], min(20, len(ways[key])))
        mutant = next((mutant for mutant in some if fits(subject, mutant, seed)), None)
        if mutant is not None:
            seen[key] += 1
            yield mutant


def named(name: str) -> Mutant:
    """The mutant of this name."""
    subject, rest = name.split("/", 1)
    rest, turn = rest.rsplit("/", 1)
    before, way = rest.split(": ", 1)
    path, family = before.rsplit("/", 1)
    file, shape = path.rsplit("/", 1)
    signed = way.endswith(" signed")
    return Mutant(subject, file, family, way.removesuffix(" signed"), shape, signed, int(turn))


def count_of(subjects: Mapping[str, Subject]) -> int:
    """How many there are before a field is bent a second time."""
    return sum(1 for subject in subjects.values() for _ in mutants_of(subject))
