"""A graph or a part of it as GraphML: one typed key for each field, and nothing that XML cannot carry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from contextmesh.exchange.around import Part
from contextmesh.graph.graph import ContextGraph

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"""
_KEYS = {
    "node": {
        "type": "string",
        "label": "string",
        "live": "boolean",
        "source": "string",
        "attrs": "string",
        "build": "int",
    },
    "edge": {
        "type": "string",
        "live": "boolean",
        "assumption": "string",
        "weight": "double",
        "build": "int",
    },
}
_KEPT = {"\r": "&#13;"}
"""A reader of XML makes every other line end a newline."""

_LOST = "\ufffd"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml(graph: ContextGraph, part: Part) -> str:
    """The whole document, with a newline at its end. A character that XML lacks becomes U+FFFD.

    Ids that differ in nothing else are told apart by more of them at their end.
    """
    return "\n".join(_lines(graph, part)) + "\n"


def _lines(graph: ContextGraph, part: Part) -> Iterator[str]:
    ids = _apart(node.id for node in part.nodes)
    edge_ids = _apart(edge.id for edge in part.edges)
    yield _HEAD
    for on, keys in _KEYS.items():
        for name, kind in keys.items():
            yield f'  <key id="{on}-{name}" for="{on}" attr.name="{name}" attr.type="{kind}"/>'
    yield '  <graph edgedefault="directed">'
    for node in part.nodes:
        yield f"    <node id={_attribute(ids[node.id])}>"
        yield _data("node", "type", node.type)
        yield _data("node", "label", node.label)
        yield _data("node", "live", _truth(graph.is_live(node.id)))
        if node.provenance is not None:
            yield _data("node", "source", node.provenance.source_id)
        if node.attrs:
            yield _data("node", "attrs", json.dumps(dict(node.attrs), sort_keys=True, ensure_ascii=False))
        yield _data("node", "build", str(node.build))
        yield "    </node>"
    for edge in part.edges:
        ends = f"source={_attribute(ids[edge.src])} target={_attribute(ids[edge.dst])}"
        yield f"    <edge id={_attribute(edge_ids[edge.id])} {ends}>"
        yield _data("edge", "type", edge.type)
        yield _data("edge", "live", _truth(graph.is_edge_live(edge.id)))
        if edge.assumption_id is not None:
            yield _data("edge", "assumption", edge.assumption_id)
        yield _data("edge", "weight", repr(float(edge.weight)))
        yield _data("edge", "build", str(edge.build))
        yield "    </edge>"
    yield "  </graph>"
    yield "</graphml>"


def _apart(ids: Iterable[str]) -> dict[str, str]:
    """By id, what stands for it: no two the same, and an id that XML can carry as it is."""
    whole = {id: id for id in ids}
    taken = {id: None for id in whole if _carried(id) == id}
    for id in whole:
        if id in taken:
            continue
        made = _carried(id)
        while made in taken:
            made += _LOST
        whole[id] = made
        taken[made] = None
    return whole


def _data(on: str, name: str, text: str) -> str:
    return f'      <data key="{on}-{name}">{escape(_carried(text), _KEPT)}</data>'


def _attribute(text: str) -> str:
    return quoteattr(_carried(text), _KEPT)


def _carried(text: str) -> str:
    return _NOT_XML.sub(_LOST, text)


def _truth(value: bool) -> str:
    return "true" if value else "false"
