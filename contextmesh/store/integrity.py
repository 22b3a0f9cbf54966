"""Where files that belong together contradict: what each says goes in as facts, and rules/integrity.dl concludes.

The rules have an engine of their own, which lasts as long as one comparison. Of the graph it is given only what the
files name, so that comparing costs what the files hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as kept

from contextmesh.base.fields import Fault, Path
from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.engine import Derivation, Engine
from contextmesh.store.explain import one_line
from contextmesh.store.store import LIMITS, Store

VIOLATION = "integrity_violation"
RESOLVER, PLAN, LEDGER = "resolver", "plan", "ledger"
NONE = -1
"""Stands in a row for no row, or no item."""

_ARRAYS = {PLAN: "tasks", LEDGER: "entries"}
_FILES = (RESOLVER, PLAN, LEDGER)
_FIELDS = ("canonical", "plan", "assumption_id", "assumes", "node_id", "artefacts", "state", "task", "round")
_LONGEST = 400
"""Characters of a message or a note that are shown."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One row of ``integrity_violation``: what ``file`` says at a place contradicts another file, or the graph.

    Attributes:
        code: of the problem it makes: the word of the rule with hyphens.
    """

    code: str
    subject: str
    file: str
    row: int
    field: str
    item: int
    _row: Row = kept(repr=False, compare=False)
    _engine: Engine = kept(repr=False, compare=False)

    @property
    def derivation(self) -> Derivation:
        """Why the rules say so: ``store.explain`` shows it as a line, a tree or JSON."""
        found = self._engine.explain(VIOLATION, self._row)
        assert found is not None, "it was read from this engine"
        return found

    @property
    def path(self) -> Path:
        """Where in its file it stands."""
        if self.file == RESOLVER:
            return (self.field, self.subject)
        if self.row == NONE or self.file not in _ARRAYS:
            return (self.field,)
        place: Path = (_ARRAYS[self.file], self.row, self.field)
        return place if self.item == NONE else (*place, self.item)

    def fault(self) -> Fault:
        """In the words of the rule, with the facts it used."""
        derivation = self.derivation
        words = derivation.words or f"contradicts another file, by the rule for {self.code}"
        return Fault(
            self.code,
            _short(words),
            self.path,
            subject=self.subject,
            note=_short(one_line(derivation)),
            hint="the files of a session and its graph must come from one generation",
        )


class Comparison:
    """What several files say, gathered until the rules compare it. A fact that is said twice counts once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._facts: dict[str, dict[Row, None]] = {}

    def say(self, relation: str, *terms: Value) -> None:
        """One thing that a file says."""
        self._facts.setdefault(relation, {})[terms] = None

    def name(self, id: str) -> None:
        """A file names a node: what the graph has under this id."""
        node = self._store.nodes.get(id)
        if node is not None:
            self.say("in_graph", id, node.type, node.label)

    def name_ground(self, id: str) -> None:
        """A file names an assumption: what it states, and whether it was rejected."""
        record = self._store.assumptions.get(id)
        if record is not None:
            self.say("in_graph_ground", id, record.statement)
            if self._store.engine.holds("status", (id, "rejected")):
                self.say("in_graph_rejected", id)

    def name_result(self, id: str) -> None:
        """A file names a decision: the node, whether it fell, and which sources it cites."""
        engine = self._store.engine
        self.name(id)
        if engine.holds("invalid", (id,)):
            self.say("in_graph_fallen", id)
        for edge in engine.match("edge", (None, id, "cites", None)):
            self.say("in_graph_cites", id, edge[3])

    def name_labelled(self, label: str) -> None:
        """A file names a node by its label: every node that bears it."""
        for row in self._store.engine.match("named", (None, label)):
            self.name(str(row[0]))

    def violations(self) -> list[Violation]:
        """What the rules in force conclude, by file and place.

        Raises:
            LimitReached: it would take too much.
        """
        engine = Engine(self._store.policy.integrity, self._facts, limits=LIMITS)
        found = [_violation(row, engine) for row in engine.rows(VIOLATION)]
        return sorted(found, key=_order)


def _violation(row: Row, engine: Engine) -> Violation:
    word, subject, file, at, name, item = row
    place, part = (number if isinstance(number, int) else NONE for number in (at, item))
    code = str(word).replace("_", "-")
    return Violation(code, str(subject), str(file), place, str(name), part, row, engine)


def _order(one: Violation) -> tuple[int, int, int, int, str, str]:
    file = _FILES.index(one.file) if one.file in _FILES else len(_FILES)
    name = _FIELDS.index(one.field) if one.field in _FIELDS else len(_FIELDS)
    return file, one.row, name, one.item, one.code, one.subject


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
