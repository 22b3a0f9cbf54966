"""Which ledger a command is about: that of a session, or a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.base.errors import InputError, LedgerIntegrityError, Problem, Where
from contextmesh.base.files import read_bytes
from contextmesh.cli import kit

if TYPE_CHECKING:
    from contextmesh.run.checkpoint import Checkpoint
    from contextmesh.run.ledger import RunLedger
    from contextmesh.session import SessionState

SMALL = 1 << 20
"""No checkpoint, key or proof is larger."""

FileOption = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A contextmesh.runledger file instead of a session's.")
]


def read(ctx: typer.Context, session: Path | None, file: Path | None, policy: Path | None) -> RunLedger:
    """The ledger of a session, or of a file.

    Raises:
        InputError: ``usage``: both are named; ``missing-session``: none is.
        LedgerIntegrityError: it is damaged, or there is none.
    """
    from contextmesh.run.ledger_file import ledger_from_bytes

    source = ctx.get_parameter_source("session")
    if file is not None and source is not None and source.name == "COMMANDLINE":
        message = "--session and --file name a ledger each, and one is looked at"
        raise InputError(Problem("usage", message, hint="leave one of the two out"))
    if file is not None:
        try:
            data = read_bytes(file)
        except InputError as error:
            raise LedgerIntegrityError(*error.problems) from None
        return ledger_from_bytes(data, str(file))
    return of_session(session, policy)[0]


def of_session(session: Path | None, policy: Path | None) -> tuple[RunLedger, SessionState]:
    """The ledger of a session, and the session; raises as ``read``."""
    from contextmesh import session as sessions
    from contextmesh.run.ledger_file import ledger_from_bytes

    home = session if session is not None else _none_named()
    state = sessions.load(home, policy=kit.load_policy(policy))
    carried = state.carried
    if carried is None:
        message = f"the session {home} holds no plan, and so no ledger"
        hint = "`contextmesh execute --plan MODULE:OBJECT --session DIR` runs one in it"
        raise InputError(Problem("no-ledger", message, subject=str(home), where=Where(str(home)), hint=hint))
    return ledger_from_bytes(carried.ledger, f"{home}/runledger", expect_head=carried.ledger_head), state


def _none_named() -> Path:
    message = "no ledger is named"
    raise InputError(Problem("missing-session", message, hint="add --session DIR, or --file FILE"))


def trusted(note: Path, key: str | None) -> Checkpoint:
    """The kept checkpoint; without a key its text is believed because its keeper is."""
    from contextmesh.run.checkpoint import VerifyKey, open_checkpoint, read_checkpoint

    keys = []
    if key is not None and "+" in key:
        keys = [VerifyKey.parse(key)]
    elif key is not None:
        with kit.about(Path(key)):
            keys = [VerifyKey.parse(text_of(Path(key)))]
    with kit.about(note):
        text = text_of(note)
        return read_checkpoint(text) if key is None else open_checkpoint(text, keys)


def text_of(path: Path) -> str:
    """A small file; raises InputError, ``not-utf-8`` or ``too-large``."""
    try:
        return read_bytes(path, limit=SMALL).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(Problem("not-utf-8", f"{path} is not UTF-8 text", subject=str(path))) from None
