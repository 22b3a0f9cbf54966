"""A part of a graph as a Mermaid flowchart: what fell is dashed, and no text of a label is syntax."""

from __future__ import annotations

from contextmesh.exchange.around import Part
from contextmesh.graph.graph import ContextGraph

SHOWN = 80
"""Characters of a label that are shown."""

_PLAIN = frozenset(" ,.-")
_SHAPES = {
    "entity": ("([", "])"),
    "claim": ("[", "]"),
    "source": ("[(", ")]"),
    "decision": ("{{", "}}"),
    "assumption": ("[/", "/]"),
    "evidence": ("[[", "]]"),
}


def mermaid(graph: ContextGraph, part: Part) -> str:
    """The text of the flowchart, with a newline at its end; nodes are ``n0``, ``n1``, … in order."""
    numbers = {node.id: f"n{number}" for number, node in enumerate(part.nodes)}
    lines = ["flowchart LR"]
    for node in part.nodes:
        opening, closing = _SHAPES.get(node.type, ("[", "]"))
        fallen = "" if graph.is_live(node.id) else ":::fallen"
        text = f"{_text(node.type)}#58; {_text(node.label)}"
        lines.append(f'  {numbers[node.id]}{opening}"{text}"{closing}{fallen}')
    for edge in part.edges:
        arrow = "-->" if graph.is_edge_live(edge.id) else "-.->"
        lines.append(f'  {numbers[edge.src]} {arrow}|"{_text(edge.type)}"| {numbers[edge.dst]}')
    lines.append("  classDef fallen stroke-dasharray: 4 3,opacity: 0.6")
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Letters and digits of any script as they are, white space as one space, all else by its number."""
    words = " ".join(text.split())
    shown = words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"
    return "".join(_char(char) for char in shown) or " "


def _char(char: str) -> str:
    if char.isalnum() or char in _PLAIN:
        return char
    return f"#{ord(char)};" if char.isprintable() else "#65533;"
