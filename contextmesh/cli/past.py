"""``reconstruct``: why a decision was made; and the two options by which other commands look back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextmesh.cli import kit
from contextmesh.cli.words import LISTED

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.graph.reconstruct import Reason, Reconstruction

AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DATE",
        help="As the mesh had learned it by a date of commits, or by transaction @N; by source dates where no "
        "commit is dated.",
    ),
]
ValidAtOption = Annotated[
    str | None, typer.Option("--valid-at", metavar="DATE", help="Only what sources of that date or before have.")
]


def bounded(mesh: Mesh, as_of: str | None, valid_at: str | None) -> Mesh:
    """The mesh of then, or the mesh itself when no date was given."""
    return mesh if as_of is None and valid_at is None else mesh.as_of(as_of, valid_at=valid_at)


def with_bounds(mesh: Mesh, payload: dict[str, Any]) -> dict[str, Any]:
    """A command's JSON; of a mesh of then with the date that was asked for, and with its bounds."""
    past = getattr(mesh, "past", None)
    return payload if past is None else {**payload, "as_of": past.bounds.as_of, "bounds": past.as_json()}


def with_bounds_text(mesh: Mesh, text: str) -> str:
    """A command's text, with a last line on the bounds of a mesh of then."""
    past = getattr(mesh, "past", None)
    return text if past is None else f"{text}\n{past.as_text()}"


@kit.app.command(epilog="Example:  contextmesh reconstruct PEP-314 --session peps.mesh")
def reconstruct(
    decision: Annotated[str, typer.Argument(metavar="DECISION", help="A decision's id, or a name that names one.")],
    as_of: AsOfOption = None,
    valid_at: ValidAtOption = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
    proofs: Annotated[
        bool,
        typer.Option(help="With --json, the proof of each reason; one may take seconds where much hangs on one node."),
    ] = True,
) -> None:
    """What a decision stood on, what came only afterwards, and what no source dates; --json has the proofs."""
    mesh = bounded(kit.open_mesh(session, policy, quiet=json), as_of, valid_at)
    found = mesh.reconstruct(decision)
    kit.show(
        lambda: with_bounds(mesh, found.as_json(why=proofs)),
        lambda: with_bounds_text(mesh, reconstruction_text(found)),
        as_json=json,
    )


def reconstruction_text(found: Reconstruction) -> str:
    """The decision, then the three parts, a reason a line."""
    lines = [kit.paint(found.decision.label, "bold"), f"{found.decision.id}, {_clocks(found)}"]
    for title, reasons in (
        ("stood on", found.stood_on),
        ("later, so no reason then", found.later),
        ("undated", found.undated),
    ):
        lines += ["", f"{title} ({len(reasons)})"]
        lines += [_reason_line(reason) for reason in reasons[:LISTED]]
        if len(reasons) > LISTED:
            lines.append(f"  and {len(reasons) - LISTED} more (all of them with --json)")
    lines += ["", "(--json has the proof of each reason)"]
    if found.cut:
        lines.append("there is more than a reconstruction goes through")
    return "\n".join(lines)


def _reason_line(reason: Reason) -> str:
    arrow = f"-{reason.edge.type}->" if reason.edge.dst == reason.node.id else f"<-{reason.edge.type}-"
    far = "" if reason.hops == 1 else f", {reason.hops} hops away"
    fell = "" if reason.live else ", no longer live"
    return f"  {arrow} ({reason.node.type}) {reason.node.label}  [{_clocks(reason)}{far}{fell}]"


def _clocks(of: Reason | Reconstruction) -> str:
    committed = f" of {of.committed}" if of.committed is not None else ""
    return f"{f'dated {of.day}' if of.day is not None else 'undated'}, transaction {of.seq}{committed}"
