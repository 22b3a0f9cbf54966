"""The payload put into the page, so that no label of it can end the block it stands in; and what the page may do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from contextmesh.base.data import read_data

BEGINS, ENDS = '<script id="mesh-data" type="application/json">', "</script>"
_ESCAPED = {ord("&"): "\\u0026", ord("<"): "\\u003c", ord(">"): "\\u003e"}
_POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'">"""
_LIVE = '<meta name="mesh-live" content="">'


def data_block(value: Mapping[str, Any]) -> str:
    """Compact JSON in ASCII without ``&``, ``<`` and ``>``, which text of HTML could be taken for."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).translate(_ESCAPED)


def inlined(value: Mapping[str, Any], *, live: str = "") -> str:
    """The page with its data.

    Args:
        live: where the page asks for newer data, a name beside its own; nowhere when empty.
    """
    template = page()
    assert live == "" or live.replace(".", "").isalnum(), "a plain name"
    rules = content_policy(live=bool(live), framed=False)
    template = _once(template, _POLICY, f'<meta http-equiv="Content-Security-Policy" content="{rules}">')
    template = _once(template, _LIVE, f'<meta name="mesh-live" content="{live}">')
    return _once(template, BEGINS + ENDS, BEGINS + data_block(value) + ENDS)


@cache
def page() -> str:
    """The page as it is shipped, without data."""
    return read_data("dashboard/index.html")


@cache
def content_policy(*, live: bool, framed: bool) -> str:
    """A Content-Security-Policy under which only the page's own script and style run, known by their hashes.

    Args:
        live: whether it may ask the server it came from.
        framed: whether to forbid frames around it, which only a header can.
    """
    script, style = _hash_of(r"<script>(.*?)</script>"), _hash_of(r"<style>(.*?)</style>")
    rules = ["default-src 'none'", f"script-src '{script}'", f"style-src '{style}'"]
    rules += ["connect-src 'self'"] if live else []
    rules += ["base-uri 'none'", "form-action 'none'"]
    rules += ["frame-ancestors 'none'"] if framed else []
    return "; ".join(rules)


def _hash_of(pattern: str) -> str:
    found = re.findall(pattern, page(), re.DOTALL)
    assert len(found) == 1, "the page has one script and one style of its own"
    return f"sha256-{base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode('ascii')}"


def _once(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, f"the page has one {old}"
    return text.replace(old, new, 1)
