"""Headings under which nobody asserts anything."""

from __future__ import annotations

import re

_BOILERPLATE = frozenset(
    (
        *("references", "reference", "references and footnotes", "footnotes", "footnotes and references"),
        *("notes and references", "bibliography", "further reading", "see also", "external links", "links"),
        *("useful links", "related links", "resources", "copyright", "licence", "license", "legal", "disclaimer"),
        *("acknowledgements", "acknowledgments", "acknowledgement", "acknowledgment", "credits", "thanks"),
        *("authors", "contributors", "table of contents", "contents", "toc", "index", "changelog", "change log"),
        *("change history", "revision history", "document history", "history of this document", "local variables"),
    )
)
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*|[ivx]+|[a-z])[.)]\s+")


def is_boilerplate(heading: str) -> bool:
    """Whether a section of this name holds lists, thanks or licences rather than statements."""
    words = _NUMBER.sub("", " ".join(heading.lower().split()).strip(" :.#*_"))
    return words.strip() in _BOILERPLATE
