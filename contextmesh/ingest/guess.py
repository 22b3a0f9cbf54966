"""How a text is laid out, from its name and its first lines."""

from __future__ import annotations

import json
import re

from contextmesh.ingest.readers.frontmatter import front_matter
from contextmesh.ingest.readers.pep import header_fields, numbered_record

MARKDOWN, RST, TEXT, JSONL, JSON, YAML, DECISIONS = "markdown", "rst", "text", "jsonl", "json", "yaml", "decisions"
KINDS = (MARKDOWN, RST, TEXT, JSONL, DECISIONS)
"""What a user may name."""

_BY_SUFFIX = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), MARKDOWN),
    **dict.fromkeys((".rst", ".rest"), RST),
    **dict.fromkeys((".txt", ".text", ".log", ""), TEXT),
    **dict.fromkeys((".jsonl", ".ndjson", ".jsonlines"), JSONL),
    **dict.fromkeys((".yaml", ".yml"), YAML),
    ".json": JSON,
}
_MARKDOWN_SIGNS = re.compile(r"^#{1,6} \S|^```|\]\([^()\s]+\)|^\s*[-*] \[[ x]\] |^\*\*[^*\n]+\*\*", re.MULTILINE)
_RST_SIGNS = re.compile(r"^\.\. [\w|\[]|^:[\w-]+:`|::$|`[^`<\n]+ <[^>\n]+>`_|``[^`\n]+``", re.MULTILINE)
_UNDERLINED = re.compile(r"^[^\n]*\S[^\n]*\n([=\-~^\"'*+])\1{3,}[ \t]*$", re.MULTILINE)
_HEAD = 8000


def kind_of(suffix: str, *, named: bool) -> str | None:
    """What a suffix promises; None for one that promises no text, unless the user named the file itself."""
    return _BY_SUFFIX.get(suffix.lower(), TEXT if named else None)


def kind_of_text(text: str, kind: str) -> str:
    """A better guess for what has a suffix of plain text, or none."""
    if kind != TEXT:
        return kind
    head = text[:_HEAD]
    first = head.lstrip()[:1]
    if first == "{" and _is_json_line(head.lstrip().split("\n", 1)[0]):
        return JSONL
    if numbered_record(header_fields(head)[0]) is not None:
        return RST
    if front_matter(head) is not None:
        return MARKDOWN
    underlined = len(_UNDERLINED.findall(head))
    markdown, rst = len(_MARKDOWN_SIGNS.findall(head)), len(_RST_SIGNS.findall(head))
    if rst and rst + underlined > markdown:
        return RST
    return MARKDOWN if markdown >= 2 or (markdown and head.lstrip().startswith("#")) else TEXT


def _is_json_line(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
