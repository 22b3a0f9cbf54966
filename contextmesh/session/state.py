"""What a session is while it is open: the verified parts, and the place they came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver
from contextmesh.session.manifest import Manifest, WalkerSettings


@dataclass(frozen=True, slots=True)
class Home:
    """The directory a session was loaded from or last saved to, as the file system knows it.

    Attributes:
        device, inode: of the directory itself; another directory under the same path is not the home.
        generation: what this session has seen committed there.
    """

    path: Path
    device: int
    inode: int
    generation: int


@dataclass(frozen=True, slots=True)
class Carried:
    """A plan and its ledger, kept byte for byte from one generation to the next.

    Attributes:
        ledger_head: digest of the ledger's last entry.
    """

    execution: bytes
    ledger: bytes
    ledger_head: str


@dataclass(frozen=True, slots=True)
class SessionState:
    """Everything a session holds.

    Attributes:
        rounds: execution rounds so far.
        carried: the plan and its ledger, if there are any.
        manifest: what was loaded or last saved; None for a session that was never in a directory.
    """

    graph: ContextGraph
    resolver: Resolver
    walker: WalkerSettings = field(default_factory=WalkerSettings)
    rounds: int = 0
    carried: Carried | None = None
    home: Home | None = None
    manifest: Manifest | None = None

    @property
    def generation(self) -> int:
        """The generation it stands on; 0 when it was never saved."""
        return self.manifest.generation if self.manifest is not None else 0
