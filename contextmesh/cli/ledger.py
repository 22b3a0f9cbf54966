"""``ledger``: verify, show, prove and checkpoint the log of a plan."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextmesh.base.errors import InputError, LedgerIntegrityError, Problem, Where
from contextmesh.base.files import read_bytes, write_bytes
from contextmesh.cli import kit

if TYPE_CHECKING:
    from contextmesh.base.chain import Verdict
    from contextmesh.run.checkpoint import Checkpoint, SigningKey
    from contextmesh.run.ledger import Entry, RunLedger
    from contextmesh.session import SessionState

ledger = typer.Typer(
    help="Verify and read the log of a plan.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
kit.app.add_typer(ledger, name="ledger")

SMALL = 1 << 20
_UNSIGNED = "the signature of the checkpoint was not looked at: add --key"
BROKEN = ("ledger-broken", "head-differs")
"""Codes of a ledger that can be read and does not verify."""

FileOption = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A contextmesh.runledger file instead of a session's.")
]
AgainstOption = Annotated[
    Path | None, typer.Option("--against", metavar="CHECKPOINT", help="A checkpoint that was kept elsewhere.")
]
TrustOption = Annotated[
    str | None, typer.Option("--key", metavar="KEY", help="The public key of its signer, or a file with it.")
]


@ledger.command(epilog="Example:  contextmesh ledger verify --session plans.mesh --against monday.checkpoint")
def verify(
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
    trusted = _trusted(against, key) if against is not None else None
    if proof is not None:
        _verify_proof(proof, trusted, json, signed=key is not None)
        return
    try:
        found = _read(session, file, policy)
        verdict = found.verify(expect_head=expect_head)
        if trusted is not None:
            verdict = compared(verdict, found.tree, trusted)
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
        lambda: "\n".join([words_of(verdict), *_remarks(verdict, trusted, unsigned=key is None)]),
        as_json=json,
    )
    if verdict.reason is not None:
        kit.leave(kit.FOUND)


@ledger.command(epilog="Example:  contextmesh ledger show --session plans.mesh --task hash_password")
def show(
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
    found = _read(session, file, policy)
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

    found, state = _of_session(session, policy)
    names = listed(state.graph, found, entry)
    kit.show(
        lambda: {"entry": entry, "preserved_count": len(names), "preserved": list(names)},
        lambda: "\n".join([f"{len(names)} nodes stood after entry {entry}", *(f"  {name}" for name in names)]),
        as_json=json,
    )


@ledger.command(epilog="Example:  contextmesh ledger prove 9 --session plans.mesh")
def prove(
    entry: Annotated[int | None, typer.Argument(metavar="[ENTRY]", help="Its number: prove that it is there.")] = None,
    since: Annotated[
        int | None,
        typer.Option("--since", metavar="SIZE", min=1, help="Prove that the first SIZE entries still begin it."),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option("--size", metavar="SIZE", min=1, help="Of the entry: as the ledger was at a checkpoint of SIZE."),
    ] = None,
    session: kit.SessionOption = None,
    file: FileOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """An inclusion proof of an entry, or a consistency proof since an earlier size, as RFC 6962 defines them.

    Whoever holds a checkpoint can check the proof without the ledger: keep it with --json, and give it to
    `contextmesh ledger verify --proof FILE --against CHECKPOINT`.
    """
    found = _read(session, file, policy)
    if (entry is None) == (since is None) or (entry is None and size is not None):
        message = "a proof is of one entry, or since one size"
        raise InputError(Problem("usage", message, hint="contextmesh ledger prove 9, or --since 9"))
    payload = _inclusion(found, entry, size) if entry is not None else _consistency(found, since or 1)
    kit.show(lambda: payload, lambda: "\n".join(_proof_lines(payload)), as_json=json)


@ledger.command(
    epilog="Example:  contextmesh ledger checkpoint --session plans.mesh --key signing.key --out monday.checkpoint"
)
def checkpoint(
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="The signing key.")],
    make_key: Annotated[
        str | None,
        typer.Option(
            "--make-key",
            metavar="NAME",
            help="First make a key of this name, in that file, and the public key in FILE.pub.",
        ),
    ] = None,
    origin: Annotated[
        str | None, typer.Option("--origin", metavar="NAME", help="What log this is; the key's name when left out.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Where to; stdout when left out.")] = None,
    session: kit.SessionOption = None,
    file: FileOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """A signed statement of how many entries there are and what they are, to be kept elsewhere."""
    from contextmesh.run.checkpoint import checkpoint_of, sign_checkpoint

    found = _read(session, file, policy)
    signing = _made_key(key, make_key) if make_key is not None else _signing_key(key)
    made = checkpoint_of(found, origin or signing.name)
    note = sign_checkpoint(made, signing)
    if out is not None:
        write_bytes(out, note.encode("utf-8"))
    public = str(signing.verify_key)
    beside = _public_file(key) if make_key is not None else None
    if beside is not None:
        kit.say(f"public key {public} in {beside}")
    kit.show(
        lambda: {
            "origin": made.origin,
            "size": made.size,
            "root": base64.b64encode(made.root).decode("ascii"),
            "note": note,
            "public_key": public,
            "public_key_file": None if beside is None else str(beside),
            "file": None if out is None else str(out),
        },
        lambda: (
            note.removesuffix("\n") if out is None else f"{made.size} entries, signed in {out}\npublic key {public}"
        ),
        as_json=json,
    )


def _verify_proof(path: Path, trusted: Checkpoint | None, json: bool, *, signed: bool) -> None:
    from contextmesh.cli.proofs import check

    if trusted is None:
        message = "a proof is checked by a checkpoint, and none is named"
        raise InputError(Problem("usage", message, hint="add --against CHECKPOINT"))
    said, reason = check(read_bytes(path, limit=SMALL), str(path), trusted)
    whole = (
        f"entry {said['entry']} is in the log" if "entry" in said else f"{said['since']} entries begin {said['size']}"
    )
    words = f"refused: {reason}" if reason is not None else f"proven: {whole}, by the checkpoint of {trusted.size}"
    lines = [words] if signed or reason is not None else [words, _UNSIGNED]
    kit.show(
        lambda: {"verified": reason is None, **said, "reason": reason, "words": words},
        lambda: "\n".join(lines),
        as_json=json,
    )
    if reason is not None:
        kit.leave(kit.FOUND)


def _remarks(verdict: Verdict, trusted: Checkpoint | None, *, unsigned: bool) -> list[str]:
    if verdict.reason is not None:
        return []
    lines = [f"head {verdict.head}"]
    if trusted is not None and not verdict.complete:
        lines.append(f"the checkpoint was made at entry {trusted.size}; it cannot know what came after")
    if trusted is not None and unsigned:
        lines.append(_UNSIGNED)
    return lines


# ---- parts --------------------------------------------------------------------------------------


def _read(session: Path | None, file: Path | None, policy: Path | None) -> RunLedger:
    from contextmesh.run.ledger_file import ledger_from_bytes

    if file is not None:
        try:
            data = read_bytes(file)
        except InputError as error:
            raise LedgerIntegrityError(*error.problems) from None
        return ledger_from_bytes(data, str(file))
    return _of_session(session, policy)[0]


def _of_session(session: Path | None, policy: Path | None) -> tuple[RunLedger, SessionState]:
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


def _trusted(note: Path, key: str | None) -> Checkpoint:
    """The kept checkpoint; without a key its text is believed because its keeper is."""
    from contextmesh.run.checkpoint import VerifyKey, open_checkpoint, read_checkpoint

    keys = []
    if key is not None and "+" in key:
        keys = [VerifyKey.parse(key)]
    elif key is not None:
        with kit.about(Path(key)):
            keys = [VerifyKey.parse(_text(Path(key)))]
    with kit.about(note):
        text = _text(note)
        return read_checkpoint(text) if key is None else open_checkpoint(text, keys)


def _signing_key(path: Path) -> SigningKey:
    from contextmesh.run.checkpoint import SigningKey

    with kit.about(path):
        return SigningKey.parse(_text(path))


def _made_key(path: Path, name: str) -> SigningKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from contextmesh.run.checkpoint import SigningKey, require_name

    for taken in (path, _public_file(path)):
        if taken.exists():
            message = f"{taken} exists; a key is not written over"
            raise InputError(
                Problem("key-exists", message, subject=str(taken), hint="leave out --make-key, or name another")
            )
    made = SigningKey(require_name(name), Ed25519PrivateKey.generate().private_bytes_raw())
    write_bytes(path, f"{made}\n".encode(), mode=0o600)
    write_bytes(_public_file(path), f"{made.verify_key}\n".encode())
    return made


def _public_file(path: Path) -> Path:
    """Where the public key of a signing key is put when it is made: to be handed on, beside the one that is not."""
    return path.with_name(f"{path.name}.pub")


def _text(path: Path) -> str:
    try:
        return read_bytes(path, limit=SMALL).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(Problem("not-utf-8", f"{path} is not UTF-8 text", subject=str(path))) from None


def _inclusion(found: RunLedger, seq: int, size: int | None) -> dict[str, Any]:
    one, tree = found.entry(seq), found.tree
    whole = len(tree) if size is None else size
    if not seq <= whole <= len(tree):
        message = f"the ledger has {len(tree)} entries, and entry {seq} is not among the first {whole}"
        raise LedgerIntegrityError(Problem("unknown-entry", message, subject=str(seq)))
    return {
        "proof": "inclusion",
        "index": seq - 1,
        "size": whole,
        "root": _b64(tree.root(whole)),
        "leaf": _b64(one.leaf()),
        "hashes": [_b64(step) for step in tree.inclusion(seq - 1, whole)],
        "entry": one.as_json(),
    }


def _consistency(found: RunLedger, since: int) -> dict[str, Any]:
    tree = found.tree
    if since > len(tree):
        message = f"the ledger has {len(tree)} entries, and so none since {since}"
        raise LedgerIntegrityError(Problem("unknown-entry", message, subject=str(since)))
    return {
        "proof": "consistency",
        "since": since,
        "size": len(tree),
        "root_since": _b64(tree.root(since)),
        "root": _b64(tree.root()),
        "hashes": [_b64(step) for step in tree.consistency(since)],
    }


def _proof_lines(payload: dict[str, Any]) -> list[str]:
    plain = [f"{name} {value}" for name, value in payload.items() if not isinstance(value, list | dict)]
    return [*plain, *(f"hash {step}" for step in payload["hashes"])]


def _line(found: RunLedger, entry: Entry) -> str:
    about = found.text(entry.detail)
    return f"{entry.seq:>5}  round {entry.round:<3} {entry.event:<11} {entry.task}  {about}"


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
