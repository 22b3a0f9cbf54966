"""What every command shares: the app, the common options, how a result and a refusal are printed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.base.errors import Problem
    from contextmesh.policy import Policy
    from contextmesh.session import SessionState

DONE, FOUND, REFUSED, DEAD_END, LOCKED, FAULT = 0, 1, 2, 3, 4, 70

app = typer.Typer(
    name="contextmesh",
    help="A typed context graph as a Datalog rules engine: an answer is a path, "
    "and an assumption that fails takes down exactly what stood on it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

SessionOption = Annotated[
    Path | None,
    typer.Option("--session", metavar="DIR", envvar="CONTEXTMESH_SESSION", help="The session directory."),
]
PolicyOption = Annotated[
    Path | None,
    typer.Option(
        "--policy", metavar="DIR", envvar="CONTEXTMESH_POLICY", help="Rules and a GRAPH.md laid over the shipped ones."
    ),
]
WaitOption = Annotated[
    float,
    typer.Option(
        "--wait", min=0.0, max=86_400.0, metavar="SECONDS", help="Queue so long while another writer is at the session."
    ),
]


def _require_date(text: str | None) -> str | None:
    """A date of a commit as it was given, refused before anything is opened or made when it is none.

    Raises:
        InputError: ``not-a-date``, ``impossible-date``, ``commit-date-ahead``.
    """
    if text is None:
        return None
    from contextmesh.base.clock import require_come

    return require_come(text)


OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="DATE",
        envvar="CONTEXTMESH_ON",
        callback=_require_date,
        help="The date of this commit, which --as-of asks by; without it the commit is undated, as no clock is read. "
        "Where another writer committed under a later date first, it bears that one, and a note says so.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, on stdout.")]


def emit(payload: object) -> None:
    """One JSON document on stdout."""
    write_line(json.dumps(payload, indent=2, ensure_ascii=not _speaks_unicode(sys.stdout)))


def write_line(text: str = "", *, to: Any = None) -> None:
    """A line of text to stdout; characters the stream cannot carry become ASCII stand-ins."""
    stream = to if to is not None else sys.stdout
    if stream is None:  # closed by the caller, who wants no output
        return
    encoding = getattr(stream, "encoding", None) or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    _deliver(stream, text + "\n")


def write_document(text: str) -> None:
    """A document for other programs to stdout: in UTF-8 with its own line ends, unless a person looks on."""
    stream = sys.stdout
    if stream is None or stream.isatty():
        write_line(text.removesuffix("\n"))
        return
    below = getattr(stream, "buffer", None)
    if below is None:  # a caller in this process, who takes text
        _deliver(stream, text)
        return
    flush()
    _deliver(below, text.encode("utf-8"))


def flush() -> None:
    """Hand over what is still held back, so that an exit code never speaks of output that did not arrive.

    Raises:
        InputError: ``unwritable-file``.
    """
    if sys.stdout is not None:
        _deliver(sys.stdout, "")


def _deliver(stream: Any, text: str | bytes) -> None:
    try:
        stream.write(text)
        if not text or isinstance(text, bytes):
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from contextmesh.base.errors import InputError, Problem

        sys.stdout = None  # or the interpreter tries again as it leaves, and says so in its own words
        message = f"the output cannot be written: {error.strerror}"
        raise InputError(Problem("unwritable-file", message, subject="stdout")) from None


def load_policy(directory: Path | None) -> Policy | None:
    """The policy laid over the shipped one, or None for the shipped one alone."""
    if directory is None:
        return None
    from contextmesh.policy import Policy

    return Policy.load(directory)


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Inside, what is refused without a place bears the name of this file."""
    from contextmesh.base.errors import Refusal, Where

    try:
        yield
    except Refusal as refusal:
        problems = (replace(one, where=one.where or Where(str(path))) for one in refusal.problems)
        raise type(refusal)(*problems) from None


def open_mesh(session: Path | None, policy: Path | None, *, quiet: bool = False) -> Mesh:
    """The session's mesh, or the bundled demo when none is named (said on stderr unless ``quiet``)."""
    from contextmesh.api import Mesh

    rules = load_policy(policy)
    if session is not None:
        mesh = Mesh.open(session, policy=rules)
        tell_notices(mesh)
        return mesh
    from contextmesh.demo.build import demo_mesh

    if not quiet:
        write_line("(no --session: this is the bundled demo)", to=sys.stderr)
    return demo_mesh(policy=rules)


def open_or_new(home: Path, policy: Policy | None) -> Mesh:
    """The session's mesh; where there is none an empty one in memory, so that what is refused afterwards makes none.

    Raises:
        SessionError: the session is damaged.
    """
    from contextmesh.api import ABSENT, Mesh
    from contextmesh.base.errors import SessionError

    try:
        return Mesh.open(home, policy=policy)
    except SessionError as error:
        if error.code not in ABSENT:
            raise
        return Mesh(policy)


def dated(state: SessionState, on: str | None) -> SessionState:
    """The session, of which what is written from now on is committed on a date; see Timeline.commits_on.

    Raises:
        InputError: ``earlier-commit``.
    """
    if on is None:
        return state
    from dataclasses import replace

    from contextmesh.graph.history import History
    from contextmesh.graph.timeline import Timeline

    history = state.history if state.history is not None else History(state.graph.store)
    Timeline(state.graph, history).commits_on(on)
    return replace(state, history=history)


def with_notes(told: dict[str, Any], notices: Sequence[Problem]) -> dict[str, Any]:
    """A result as JSON, with what its writer should know of how it was committed."""
    return {**told, "notes": [notice.as_json() for notice in notices]} if notices else told


def with_notes_text(told: str, notices: Sequence[Problem]) -> str:
    """The same as text."""
    return "\n".join((told, *(f"note[{notice.code}]: {notice.message}; {notice.note}" for notice in notices)))


def tell_notices(mesh: Mesh) -> None:
    """What a reader should know of how the session was read, on stderr."""
    for notice in mesh.notices:
        say(f"{notice.where}: warning[{notice.code}]: {notice.message}")


def require_session(session: Path | None) -> Path:
    """The session directory of a command that writes one.

    Raises:
        InputError: none was named.
    """
    if session is not None:
        return session
    from contextmesh.base.errors import InputError, Problem

    raise InputError(
        Problem(
            "missing-session",
            "this command writes to a session, and none was named",
            hint="add --session DIR or set CONTEXTMESH_SESSION; `contextmesh init DIR` makes one",
        )
    )


def say(text: str) -> None:
    """A note for people, on stderr."""
    write_line(text, to=sys.stderr)


def leave(code: int) -> NoReturn:
    raise typer.Exit(code)


def show(payload: Callable[[], object], text: Callable[[], str], *, as_json: bool) -> None:
    """The result of a command in the form that was asked for."""
    if as_json:
        emit(payload())
    else:
        write_line(text())


def colours() -> bool:
    """Whether colours are welcome on stdout."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _speaks_unicode(stream: Any) -> bool:
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")


_FROM = "→←↔…✓✗•─│├└“”‘’–—×≤≥·"
_TO = "->,<-,<->,...,+,x,*,-,|,|,`,',',',',-,-,x,<=,>=,-"
_ASCII = str.maketrans(dict(zip(_FROM, _TO.split(","), strict=True)))


def paint(text: str, style: str) -> str:
    """Text in a colour or in bold, when colours are welcome."""
    if not colours():
        return text
    return typer.style(text, bold=True) if style == "bold" else typer.style(text, fg=style)
