"""``doctor``: what is wrong with a session directory, and the command that mends it."""

from __future__ import annotations

from typing import Annotated

import typer

from contextmesh.cli import kit


@kit.app.command(epilog="Example:  contextmesh doctor --session notes.mesh")
def doctor(
    mend: Annotated[
        bool, typer.Option("--mend", help="Do what is safe: remove the fresh files that interrupted writers left.")
    ] = False,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """What is wrong with a session: file, place, generation, and the exact command that mends it.

    Changes nothing without --mend. Exit code 1 when something is found.
    """
    from contextmesh.cli.session_words import findings_text
    from contextmesh.policy import Policy
    from contextmesh.session.doctor import examine
    from contextmesh.session.doctor import mend as put_right

    home = kit.require_session(session)
    rules = kit.load_policy(policy) or Policy.load()
    findings = examine(home, rules)
    mended = put_right(home, findings) if mend else ()
    if mended:
        findings = examine(home, rules)
    kit.show(
        lambda: {"session": str(home), "findings": [one.as_json() for one in findings], "mended": list(mended)},
        lambda: findings_text(home, findings, mended),
        as_json=json,
    )
    if findings:
        kit.leave(kit.FOUND)
