"""``ask``: an answer with its path, or one of four dead ends."""

from __future__ import annotations

from typing import Annotated

import typer

from contextmesh.cli import kit
from contextmesh.cli.past import AsOfOption, ValidAtOption, bounded, with_bounds, with_bounds_text


@kit.app.command(epilog='Example:  contextmesh ask "Which PEP replaced PEP 245?" --session peps.mesh')
def ask(
    question: Annotated[list[str], typer.Argument(metavar="QUESTION...", help="One question; words are joined.")],
    budget: Annotated[
        int | None, typer.Option("--budget", min=1, metavar="TOKENS", help="The most tokens the answer may cost.")
    ] = None,
    as_of: AsOfOption = None,
    valid_at: ValidAtOption = None,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn", help="Commit the names it learned and where it walked; else a question changes nothing."
        ),
    ] = False,
    session: kit.SessionOption = None,
    wait: kit.WaitOption = 0.0,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Answer a question with a path you can read, or say which of four dead ends it met."""
    from contextmesh.cli.words import answer_text

    if learn:
        _require_present(as_of, valid_at)
        session = kit.require_session(session)
    mesh = bounded(kit.open_mesh(session, policy, quiet=json), as_of, valid_at)
    answer = mesh.ask(" ".join(question), budget=budget)
    if learn:
        mesh.checkpoint(wait=wait)
    home = str(session) if session is not None else None
    kit.show(
        lambda: with_bounds(mesh, answer.as_json(session=home, generation=mesh.generation)),
        lambda: with_bounds_text(mesh, answer_text(answer)),
        as_json=json,
    )
    if answer.dead_end is not None:
        kit.leave(kit.DEAD_END)


def _require_present(as_of: str | None, valid_at: str | None) -> None:
    """Raises InputError, ``usage``, when the past is asked: nothing is learned there."""
    if as_of is None and valid_at is None:
        return
    from contextmesh.base.errors import InputError, Problem

    message = "--learn writes to the session as it is now, and the past was asked"
    raise InputError(Problem("usage", message, hint="leave out --learn, or --as-of and --valid-at"))
