"""What is written for other programs is read by them, and says what the graph says, whatever the labels hold."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any
from urllib.parse import unquote

import networkx
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import InputError, UnknownError
from contextmesh.exchange.around import around, whole
from contextmesh.exchange.graphml import graphml
from contextmesh.exchange.lines import lines_to_bytes
from contextmesh.exchange.lines_read import read_lines
from contextmesh.exchange.mermaid import mermaid
from contextmesh.exchange.prov import MAKING, NODE, REJECTION, prov
from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver

from .world_of_exchange import HOSTILE, Steps, ferry, hostile, played, steps

pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
"""Of the reader's own making."""

PROV = "http://www.w3.org/ns/prov#"
CM = "urn:contextmesh:vocabulary:"


def read(graph: ContextGraph) -> rdflib.Graph:
    return rdflib.Graph().parse(data=json.dumps(prov(graph)), format="json-ld")


def said(triples: rdflib.Graph, word: str) -> list[tuple[str, str]]:
    """Pairs of names without their namespaces."""
    pairs = triples.subject_objects(rdflib.URIRef(word))
    return sorted((unquote(str(s).split(":", 3)[3]), unquote(str(o).split(":", 3)[3])) for s, o in pairs)


def edges(graph: ContextGraph, *types: str) -> list[tuple[str, str]]:
    return sorted((e.src, e.dst) for e in graph.store.edges.values() if e.type in types)


# ---- PROV-O ---------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(steps())
def test_prov_says_of_derivation_generation_and_invalidation_what_the_graph_says(done: Steps) -> None:
    require_said(played(done)[0])


def test_prov_tells_what_was_rejected_and_what_was_made_again() -> None:
    graph, _ = ferry()
    rebuilt = {row[0] for row in graph.store.engine.rows("rebuilt")}
    invalidated = {name for name, _ in said(read(graph), f"{PROV}wasInvalidatedBy")}

    require_said(graph)
    assert rebuilt and invalidated and not rebuilt & invalidated
    assert ("decision:auto:build-a-hut-1-e2cb1a", "assumption:the-quay-stays-dry-d6ac1e") in said(
        read(graph), f"{PROV}used"
    )


def require_said(graph: ContextGraph) -> None:
    triples = read(graph)
    rows = graph.store.engine.rows
    decisions = [(n.id, n.id) for n in graph.store.nodes.values() if n.type == "decision"]
    invalid = {row[0] for row in rows("invalid")}

    assert said(triples, f"{PROV}wasDerivedFrom") == edges(graph, "derived_from")
    assert said(triples, f"{PROV}wasRevisionOf") == edges(graph, "supersedes")
    assert said(triples, f"{PROV}alternateOf") == edges(graph, "resolves_to")
    made = [(dst, src) for src, dst in edges(graph, "produces")]
    assert said(triples, f"{PROV}wasGeneratedBy") == sorted([*decisions, *made])
    fell = sorted((str(id), str(root)) for id, root in rows("fell") if id in invalid)
    assert said(triples, f"{PROV}wasInvalidatedBy") == fell
    used = [(e.src, e.dst) for e in graph.store.edges.values() if e.type in ("derived_from", "cites", "depends_on")]
    used += [(e.src, e.dst) for e in graph.store.edges.values() if e.type == "justified_by"]
    of_decisions = [pair for pair in used if graph.node(pair[0]).type == "decision"]
    verdicts = [(str(row[0]), str(row[1])) for row in rows("verdict")]
    assert said(triples, f"{PROV}used") == sorted({*of_decisions, *verdicts})
    for type_ in graph.policy.ontology.edge_types:
        assert said(triples, f"{CM}{type_}") == edges(graph, type_)
    sources = [(n.id, n.provenance.source_id) for n in graph.store.nodes.values() if n.provenance is not None]
    assert said(triples, f"{PROV}hadPrimarySource") == sorted(sources)


