"""Does an advisory say that a version of a package is affected? The OSV schema; versions in the order of PEP 440."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from contextmesh.base.fields import Fault, kind_of, shown

if TYPE_CHECKING:
    from packaging.version import Version

Word = Literal["affected", "not_affected", "unknown_package", "cannot_evaluate"]
ECOSYSTEM = "pypi"
EVENTS = ("fixed", "introduced", "last_affected", "limit")
"""In the order in which events of one version count: what is fixed and introduced again is introduced."""


@dataclass(frozen=True, slots=True)
class Range:
    """Events of one range, as written: (word, version)."""

    events: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Affected:
    """What an advisory says of one package.

    Attributes:
        name: normalised: lower case, runs of ``-_.`` as one hyphen.
        versions: listed one by one.
        ranges: those whose versions are versions of the package; ranges over commits are left out.
    """

    name: str
    versions: tuple[str, ...]
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Advisory:
    """One advisory, of the packages of PyPI that it names.

    Attributes:
        published: the day it became known; one that does not say is known since it was last modified.
    """

    id: str
    published: date | None
    withdrawn: date | None
    affected: tuple[Affected, ...]
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What an advisory says of one version, and why."""

    word: Word
    why: str


def judge(advisory: Advisory, package: str, version: str, as_of: date | None = None) -> Finding:
    """What the advisory says of this version, or said by the end of a day.

    A version with a local part is judged as the release it was built from.
    """
    from packaging.utils import canonicalize_name

    if as_of is not None and advisory.published is not None and advisory.published > as_of:
        return Finding("not_affected", "not yet published")
    if advisory.withdrawn is not None and (as_of is None or advisory.withdrawn <= as_of):
        return Finding("not_affected", "withdrawn")
    name = canonicalize_name(package)
    about = [affected for affected in advisory.affected if affected.name == name]
    if not about:
        return Finding("unknown_package", "advisory is about another package")
    if any(_listed(affected.versions, version) for affected in about):
        return Finding("affected", "listed version")
    asked = _parse(version)
    if asked is None:
        return Finding("cannot_evaluate", f"{version} is no version that PEP 440 knows")
    verdicts = [_in_range(one, asked) for affected in about for one in affected.ranges]
    if True in verdicts:
        return Finding("affected", "in range")
    if None in verdicts:
        return Finding("cannot_evaluate", "a range names a version that PEP 440 does not know")
    if not verdicts and not any(affected.versions for affected in about):
        return Finding("cannot_evaluate", "the advisory lists neither versions nor ranges of them")
    return Finding("not_affected", "outside every range")


def read_advisory(value: object) -> Advisory:
    """An advisory from its JSON or YAML value, every scalar of which may be text.

    Raises:
        Fault: what is not as the OSV schema says.
    """
    row = _object(value, ())
    id_ = _text(row, "id", ())
    affected = []
    for index, given in enumerate(_list(row, "affected", ())):
        one = _affected(given, ("affected", index))
        if one is not None:
            affected.append(one)
    summary = _scalar(row.get("summary") or row.get("details") or "", ("summary",))
    first = summary.strip().split("\n")[0]
    published = _day(row, "published") or _day(row, "modified")
    return Advisory(id_, published, _day(row, "withdrawn"), tuple(affected), first)


def _affected(value: object, path: tuple[str | int, ...]) -> Affected | None:
    from packaging.utils import canonicalize_name

    row = _object(value, path)
    if "package" not in row:
        return None  # ranges over commits alone
    package = _object(row["package"], (*path, "package"))
    if _text(package, "ecosystem", (*path, "package")).split(":")[0].lower() != ECOSYSTEM:
        return None
    name = canonicalize_name(_text(package, "name", (*path, "package")))
    listed = enumerate(_list(row, "versions", path))
    versions = tuple(_scalar(version, (*path, "versions", number)) for number, version in listed)
    ranges = tuple(_ranges(_list(row, "ranges", path), (*path, "ranges")))
    return Affected(name, versions, ranges)


def _ranges(values: Sequence[object], path: tuple[str | int, ...]) -> Iterator[Range]:
    for index, value in enumerate(values):
        here = (*path, index)
        row = _object(value, here)
        if _text(row, "type", here) not in ("ECOSYSTEM", "SEMVER"):
            continue
        events = []
        for number, event in enumerate(_list(row, "events", here)):
            for word, version in _object(event, (*here, "events", number)).items():
                if word not in EVENTS:
                    message = f"is {shown(word)}, and must be one of {', '.join(EVENTS)}"
                    raise Fault("unknown-word", message, (*here, "events", number))
                events.append((word, _scalar(version, (*here, "events", number, word))))
        yield Range(tuple(events))


def _listed(versions: Sequence[str], version: str) -> bool:
    """Listed as written, or in another spelling of the same version."""
    if version in versions:
        return True
    asked = _parse(version)
    return asked is not None and any(asked == _parse(one) for one in versions)


def _in_range(one: Range, asked: Version) -> bool | None:
    """The evaluation of the OSV schema: events in order of version, the last that applies decides; None: unknown."""
    points: list[tuple[Version, int, str]] = []
    limits: list[Version] = []
    affected = False
    for word, text in one.events:
        if word == "introduced" and text == "0":
            affected = True
            continue
        if word == "limit" and text == "*":
            continue
        point = _parse(text)
        if point is None:
            return None
        if word == "limit":
            limits.append(point)
        else:
            points.append((point, EVENTS.index(word), word))
    for point, _, word in sorted(points, key=lambda p: p[:2]):
        if word == "introduced" and asked >= point:
            affected = True
        elif (word == "fixed" and asked >= point) or (word == "last_affected" and asked > point):
            affected = False
    return affected and (not limits or any(asked < limit for limit in limits))


def _parse(text: str) -> Version | None:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(Version(text).public)
    except InvalidVersion:
        return None


def _object(value: object, path: tuple[str | int, ...]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Fault("wrong-type", f"must be an object, and is {kind_of(value)}", path)
    return value


def _list(row: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> Sequence[Any]:
    value = row.get(key)
    if value is None or value == "":
        return ()
    if not isinstance(value, list):
        raise Fault("wrong-type", f"must be an array, and is {kind_of(value)}", (*path, key))
    return value


def _text(row: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise Fault("wrong-type", f"must be text, and is {kind_of(value)}", (*path, key))
    return value


def _scalar(value: object, path: tuple[str | int, ...]) -> str:
    """Text, or a number as it is written. A list or an object is not spelt out: YAML lets a short one grow for ever."""
    if not isinstance(value, str | int | float):
        raise Fault("wrong-type", f"must be text, and is {kind_of(value)}", path)
    return str(value)


def _day(row: Mapping[str, Any], key: str) -> date | None:
    """The day of an RFC 3339 time in UTC."""
    value = row.get(key)
    if value is None or value == "":
        return None
    try:
        return date.fromisoformat(_scalar(value, (key,))[:10])
    except ValueError:
        raise Fault(
            "not-a-date", f"is {shown(value)}, and must be a time such as 2024-01-31T00:00:00Z", (key,)
        ) from None
