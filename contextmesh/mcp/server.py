"""The SDK, and nothing else: the table becomes tools, a document becomes a result, a refusal becomes an error.

A server whose session cannot be loaded fails closed: calls that wait for it get an error of the protocol with the code
of the refusal, which also stands on stderr, and the process ends with the refusal's exit code.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

import contextmesh
from contextmesh.base.errors import Problem, Refusal
from contextmesh.base.source import render_problem, render_refusal
from contextmesh.mcp import calls, prompts, resources
from contextmesh.mcp.budget import bounded, compact
from contextmesh.mcp.catalogue import MORE, Tool, listed
from contextmesh.mcp.door import INSTRUCTIONS, Door
from contextmesh.mcp.served import Served, fault
from contextmesh.mcp.web import BODY_BYTES, CONNECTIONS, Address, Guard, close_quiet, listening
from contextmesh.mcp.wire import Wire

T = TypeVar("T")
Context = ServerRequestContext[Any]
JSON = "application/json"
NOT_FOUND = -32002
"""The protocol's number for a resource that is not there; our own code stands in the data of the error."""
WRITERS = 40
"""Threads in which writes wait for each other; reads have threads of their own."""
PARTING = 60.0
"""Seconds for which requests under way are waited for once the input has ended."""
LEAVING = 5.0
"""Seconds for which answers under way are waited for when a signal, or a session that cannot be loaded, ends it."""
HEADSTART = 2.0
"""Seconds for which loading waits for the first answer: it would take the processor from it."""
TICK = 0.02
"""Seconds between two looks at what another thread does."""
SHOWN = 10
"""How many problems of one refusal are told."""
_NUMBERS = {"unknown-resource": NOT_FOUND, "unknown-node": NOT_FOUND, "loading": types.INTERNAL_ERROR}


