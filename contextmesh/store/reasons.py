"""A derivation, and the lack of one, in the two forms that commands print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.store.explain import failure_text, tree_json, tree_text

if TYPE_CHECKING:
    from contextmesh.datalog.engine import Derivation, Failure


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a fact holds."""

    derivation: Derivation

    def as_text(self) -> str:
        return tree_text(self.derivation)

    def as_json(self) -> dict[str, object]:
        return tree_json(self.derivation)


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a fact does not hold: a line for each rule that could have derived it."""

    fact: str
    failures: tuple[Failure, ...]

    def as_text(self) -> str:
        if not self.failures:
            return f"{self.fact} is not stated, and no rule derives its relation"
        return "\n".join([f"{self.fact} does not hold:", *(f"  {failure_text(f)}" for f in self.failures)])

    def as_json(self) -> dict[str, object]:
        return {"fact": self.fact, "failures": [failure_text(f) for f in self.failures]}
