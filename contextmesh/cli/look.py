"""``show``, ``find``, ``lineage``: one node with all that is known of it; nodes by name; what replaced what."""

from __future__ import annotations

from typing import Annotated

import typer

from contextmesh.cli import kit
from contextmesh.cli.past import AsOfOption, ValidAtOption, bounded, with_bounds, with_bounds_text

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="A node id, or a name that names one node.")]


@kit.app.command(epilog="Example:  contextmesh show decision:pep-245 --session peps.mesh")
def show(
    node: IdArgument,
    as_of: AsOfOption = None,
    valid_at: ValidAtOption = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """A node with its edges, where it was read, and what it stands on."""
    from contextmesh.cli.words import portrait_text

    mesh = bounded(kit.open_mesh(session, policy, quiet=json), as_of, valid_at)
    portrait = mesh.portrait(node)
    kit.show(
        lambda: with_bounds(mesh, portrait.as_json()),
        lambda: with_bounds_text(mesh, portrait_text(portrait)),
        as_json=json,
    )


@kit.app.command(epilog="Example:  contextmesh find interface --session peps.mesh")
def find(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a name, or words of it.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="The most nodes to list.")] = 20,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Nodes by name."""
    mesh = kit.open_mesh(session, policy, quiet=json)
    nodes = mesh.find(text, limit=limit)
    kit.show(
        lambda: {"text": text, "nodes": [{"id": n.id, "type": n.type, "label": n.label} for n in nodes]},
        lambda: "\n".join(f"{n.id}  ({n.type}) {n.label}" for n in nodes) or f"no node is named like {text!r}",
        as_json=json,
    )
    if not nodes:
        kit.leave(kit.FOUND)


@kit.app.command(epilog="Example:  contextmesh lineage PEP-245 --session peps.mesh")
def lineage(
    node: IdArgument,
    as_of: AsOfOption = None,
    valid_at: ValidAtOption = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """What a decision, claim or assumption replaced, and what replaced it: oldest first."""
    from contextmesh.cli.words import lineage_text

    mesh = bounded(kit.open_mesh(session, policy, quiet=json), as_of, valid_at)
    line = mesh.lineage(node)
    kit.show(
        lambda: with_bounds(mesh, line.as_json()), lambda: with_bounds_text(mesh, lineage_text(line)), as_json=json
    )
