"""``ledger prove`` and ``ledger checkpoint``: what is kept elsewhere, and what can be shown by it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextmesh.base.errors import InputError, LedgerIntegrityError, Problem
from contextmesh.base.files import write_out
from contextmesh.base.wording import counted
from contextmesh.cli import kit
from contextmesh.cli.ledger import ledger
from contextmesh.cli.ledger_source import FileOption, read, text_of

if TYPE_CHECKING:
    from contextmesh.run.checkpoint import SigningKey
    from contextmesh.run.ledger import RunLedger


@ledger.command(epilog="Example:  contextmesh ledger prove 9 --session plans.mesh")
def prove(
    ctx: typer.Context,
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
    found = read(ctx, session, file, policy)
    if (entry is None) == (since is None) or (entry is None and size is not None):
        message = "a proof is of one entry, or since one size"
        raise InputError(Problem("usage", message, hint="contextmesh ledger prove 9, or --since 9"))
    payload = _inclusion(found, entry, size) if entry is not None else _consistency(found, since or 1)
    kit.show(lambda: payload, lambda: "\n".join(_proof_lines(payload)), as_json=json)


@ledger.command(
    epilog="Example:  contextmesh ledger checkpoint --session plans.mesh --key signing.key --out monday.checkpoint"
)
def checkpoint(
    ctx: typer.Context,
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

    found = read(ctx, session, file, policy)
    signing = _made_key(key, make_key) if make_key is not None else _signing_key(key)
    made = checkpoint_of(found, origin or signing.name)
    note = sign_checkpoint(made, signing)
    if out is not None:
        write_out(out, note.encode("utf-8"))
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
            note.removesuffix("\n")
            if out is None
            else f"{counted(made.size, 'entry')}, signed in {out}\npublic key {public}"
        ),
        as_json=json,
    )


def _signing_key(path: Path) -> SigningKey:
    from contextmesh.run.checkpoint import SigningKey

    with kit.about(path):
        return SigningKey.parse(text_of(path))


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
    write_out(path, f"{made}\n".encode(), mode=0o600)
    write_out(_public_file(path), f"{made.verify_key}\n".encode())
    return made


def _public_file(path: Path) -> Path:
    """Where the public key of a signing key is put when it is made: to be handed on, beside the one that is not."""
    return path.with_name(f"{path.name}.pub")


def _inclusion(found: RunLedger, seq: int, size: int | None) -> dict[str, Any]:
    one, tree = found.entry(seq), found.tree
    whole = len(tree) if size is None else size
    if not seq <= whole <= len(tree):
        message = f"the ledger has {counted(len(tree), 'entry')}, and entry {seq} is not among the first {whole}"
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
        message = f"the ledger has {counted(len(tree), 'entry')}, and so none since {since}"
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


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
