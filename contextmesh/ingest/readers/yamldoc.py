"""A YAML document as a source: its longer scalars are its words."""

from __future__ import annotations

import re

from contextmesh.ingest.flow import FlowBuilder, Lines
from contextmesh.ingest.layout import Layout, LayoutBuilder
from contextmesh.ingest.readers.frontmatter import Scalar, yaml_scalars
from contextmesh.ingest.readers.inline import markdown_words

_SHORTEST = 20


def yaml_layout(text: str, scalars: list[Scalar] | None = None) -> Layout:
    """One flow for each paragraph of each scalar long enough to say something.

    A quoted scalar whose escapes hide its words from the text is left out.
    """
    out = LayoutBuilder()
    for scalar in yaml_scalars(text, "") if scalars is None else scalars:
        if len(scalar.value) < _SHORTEST or " " not in scalar.value.strip():
            continue
        at = scalar.start
        for paragraph in re.split(r"\n\s*\n", scalar.value):
            # Folding turns line ends into spaces: the words are what both have in common.
            found = re.compile(r"\s+".join(map(re.escape, paragraph.split())) or r"(?!)").search(text, at, scalar.end)
            if found is None:
                continue
            at = found.end()
            words = FlowBuilder()
            markdown_words(Lines.of(_lines(found[0], found.start())), words)
            out.add(words.build(out.role(item=False)), text.count("\n", 0, found.start()) + 1)
    return out.build()


def _lines(block: str, at: int) -> list[tuple[str, int]]:
    lines = []
    for line in block.split("\n"):
        if line.strip():
            lines.append((line.strip(), at + len(line) - len(line.lstrip())))
        at += len(line) + 1
    return lines
