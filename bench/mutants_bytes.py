"""Ways to bend the bytes of a file, and what stands under its name in a directory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from struct import pack

from bench.mutants_values import Unfit

Bend = Callable[[bytes, Random], bytes]
Plant = Callable[[Path, Path], object]
"""What it does to a file; the second path is a folder outside to put things in."""

HUGE = 1 << 31


def _at(data: bytes, dice: Random) -> int:
    if not data:
        raise Unfit
    return dice.randrange(len(data))


def _cut(data: bytes, dice: Random) -> bytes:
    return data[: _at(data, dice)]


def _flipped(data: bytes, dice: Random) -> bytes:
    at = _at(data, dice)
    return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]


def _inserted(make: Callable[[Random], bytes]) -> Bend:
    def bend(data: bytes, dice: Random) -> bytes:
        at = dice.randint(0, len(data))
        return data[:at] + make(dice) + data[at:]

    return bend


def _overwritten(new: bytes) -> Bend:
    def bend(data: bytes, dice: Random) -> bytes:
        at = _at(data, dice)
        return data[:at] + new + data[at + len(new) :]

    return bend


def _without(data: bytes, dice: Random) -> bytes:
    at = _at(data, dice)
    return data[:at] + data[at + dice.randint(1, 20) :]


def _lines(change: Callable[[list[bytes], int], None]) -> Bend:
    def bend(data: bytes, dice: Random) -> bytes:
        lines = data.splitlines(keepends=True)
        if len(lines) < 2:
            raise Unfit
        change(lines, dice.randrange(len(lines) - 1))
        return b"".join(lines)

    return bend


def _swap(lines: list[bytes], at: int) -> None:
    lines[at], lines[at + 1] = lines[at + 1], lines[at]


def _words(data: bytes, dice: Random) -> bytes:
    """One word of the text in the place of another."""
    words = data.split(b" ")
    if len(words) < 3:
        raise Unfit
    words[dice.randrange(len(words))] = dice.choice(words)
    return b" ".join(words)


def _float(value: bytes) -> Bend:
    def bend(data: bytes, dice: Random) -> bytes:
        at = _at(data, dice) // 4 * 4
        return data[:at] + value + data[at + 4 :]

    return bend


BENDS: dict[str, Bend] = {
    "cut": _cut,
    "cut in half": lambda data, dice: data[: len(data) // 2],
    "last byte gone": lambda data, dice: data[:-1],
    "bit flipped": _flipped,
    "byte put in": _inserted(lambda dice: bytes([dice.randrange(256)])),
    "bytes gone": _without,
    "sixteen zeros": _overwritten(bytes(16)),
    "not UTF-8": _overwritten(b"\xc3\x28"),
    "half a pair as bytes": _overwritten(b"\xed\xa0\x80"),
    "overlong": _overwritten(b"\xc0\xaf"),
    "a brace put in": _inserted(lambda dice: dice.choice([b"{", b"}", b"[", b"]", b'"', b",", b":"])),
    "mark at the start": lambda data, dice: b"\xef\xbb\xbf" + data,
    "carriage returns": lambda data, dice: data.replace(b"\n", b"\r\n"),
    "lone carriage returns": lambda data, dice: data.replace(b"\n", b"\r"),
    "UTF-16": lambda data, dice: data.decode("utf-8", "replace").encode("utf-16"),
    "empty": lambda data, dice: b"",
    "a newline": lambda data, dice: b"\n",
    "doubled": lambda data, dice: data + data,
    "more after the end": lambda data, dice: data + b"{}",
    "zeros after the end": lambda data, dice: data + bytes(4096),
    "spaces after the end": lambda data, dice: data + b" " * 4096,
    "spaces before": lambda data, dice: b" \n" + data,
    "many newlines": lambda data, dice: data + b"\n" * 100_000,
    "brackets only": lambda data, dice: b"[" * 100_000,
    "lines swapped": _lines(_swap),
    "line repeated": _lines(lambda lines, at: lines.insert(at, lines[at])),
    "line gone": _lines(lambda lines, at: lines.pop(at)),
    "line very long": _lines(lambda lines, at: lines.__setitem__(at, lines[at].rstrip(b"\n") + b" " * 300_000 + b"\n")),
}
"""Of any file."""

TEXTS: dict[str, Bend] = {
    "word of another place": _words,
    "tabs": lambda data, dice: data.replace(b" ", b"\t"),
    "no spaces": lambda data, dice: data.replace(b" ", b""),
    "one line": lambda data, dice: data.replace(b"\n", b" "),
    "brackets put in": _inserted(lambda dice: b"(" * 10_000),
    "digits put in": _inserted(lambda dice: b"9" * 5_000),
    "dots put in": _inserted(lambda dice: b". " * 5_000),
    "letters beyond ASCII": _inserted(lambda dice: "Ⅷé\u202e".encode()),
}
"""Of a text that is no JSON."""

FLOATS: dict[str, Bend] = {
    "NaN": _float(pack("<I", 0x7FC00000)),
    "negative NaN": _float(pack("<I", 0xFFC00001)),
    "infinity": _float(pack("<I", 0x7F800000)),
    "smallest": _float(pack("<I", 1)),
    "largest": _float(pack("<I", 0x7F7FFFFF)),
    "minus zero": _float(pack("<I", 0x80000000)),
    "one more": lambda data, dice: data + pack("<f", 1.0),
    "one less": lambda data, dice: data[:-4],
    "turned round": lambda data, dice: data[::-1],
    "a length in front": lambda data, dice: pack("<Q", HUGE) + data,
}
"""Of a file of vectors."""


def _away(path: Path) -> bytes:
    data = path.read_bytes()
    path.unlink()
    return data


def _link_to_copy(path: Path, elsewhere: Path) -> None:
    (elsewhere / "copy").write_bytes(_away(path))
    path.symlink_to(elsewhere / "copy")


def _link_inside(path: Path, elsewhere: Path) -> None:
    (path.parent / "copy").write_bytes(_away(path))
    path.symlink_to("copy")


def _linked(target: str) -> Plant:
    def plant(path: Path, elsewhere: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return plant


def _huge(path: Path, elsewhere: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(HUGE)


def _folder(path: Path, elsewhere: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path, elsewhere: Path) -> None:
    path.unlink()
    os.mkfifo(path)


PLANTS: dict[str, Plant] = {
    "missing": lambda path, elsewhere: path.unlink(),
    "folder": _folder,
    "pipe": _pipe,
    "larger than any limit": _huge,
    "link to itself": lambda path, elsewhere: _linked(path.name)(path, elsewhere),
    "link to nothing": _linked("nothing"),
    "link to a copy outside": _link_to_copy,
    "link to a copy beside": _link_inside,
    "link to the folder": _linked("."),
    "link to endless zeros": _linked("/dev/zero"),
    "second name": lambda path, elsewhere: (elsewhere / "second").hardlink_to(path),
}
"""What can stand under the name of a file."""


def exchanged(files: Mapping[str, bytes], name: str, other: str) -> dict[str, bytes]:
    """Two files that changed places."""
    return {**files, name: files[other], other: files[name]}
