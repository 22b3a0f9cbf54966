"""What the engine did, told to a listener as it happens: the work, not only its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from contextmesh.datalog.ast import Row


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A stratum was brought up to date: ``whole`` from nothing, or by the ``delta`` of what it reads."""

    relations: tuple[str, ...]
    how: Literal["whole", "delta"]


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A stratum was evaluated and says what it said before; whatever reads it is left alone."""

    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Derived:
    """Rows that a stratum concludes now and did not before."""

    relation: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Rows that a stratum concluded before and does not now."""

    relation: str
    rows: tuple[Row, ...]


Event = Evaluated | Unchanged | Derived | Withdrawn
