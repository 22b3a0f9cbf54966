"""``ingest``: documents into a session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contextmesh.cli import kit


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

    Exit code 1 when every document was skipped.
    """
    from contextmesh.api import Mesh
    from contextmesh.cli.progress import progress
    from contextmesh.cli.words import build_report

    home = kit.require_session(session)
    mesh = Mesh.open(home, policy=kit.load_policy(policy), create=True)
    kit.tell_notices(mesh)
    if on is not None:
        mesh.commits_on(on)
    with progress() as tick:
        report = mesh.ingest(paths, kind=kind, progress=tick)
    done = mesh.checkpoint(wait=wait)
    kit.show(
        lambda: kit.with_notes({**report.as_json(), "session": str(home), "generation": mesh.generation}, done.notices),
        lambda: kit.with_notes_text(
            build_report(report, home, mesh.generation, saved=bool(done.lines or done.written)), done.notices
        ),
        as_json=json,
    )
    if report.skipped and not (report.new or report.changed or report.unchanged):
        kit.leave(kit.FOUND)
