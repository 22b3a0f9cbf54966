"""``ingest``: documents into a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.cli import kit

if TYPE_CHECKING:
    from contextmesh.base.errors import Problem


@kit.app.command(epilog="Example:  contextmesh ingest docs/ notes.jsonl --session notes.mesh")
def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, folders (recursively), or -.")],
    session: kit.SessionOption = None,
    kind: Annotated[
        str | None,
        typer.Option("--as", metavar="KIND", help="markdown, rst, text, jsonl or decisions; guessed when left out."),
    ] = None,
    on: kit.OnOption = None,
    wait: kit.WaitOption = 0.0,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Read documents into a session; say what is new, unchanged, changed and dropped, and why.

    Exit code 1 when every document was skipped; then no session is made where there was none.
    """
    from contextmesh.cli.progress import progress
    from contextmesh.cli.words import build_report
    from contextmesh.session.manifest import JOURNALLED

    home = kit.require_session(session)
    mesh = kit.open_or_new(home, kit.load_policy(policy))
    kit.tell_notices(mesh)
    if on is not None:
        mesh.commits_on(on)
    with progress() as tick:
        report = mesh.ingest(paths, kind=kind, progress=tick)
    has_nothing = bool(report.skipped) and not (report.new or report.changed or report.unchanged)
    notices: tuple[Problem, ...] = ()
    if mesh.generation == 0:
        saved = not has_nothing and mesh.save(home, version=JOURNALLED, wait=wait) > 0
    else:
        done = mesh.checkpoint(wait=wait)
        saved, notices = bool(done.lines or done.written), done.notices
    kit.show(
        lambda: kit.with_notes({**report.as_json(), "session": str(home), "generation": mesh.generation}, notices),
        lambda: kit.with_notes_text(build_report(report, home, mesh.generation, saved=saved), notices),
        as_json=json,
    )
    if has_nothing:
        kit.leave(kit.FOUND)
