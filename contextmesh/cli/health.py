"""``health``: the signals that the rules derive."""

from __future__ import annotations

from contextmesh.cli import kit


@kit.app.command(epilog="Example:  contextmesh health --session notes.mesh")
def health(
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """The signals, each with its count, what it means and what mends it; exit code 1 when one is an error."""
    from contextmesh.cli.words import health_text

    mesh = kit.open_mesh(session, policy, quiet=json)
    report = mesh.health()
    kit.show(report.as_json, lambda: health_text(report), as_json=json)
    if report.status == "error":
        kit.leave(kit.FOUND)
