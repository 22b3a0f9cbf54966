"""What still stood after a disproof, listed again from the graph: a receipt keeps its number and a digest.

The list is not stored. It is what the rules conclude of the edges and verdicts up to the disproof, and it is only
given when it has the number and the digest that the ledger holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contextmesh.base.chain import is_digest
from contextmesh.base.errors import LedgerIntegrityError, Problem
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.graph.graph import ContextGraph
from contextmesh.run.ledger import RunLedger, names_digest
from contextmesh.store.store import Store

LIVE = "live"
_ABOUT = {"justification": 1}
"""The column that says which record a row is of, where it is not the first."""


def preserved(graph: ContextGraph, ledger: RunLedger, entry: int) -> tuple[str, ...]:
    """The ids of every node that was live right after a disproof, sorted.

    Args:
        entry: the number of the ledger's entry.

    Raises:
        LedgerIntegrityError: ``unknown-entry``; ``no-receipt``: it is no disproof; ``preserved-differs``: what the
            graph gives is not what the ledger holds, so that the list cannot be told.
    """
    found = ledger.entry(entry)
    if found.event != "disproved":
        message = f"entry {entry} is of the event {found.event}, and only a disproof keeps what it left standing"
        hint = "`contextmesh ledger show --event disproved` lists the entries that do"
        raise LedgerIntegrityError(Problem("no-receipt", message, subject=str(entry), hint=hint))
    receipt = found.data
    listed, wanted = receipt.get("preserved"), receipt.get("preserved_digest")
    count = receipt.get("preserved_count")
    if isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed):
        if wanted is not None and (wanted, count) != (names_digest(listed), len(listed)):
            raise _differs(entry, f"it lists {len(listed)} nodes, which its own number or digest is not of")
        return tuple(listed)
    if not is_digest(wanted) or not isinstance(count, int) or isinstance(count, bool):
        raise _differs(entry, "it holds neither the list nor its number and digest")
    seq = _rejected_at(graph.store, receipt)
    if seq is None:
        raise _differs(entry, "the graph does not hold the rejection it tells of")
    seen = 0
    for names in _candidates(graph.store, seq, count):
        seen = len(names)
        if seen == count and names_digest(names) == wanted:
            return tuple(names)
    raise _differs(entry, f"it counts {count} nodes, and {'others' if seen == count else seen} stood by this graph")


def _rejected_at(store: Store, receipt: Mapping[str, Any]) -> int | None:
    """The transaction of the rejection."""
    name = receipt.get("assumption_id")
    for row in store.engine.match("rejected", (name, None)) if isinstance(name, str) else ():
        if isinstance(row[1], int):
            return row[1]
    return None


def _candidates(store: Store, seq: int, count: int) -> Iterator[list[str]]:
    """What may have stood then, sorted: as this process saw it, then as the rules have it of what was there.

    A graph that went through a file of version 1 knows the order in which its nodes came, and not at which
    transaction; since they were appended, the first so many that stood are those that were there. When a node was
    pruned no fact says either: before, or since.
    """
    yield sorted(store.live_reader(seq, None)())
    for pruned in (True, False):
        then = Engine(store.policy.program, _facts(store, seq, pruned=pruned), limits=store.engine.limits)
        live = [name for name in store.nodes if then.holds(LIVE, (name,))]
        yield sorted(live[:count])


def _facts(store: Store, seq: int, *, pruned: bool) -> dict[str, list[Row]]:
    """What the rules for ``live`` read, up to a transaction."""
    engine, program = store.engine, store.policy.program
    later = {row[0] for row in engine.rows("born") if isinstance(row[1], int) and row[1] > seq}
    facts: dict[str, list[Row]] = {}
    for name in store.needed_for((LIVE,)):
        if program.declarations[name].kind == "input":
            at, fixed = _ABOUT.get(name, 0), name in store.policy.facts
            facts[name] = [row for row in engine.rows(name) if fixed or not row or row[at] not in later]
    facts["verdict"] = [row for row in engine.rows("verdict") if isinstance(row[2], int) and row[2] <= seq]
    if not pruned:
        facts["pruned"] = []
    return facts


def _differs(entry: int, why: str) -> LedgerIntegrityError:
    note = "a list is only given when it has the number and the digest that the ledger holds"
    hint = "records that were pruned or exchanged since, or a graph of another history, give another list"
    message = f"what stood after entry {entry} cannot be told: {why}"
    return LedgerIntegrityError(Problem("preserved-differs", message, subject=str(entry), note=note, hint=hint))
