"""A directory to a verified whole, or a refusal that changes nothing. No lock is taken: what is named is whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import sleep

from contextmesh.base.errors import Problem, Refusal, SessionError, Where
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.policy import Policy
from contextmesh.session.files import (
    MANIFEST_SIZE,
    ask_doctor,
    generations,
    identity,
    latest,
    newest,
    read_member,
    read_pointer,
)
from contextmesh.session.manifest import POINTER, Manifest, numbered, read_manifest
from contextmesh.session.pending import Pending
from contextmesh.session.pointer import ahead, alone, copied, pointer
from contextmesh.session.state import SessionState
from contextmesh.session.verify import Read, verified

ATTEMPTS = 4
_WAIT = 0.05


def load(
    directory: Path | str,
    *,
    policy: Policy | None = None,
    generation: int | None = None,
    adopt_policy: bool = False,
    wait: Callable[[float], object] = sleep,
) -> SessionState:
    """The newest generation of a session, or an earlier one that is still there.

    Args:
        policy: the rules in force; the shipped ones when left out.
        adopt_policy: judge a session that was written under other rules by those in force, and say so.
        wait: called with seconds between attempts when another process commits meanwhile.

    Raises:
        SessionError: what cannot be trusted, with file, place and generation; an earlier generation that loads is
            offered in the hint. ``policy-differs``: it was written under other rules, and nobody said to adopt these.
    """
    directory = Path(directory)
    rules = policy if policy is not None else Policy.load()
    before = identity(directory)
    lost = ahead(directory)
    read = None
    try:
        read = _read_settled(directory, rules, generation, wait)
        state = verified(directory, read, rules, adopt_policy=adopt_policy)
    except Refusal as refusal:
        about = read.manifest.generation if read is not None else generation
        raise _refused(directory, rules, about, refusal, offer=generation is None) from None
    if identity(directory) != before:
        message = f"{directory} was exchanged for another directory while it was read"
        raise SessionError(Problem("home-changed", message, subject=str(directory), where=Where(str(directory))))
    assert state.home is not None, "verified gives it"
    home = replace(state.home, device=before[0], inode=before[1])
    notices = state.notices
    if lost is not None and state.generation == dict(lost.fields)["newest"]:
        notices = (*notices, replace(lost, message=f"{lost.message}; {lost.hint}"))
    state = replace(state, home=home, notices=notices)
    pending = Pending(state.graph.store, state.resolver, state.walks, state.history, state.carried, state.rounds)
    return replace(state, pending=pending)


def read_generation(directory: Path, policy: Policy, generation: int | None) -> Read:
    """Manifest and companions as bytes, the manifest checked.

    Raises:
        SessionError: what is missing or wrong.
    """
    manifest, stated = _manifest(directory, policy, generation)
    return Read(manifest, stated, {name: read_member(directory, name) for name in manifest.files})


def find_manifest(directory: Path, policy: Policy | None, generation: int | None) -> Manifest:
    """The manifest of a generation: the newest numbered one, or what ``session.json`` holds when there is none.

    Args:
        policy: whose edge types the walker may name; None when the rules have not been read, and it is not asked.

    Raises:
        SessionError: what is missing or wrong.
    """
    return _manifest(directory, policy, generation)[0]


def _manifest(directory: Path, policy: Policy | None, generation: int | None) -> tuple[Manifest, bytes]:
    """The manifest, and its bytes."""
    number = generation if generation is not None else newest(directory)
    name = POINTER if number is None else numbered("session", number)
    path = directory / name
    if number is None and not path.exists():
        message = f"{directory} holds no session"
        hint = "`contextmesh init DIR` makes one"
        raise SessionError(Problem("no-session", message, str(directory), where=Where(str(directory)), hint=hint))
    if number is not None and number not in generations(directory):
        kept = ", ".join(str(n) for n in generations(directory)) or "none"
        message = f"{directory} holds no generation {number}"
        hint = f"generations that are there: {kept}"
        raise SessionError(Problem("no-generation", message, str(directory), where=Where(str(path)), hint=hint))
    data = _manifest_bytes(directory, name)
    document = parse(data, str(path), limit=MANIFEST_SIZE, refusal=SessionError)
    try:
        return read_manifest(document, policy.ontology.edge_types if policy else None, generation=number), data
    except Fault as fault:
        raise SessionError(document.problem(fault)) from None


def _manifest_bytes(directory: Path, name: str) -> bytes:
    if name == POINTER:
        return read_pointer(directory, limit=MANIFEST_SIZE)
    return read_member(directory, name, limit=MANIFEST_SIZE)


def _read_settled(directory: Path, policy: Policy, generation: int | None, wait: Callable[[float], object]) -> Read:
    """Reads again when a file vanished because a newer generation was committed meanwhile."""
    for attempt in range(1, ATTEMPTS + 1):
        seen = newest(directory)
        try:
            return read_generation(directory, policy, generation)
        except SessionError as error:
            if error.code != "missing-file" or attempt == ATTEMPTS or newest(directory) == seen:
                raise
            wait(_WAIT * attempt)
    raise AssertionError("the last attempt returns or raises")


# Nothing is damaged: GRAPH.md has not heard of what the file holds.
_OF_THE_POLICY = frozenset(("no-such-node-type", "no-such-edge-type", "policy-differs"))


def _refused(directory: Path, policy: Policy, wanted: int | None, refusal: Refusal, *, offer: bool) -> SessionError:
    """The refusal with the generation it is about, and an earlier one that loads, if there is one."""
    if wanted is None:
        wanted = latest(directory)
    spare = _spare(directory, policy, wanted) if offer and wanted is not None else None
    held = pointer(directory)
    saved = held is not None and held.generation == wanted and alone(directory, held)
    problems = []
    for problem in refusal.problems:
        fields = (*problem.fields, ("generation", wanted), ("offered", spare))
        hint = problem.hint
        offered = None
        if problem.code in _OF_THE_POLICY:
            offered = "a session written under another policy opens with that policy (--policy DIR)"
        elif saved and wanted is not None:
            offered = f"`{copied(directory, POINTER, numbered('session', wanted))}` puts back what it was"
        elif spare is not None and wanted is not None:
            without = numbered("session", wanted)
            offered = f"generation {spare} is whole; a copy of the directory without {without} opens it"
        if offered is not None:
            hint = f"{hint}; {offered}" if hint else offered
        hint = hint or ask_doctor(directory)
        problems.append(replace(problem, fields=fields, hint=hint))
    return SessionError(*problems)


def _spare(directory: Path, policy: Policy, below: int) -> int | None:
    for number in generations(directory):
        if number >= below:
            continue
        try:
            verified(directory, read_generation(directory, policy, number), policy)
        except Refusal:
            continue
        return number
    return None
