"""The past of a store as plain values: what a file keeps of its transactions beside the newest records."""

from __future__ import annotations

from dataclasses import dataclass

from contextmesh.store.model import Edge, Node
from contextmesh.store.relations import Fact


@dataclass(frozen=True, slots=True)
class Commit:
    """One transaction that was told apart.

    Attributes:
        day: the date of the commit as the deployment supplied it, or None.
        build: the build after it.
    """

    seq: int
    kind: str
    day: str | None
    build: int


@dataclass(frozen=True, slots=True)
class Chronicle:
    """Everything that was told apart about the past of one store.

    Attributes:
        begins: the transaction from which on everything is told apart; what came before is one state.
        build: the build at ``begins``.
        commits: every transaction after ``begins``, in order.
        older: each record that another one took the place of, as it was, with the number of the transaction that
            replaced it, in the order of those.
        stated: facts that no record stands for, with the number of the transaction that stated them, in order.
    """

    begins: int = 0
    build: int = 0
    commits: tuple[Commit, ...] = ()
    older: tuple[tuple[int, Node | Edge], ...] = ()
    stated: tuple[tuple[Fact, int], ...] = ()
