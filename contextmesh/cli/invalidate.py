"""``blast`` and ``invalidate``: what would fall, and what falls."""

from __future__ import annotations

from typing import Annotated

import typer

from contextmesh.base.errors import InputError, Problem
from contextmesh.cli import kit


@kit.app.command(epilog='Example:  contextmesh blast "Shard count grows linearly with corpus size"')
def blast(
    assumption: Annotated[str, typer.Argument(metavar="ASSUMPTION", help="An assumption's id or statement.")],
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Dry run: what would fall with an assumption, with chains, and what would stand. Changes nothing."""
    from contextmesh.cli.words import invalidation_text

    mesh = kit.open_mesh(session, policy, quiet=json)
    fallen = mesh.blast(assumption)
    kit.show(fallen.as_json, lambda: invalidation_text(fallen), as_json=json)


@kit.app.command(epilog="Example:  contextmesh invalidate 'Load is even' --evidence evidence:e-4d5e6f --session s.mesh")
def invalidate(
    assumption: Annotated[str | None, typer.Argument(metavar="[ASSUMPTION]", help="An id or statement.")] = None,
    evidence: Annotated[
        str | None, typer.Option("--evidence", metavar="ID", help="The evidence that contradicts it.")
    ] = None,
    session: kit.SessionOption = None,
    on: kit.OnOption = None,
    wait: kit.WaitOption = 0.0,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Reject an assumption on evidence that contradicts it; without arguments and session, the demo's."""
    from contextmesh.cli.words import invalidation_text

    notices: tuple[Problem, ...] = ()
    if assumption is None and evidence is None and session is None:
        from contextmesh.demo.build import demo_rejection

        fallen = demo_rejection(policy=kit.load_policy(policy))
    elif assumption is None or evidence is None:
        raise InputError(
            Problem(
                "missing-evidence" if evidence is None else "missing-assumption",
                "an assumption falls only to evidence that contradicts it: name both",
                hint="contextmesh invalidate ASSUMPTION --evidence ID --session DIR",
            )
        )
    else:
        home = kit.require_session(session)
        mesh = kit.open_mesh(home, policy, quiet=json)
        if on is not None:
            mesh.commits_on(on)
        fallen = mesh.reject(assumption, evidence_id=evidence)
        notices = mesh.checkpoint(wait=wait).notices
    kit.show(
        lambda: kit.with_notes(fallen.as_json(), notices),
        lambda: kit.with_notes_text(invalidation_text(fallen), notices),
        as_json=json,
    )
