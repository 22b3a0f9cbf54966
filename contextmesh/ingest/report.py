"""What an ingest did, stage by stage, with a reason for everything that was dropped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from contextmesh.ingest.documents import Skipped

CAPTIONS = {
    "CHUNK": "documents become sentences with exact places",
    "EXTRACT": "a sentence that asserts something becomes a claim",
    "RESOLVE": "names become entities, one id for one thing",
    "LINK": "typed edges, each held to the rules",
    "EMBED": "statements whose words make a vector; the index computes it from the text",
    "PRUNE": "sentences that their document no longer holds are set aside",
}
STAGES = tuple(CAPTIONS)


@dataclass(slots=True)
class Tally:
    """Counts of one stage while it runs."""

    admitted: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str, count: int = 1) -> None:
        self.reasons[reason] = self.reasons.get(reason, 0) + count

    def add(self, other: Tally) -> None:
        """Count what another tally counted as well."""
        self.admitted += other.admitted
        for reason, count in other.reasons.items():
            self.drop(reason, count)
        for words, count in other.notes.items():
            self.note(words, count)

    def note(self, words: str, count: int = 1) -> None:
        self.notes[words] = self.notes.get(words, 0) + count


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: how much went on to the next, how much was dropped and why, what else is worth knowing."""

    name: str
    admitted: int
    reasons: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def caption(self) -> str:
        return CAPTIONS[self.name]

    @property
    def dropped(self) -> int:
        return sum(count for _, count in self.reasons)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "caption": self.caption,
            "admitted": self.admitted,
            "dropped": self.dropped,
            "reasons": dict(self.reasons),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Everything one ingest did.

    Attributes:
        build: the build it wrote; the standing one when nothing changed.
        new, changed, unchanged: ids of source nodes, in the order of reading.
        skipped: what was not read, with codes.
        spans_in: sentences looked at.
        dropped_at_resolve: names that came to nothing.
        committed_walkable: new claims that name something.
        collapsed_aliases: names that turned out to be another name of a known thing.
        pruned_nodes: claims set aside.
        claims_changed: claims that supersede the claim of an earlier wording.
    """

    build: int
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    spans_in: int = 0
    dropped_at_resolve: int = 0
    committed_walkable: int = 0
    collapsed_aliases: int = 0
    pruned_nodes: int = 0
    claims_new: int = 0
    claims_changed: int = 0
    stages: tuple[Stage, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was written."""
        return not self.new and not self.changed

    def as_json(self) -> dict[str, Any]:
        return {
            "build": self.build,
            "spans_in": self.spans_in,
            "dropped_at_resolve": self.dropped_at_resolve,
            "committed_walkable": self.committed_walkable,
            "collapsed_aliases": self.collapsed_aliases,
            "pruned_nodes": self.pruned_nodes,
            "claims": {"new": self.claims_new, "changed": self.claims_changed},
            "documents": {
                "new": len(self.new),
                "changed": len(self.changed),
                "unchanged": len(self.unchanged),
                "skipped": len(self.skipped),
            },
            "changed": list(self.changed),
            "skipped": [skipped.as_json() for skipped in self.skipped],
            "stages": [stage.as_json() for stage in self.stages],
        }

    def as_text(self, *, limit: int = 20) -> str:
        """Lines for people; at most ``limit`` skipped and changed documents are named."""
        counts = (len(self.new), len(self.changed), len(self.unchanged), len(self.skipped))
        words = ("new", "changed", "unchanged", "skipped")
        lines = ["documents: " + ", ".join(f"{n} {word}" for n, word in zip(counts, words, strict=True))]
        if self.is_unchanged:
            lines.append("nothing changed")
        else:
            lines.extend(_table(self.stages))
        lines.extend(_listed((f"  changed {name}" for name in self.changed), len(self.changed), limit))
        told = (f"  skipped {s.path}: {s.code}: {s.message}" for s in self.skipped)
        lines.extend(_listed(told, len(self.skipped), limit))
        return "\n".join(lines)


def _table(stages: Iterable[Stage]) -> list[str]:
    lines = []
    for stage in stages:
        lines.append(f"  {stage.name:<8}{stage.admitted:>8} admitted{stage.dropped:>8} dropped")
        lines.extend(f"            {count} {reason}" for reason, count in stage.reasons)
        lines.extend(f"            {note}" for note in stage.notes)
    return lines


def _listed(lines: Iterable[str], count: int, limit: int) -> list[str]:
    shown = [line for _, line in zip(range(limit), lines, strict=False)]
    return [*shown, f"  and {count - limit} more"] if count > limit else shown