def make_server(served: Served, *, core: bool = False) -> Server[Any]:
    """The server over a mesh; it answers at once, and waits for the mesh only where a call needs it."""
    writers = anyio.CapacityLimiter(WRITERS)
    shown = [_tool(tool, short=core) for tool in listed(plan=served.has_plan, core=core)]

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=shown)

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name != MORE.name:
            _or_protocol_error(served, lambda: calls.tool_named(served, params.name))
        limiter = writers if calls.may_write(served, params.name) else None
        return await to_thread.run_sync(_called, served, params.name, params.arguments, limiter=limiter)

    async def list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        found = [
            types.Resource(uri=resources.SCHEME + name, name=name, description=words, mime_type=JSON)
            for name, words in resources.FIXED.items()
        ]
        return types.ListResourcesResult(resources=found)

    async def list_templates(
        ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        found = [
            types.ResourceTemplate(
                uri_template=resources.SCHEME + path, name=path.partition("/")[0], description=words, mime_type=JSON
            )
            for path, words in resources.TEMPLATES.items()
        ]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        document = await to_thread.run_sync(_or_protocol_error, served, lambda: resources.read(served, uri))
        text = types.TextResourceContents(uri=uri, mime_type=JSON, text=compact(document))
        return types.ReadResourceResult(contents=[text])

    async def list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(prompt) for prompt in prompts.PROMPTS])

    async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = _or_protocol_error(served, lambda: prompts.filled(params.name, params.arguments))
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[message])

    return Server(
        "contextmesh",
        version=contextmesh.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def serve(served: Served, way: Door | Address, *, core: bool = False) -> int:
    """Serve until the client closes stdin, or SIGTERM or Ctrl-C; then the last checkpoint.

    Args:
        way: stdin and stdout by their door, or where to listen for HTTP.

    Raises:
        InputError: ``cannot-listen``.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if isinstance(way, Door):
        anyio.run(_serve, served, core, way)
    else:
        listener = listening(way)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)  # uvicorn ends on it, and raises it once more at its end
        anyio.run(_serve_http, served, core, way, listener)
    return _closed(served)


async def _serve(served: Served, core: bool, door: Door) -> None:
    server = make_server(served, core=core)
    traffic = _Traffic(door.wire)
    async with anyio.create_task_group() as group:
        if sys.platform != "win32":
            group.start_soon(_end_on_signal, served, traffic)
        group.start_soon(_load, served, traffic)
        into: Any = anyio.wrap_file(door)  # type: ignore[arg-type]
        out: Any = anyio.wrap_file(door.wire)  # type: ignore[arg-type]
        async with stdio_server(into, out) as (read, write), _counted(read, write, traffic, door) as (asked, answered):
            await server.run(asked, answered, server.create_initialization_options())
        group.cancel_scope.cancel()


class _OneLine(logging.Formatter):
    """What the SDK logs of its clients: who goes in the middle of a request is worth a line, and no traceback."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name is the standard library's
        return f"({ei[0].__name__}: {ei[1]})"


class _Traffic:
    """What a client has asked and not been answered."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._pending: dict[Any, None] = {}
        self._handed = 0
        self.begun = anyio.Event()

    def asked(self, message: object) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._pending[message.id] = None
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._pending.pop((message.params or {}).get("requestId"), None)  # it gets no answer

    def answered(self, message: object) -> None:
        self._handed += 1
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._pending.pop(message.id, None)
        self.begun.set()

    async def settled(self, seconds: float) -> None:
        """Until everything that was asked is answered, and the answers have left."""
        with anyio.move_on_after(seconds):
            while self._pending or self._wire.sent < self._handed:
                await anyio.sleep(TICK)


@asynccontextmanager
async def _counted(read: Any, write: Any, traffic: _Traffic, door: Door) -> AsyncIterator[tuple[Any, Any]]:
    """Streams between transport and server that hold the end of input back until every request was answered.

    The server drops what is under way when its input ends; a client that pipes its requests in wants the answers.
    What the door has answered is not answered twice.
    """
    to_server, asked = anyio.create_memory_object_stream[Any](0)
    answered, from_server = anyio.create_memory_object_stream[Any](0)
    sent = anyio.Event()

    async def inward() -> None:
        async with to_server:
            async for message in read:
                if isinstance(message, SessionMessage):
                    traffic.asked(message.message)
                await to_server.send(message)
            await traffic.settled(PARTING)

    async def outward() -> None:
        async with write:
            async for message in from_server:
                if not _was_given(message.message, door):
                    await write.send(message)
                traffic.answered(message.message)
        sent.set()

    async with anyio.create_task_group() as group:
        group.start_soon(inward)
        group.start_soon(outward)
        yield asked, answered
        await answered.aclose()
        await sent.wait()
        group.cancel_scope.cancel()


def _was_given(message: object, door: Door) -> bool:
    if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError) or not door.gave(message.id):
        return False
    if isinstance(message, types.JSONRPCError):
        sys.stderr.write(f"the SDK refuses a greeting that was answered: {message.error.message}\n")
    return True


async def _serve_http(served: Served, core: bool, http: Address, listener: socket.socket) -> None:
    """Until SIGTERM or Ctrl-C, which uvicorn minds; what is under way gets a few seconds."""
    import uvicorn

    security = TransportSecuritySettings(allowed_hosts=list(http.hosts), allowed_origins=list(http.origins))
    app = make_server(served, core=core).streamable_http_app(
        json_response=True, max_request_body_size=BODY_BYTES, transport_security=security, host=http.host
    )
    guarded: Any = Guard(app, http.token, anyio.current_time)
    config = uvicorn.Config(
        guarded,
        log_config=None,
        timeout_graceful_shutdown=5,
        server_header=False,
        limit_concurrency=CONNECTIONS,
    )
    host, port = listener.getsockname()[:2]
    sys.stderr.write(f"listening on http://{f'[{host}]' if ':' in host else host}:{port}/mcp\n")
    sys.stderr.flush()
    web = uvicorn.Server(config)
    async with anyio.create_task_group() as group:
        group.start_soon(_load_for_web, served, web)
        group.start_soon(close_quiet, web.server_state.connections, anyio.current_time)
        await web.serve(sockets=[listener])
        group.cancel_scope.cancel()


async def _load_for_web(served: Served, web: Any) -> None:
    if not await _is_loaded(served):
        web.should_exit = True


async def _load(served: Served, traffic: _Traffic) -> None:
    """Beside the transport, and after the first answer; a session that cannot be loaded ends the process."""
    with anyio.move_on_after(HEADSTART):
        await traffic.begun.wait()
    if not await _is_loaded(served):
        await _end(served, traffic)


async def _is_loaded(served: Served) -> bool:
    threading.Thread(target=_read, args=(served,), name="load", daemon=True).start()
    while not served.is_settled:
        await anyio.sleep(TICK)
    return served.failure is None


def _read(served: Served) -> None:
    try:
        served.load()
    except Exception:
        traceback.print_exc(file=sys.stderr)
    for warning in served.warnings:
        sys.stderr.write(render_problem(warning, "warning") + "\n")
    sys.stderr.flush()


async def _end_on_signal(served: Served, traffic: _Traffic) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            await _end(served, traffic)


async def _end(served: Served, traffic: _Traffic) -> None:
    """The thread that waits for a line of stdin cannot be woken, so the process ends here once all is written."""
    code = await to_thread.run_sync(_closed, served)
    await traffic.settled(LEAVING)
    sys.stderr.flush()
    os._exit(code)


def _closed(served: Served) -> int:
    """The last checkpoint, or on stderr why there was nothing to serve; the exit code."""
    if served.failure is not None:
        sys.stderr.write(render_refusal(served.failure) + "\n")
        return served.failure.exit_code
    try:
        served.close()
    except Refusal as refusal:
        sys.stderr.write(f"the last checkpoint was not written: {render_refusal(refusal)}\n")
        return refusal.exit_code
    return 0


# ---- parts --------------------------------------------------------------------------------------


def _tool(tool: Tool, *, short: bool) -> types.Tool:
    return types.Tool.model_validate(tool.as_json(short=short))


def _prompt(prompt: prompts.Prompt) -> types.Prompt:
    argument = types.PromptArgument(name=prompt.argument, description=prompt.argument_words, required=prompt.required)
    return types.Prompt(name=prompt.name, description=prompt.words, arguments=[argument])


def _called(served: Served, name: str, arguments: dict[str, Any] | None) -> types.CallToolResult:
    """A document, or an error that the model can read and act on; never an error called a success."""
    try:
        return _result(calls.call(served, name, arguments))
    except Refusal as refusal:
        if refusal is served.failure:
            raise _protocol_error(served, refusal) from None
        return _result(_told(served, refusal.problems), is_error=True)
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return _result(_told(served, (fault(name),)), is_error=True)


def _told(served: Served, problems: tuple[Problem, ...]) -> dict[str, Any]:
    """The first problem as every command prints it, and all of them when there are several."""
    told = [served.without_places(problem.as_json()) for problem in problems[:SHOWN]]
    return bounded({"error": told[0]} if len(told) == 1 else {"error": told[0], "errors": told})


def _result(document: dict[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    text = types.TextContent(type="text", text=compact(document))
    return types.CallToolResult(content=[text], structured_content=document, is_error=is_error)


def _or_protocol_error(served: Served, call: Callable[[], T]) -> T:
    """What is asked of the protocol itself is refused by it: a number of the protocol, and our code in the data."""
    try:
        return call()
    except Refusal as refusal:
        raise _protocol_error(served, refusal) from None
    except Exception:
        traceback.print_exc(file=sys.stderr)
        raise _protocol_error(served, Refusal(fault("a request"))) from None


def _protocol_error(served: Served, refusal: Refusal) -> MCPError:
    internal = refusal is served.failure or refusal.code == "fault"
    number = types.INTERNAL_ERROR if internal else _NUMBERS.get(refusal.code, types.INVALID_PARAMS)
    error = _told(served, refusal.problems)["error"]
    return MCPError(number, error["message"], error)
