"""``ledger``: verify and show the log of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.base.errors import InputError, LedgerIntegrityError, Problem
from contextmesh.base.files import read_bytes
from contextmesh.base.wording import counted
from contextmesh.cli import kit
from contextmesh.cli.ledger_source import SMALL, FileOption, of_session, read, trusted

if TYPE_CHECKING:
    from contextmesh.base.chain import Verdict
    from contextmesh.run.checkpoint import Checkpoint
    from contextmesh.run.ledger import Entry, RunLedger

ledger = typer.Typer(
    help="Verify and read the log of a plan.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
kit.app.add_typer(ledger, name="ledger")

_UNSIGNED = "the signature of the checkpoint was not looked at: add --key"
BROKEN = ("ledger-broken", "head-differs")
"""Codes of a ledger that can be read and does not verify."""

AgainstOption = Annotated[
    Path | None, typer.Option("--against", metavar="CHECKPOINT", help="A checkpoint that was kept elsewhere.")
]
TrustOption = Annotated[
    str | None, typer.Option("--key", metavar="KEY", help="The public key of its signer, or a file with it.")
]


@ledger.command(epilog="Example:  contextmesh ledger verify --session plans.mesh --against monday.checkpoint")
def verify(
    ctx: typer.Context,
    session: kit.SessionOption = None,
    file: FileOption = None,
    policy: kit.PolicyOption = None,
    expect_head: Annotated[
        str | None, typer.Option("--expect-head", metavar="HEX", help="The head that was trusted.")
    ] = None,
    against: AgainstOption = None,
    key: TrustOption = None,
    proof: Annotated[
        Path | None,
        typer.Option("--proof", metavar="FILE", help="Check this proof by the checkpoint, without a ledger."),
    ] = None,
    json: kit.JsonOption = False,
) -> None:
    """Check the chain from its first entry, and against what was kept elsewhere; exit status 1 when it does not hold.

    Without --expect-head or --against a consistent ledger is only that: that nothing was cut off at its end is not
    proven. A session's manifest holds the head it was committed with, and is kept beside it, so it proves no more.
    """
    from contextmesh.base.chain import Verdict as Found
    from contextmesh.base.chain import is_digest
    from contextmesh.run.checkpoint import against as compared
    from contextmesh.run.ledger import words_of

    if key is not None and against is None:
        message = "--key is of the signer of a checkpoint, and no checkpoint is named"
        raise InputError(Problem("usage", message, hint="add --against CHECKPOINT"))
    if expect_head is not None and not is_digest(expect_head):
        message = "the trusted head is 64 lowercase hex digits"
        raise InputError(Problem("malformed-digest", message, subject=expect_head))
    kept = trusted(against, key) if against is not None else None
    if proof is not None:
        _verify_proof(proof, kept, json, signed=key is not None)
        return
    try:
        found = read(ctx, session, file, policy)
        verdict = found.verify(expect_head=expect_head)
        if kept is not None:
            verdict = compared(verdict, found.tree, kept)
    except LedgerIntegrityError as error:
        if error.code not in BROKEN:
            raise
        verdict = Found(0, "", reason=str(error))
    kit.show(
        lambda: {
            "verified": verdict.reason is None,
            "entries": verdict.size,
            "head": verdict.head or None,
            "complete": verdict.complete,
            "complete_to": verdict.complete_to if verdict.reason is None else None,
            "reason": verdict.reason,
            "words": words_of(verdict),
        },
        lambda: "\n".join([words_of(verdict), *_remarks(verdict, kept, unsigned=key is None)]),
        as_json=json,
    )
    if verdict.reason is not None:
        kit.leave(kit.FOUND)


@ledger.command(epilog="Example:  contextmesh ledger show --session plans.mesh --task hash_password")
def show(
    ctx: typer.Context,
    session: kit.SessionOption = None,
    file: FileOption = None,
    policy: kit.PolicyOption = None,
    task: Annotated[str | None, typer.Option("--task", metavar="NAME", help="Entries of one task.")] = None,
    round_: Annotated[int | None, typer.Option("--round", metavar="N", min=0, help="Entries of one round.")] = None,
    event: Annotated[str | None, typer.Option("--event", metavar="WORD", help="Entries of one event.")] = None,
    json: kit.JsonOption = False,
) -> None:
    """What happened, in order."""
    from contextmesh.run.ledger import EVENTS

    if event is not None and event not in EVENTS:
        message = f"{event} is no event of a ledger"
        raise InputError(Problem("unknown-word", message, subject=event, hint=f"one of {', '.join(EVENTS)}"))
    found = read(ctx, session, file, policy)
    chosen = [
        entry
        for entry in found
        if (task is None or entry.task == task)
        and (round_ is None or entry.round == round_)
        and (event is None or entry.event == event)
    ]
    kit.show(
        lambda: {"head": found.head, "entries": [entry.as_json() for entry in chosen]},
        lambda: "\n".join(_line(found, entry) for entry in chosen) or "no such entries",
        as_json=json,
    )


@ledger.command(epilog="Example:  contextmesh ledger preserved 7 --session plans.mesh")
def preserved(
    entry: Annotated[int, typer.Argument(metavar="ENTRY", help="The number of a disproof.")],
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """What still stood after a disproof, listed again from the graph, and compared with what the ledger holds of it."""
    from contextmesh.run.preserved import preserved as listed

    found, state = of_session(session, policy)
    names = listed(state.graph, found, entry)
    kit.show(
        lambda: {"entry": entry, "preserved_count": len(names), "preserved": list(names)},
        lambda: "\n".join(
            [f"{counted(len(names), 'node')} stood after entry {entry}", *(f"  {name}" for name in names)]
        ),
        as_json=json,
    )


def _verify_proof(path: Path, kept: Checkpoint | None, json: bool, *, signed: bool) -> None:
    from contextmesh.cli.proofs import check

    if kept is None:
        message = "a proof is checked by a checkpoint, and none is named"
        raise InputError(Problem("usage", message, hint="add --against CHECKPOINT"))
    said, reason = check(read_bytes(path, limit=SMALL), str(path), kept)
    whole = (
        f"entry {said['entry']} is in the log" if "entry" in said else f"{said['since']} entries begin {said['size']}"
    )
    words = f"refused: {reason}" if reason is not None else f"proven: {whole}, by the checkpoint of {kept.size}"
    lines = [words] if signed or reason is not None else [words, _UNSIGNED]
    kit.show(
        lambda: {"verified": reason is None, **said, "reason": reason, "words": words},
        lambda: "\n".join(lines),
        as_json=json,
    )
    if reason is not None:
        kit.leave(kit.FOUND)


def _remarks(verdict: Verdict, kept: Checkpoint | None, *, unsigned: bool) -> list[str]:
    if verdict.reason is not None:
        return []
    lines = [f"head {verdict.head}"]
    if kept is not None and not verdict.complete:
        lines.append(f"the checkpoint was made at entry {kept.size}; it cannot know what came after")
    if kept is not None and unsigned:
        lines.append(_UNSIGNED)
    return lines


def _line(found: RunLedger, entry: Entry) -> str:
    about = found.text(entry.detail)
    return f"{entry.seq:>5}  round {entry.round:<3} {entry.event:<11} {entry.task}  {about}"
