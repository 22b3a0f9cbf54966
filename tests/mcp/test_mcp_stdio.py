"""A real server, a real client: the protocol over stdin and stdout, and nothing else there."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from served_places import DECISION, OBSERVED, SERVER, SOURCE, STRANGE, TIDE, harbour, speaking

from contextmesh.api import Mesh
from contextmesh.mcp.catalogue import TOOLS, listed
from contextmesh.policy import Policy

SECONDS = 30


def with_client(arguments: list[str], act: Callable[[Client], Awaitable[None]], mode: str = "auto") -> None:
    async def go() -> None:
        server = StdioServerParameters(command=sys.executable, args=[*SERVER, *arguments], env=dict(os.environ))
        with anyio.fail_after(SECONDS):
            async with Client(stdio_client(server), mode=mode) as client:
                await act(client)

    anyio.run(go)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_of_either_protocol_revision_lists_reads_asks_and_submits(tmp_path: Path, mode: str) -> None:
    place = harbour(tmp_path / "s")

    async def act(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.name for tool in listed(plan=False, core=False)]
        assert all(tool.output_schema and tool.annotations for tool in tools)

        found = await client.call_tool("mesh_blast_radius", {"assumption": TIDE})
        assert not found.is_error
        assert json.loads(found.content[0].text) == found.structured_content  # type: ignore[union-attr]
        assert found.structured_content["invalidated_count"] == 2

        made = await client.call_tool("mesh_submit_evidence", {"text": "Fog at noon", "source_id": SOURCE})
        assert made.structured_content["new"] is True

        schema = (await client.read_resource("contextmesh://schema")).contents[0]
        assert "node_types" in json.loads(schema.text)  # type: ignore[union-attr]
        assert len((await client.list_resources()).resources) == 4
        assert len((await client.list_resource_templates()).resource_templates) == 2
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["record_decision", "investigate_fall"]
        text = await client.get_prompt("record_decision", {"decision": "cross by day"})
        assert "cross by day" in text.messages[0].content.text  # type: ignore[union-attr]

    with_client(["--session", str(place)], act, mode)

    assert "Fog at noon" in [node.label for node in Mesh.open(place).graph.store.nodes.values()]


def test_what_a_client_does_wrong_is_an_error_with_our_code_and_never_a_success(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")

    async def act(client: Client) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        for name, given, code in (
            ("mesh_get_node", {"id": "nothing at all"}, "unknown-node"),
            ("mesh_query", {"query": "node(X"}, "syntax"),
            ("mesh_explain_as_of", {"question": "q", "as_of": "2025-02-01", "as_off": "x"}, "unknown-argument"),
            ("mesh_get_node", {"id": DECISION, "edge_types": '["e1",'}, "broken-json"),
            ("mesh_get_node", {"id": DECISION, "limit": "ten"}, "wrong-type"),
            ("mesh_submit_evidence", {"text": "x", "source_id": "none"}, "unknown-node"),
        ):
            result = await client.call_tool(name, given)
            assert result.is_error, name
            assert result.structured_content["error"]["code"] == code
            jsonschema.validate(result.structured_content, schemas[name])
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({}, schemas["mesh_get_node"])
        good = await client.call_tool("mesh_get_node", {"id": DECISION, "edge_types": '["supersedes"]'})
        assert (good.is_error, len(good.structured_content["edges"])) == (False, 1)
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("mesh_reject", {"assumption": TIDE})
        assert unknown.value.data["code"] == "unknown-tool"
        with pytest.raises(MCPError) as nowhere:
            await client.read_resource("contextmesh://nothing")
        assert nowhere.value.data["code"] == "unknown-resource"

    with_client(["--session", str(place)], act)

    assert Mesh.open(place).generation == 1


def test_twenty_submissions_of_one_client_at_once_all_succeed(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")

    async def act(client: Client) -> None:
        made: list[Any] = []

        async def submit(number: int) -> None:
            given = {"text": OBSERVED, "source_id": SOURCE, "external_id": f"e{number}"}
            made.append(await client.call_tool("mesh_submit_evidence", given))

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(submit, number)
        assert len({result.structured_content["id"] for result in made if not result.is_error}) == 20

    with_client(["--session", str(place)], act)

    kinds = [node.type for node in Mesh.open(place).graph.store.nodes.values()]
    assert kinds.count("evidence") == 21


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-16", ""])
def test_stdout_carries_the_protocol_alone_whatever_the_encoding(tmp_path: Path, encoding: str) -> None:
    place = harbour(tmp_path / "s")
    rules = tmp_path / "mine.dl"
    rules.write_text("relation odd(x).\n\nodd(X) :- node(X, Kind).  % → 東京\n", encoding="utf-8")
    bare = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}

    with speaking(["--session", str(place), "--policy", str(rules)], bare) as line:
        assert len(line.ask("tools/list")["result"]["tools"]) == len(listed(plan=False, core=False))
        found = line.call("mesh_get_node", id="entity:ferry")
        assert line.call("mesh_ask", question="Which ferry sails at noon?")["structuredContent"]["answer"]
        assert line.process.poll() is None
        code, err = line.end(encoding or "utf-8")

    assert found["structuredContent"]["label"] == STRANGE
    assert STRANGE in found["content"][0]["text"]
    assert [json.loads(one)["jsonrpc"] for one in line.lines] == ["2.0"] * len(line.lines)
    assert (code, err.count("warning[lone-variable]"), "Traceback" in err) == (0, 1, False), err
    assert Mesh.open(place, Policy.load(rules)).graph.store.walks, "the end of input is the time of the last checkpoint"


def test_the_list_of_tools_on_the_wire_stays_small() -> None:
    with speaking(["--demo", "--tools", "core"]) as line:
        short = line.ask("tools/list")
        rest = line.call("mesh_more")["structuredContent"]["tools"]
        through = line.call("mesh_more", tool="mesh_query", arguments={"query": "rejected(X, Y)"})
        size = len(line.lines[1])

    assert (len(short["result"]["tools"]), size <= 3_100) == (6, True), size
    assert {tool["name"] for tool in (*short["result"]["tools"], *rest)} >= {t.name for t in TOOLS if t.role != "plan"}
    assert through["structuredContent"]["columns"] == ["X", "Y"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly_with_a_last_checkpoint(tmp_path: Path, number: signal.Signals) -> None:
    place = harbour(tmp_path / "s")
    with speaking(["--session", str(place)]) as line:
        assert line.call("mesh_ask", question="Which ferry sails at noon?")["structuredContent"]["answer"]
        os.kill(line.process.pid, number)
        code = line.process.wait(timeout=SECONDS)
        assert line.process.stderr is not None
        err = line.process.stderr.read().decode()

    assert (code, "Traceback" in err) == (0, False), err
    assert Mesh.open(place).graph.store.walks


def test_a_line_that_is_no_message_ends_nothing_and_what_is_piped_in_is_answered_before_the_end() -> None:
    with speaking(["--demo"]) as line:
        assert line.process.stdin is not None
        line.process.stdin.write(b'{"jsonrpc": "2.0", "id": \n\xff\xfe not json\n[]\n')
        line.process.stdin.flush()
        assert line.ask("ping")["result"] == {}
        for number, tool in enumerate(("mesh_health", "mesh_query", "mesh_lineage")):
            line.send({"id": f"p{number}", "method": "tools/call", "params": {"name": tool, "arguments": {}}})
        code, _ = line.end()

    answered = [str(json.loads(one).get("id")) for one in line.lines]
    assert (sorted(id for id in answered if id[0] == "p"), code) == (["p0", "p1", "p2"], 0)
