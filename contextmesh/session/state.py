"""What a session is while it is open: the verified parts, and the place they came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.history import History
from contextmesh.resolve.resolver import Resolver
from contextmesh.session.journal import Position
from contextmesh.session.manifest import Manifest, WalkerSettings
from contextmesh.session.pending import Pending
from contextmesh.session.telemetry import Walks

if TYPE_CHECKING:
    from contextmesh.run.plan_file import Compared


@dataclass(frozen=True, slots=True)
class Home:
    """The directory a session was loaded from or last saved to, as the file system knows it.

    Attributes:
        device, inode: of the directory itself; another directory under the same path is not the home.
        generation: what this session has seen committed there.
        position: how much of the generation's journal this session has seen; None when it has none.
        changes: how many lines of it change what the generation's other files hold.
    """

    path: Path
    device: int
    inode: int
    generation: int
    position: Position | None = None
    changes: int = 0

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode


@dataclass(frozen=True, slots=True)
class Carried:
    """A plan and its ledger, kept byte for byte from one generation to the next.

    Attributes:
        ledger_head: digest of the ledger's last entry.
        compared: what was read of them when they were compared with the graph; None when they were made here.
    """

    execution: bytes
    ledger: bytes
    ledger_head: str
    compared: Compared | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SessionState:
    """Everything a session holds.

    Attributes:
        rounds: execution rounds so far.
        carried: the plan and its ledger, if there are any.
        manifest: what was loaded or last saved; None for a session that was never in a directory.
        walks: the last walks.
        history: the past of the graph; None when nobody follows it, and its past is one state.
        pending: what the directory does not have yet; None when nobody follows the parts.
        notices: what a reader should know of how it was read, or written again on what others committed.
    """

    graph: ContextGraph
    resolver: Resolver
    walker: WalkerSettings = field(default_factory=WalkerSettings)
    rounds: int = 0
    carried: Carried | None = None
    home: Home | None = None
    manifest: Manifest | None = None
    walks: Walks = field(default_factory=Walks, compare=False)
    history: History | None = field(default=None, compare=False, repr=False)
    pending: Pending | None = field(default=None, compare=False, repr=False)
    notices: tuple[Problem, ...] = field(default=(), compare=False)

    def moved_to(self, newer: SessionState) -> SessionState:
        """A newer session in this one's graph and table of names, so that whoever holds them sees what is there."""
        if newer.graph is self.graph:
            return newer
        self.graph.move_to(newer.graph.store)
        if newer.resolver is not self.resolver:
            self.resolver.become(newer.resolver)
        if newer.pending is not None:
            newer.pending.resolver = self.resolver
        return replace(newer, graph=self.graph, resolver=self.resolver)

    @property
    def is_journalled(self) -> bool:
        """Whether it stands on a generation that has a journal."""
        return self.manifest is not None and self.manifest.journal is not None

    @property
    def is_dated(self) -> bool:
        """Whether any transaction of it has the date of its commit."""
        return self.history is not None and any(commit.day is not None for commit in self.history.commits)

    @property
    def generation(self) -> int:
        """The generation it stands on; 0 when it was never saved."""
        return self.manifest.generation if self.manifest is not None else 0
