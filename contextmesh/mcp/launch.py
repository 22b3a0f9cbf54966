"""``contextmesh-mcp``: arguments, session and registry are checked before the SDK is even imported.

What costs time in proportion to the session, its rules, its companions and their digests, is read beside the
transport; when that fails, the server ends (see ``server``).
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from contextmesh.base.errors import ExecutionCheckpointError, ExecutionSnapshotError, InputError, Problem, Refusal
from contextmesh.base.source import render_refusal
from contextmesh.mcp.door import Door
from contextmesh.mcp.served import CHECKPOINTS, ON_EXIT, Served
from contextmesh.mcp.web import TOKEN, Address, address
from contextmesh.mcp.wire import made_whole

if TYPE_CHECKING:
    from contextmesh.run.registry import TaskRegistry

DONE = 0


@dataclass(frozen=True, slots=True)
class Launch:
    """What the server is started with.

    Attributes:
        core: whether only the short list of tools is shown.
        http: where to listen; None for stdin and stdout.
    """

    served: Served
    core: bool
    http: Address | None = None


def main(argv: Sequence[str] | None = None, *, registry: TaskRegistry | None = None) -> int:
    """Serve a mesh until the client goes; nothing but the protocol is written to stdout.

    Args:
        registry: workers and auditors of the deployment's plan, by key; the only code a client can set to work.
    """
    made_whole()
    before = _leave_on_signals()
    try:
        launch = prepared(sys.argv[1:] if argv is None else argv, registry)
        way: Door | Address = launch.http if launch.http is not None else Door.standard()
        if isinstance(way, Door):
            way.watch()
        serve = _sdk()
        return serve(launch.served, way, core=launch.core)
    except Refusal as refusal:
        _say(render_refusal(refusal))
        return refusal.exit_code
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def prepared(argv: Sequence[str], registry: TaskRegistry | None = None) -> Launch:
    """The session as far as it can be checked at once: its manifest, and its plan against the registry.

    Raises:
        InputError: ``usage``, ``missing-registry``. SessionError: there is no session there, or it is damaged.
        PolicyError: there is no policy there.
        ExecutionCheckpointError: every key of the plan that the registry lacks.
    """
    options = _parser().parse_args(list(argv))
    http = address(options.http, os.environ.get(TOKEN), tuple(options.allow_host)) if options.http else None
    rules = _rules(options.policy)
    directory: Path | None = options.session
    has_plan = directory is not None and _checked_plan(directory, registry)
    served = Served(directory, rules=rules, registry=registry, has_plan=has_plan, checkpoint=options.checkpoint)
    return Launch(served, options.tools == "core", http)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as every command does, with a code."""

    def error(self, message: str) -> NoReturn:
        raise InputError(Problem("usage", message, hint=" ".join(self.format_usage().split())))

    def print_help(self, file: Any = None) -> None:
        out = sys.stdout if file is None else file
        try:
            out.write(self.format_help())
            out.flush()
        except OSError as error:
            sys.stdout = None  # or the interpreter tries again as it leaves, and says so in its own words
            message = f"the output cannot be written: {error.strerror}"
            raise InputError(Problem("unwritable-file", message, subject="stdout")) from None


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="contextmesh-mcp",
        description="Serve a mesh over the Model Context Protocol, on stdin and stdout or over HTTP.",
        epilog="example: contextmesh-mcp --session notes.mesh --checkpoint on-exit",
        allow_abbrev=False,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--demo", action="store_true", help="the bundled demo; it refuses writes")
    what.add_argument("--session", type=Path, metavar="DIR", help="the session directory")
    parser.add_argument(
        "--checkpoint", choices=CHECKPOINTS, default=ON_EXIT, help="when counters of walks are written (on-exit)"
    )
    parser.add_argument("--tools", choices=("all", "core"), default="all", help="which tools are listed (all)")
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="DIR",
        help="rules and a GRAPH.md laid over the shipped ones (CONTEXTMESH_POLICY)",
    )
    parser.add_argument("--http", metavar="HOST:PORT", help=f"serve over HTTP; beyond loopback only with {TOKEN} set")
    parser.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="a further name clients may use for it"
    )
    return parser


def _sdk() -> Callable[..., int]:
    """Raises InputError, ``no-sdk``."""
    gc.disable()  # the import makes a few hundred thousand objects that all stay, which collections go through in vain
    try:
        from contextmesh.mcp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("contextmesh"):
            raise
        message = f"the protocol's SDK is not installed: {error.name} is not found"
        raise InputError(Problem("no-sdk", message, hint="pip install 'contextmesh[mcp]'")) from None
    finally:
        gc.enable()
    return serve


def _rules(directory: Path | None) -> Path | None:
    """Where rules are that are laid over the shipped ones; they are there, and are read beside the transport.

    Raises:
        PolicyError: they are not there, or their files cannot be read.
    """
    named = directory if directory is not None else os.environ.get("CONTEXTMESH_POLICY")
    if not named:
        return None
    from contextmesh.policy.files import laid_over, shipped

    laid_over(shipped(), Path(named))
    return Path(named)


def _checked_plan(directory: Path, registry: TaskRegistry | None) -> bool:
    """Whether the session holds a plan whose every key the registry has; it has one and no registry: refused."""
    from contextmesh.session.files import read_member
    from contextmesh.session.load import find_manifest
    from contextmesh.session.plan_now import went_on

    manifest = find_manifest(directory, None, None)
    if manifest.execution is None:
        return False
    data = read_member(directory, manifest.execution)
    if manifest.journal is not None:
        data = went_on(directory, manifest, data)
    keys = _keys(data, str(directory / manifest.execution))
    if registry is None:
        message = f"the plan of {directory} is bound to keys, and no registry was given"
        hint = "launch it from Python: contextmesh.mcp.main(argv, registry=registry)"
        note = f"keys of the plan: {', '.join(key for _, key in keys)}"
        raise InputError(
            Problem("missing-registry", message, subject=keys[0][1] if keys else None, note=note, hint=hint)
        )
    problems: list[Problem] = []
    for kind, key in keys:
        try:
            if kind == "worker":
                registry.worker(key)
            else:
                registry.auditor(key)
        except Refusal as refusal:
            problems += refusal.problems
    if problems:
        raise ExecutionCheckpointError(*dict.fromkeys(problems))
    return True


def _keys(data: bytes, file: str) -> list[tuple[str, str]]:
    """What the plan is bound to, each once: (worker or auditor, key)."""
    from contextmesh.base.fields import Fault
    from contextmesh.base.strict import parse
    from contextmesh.run.plan_file import read_rows

    document = parse(data, file, refusal=ExecutionSnapshotError)
    try:
        tasks = read_rows(document.value).tasks
    except Fault as fault:
        raise ExecutionSnapshotError(document.problem(fault)) from None
    workers = [("worker", task.worker_key) for task in tasks]
    auditors = [("auditor", task.auditor_key) for task in tasks if task.auditor_key is not None]
    return list(dict.fromkeys((*workers, *auditors)))


def _leave_on_signals() -> dict[signal.Signals, Any]:
    """Until the transport minds them, SIGTERM and Ctrl-C end the process at once: nothing has been written yet.

    An exception would be raised in the midst of somebody's import, which may hide it or end otherwise for it.

    Returns:
        What minded them before; nothing where this is not the main thread, which alone may change that.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: signal.signal(number, _leave) for number in (signal.SIGTERM, signal.SIGINT)}


def _leave(*_: object) -> NoReturn:
    os._exit(DONE)


def _say(text: str) -> None:
    """On stderr, which writes what its encoding lacks as escapes."""
    sys.stderr.write(text + "\n")
