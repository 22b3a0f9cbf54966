"""A mesh as one bounded JSON value: counts, panels, and the nodes and edges that they name. Each panel is a query.

What a panel says is a conclusion of the rules. Here rows are only put in order, cut to a number that a page can show,
with how many there are in all, and given the words of their nodes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import LimitReached, Refusal, RuleError
from contextmesh.dashboard import panels
from contextmesh.dashboard.around import Picture
from contextmesh.dashboard.plan import plan_panel
from contextmesh.dashboard.words import clipped
from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.limits import Limits
from contextmesh.lang.words import quote

if TYPE_CHECKING:
    from contextmesh.api import Mesh

FORMAT, VERSION = "contextmesh.dashboard", 1
Shown = dict[str, Any]
"""total, shown, rows; and an error in place of rows."""
ROWS = 60
"""How many rows of a panel are shown."""
LIMITS = Limits(rows=20_000_000, seconds=120.0)
"""What one query may cost."""


def payload(mesh: Mesh, around: str | None = None) -> dict[str, Any]:
    """All that the page shows; keys in the order in which it is written.

    Args:
        around: the id or name of the node whose neighbourhood is wanted first; the page starts there.

    Raises:
        UnknownError: ``around`` names nothing. LimitReached: a query would cost more than ``LIMITS``.
    """
    center = mesh.node(around).id if around is not None else None
    asked = _Asked(mesh)
    found = {name: _guarded(panel, asked) for name, panel in PANELS.items()}
    health = _health(asked)
    counts = {"nodes": _counts(asked, panels.COUNTS), "edges": _counts(asked, panels.EDGES)}
    named = dict.fromkeys((*([center] if center else ()), *_named(found), *_items(mesh, health)))
    return {
        "format": FORMAT,
        "version": VERSION,
        "session": _session(mesh),
        "counts": counts,
        "health": health,
        "panels": found,
        "center": center,
        **Picture(mesh, tuple(named)).as_json(),
    }


def refused(refusal: Refusal) -> dict[str, Any]:
    """What the page shows of a session that cannot be read."""
    return {"format": FORMAT, "version": VERSION, "error": refusal.problem.as_json()}


def payload_text(value: Mapping[str, Any]) -> str:
    """The payload as a file has it: indented by two, in ASCII, without a line end after it."""
    return json.dumps(value, indent=2, ensure_ascii=True)


@dataclass(frozen=True)
class _Asked:
    mesh: Mesh

    def rows(self, query: str) -> list[Row]:
        return self.mesh.graph.query(query, limits=LIMITS).rows

    def numbers(self, query: str) -> dict[Value, int]:
        """Of a query for something and how many: the number by the thing."""
        return {row[0]: _whole(row[1]) for row in self.rows(query)}


def _whole(value: object) -> int:
    assert isinstance(value, int), "a count"
    return value


def _guarded(panel: Callable[[_Asked], Shown | None], asked: _Asked) -> Shown | None:
    """A panel; where the policy of the session has not the relations it asks for, or they cost too much, why."""
    try:
        return panel(asked)
    except (RuleError, LimitReached) as refusal:
        return {**_panel(0, []), "error": refusal.problem.as_json()}


def _panel(total: int, rows: list[dict[str, Any]]) -> Shown:
    return {"total": total, "shown": len(rows), "rows": rows}


def _session(mesh: Mesh) -> dict[str, Any]:
    home, store = mesh.state.home, mesh.graph.store
    return {
        "name": home.path.absolute().name if home is not None else None,
        "generation": mesh.generation,
        "transactions": store.seq,
        "build": store.build,
        "policy": mesh.policy.digest,
        "notices": [notice.as_json() for notice in mesh.notices],
    }


def _counts(asked: _Asked, queries: Mapping[str, str]) -> list[dict[str, Any]]:
    """A row for each type that the graph has."""
    found = {word: asked.numbers(text) for word, text in queries.items()}
    return [{"type": kind, **{word: found[word].get(kind, 0) for word in found}} for kind in found["total"]]


def _health(asked: _Asked) -> dict[str, Any]:
    report = asked.mesh.health().as_json()
    for signal in report["signals"]:  # type: ignore[attr-defined]
        signal["items"] = [clipped(item) for item in signal["items"]]
        signal["detail"] = clipped(signal["detail"])
    return report


def _assumptions(asked: _Asked) -> dict[str, Any]:
    every = asked.rows(panels.ASSUMPTIONS)
    order = {"active": 0, "rejected": 1, "superseded": 2}
    rows = sorted(every, key=lambda row: (order.get(str(row[1]), len(order)), -_whole(row[2])))[:ROWS]
    about = "\n".join(f"panel_about({quote(str(row[0]))})." for row in rows) or panels.ABOUT
    stands = asked.numbers(panels.STANDS.replace(panels.ABOUT, about, 1))
    return _panel(len(every), [{"id": a, "status": w, "stands": stands[a], "direct": n} for a, w, n in rows])


def _fallen(asked: _Asked) -> dict[str, Any]:
    rows = asked.rows(panels.FALLEN)
    roots: dict[object, list[str]] = {}
    for node, root in rows:
        roots.setdefault(node, []).append(str(root))
    return _panel(len(roots), [{"id": node, "roots": by[:ROWS]} for node, by in list(roots.items())[:ROWS]])


def _decisions(asked: _Asked) -> dict[str, Any]:
    uses = asked.numbers(panels.DECISIONS)
    current = dict.fromkeys(row[0] for row in asked.rows(panels.CURRENT))
    newer: dict[object, list[str]] = {}
    for new, old in asked.rows(panels.REPLACED):
        newer.setdefault(old, []).append(str(new))
    rows = sorted(uses, key=lambda d: (d not in current, -uses[d]))[:ROWS]
    told = [{"id": d, "current": d in current, "uses": uses[d], "superseded_by": newer.get(d, [])[:ROWS]} for d in rows]
    return _panel(len(uses), told)


def _contradictions(asked: _Asked) -> dict[str, Any]:
    rows = [("open", *row) for row in asked.rows(panels.CONTRADICTIONS)]
    rows += [("unjudged", *row) for row in asked.rows(panels.UNJUDGED)]
    return _panel(len(rows), [{"kind": kind, "id": a, "against": b} for kind, a, _, b in rows[:ROWS]])


def _sources(asked: _Asked) -> dict[str, Any]:
    rests = asked.numbers(panels.SOURCES)
    rows = sorted(rests, key=lambda source: -rests[source])[:ROWS]
    return _panel(len(rests), [{"id": source, "rests": rests[source]} for source in rows])


def _walks(asked: _Asked, *, dead: bool) -> dict[str, Any]:
    """The last walks that the session keeps, the newest first; why one led nowhere, the rules said as it was asked."""
    nodes = asked.mesh.graph.store.nodes
    kept = [walk for walk in reversed(asked.mesh.walks) if not dead or walk.dead_end is not None]
    rows = [
        {
            "question": clipped(walk.question),
            "answer": walk.answer if walk.answer in nodes else None,
            "dead_end": walk.dead_end,
            "seeds": [seed for seed in walk.seeds if seed in nodes][:ROWS],
        }
        for walk in kept[:ROWS]
    ]
    return _panel(len(kept), rows)


def _timeline(asked: _Asked) -> dict[str, Any]:
    """Transactions, the newest first, with how many nodes and edges each wrote."""
    history = asked.mesh.state.history
    commits = {commit.seq: commit for commit in history.commits} if history is not None else {}
    wrote = {_whole(seq): count for seq, count in asked.numbers(panels.TIMELINE).items()}
    numbers = sorted(commits | wrote, reverse=True)
    rows = []
    for seq in numbers[:ROWS]:
        commit = commits.get(seq)
        kind, day = (commit.kind, commit.day) if commit is not None else (None, None)
        rows.append({"seq": seq, "kind": kind, "day": day, "wrote": wrote.get(seq, 0)})
    return _panel(len(numbers), rows)


PANELS: Mapping[str, Callable[[_Asked], Shown | None]] = {
    "assumptions": _assumptions,
    "fallen": _fallen,
    "decisions": _decisions,
    "contradictions": _contradictions,
    "dead_ends": lambda asked: _walks(asked, dead=True),
    "sources": _sources,
    "walks": lambda asked: _walks(asked, dead=False),
    "plan": lambda asked: plan_panel(asked.mesh, asked.rows, ROWS),
    "timeline": _timeline,
}


def _named(found: Mapping[str, Any]) -> Iterable[str]:
    """Ids of nodes in the panels, those of first rows first."""
    for place in range(ROWS):
        for panel in found.values():
            if panel is None or place >= len(panel["rows"]):
                continue
            row = panel["rows"][place]
            for key in ID_KEYS:
                value = row.get(key)
                yield from value if isinstance(value, list) else [value] if value is not None else []


ID_KEYS = ("id", "roots", "superseded_by", "against", "answer", "seeds", "ground")
"""Keys of rows that hold ids of nodes."""


def _items(mesh: Mesh, health: Mapping[str, Any]) -> Iterable[str]:
    for signal in health["signals"]:
        yield from (item for item in signal["items"] if item in mesh.graph.store.nodes)
