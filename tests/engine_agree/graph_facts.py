"""Facts of small graphs for the shipped rules, from a seed: mostly sensible, sometimes what no writer would store."""

from __future__ import annotations

from random import Random

from contextmesh.datalog.ast import Row, Value
from contextmesh.policy import Policy

NODES = tuple(f"n{i}" for i in range(9))
EDGES = tuple(f"l{i}" for i in range(14))
QUESTIONS = ("q0", "q1")
SMALL = tuple(range(6))


def graph_facts(policy: Policy, seed: int) -> dict[str, list[Row]]:
    """Rows for every input of the shipped program; the ontology's own facts stay as they are."""
    random = Random(seed)
    pools = _pools(policy)
    facts: dict[str, list[Row]] = {name: list(rows) for name, rows in policy.facts.items()}
    for name, declaration in policy.program.declarations.items():
        if declaration.kind == "input" and name not in facts:
            rows = [_row(declaration.columns, pools, random) for _ in range(random.randint(0, 5))]
            facts[name] = list(dict.fromkeys(rows))
    kinds = {node: random.choice(policy.ontology.kinds) for node in NODES}
    kinds |= {node: random.choice(["assumption", "decision", "claim"]) for node in random.sample(NODES, 6)}
    kinds |= {"a0": "assumption", "a1": "assumption", "e0": "evidence", "n7": "entity", "n8": "entity"}
    facts["node"] = list(kinds.items())
    facts["edge"] = [_edge(edge, kinds, policy, random) for edge in random.sample(EDGES, random.randint(6, len(EDGES)))]
    facts["born"] = [(name, random.randint(1, 30)) for name in [*kinds, *EDGES]]
    facts["now"] = [(random.choice(SMALL),)]
    for assumption in ("a0", "a1"):
        facts["verdict"].append((assumption, "e0", random.randint(10, 30)))
        facts["edge"].append((f"v{assumption}", "e0", "contradicts", assumption))
    facts["justification"], facts["premise"] = [], []
    for number in range(random.choice([0, 0, 1, 2, 3, 4])):
        facts["justification"].append((f"j{number}", random.choice(NODES[:4])))
        grounds = random.sample([*NODES, "a0", "a1"], random.randint(1, 3))
        facts["premise"] += [(f"j{number}", ordinal, ground) for ordinal, ground in enumerate(grounds, 1)]
    return facts


def _edge(name: str, kinds: dict[str, str], policy: Policy, random: Random) -> Row:
    """A legal edge when one is found soon, of a kind that carries failure more often than not."""
    carrying = ("depends_on", "derived_from", "produces")
    for _ in range(20):
        source, target = random.sample(list(kinds), 2)
        kind = random.choice(carrying if random.random() < 0.6 else policy.ontology.edge_types)
        if policy.ontology.is_legal(kind, kinds[source], kinds[target]):
            break
    return name, source, kind, target


def _pools(policy: Policy) -> dict[str, tuple[Value, ...]]:
    kinds, types = policy.ontology.kinds, policy.ontology.edge_types
    fields = tuple(dict.fromkeys(field for kind in kinds for field in policy.ontology.must_carry(kind)))
    numbers = dict.fromkeys(("seq", "day", "hops", "build", "ordinal"), SMALL)
    return {
        **numbers,
        "kind": kinds,
        "type": (*types, "no_such_type"),
        "field": fields,
        "edge": EDGES,
        "assumption": ("a0", "a1", "n0"),
        "evidence": ("e0", "n1"),
        "question": QUESTIONS,
        "justification": ("j0", "j1", "j2"),
        "relation": types,
        "key": ("pep-1", "pep-2"),
        "word": ("accepted", "final", "superseded", "withdrawn"),
        "label": ("a label", "another"),
        "mention": ("teh index", "shard"),
        "text": ("2001-05", "June"),
        "direction": ("backward", "forward"),
    }


def _row(columns: tuple[str, ...], pools: dict[str, tuple[Value, ...]], random: Random) -> Row:
    return tuple(random.choice(pools.get(column, NODES)) for column in columns)
