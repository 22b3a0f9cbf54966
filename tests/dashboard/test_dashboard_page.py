"""The script of the page, run by a JavaScript engine where there is one: its functions over real data."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from contextmesh.dashboard.inline import page
from contextmesh.dashboard.payload import payload
from contextmesh.demo.build import demo_mesh

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no JavaScript engine is on this machine")


def told(tmp_path: Path, expression: str) -> Any:
    """What the expression gives, with ``page`` for the functions and ``data`` for the demo's payload."""
    script = re.findall(r"<script>(.*?)</script>", page(), re.DOTALL)[0]
    data = json.dumps(payload(demo_mesh()))
    file = tmp_path / "page.js"
    file.write_text(f"{script}\nconst data = {data};\nconsole.log(JSON.stringify({expression}));\n", encoding="utf-8")
    done = subprocess.run([str(NODE), str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_neighbourhood_is_bounded_whole_and_placed(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        "data.nodes.map((node) => { const index = page.indexed(data);"
        "const n = page.neighbourhood(index, node.id, page.SHOWN), at = page.placed(n.nodes);"
        "return [node.id, n.nodes, n.edges, [...at]]; })",
    )
    edges = {(e["from"], e["type"], e["to"]) for e in payload(demo_mesh())["edges"]}

    for center, nodes, shown, places in found:
        ids = [node["id"] for node in nodes]
        assert ids[0] == center and len(ids) == len(set(ids)) <= 26
        assert {(e["from"], e["type"], e["to"]) for e in shown} == {e for e in edges if e[0] in ids and e[2] in ids}
        assert all(node["ring"] == 0 or node["parent"] in ids for node in nodes)
        assert sorted(name for name, _ in places) == sorted(ids)
        spots = [(at["x"], at["y"]) for _, at in places]
        assert len(set(spots)) == len(spots) and all(0 <= x <= 800 and 0 <= y <= 540 for x, y in spots)


def test_every_neighbour_is_in_the_picture_where_there_are_few(tmp_path: Path) -> None:
    linear = next(n["id"] for n in payload(demo_mesh())["nodes"] if n["label"].startswith("Shard count grows"))
    ids = told(tmp_path, f"page.neighbourhood(page.indexed(data), {json.dumps(linear)}, page.SHOWN).nodes")
    around = [e["from"] for e in payload(demo_mesh())["edges"] if e["to"] == linear]

    assert around and set(around) <= {node["id"] for node in ids if node["ring"] == 1}


def test_a_search_wants_every_word_and_stops_at_its_limit(tmp_path: Path) -> None:
    found = told(tmp_path, "page.hits(data, 'SHARD  linearly', 99)")
    every = [
        node for node in payload(demo_mesh())["nodes"] if {"shard", "linearly"} <= set(node["label"].lower().split())
    ]

    assert every and [node["id"] for node in every] == [node["id"] for node in found]
    assert told(tmp_path, "page.hits(data, 'a', 3).length") == 3
    assert told(tmp_path, "[page.hits(data, '', 3), page.hits(data, '<b>', 3)]") == [[], []]


@pytest.mark.parametrize("id", ["entity:a b", "claim:%41", "entity:ключ", "x/../#y?z&", "</script>", "a\u202eb"])
def test_a_link_leads_to_the_id_it_was_made_of(tmp_path: Path, id: str) -> None:
    assert told(tmp_path, f"page.fromHash(page.toHash({json.dumps(id)}))") == id


def test_a_broken_link_leads_nowhere(tmp_path: Path) -> None:
    assert told(tmp_path, "page.fromHash('#%E0%A4%A')") == ""


def test_what_turns_or_hides_text_is_shown_as_a_mark(tmp_path: Path) -> None:
    given = json.dumps("a\u202eb\x00c\u2066d\ne")

    assert told(tmp_path, f"page.clean({given})") == "a\ufffdb\ufffdc\ufffdd\ufffde"
    assert told(tmp_path, "[...page.short('\U0001f6a2'.repeat(50), 10)].length") == 10


def test_a_cut_panel_says_how_much_there_is(tmp_path: Path) -> None:
    assert told(tmp_path, "[page.some({total: 9, shown: 3}), page.some({total: 3, shown: 3})]") == ["3 of 9 shown", "3"]
