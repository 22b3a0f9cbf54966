"""``execute``: the worked plan, or a deployment's own. The one place where a module named by a person is imported."""

from __future__ import annotations

import importlib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextmesh.base.errors import InputError, Problem, Where
from contextmesh.cli import kit

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.policy import Policy
    from contextmesh.run import Runner, RunReport
    from contextmesh.session import SessionState

TERMINATED = 143
"""The exit code of a process that SIGTERM ended: 128 and the number of the signal, as shells count."""

PlanOption = Annotated[
    str | None,
    typer.Option("--plan", metavar="MODULE:OBJECT", help="A Runner, a function that makes one, or a TaskRegistry."),
]


@kit.app.command(epilog="Example:  contextmesh execute --plan deploy.plans:nightly --session plans.mesh")
def execute(
    plan: PlanOption = None,
    recheck: Annotated[
        bool, typer.Option("--recheck", help="Only let auditors look at what stands; execute nothing.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=1000, help="Calls that may go on at once.")
    ] = None,
    session: kit.SessionOption = None,
    on: kit.OnOption = None,
    wait: kit.WaitOption = 0.0,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Run a plan: break one ground, and only what stood on it is done again.

    Without --plan the worked example: five tasks, an advisory that appears, a repair, and what ran again. A function
    that --plan names may take the graph of the session. A session that holds a plan goes on with it: then --plan names
    the registry of its workers. Nobody else writes to the session until the round is saved, so that no task runs twice;
    it is saved while it goes on, so that a process that is killed loses its last moments, not its work.
    """
    from contextmesh.cli.rounds import report_text
    from contextmesh.run.interrupt import Terminated

    if plan is None:
        if session is not None or recheck:
            message = "the worked plan has no session, and is rechecked as part of it"
            raise InputError(Problem("missing-plan", message, hint="name yours: --plan MODULE:OBJECT"))
        _tell_story(workers, policy, json)
        return
    given = _named(plan)
    asked = _Asked(plan, given, recheck, workers)
    try:
        if session is None:
            runner, report = _round(asked, kit.load_policy(policy))
        else:
            runner, report = _round_in_session(asked, session, on, wait, kit.load_policy(policy))
    except Terminated:
        kit.say("ended by SIGTERM; what was recorded until then is kept" if session else "ended by SIGTERM")
        kit.leave(TERMINATED)
    kit.show(lambda: _payload(runner, report), lambda: report_text(runner, report), as_json=json)
    if not report.complete:
        kit.leave(kit.FOUND)


def _tell_story(workers: int | None, policy: Path | None, json: bool) -> None:
    from contextmesh.cli.progress import progress
    from contextmesh.cli.rounds import story_text
    from contextmesh.demo.plan import run_story
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.run.runner import WORKERS

    with tempfile.TemporaryDirectory(prefix="contextmesh-feed-") as feed, progress() as tick:
        graph = ContextGraph(kit.load_policy(policy))
        story = run_story(Path(feed), workers=workers or WORKERS, graph=graph, progress=tick)
    kit.show(story.as_json, lambda: story_text(story), as_json=json)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A round as the command line asks for it: ``given`` is the object that ``plan`` names."""

    plan: str
    given: Any
    recheck: bool
    workers: int | None


def _round_in_session(
    asked: _Asked, session: Path, on: str | None, wait: float, policy: Policy | None
) -> tuple[Runner, RunReport]:
    """One round between loading and saving, all under one lock: of two at once the second finds what the first did.

    It is saved while it goes on, too.

    Raises:
        SessionLockedError: another writer is at it still after ``wait`` seconds; nothing has run.
    """
    from contextmesh import session as sessions
    from contextmesh.cli.saving import Saving
    from contextmesh.run.interrupt import terminable
    from contextmesh.session.files import has_session
    from contextmesh.session.lock import writer_lock
    from contextmesh.session.session import Session

    if not (session.is_dir() and has_session(session)):
        sessions.load(session, policy=policy)  # says what is missing, and leaves no lock behind
    with writer_lock(session, wait=wait) as held:
        state = kit.dated(sessions.load(session, policy=policy), on)
        runner = _runner(asked, state, state.graph)
        runner.require_checkpointable()  # before anything runs: what could not be saved would have run for nothing
        with terminable(), Saving(Session(state, runner), runner, held):
            return runner, _run(runner, asked.recheck)  # interrupted or not, the next run goes on with what it recorded


def _round(asked: _Asked, policy: Policy | None) -> tuple[Runner, RunReport]:
    """One round of a plan that nothing keeps."""
    from contextmesh.graph.graph import ContextGraph

    runner = _runner(asked, None, ContextGraph(policy))
    return runner, _run(runner, asked.recheck)


def _run(runner: Runner, recheck: bool) -> RunReport:
    from contextmesh.cli.progress import progress

    with progress() as tick:
        return runner.recheck(progress=tick) if recheck else runner.run(progress=tick)


def _named(text: str) -> Any:
    """The object a person named on the command line, from a module that Python finds, here first."""
    module, _, path = text.partition(":")
    if not all((*module.split("."), *path.split("."))):  # nor is a module named from where it is
        raise InputError(_bad(text, "is not MODULE:OBJECT, such as deploy.plans:nightly"))
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name is not None and module.startswith(error.name):
            raise InputError(_bad(text, f"names the module {error.name}, which is not found")) from None
        raise InputError(_raised(text, error)) from None
    finally:
        if here in sys.path:
            sys.path.remove(here)
    for name in path.split("."):
        if not hasattr(found, name):
            raise InputError(_bad(text, f"names {name}, which {getattr(found, '__name__', module)} does not have"))
        found = getattr(found, name)
    return found


def _runner(asked: _Asked, state: SessionState | None, graph: ContextGraph) -> Runner:
    """The plan that was asked for, over the graph it is to write to."""
    runner = _found(asked.plan, asked.given, state, graph)
    runner.workers = asked.workers if asked.workers is not None else runner.workers
    return runner


def _found(text: str, given: Any, state: SessionState | None, graph: ContextGraph) -> Runner:
    from contextmesh.run import Runner, TaskRegistry

    if callable(given) and not isinstance(given, Runner | TaskRegistry):
        given = _called(text, given, graph)
    if isinstance(given, TaskRegistry):
        if state is None or state.carried is None:
            raise InputError(_bad(text, "is a registry, and there is no session whose plan it could go on with"))
        from contextmesh.session.session import Session

        runner = Session.bound(state, given).runner
        assert runner is not None, "the session holds a plan"
        return runner
    if not isinstance(given, Runner):
        raise InputError(_bad(text, f"gives {type(given).__name__}, and no Runner"))
    if state is not None and state.carried is not None:
        raise InputError(_bad(text, "gives a new plan, and the session holds one; name the registry of its workers"))
    if state is not None and given.graph is not state.graph:
        raise InputError(_bad(text, "gives a plan over another graph; let it take the session's: def plan(graph): …"))
    return given


def _called(text: str, function: Any, graph: ContextGraph) -> Any:
    """A function with a parameter is given the graph of the session, or an empty one."""
    from inspect import signature

    from contextmesh.base.errors import Refusal

    try:
        return function(graph) if signature(function).parameters else function()
    except Refusal:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(_raised(text, error)) from None


def _payload(runner: Runner, report: RunReport) -> dict[str, Any]:
    ledger = {"entries": len(runner.ledger), "head": runner.ledger.head}
    return {"plan": runner.name, **report.as_json(), "ledger": ledger}


def _bad(text: str, what: str) -> Problem:
    return Problem("bad-plan", f"--plan {text} {what}", subject=text, hint="see `contextmesh execute --help`")


def _raised(text: str, error: BaseException) -> Problem:
    """What the deployment's own code raised, and the line of it."""
    frame, where = error.__traceback__, None
    while frame is not None:
        where = Where(frame.tb_frame.f_code.co_filename, frame.tb_lineno)
        frame = frame.tb_next
    message = f"--plan {text} raised {type(error).__name__}: {error}"
    return Problem("plan-raised", message, subject=text, where=where)
