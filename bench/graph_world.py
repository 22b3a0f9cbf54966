"""The graph every graph job runs on: about three edges a node, made from its size alone.

Sources, entities, claims that all stand on one assumption (half the graph falls with it), and decisions in groups:
two chains of 25 on an assumption of their own, each decision with one product, so that about 100 nodes fall with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

HALF = "assumption:half"
CHAIN, CHAINS = 25, 2


@dataclass(frozen=True, slots=True)
class NodeSpec:
    id: str
    type: str
    label: str
    attrs: dict[str, Any]
    source: str | None = None


@dataclass(slots=True)
class World:
    nodes: list[NodeSpec] = field(default_factory=list)
    edges: list[tuple[str, str, str]] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    """The assumptions with a group of decisions on them."""

    def names(self, kind: str) -> list[str]:
        return [node.id for node in self.nodes if node.type == kind]


def world(size: int) -> World:
    """About ``size`` nodes and three times as many edges."""
    random, made = Random(size), World()
    sources = [f"source:{i}" for i in range(size // 10)]
    entities = [f"entity:{i}" for i in range(size // 5)]
    claims = [f"claim:{i}" for i in range(size // 2)]
    made.nodes += [
        NodeSpec(s, "source", f"Report {s}", {"origin": "file", "retrieved_at": "2025-01-01"}) for s in sources
    ]
    made.nodes += [NodeSpec(e, "entity", f"Thing {e}", {"canonical": e, "aliases": []}) for e in entities]
    made.nodes.append(NodeSpec(HALF, "assumption", "Half of all this holds", {}))
    for claim in claims:
        made.nodes.append(NodeSpec(claim, "claim", f"It is said that {claim} holds.", {}, random.choice(sources)))
        made.edges += [(claim, "mentions", name) for name in random.sample(entities, 2)]
        made.edges.append((claim, "derived_from", random.choice(sources)))
        made.edges.append((claim, "depends_on", HALF))
    for number, (assumption, members) in enumerate(_groups(size)):
        made.groups.append(assumption)
        made.nodes.append(NodeSpec(assumption, "assumption", f"Ground number {number} holds", {}))
        made.edges += list(_group(made, assumption, members, sources, entities, random))
    return made


def _groups(size: int) -> Iterator[tuple[str, int]]:
    for number in range(max(1, size // 5 // (CHAIN * CHAINS))):
        yield f"assumption:{number}", CHAIN * CHAINS


def _group(
    made: World, assumption: str, members: int, sources: list[str], entities: list[str], random: Random
) -> Iterator[tuple[str, str, str]]:
    stem = assumption.replace("assumption", "decision")
    for number in range(members):
        name = f"{stem}-{number}"
        made.nodes.append(
            NodeSpec(name, "decision", f"Decided {name}", {"rationale": "It follows."}, random.choice(sources))
        )
        on = assumption if number % CHAIN == 0 else f"{stem}-{number - 1}"
        product = entities[(int(assumption.split(":")[1]) * members + number) % len(entities)]
        yield name, "depends_on", on
        yield name, "cites", random.choice(sources)
        yield name, "produces", product
