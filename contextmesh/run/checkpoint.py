"""Signed checkpoints of a ledger: the text form of C2SP tlog-checkpoint in a C2SP signed-note, signed by Ed25519.

    contextmesh.example/auth
    9
    qINS1GRFhWHwdkUeqLEoP4yEMkTBBzxBkGwGQlVlVcs=

    — contextmesh.example/auth h8e0…

Origin, size and root of the tree; an empty line; the name of the key, and the base64 of a key id of four bytes and
the signature. Keys are written as Go's ``note`` package writes them: ``name+id+base64``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.base.errors import LedgerIntegrityError, Problem
from contextmesh.run.merkle import Tree

if TYPE_CHECKING:
    from contextmesh.base.chain import Verdict
    from contextmesh.run.ledger import RunLedger

ED25519 = 0x01
KEY_BYTES = 32
SIGNATURE_BYTES = 64
HASH_BYTES = 32
PRIVATE = "PRIVATE+KEY+"
_DASH = "— "  # an em dash and a space begin a signature line
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is signed: so many entries, and the root over them.

    Attributes:
        origin: what log this is, a name without scheme such as ``example.org/auth``.
    """

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The three lines, each ended."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode('ascii')}\n"


@dataclass(frozen=True, slots=True)
class VerifyKey:
    """A name and a public key."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """The first four bytes of SHA-256 over name, newline, algorithm and key."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes([ED25519]) + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{_b64(bytes([ED25519]) + self.public)}"

    @classmethod
    def parse(cls, text: str) -> VerifyKey:
        """Raises LedgerIntegrityError, ``bad-key-file``."""
        name, id_, key = _key_parts(text.strip())
        made = cls(name, key)
        if made.id != id_:
            raise _bad_key("its id is not the one of its name and bytes")
        return made


@dataclass(frozen=True, slots=True, repr=False)
class SigningKey:
    """A name and an Ed25519 seed; ``str`` gives the secret, ``repr`` does not."""

    name: str
    seed: bytes

    @property
    def verify_key(self) -> VerifyKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return VerifyKey(self.name, Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw())

    def sign(self, data: bytes) -> bytes:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(data)

    def __str__(self) -> str:
        return f"{PRIVATE}{self.name}+{self.verify_key.id.hex()}+{_b64(bytes([ED25519]) + self.seed)}"

    def __repr__(self) -> str:
        return f"SigningKey({self.name!r})"

    @classmethod
    def parse(cls, text: str) -> SigningKey:
        """Raises LedgerIntegrityError, ``bad-key-file``."""
        text = text.strip()
        if not text.startswith(PRIVATE):
            raise _bad_key("a signing key begins with PRIVATE+KEY+")
        name, id_, seed = _key_parts(text.removeprefix(PRIVATE))
        made = cls(name, seed)
        if made.verify_key.id != id_:
            raise _bad_key("its id is not the one of its name and bytes")
        return made


def require_name(name: str) -> str:
    """A key's name or an origin: not empty, without white space and plus.

    Raises:
        LedgerIntegrityError: ``bad-key-name``.
    """
    if not name or "+" in name or any(char.isspace() for char in name) or not name.isprintable():
        message = f"a name of a key or a log has no spaces and no plus sign, and is not {name!r}"
        raise LedgerIntegrityError(Problem("bad-key-name", message, subject=name, hint="example.org/auth, say"))
    return name


def checkpoint_of(ledger: RunLedger, origin: str) -> Checkpoint:
    """The whole ledger as it is now."""
    tree = ledger.tree
    return Checkpoint(require_name(origin), len(tree), tree.root())


def sign_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> str:
    """The signed note."""
    text = checkpoint.text()
    return f"{text}\n{_DASH}{key.name} {_b64(key.verify_key.id + key.sign(text.encode('utf-8')))}\n"