def test_prov_keeps_entities_and_activities_apart() -> None:
    """PROV calls the two classes disjoint."""
    triples = read(ferry()[0])
    kinds: dict[str, set[str]] = {}
    for thing, kind in triples.subject_objects(rdflib.RDF.type):
        kinds.setdefault(str(thing), set()).add(str(kind))

    assert all(not {f"{PROV}Entity", f"{PROV}Activity"} <= found for found in kinds.values())
    for name, found in kinds.items():
        assert (f"{PROV}Entity" in found) == name.startswith(NODE)
        assert (f"{PROV}Activity" in found) == name.startswith((MAKING, REJECTION))


def test_prov_carries_hostile_labels_and_ids_unchanged() -> None:
    triples = read(hostile())
    labels = {str(label) for label in triples.objects(None, rdflib.RDFS.label)}

    assert HOSTILE in labels
    assert said(triples, f"{CM}mentions") == [(f"source:{HOSTILE}", 'a"]; drop')]


def test_prov_names_who_said_it_and_when_a_source_was_read() -> None:
    triples = read(ferry()[0])

    assert ("assumption:the-quay-stays-dry-d6ac1e", "planner") in said(triples, f"{PROV}wasAttributedTo")
    assert [str(day) for day in triples.objects(None, rdflib.URIRef(f"{CM}retrievedAt"))] == ["2024-03-01"]


# ---- GraphML --------------------------------------------------------------------------------


def parsed(graph: ContextGraph, *args: Any) -> Any:
    part = around(graph, *args) if args else whole(graph)
    return networkx.read_graphml(BytesIO(graphml(graph, part).encode("utf-8")), force_multigraph=True)


@settings(max_examples=40, deadline=None)
@given(steps())
def test_graphml_is_read_with_every_node_edge_type_and_what_holds(done: Steps) -> None:
    graph, _ = played(done)
    read = parsed(graph)

    assert {id: (n["type"], n["label"], n["live"]) for id, n in read.nodes(data=True)} == {
        node.id: (node.type, node.label, graph.is_live(node.id)) for node in graph.store.nodes.values()
    }
    assert {(s, d, key): (e["type"], e["live"], e["weight"]) for s, d, key, e in read.edges(keys=True, data=True)} == {
        (e.src, e.dst, e.id): (e.type, graph.is_edge_live(e.id), e.weight) for e in graph.store.edges.values()
    }


def test_graphml_carries_hostile_text_but_for_characters_that_xml_lacks() -> None:
    read = parsed(hostile())
    carried = HOSTILE.replace("\x07", "\ufffd").replace("\x00", "\ufffd")

    assert {n["label"] for _, n in read.nodes(data=True)} == {carried, "end"}
    assert set(read.nodes) == {f"source:{carried}", 'a"]; drop'}


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_label_of_a_document_that_is_read(text: str) -> None:
    graph = ContextGraph()
    graph.add_node("evidence", text, id="evidence:x", attrs={"kind": text})

    assert len(parsed(graph)) == 1
    assert len(read(graph)) > 3


AWKWARD = (
    *(
        "",
        "end",
        "@id",
        "null",
        "#quot;",
        "`end`",
        "-->",
        "]]>",
        "<![CDATA[x]]>",
        "<script>alert(1)</script>",
        "\\u0041\\",
    ),
    *(
        "two\nlines\r\nthree\rfour",
        "\x00",
        "\x07",
        "\x1b[31m\x85\u2028",
        "\u202e\u200fabc\u2066",
        "\ufffd",
        "\ufeffbom",
        "\uffff",
    ),
    *("👩\u200d👧 😀", "cafe\u0301", "x" * 10_000, " white ", '"""', "&amp; &#0;", "%3A %00"),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(AWKWARD) | st.text(max_size=20), min_size=1, max_size=6))
