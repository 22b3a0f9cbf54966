"""No label of a session can leave the data block of the page, and nothing but the page's own script may run there."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from contextmesh import Mesh
from contextmesh.dashboard.inline import BEGINS, content_policy, data_block, inlined, page
from contextmesh.dashboard.payload import payload

SNIPPETS = [
    "</script>",
    "<script>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&lt;",
    "&",
    "\u202e",
    "\x00",
    "\u2028",
    "\\",
    '"',
]
LABELS = st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=8), max_size=6).map("".join)


class Blocks(HTMLParser):
    """Every script of a page with its attributes, and the tags that stand outside of them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._open:
            attrs, text = self.scripts[-1]
            self.scripts[-1] = attrs, text + data


def data_of(text: str) -> Any:
    blocks = [text for attrs, text in Blocks(text).scripts if attrs.get("id") == "mesh-data"]
    assert len(blocks) == 1
    return json.loads(blocks[0])


@given(st.lists(LABELS, max_size=5))
def test_the_page_has_one_data_block_and_it_is_the_payload(labels: list[str]) -> None:
    value = {"nodes": [{"label": label, "because": labels} for label in labels]}
    text = inlined(value)

    assert data_of(text) == value
    assert [tag for tag, _ in Blocks(text).tags] == [tag for tag, _ in Blocks(page()).tags]


@given(LABELS)
def test_the_data_block_is_compact_ascii_without_a_character_of_markup(label: str) -> None:
    block = data_block({"label": label})

    assert block.isascii() and not set("&<>") & set(block)
    assert block == json.dumps({"label": label}, separators=(",", ":")).replace("&", "\\u0026").replace(
        "<", "\\u003c"
    ).replace(">", "\\u003e")


def test_labels_of_strangers_come_through_a_mesh_whole() -> None:
    mesh = Mesh()
    hostile = [text for text in SNIPPETS if "\x00" not in text and text.strip()]
    for text in hostile:
        mesh.assume(f"It is said: {text}")
    value = payload(mesh)

    assert data_of(inlined(value)) == value
    assert sorted(n["label"] for n in value["nodes"]) == sorted(f"It is said: {text}" for text in hostile)


def test_the_page_runs_its_own_script_and_style_and_no_other() -> None:
    text = inlined({"error": {"code": "x", "message": "y"}})
    policy = next(
        attrs["content"] for tag, attrs in Blocks(text).tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )

    assert policy == content_policy(live=False, framed=False)
    for tag in ("script", "style"):
        inner = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner[0].encode()).digest()).decode()
        assert len(inner) == 1 and f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy and "default-src 'none'" in policy and "connect-src" not in policy


def test_only_the_live_page_may_ask_its_server() -> None:
    assert "connect-src 'self'" in content_policy(live=True, framed=True)
    assert '<meta name="mesh-live" content="mesh.json">' in inlined({}, live="mesh.json")
    assert '<meta name="mesh-live" content="">' in inlined({})


def test_the_page_has_no_handler_in_its_markup_no_address_and_no_markup_from_text() -> None:
    attributes = [name for _, attrs in Blocks(page()).tags for name in attrs]

    assert [name for name in attributes if name.startswith("on") or name in ("src", "style", "href")] == []
    assert re.findall(r"https?://[^\"]+", page()) == ["http://www.w3.org/2000/svg"]
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert word not in page()


def test_the_page_stays_small_and_has_a_place_for_the_data() -> None:
    assert len(page().splitlines()) <= 400
    assert page().count(BEGINS) == 1
    assert "<noscript>" in page()
