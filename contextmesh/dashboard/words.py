"""Texts as long as a page shows them."""

from __future__ import annotations

TEXT = 400
"""The most characters of a label or a quote in the payload."""


def clipped(text: object) -> str:
    """The start of a long text, with an ellipsis; a short one as it is."""
    words = str(text)
    return words if len(words) <= TEXT else f"{words[: TEXT - 1]}…"