def test_every_form_carries_any_ids_and_labels_and_keeps_their_nodes_apart(texts: list[str]) -> None:
    graph = ContextGraph()
    source = graph.add_node("source", "log", id="source:log", attrs={"origin": "o", "retrieved_at": ""})
    for text in dict.fromkeys(texts):
        attrs = {"canonical": text, "aliases": [text]}
        graph.add_edge(source.id, "mentions", graph.add_node("entity", text, id=f"e{text}", attrs=attrs).id)
    nodes, ends = graph.store.nodes, edges(graph, "mentions")

    assert said(read(graph), f"{CM}mentions") == ends
    assert {str(label) for label in read(graph).objects(None, rdflib.RDFS.label)} == {n.label for n in nodes.values()}
    drawn = parsed(graph)
    assert (len(drawn), drawn.number_of_edges()) == (len(nodes), len(ends))
    assert [end for _, end in drawn.edges()] == list(drawn)[1:], "in the order of the graph, each at its own node"
    assert all(id in drawn for id in nodes if re.fullmatch("[\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*", id))
    again = read_lines(lines_to_bytes(graph.store, Resolver()), "drawn", graph.policy).store
    assert list(again.nodes.values()) == list(nodes.values())
    assert list(again.edges.values()) == list(graph.store.edges.values())


# ---- Mermaid --------------------------------------------------------------------------------

_NODE = re.compile(r'  n\d+(\(\[|\[|\[\(|\{\{|\[/|\[\[)"[^"\n`<>\[\](){}|]*"(\]\)|\]|\)\]|\}\}|/\]|\]\])(:::fallen)?')
_EDGE = re.compile(r'  n\d+ (-->|-\.->)\|"[^"\n`<>\[\](){}|]+"\| n\d+')


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120), st.sampled_from(["entity", "claim", "evidence"]))
def test_no_label_is_syntax_of_a_flowchart(text: str, kind: str) -> None:
    graph = hostile()
    graph.add_node("evidence", f"{text}{HOSTILE}", id="evidence:x", attrs={"kind": kind})

    head, *lines, last = mermaid(graph, whole(graph)).splitlines()

    assert head == "flowchart LR"
    assert last.startswith("  classDef fallen ")
    assert all(_NODE.fullmatch(line) or _EDGE.fullmatch(line) for line in lines), lines


def test_a_flowchart_shows_what_fell_and_what_no_longer_holds() -> None:
    graph, _ = ferry()
    dry = graph.find("The quay stays dry")[0]

    text = mermaid(graph, around(graph, dry.id, hops=1))

    assert '  n0[/"assumption#58; The quay stays dry"/]:::fallen' in text
    assert re.search(r'n\d+ -->\|"contradicts"\| n0', text)
    assert ":::fallen" not in mermaid(hostile(), whole(hostile()))


# ---- the neighbourhood ----------------------------------------------------------------------


def test_a_neighbourhood_is_what_so_many_steps_reach_either_way() -> None:
    graph, _ = ferry()
    dry = graph.find("The quay stays dry")[0].id
    undirected = networkx.Graph([(e.src, e.dst) for e in graph.store.edges.values()])
    for hops in range(5):
        part = around(graph, dry, hops=hops)
        assert {n.id for n in part.nodes} == set(networkx.ego_graph(undirected, dry, radius=hops))
        inside = {n.id for n in part.nodes}
        assert {e.id for e in part.edges} == {
            e.id for e in graph.store.edges.values() if e.src in inside and e.dst in inside
        }


def test_a_neighbourhood_ends_at_its_limit_and_says_so() -> None:
    graph, _ = ferry()
    dry = graph.find("The quay stays dry")[0].id

    assert len(around(graph, dry, hops=3, most=3).nodes) == 3
    assert around(graph, dry, hops=3, most=3).left_out
    assert not around(graph, dry, hops=3).left_out
    with pytest.raises(InputError):
        around(graph, dry, hops=-1)
    with pytest.raises(UnknownError):
        around(graph, "entity:none")
