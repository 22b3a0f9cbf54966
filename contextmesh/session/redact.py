"""The text of a source removed from a session: from records, names, plan, ledger, walks and every generation.

Which nodes it touches the rules say (rules/redaction.dl). Each keeps its place: type, edges, provenance, verdicts and
the numbers of its transactions stay, so nothing falls or stands up by it. Its words, its vector and its id, which is
made of words, are replaced, and it is set aside, so that no walk answers with it; what is left quotes it no longer.
Nothing remembers the words that are gone, so a question that names them afterwards is kept like any other: to redact
the same source once more takes out what was asked and looked up in words that the session does not hold.
Where an entry of the ledger holds such words the chain is made anew from there on, and its new head is told. The past
stays, without the text in any version of a record (see redact_past).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.chain import GENESIS, link
from contextmesh.base.errors import OntologyError, Problem, SessionError
from contextmesh.base.ids import DIGITS, edge_key, slug
from contextmesh.exchange.jsonl import to_line
from contextmesh.exchange.lines import values
from contextmesh.exchange.lines_read import Foreign, read_lines
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.history import History
from contextmesh.graph.naming import node_named
from contextmesh.graph.portrait import redacted_for
from contextmesh.policy import Policy
from contextmesh.resolve.normalise import block_keys, normalise
from contextmesh.session import files
from contextmesh.session.commit import Saved, save
from contextmesh.session.doctor import generation_in
from contextmesh.session.load import load
from contextmesh.session.lock import writer_lock
from contextmesh.session.manifest import VERSION
from contextmesh.session.redact_past import past_without
from contextmesh.session.state import Carried, SessionState
from contextmesh.session.telemetry import Walks
from contextmesh.session.tombstones import (
    FREE,
    REDACTED,
    STRUCTURE,
    TOMBSTONE,
    Tombstones,
    aliases_of,
    redacted_by,
    texts_of,
)
from contextmesh.store.fingerprint import FINGERPRINT, fingerprint
from contextmesh.store.model import Edge, Node, Provenance
from contextmesh.store.relations import ASSUMPTION, BY_RECORD, SOURCE, day_of
from contextmesh.store.store import Store
from contextmesh.walk.words import terms

Heard = Mapping[str, None] | None
"""The terms of all that is left; None where nothing is asked of them."""
_NOTHING: Mapping[type, object] = {str: "", list: [], dict: {}}
_UNSAID = ("record_key", "record_status", "imprecise_date")
"""Attributes whose text is a fact: an empty one would be a fact too."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """What was removed.

    Attributes:
        source: the id that the source has now.
        touched: how many nodes lost their text, by the word the rules give: source, read, named.
        names: how many names and lines of the table of names went.
        entries: how many entries of the ledger were written anew.
        head: of the ledger now; None without one.
        removed: files of generations that are gone.
    """

    source: str
    touched: dict[str, int]
    names: int
    entries: int
    head: str | None
    removed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "touched": self.touched,
            "names": self.names,
            "entries": self.entries,
            "ledger_head": self.head,
            "removed": list(self.removed),
        }


def redact(directory: Path, policy: Policy, source: str, reason: str, *, wait: float = 0.0) -> Redaction:
    """Commits the session without the text of a source, and removes every generation that holds it.

    Args:
        source: its id, or a name that names one.
        wait: seconds to queue while another writer is at it.

    Raises:
        UnknownError: unknown-node. OntologyError: not-a-source, blank-text, or redacts-plan: the plan's own source.
        SessionLockedError, SessionError: as a save; what was committed before is still there.
    """
    files.identity(directory)
    with writer_lock(directory, wait=wait) as held:
        state = load(directory, policy=policy)
        assert state.manifest is not None, "loaded"
        made, redaction = without(state, node_named(state.graph, state.resolver, source).id, reason)
        saved = save(directory, made, version=max(VERSION, state.manifest.version), held=held)
        removed = _sweep(directory, saved)
    return replace(redaction, removed=removed)


def without(state: SessionState, source: str, reason: str) -> tuple[SessionState, Redaction]:
    """The session without the text of a source, not yet saved."""
    graph = state.graph
    node = graph.node(source)
    if node.type != SOURCE:
        message = f"{source} is no source, and a redaction begins with one"
        raise OntologyError(Problem("not-a-source", message, source, hint="`contextmesh show ID` names its source"))
    if not reason.strip():
        raise OntologyError(Problem("blank-text", "a reason must not be blank", subject="reason"))
    why = redacted_by(graph, source)
    _require_plan_stays(state, why)
    stones = Tombstones.of(graph, why)
    heard = _heard(graph, stones) if redacted_for(node) is not None else None
    foreign, names = _reread(state, stones, heard, reason)
    carried, entries = _without_text(state.carried, stones)
    touched: dict[str, int] = {}
    for word in why.values():
        touched[word] = touched.get(word, 0) + 1
    made = SessionState(
        ContextGraph(store=foreign.store),
        foreign.resolver,
        state.walker,
        state.rounds,
        carried,
        state.home,
        walks=_walks(state.walks, stones, heard),
        history=_past(state, foreign.store, stones, reason),
    )
    head = carried.ledger_head if carried is not None else None
    return made, Redaction(stones.ids[source], touched, names, entries, head)


def _past(state: SessionState, after: Store, stones: Tombstones, reason: str) -> History | None:
    if state.history is None:
        return None

    def emptied(node: Node) -> dict[str, Any]:
        value = {"id": node.id, "type": node.type, "label": node.label, "attrs": node.attrs, "provenance": None}
        return _node(value, stones, reason)

    return past_without(state.history, state.graph.store, after, stones, emptied)


def _require_plan_stays(state: SessionState, why: Mapping[str, str]) -> None:
    if state.carried is None:
        return
    label = f"execution plan: {json.loads(state.carried.execution)['plan']}"
    for id in why:
        node = state.graph.store.nodes[id]
        if node.type == SOURCE and node.label == label:
            message = f"{id} is the source that the decisions of the plan cite"
            raise OntologyError(Problem("redacts-plan", message, id, hint="redact the documents it was made from"))


# ---- records and names ----------------------------------------------------------------------


def _heard(graph: ContextGraph, stones: Tombstones) -> Mapping[str, None]:
    """The terms of every text that is left."""
    heard: dict[str, None] = {}
    for id, node in graph.store.nodes.items():
        if id in stones.ids:
            continue
        names = (name for name in aliases_of(node) if not stones.is_learned(name))
        for text in (*texts_of(node, aliases=False), *names):
            heard.update(dict.fromkeys(terms(stones.cleared(text))))
    return heard


def _is_unheard(text: str, heard: Heard) -> bool:
    """Whether a text holds a word that nothing which is left holds; not asked where its source had words until now."""
    return heard is not None and any(term not in heard for term in terms(text))


def _reread(state: SessionState, stones: Tombstones, heard: Heard, reason: str) -> tuple[Foreign, int]:
    """The graph and the names without the text, judged by the rules as if they came from elsewhere."""
    before = list(values(state.graph.store, state.resolver))
    records = list(_records(before, stones, heard, reason))
    _fingerprinted(records)
    records.append({"record": "end", "lines": len(records)})
    data = "".join(f"{to_line(record)}\n" for record in records).encode("utf-8")
    return read_lines(data, "<redacted>", state.graph.policy), len(before) + 1 - len(records)


def _records(before: list[dict[str, Any]], stones: Tombstones, heard: Heard, reason: str) -> Iterator[dict[str, Any]]:
    edge_ids: dict[str, None] = {}
    blocks = _left_without_names(before, stones)
    for value in before:
        kind = value.get("record")
        if kind == "node":
            yield _node(value, stones, reason)
        elif kind == "assumption":
            yield _assumption(value, stones)
        elif kind == "edge":
            yield _edge(value, stones, edge_ids)
        elif kind in ("verdict", "fact"):
            yield stones.renamed(value)
        elif kind is None:
            yield value
        elif kind != "mention" or value["canonical_id"] is not None or not _is_unheard(value["mention"], heard):
            yield from _name(kind, value, stones, blocks)


def _node(value: dict[str, Any], stones: Tombstones, reason: str) -> dict[str, Any]:
    made = {**value, "id": stones.ids.get(value["id"], value["id"]), "provenance": stones.renamed(value["provenance"])}
    attrs = value["attrs"]
    if value["id"] not in stones.ids:
        change = {name: stones.renamed if name in STRUCTURE else stones.cleared for name in attrs}
        made["attrs"] = {name: change[name](held) for name, held in attrs.items()}
        aliases = attrs.get("aliases")
        if isinstance(aliases, list):
            made["attrs"]["aliases"] = [name for name in aliases if not stones.is_learned(name)]
        return made
    is_record = value["type"] == ASSUMPTION  # its status and version are those of the record
    emptied = {
        name: stones.renamed(held) if is_record and name in BY_RECORD else _emptied(name, held, stones)
        for name, held in attrs.items()
        if name in STRUCTURE or not stones.holds(name)
    }
    return {
        **made,
        "label": TOMBSTONE,
        "attrs": {**emptied, REDACTED: reason},
        "embedded": False,
        "embedding": None,
        "pruned": True,
    }


def _emptied(name: str, value: Any, stones: Tombstones) -> Any:
    """What is left of an attribute: its name, and of what is structure the value."""
    if name == "retrieved_at":
        return value if day_of(value) is not None else ""
    if name in STRUCTURE and not (name in FREE and isinstance(value, str) and stones.holds(value)):
        return stones.renamed(value)
    return None if name in _UNSAID else _NOTHING.get(type(value))


def _assumption(value: dict[str, Any], stones: Tombstones) -> dict[str, Any]:
    statement = TOMBSTONE if value["id"] in stones.ids else value["statement"]
    made: dict[str, Any] = stones.renamed({key: held for key, held in value.items() if key != "statement"})
    return {**made, "statement": statement}


def _edge(value: dict[str, Any], stones: Tombstones, taken: dict[str, None]) -> dict[str, Any]:
    made: dict[str, Any] = stones.renamed({key: held for key, held in value.items() if key != "id"})
    id = value["id"]
    if (made["src"], made["dst"]) != (value["src"], value["dst"]):
        key = edge_key(made["src"], made["type"], made["dst"])
        id = next(found for found in (slug(key, "edge", digits=n) for n in DIGITS) if found not in taken)
    taken[id] = None
    return {**made, "id": id}


def _left_without_names(before: list[dict[str, Any]], stones: Tombstones) -> dict[tuple[str, str], None]:
    """The blocks, with the things filed there, that only names which go have filed them under."""
    gone: dict[tuple[str, str], None] = {}
    kept: dict[tuple[str, str], None] = {}
    for value in before:
        if value.get("record") in ("name", "alias"):
            name = value["form"] if value["record"] == "alias" else value["label"]
            goes = value["record"] == "alias" and stones.is_learned(name)
            (gone if goes else kept).update(((key, value["id"]), None) for key in block_keys(normalise(name)))
    return {filed: None for filed in gone if filed not in kept}


def _name(
    kind: str, value: dict[str, Any], stones: Tombstones, blocks: Mapping[tuple[str, str], None]
) -> Iterator[dict[str, Any]]:
    """What is left of a line about names: nothing of what is removed, nor what was learned from it alone."""
    if kind == "block":
        ids = [id for id in value["ids"] if id not in stones.ids and (value["key"], id) not in blocks]
        if ids:
            yield {**value, "ids": ids}
        return
    id = value["canonical_id"] if kind == "mention" else value["id"]
    if id in stones.ids:
        return
    if kind == "alias" and stones.is_learned(value["form"]):
        return
    if kind == "mention" and (stones.is_learned(value["mention"]) or stones.scrubbed(value) != value):
        return
    yield value


def _fingerprinted(records: list[dict[str, Any]]) -> None:
    """A decision whose words or grounds were renamed gets the fingerprint of what it is now."""
    types = {value["id"]: value["type"] for value in records if value.get("record") == "node"}
    out: dict[str, list[Edge]] = {}
    for value in records:
        if value.get("record") == "edge":
            out.setdefault(value["src"], []).append(Edge(value["id"], value["src"], value["type"], value["dst"]))
    for value in records:
        if value.get("record") == "node" and FINGERPRINT in value["attrs"]:
            read = value["provenance"]
            provenance = Provenance(read["source_id"]) if read is not None else None
            node = Node(value["id"], value["type"], value["label"], value["attrs"], provenance)
            made = fingerprint(node, out.get(node.id, ()), types.get)
            value["attrs"] = {**value["attrs"], FINGERPRINT: made}


# ---- plan, ledger, walks --------------------------------------------------------------------


def _without_text(carried: Carried | None, stones: Tombstones) -> tuple[Carried | None, int]:
    """The plan and its ledger without it, the chain made anew from the first entry that changed; how many did."""
    if carried is None:
        return None, 0
    plan, ledger = json.loads(carried.execution), json.loads(carried.ledger)
    tasks = [_task(task, stones) for task in plan["tasks"]]
    head, changed, entries = GENESIS, 0, []
    for entry in ledger["entries"]:
        payload = {key: held for key, held in entry.items() if key != "digest"}
        made = {**payload, **{key: stones.renamed(payload[key]) for key in ("node_id", "assumption_id")}}
        made |= {key: stones.scrubbed(payload[key]) for key in ("detail", "data")}
        changed += made != payload
        head = link(made, head)
        entries.append({**made, "digest": head})
    if tasks == plan["tasks"] and not changed:
        return carried, 0
    execution = pretty_bytes({**plan, "tasks": tasks})
    return Carried(execution, pretty_bytes({**ledger, "entries": entries, "head": head}), head), changed


def _task(task: dict[str, Any], stones: Tombstones) -> dict[str, Any]:
    made = {**task, **{key: stones.scrubbed(task[key]) for key in ("title", "rationale", "output")}}
    made |= {key: stones.renamed(task[key]) for key in ("node_id", "assumption_id", "artefacts", "produces")}
    if task["assumption_id"] in stones.ids:
        made["assumes"] = TOMBSTONE
    return made


def _walks(walks: Walks, stones: Tombstones, heard: Heard) -> Walks:
    """The last walks but those that met what is removed, or asked in words that nothing else has."""
    left = Walks()
    for walked in walks:
        met = (*walked.seeds, *((walked.answer,) if walked.answer is not None else ()))
        if any(id in stones.ids for id in met) or stones.holds(walked.question):
            continue
        if not _is_unheard(walked.question, heard):
            left.add(walked)
    return left


# ---- files ----------------------------------------------------------------------------------


def _sweep(directory: Path, saved: Saved) -> tuple[str, ...]:
    """Removes whatever was written before, whether a manifest names it or not.

    Raises:
        SessionError: text-left: a file that could not be removed.
    """
    manifest = saved.state.manifest
    assert manifest is not None, "saved"
    earlier = [
        path.name for path in sorted(directory.iterdir()) if generation_in(path.name) not in (None, manifest.generation)
    ]
    names = (*earlier, *files.staged_names(directory))
    for name in names:
        with suppress(OSError):
            files.remove(directory, name)
    files.sync(directory)
    left = [name for name in names if (directory / name).exists()]
    if left:
        message = f"the session was redacted, and {left[0]} could not be removed from {directory}"
        hint = "`contextmesh doctor` names the command that does"
        raise SessionError(Problem("text-left", message, left[0], (("files", ", ".join(left)),), hint=hint))
    return names