def open_checkpoint(note: str, keys: Sequence[VerifyKey]) -> Checkpoint:
    """The checkpoint of a note that one of the keys has signed; other signatures are ignored, as the format says.

    Raises:
        LedgerIntegrityError: ``bad-checkpoint``; ``bad-signature`` for a known key; ``unknown-signer`` for none.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    text, signatures = _note_parts(note)
    checkpoint = _parse(text)
    signed = False
    for name, blob in signatures:
        for key in keys:
            if (key.name, key.id) != (name, blob[:4]):
                continue
            if len(blob) != 4 + SIGNATURE_BYTES:
                raise _bad_note(f"the signature of {name} has {len(blob) - 4} bytes, not {SIGNATURE_BYTES}")
            try:
                Ed25519PublicKey.from_public_bytes(key.public).verify(blob[4:], text.encode("utf-8"))
            except (InvalidSignature, ValueError):
                message = f"the signature of {name} is not one over this checkpoint"
                raise LedgerIntegrityError(Problem("bad-signature", message, subject=name)) from None
            signed = True
    if not signed:
        names = ", ".join(dict.fromkeys(name for name, _ in signatures))
        message = f"no key that is trusted signed this checkpoint; it bears signatures of {names}"
        hint = "give the public key of its signer"
        raise LedgerIntegrityError(Problem("unknown-signer", message, subject=checkpoint.origin, hint=hint))
    return checkpoint


def read_checkpoint(note: str) -> Checkpoint:
    """The checkpoint of a note whose signatures nobody has looked at."""
    return _parse(_note_parts(note)[0])


def against(verdict: Verdict, tree: Tree, checkpoint: Checkpoint) -> Verdict:
    """What a checkpoint adds to a look at the chain: its beginning is the same, and whole.

    A ledger that grew since is complete up to the checkpoint: how far it grew, the checkpoint cannot know.
    """
    from dataclasses import replace

    if verdict.reason is not None:
        return verdict
    if len(tree) < checkpoint.size:
        return replace(verdict, reason=f"shorter than checkpoint: {len(tree)} < {checkpoint.size}")
    if tree.root(checkpoint.size) != checkpoint.root:
        return replace(verdict, reason=f"its first {checkpoint.size} entries are not those of the checkpoint")
    return replace(verdict, complete_to=max(verdict.complete_to or 0, checkpoint.size))


def _parse(text: str) -> Checkpoint:
    lines = text.split("\n")[:-1]
    if len(lines) < 3 or not all(lines):
        raise _bad_note("it has fewer than three lines, or an empty one")
    origin, size, root = lines[:3]
    if not size.isascii() or not size.isdigit() or len(size) > _MOST_DIGITS or (size[0] == "0" and size != "0"):
        raise _bad_note(f"its size is {size!r}, and no whole number in plain decimal")
    return Checkpoint(origin, int(size), _bytes(root, HASH_BYTES, "its root"))


def _note_parts(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    head, gap, tail = note.rpartition("\n\n")
    if not gap or not tail.endswith("\n") or any(ord(char) < 0x20 and char != "\n" for char in note):
        raise _bad_note("it is no text, an empty line and signatures")
    found = []
    for line in tail.removesuffix("\n").split("\n"):
        name, space, blob = line.removeprefix(_DASH).partition(" ")
        if not line.startswith(_DASH) or not space or not name:
            raise _bad_note("a signature line is not: dash, name, base64")
        data = _bytes(blob, None, "a signature")
        if len(data) < 5:
            raise _bad_note("a signature is too short")
        found.append((name, data))
    return head + "\n", found


def _key_parts(text: str) -> tuple[str, bytes, bytes]:
    parts = text.split("+", 2)
    if len(parts) != 3:
        raise _bad_key("it is not name+id+base64")
    name, id_, key = parts
    try:
        id_bytes, blob = bytes.fromhex(id_), base64.b64decode(key, validate=True)
    except (ValueError, binascii.Error):
        raise _bad_key("its id is not hex, or its bytes are not base64") from None
    if len(id_bytes) != 4 or len(blob) != 1 + KEY_BYTES or blob[0] != ED25519:
        raise _bad_key("it is not an Ed25519 key")
    return require_name(name), id_bytes, blob[1:]


def _bytes(text: str, size: int | None, what: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise _bad_note(f"{what} is not base64") from None
    if size is not None and len(data) != size:
        raise _bad_note(f"{what} has {len(data)} bytes, not {size}")
    return data


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bad_note(why: str) -> LedgerIntegrityError:
    return LedgerIntegrityError(Problem("bad-checkpoint", f"this is no checkpoint: {why}", subject="checkpoint"))


def _bad_key(why: str) -> LedgerIntegrityError:
    return LedgerIntegrityError(Problem("bad-key-file", f"this is no key: {why}", subject="key"))
