"""``health``: the signals that the rules derive."""

from __future__ import annotations

from contextmesh.cli import kit
from contextmesh.cli.past import AsOfOption, ValidAtOption, bounded, with_bounds, with_bounds_text


@kit.app.command(epilog="Example:  contextmesh health --session notes.mesh")
def health(
    as_of: AsOfOption = None,
    valid_at: ValidAtOption = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """The signals, each with its count, what it means and what mends it; exit code 1 when one is an error."""
    from contextmesh.cli.words import health_text

    mesh = bounded(kit.open_mesh(session, policy, quiet=json), as_of, valid_at)
    report = mesh.health()
    kit.show(
        lambda: with_bounds(mesh, report.as_json()),
        lambda: with_bounds_text(mesh, health_text(report)),
        as_json=json,
    )
    if report.status == "error":
        kit.leave(kit.FOUND)
