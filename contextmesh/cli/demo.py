"""``demo`` and ``init``: the first two commands anybody runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contextmesh.cli import kit


@kit.app.command(epilog="Example:  contextmesh demo")
def demo(policy: kit.PolicyOption = None, json: kit.JsonOption = False) -> None:
    """Build the bundled corpus, walk it, break an assumption, and report what fell and what stood."""
    from contextmesh.cli.story import tell_demo
    from contextmesh.demo.build import run_demo

    story = run_demo(policy=kit.load_policy(policy))
    kit.show(story.as_json, lambda: tell_demo(story), as_json=json)


@kit.app.command(epilog="Example:  contextmesh init notes.mesh")
def init(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A directory that does not hold a session yet.")],
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Make an empty session."""
    from contextmesh.api import Mesh

    mesh = Mesh.create(directory, policy=kit.load_policy(policy))
    kit.show(
        lambda: {"session": str(directory), "generation": mesh.generation},
        lambda: f"made an empty session in {directory} (generation {mesh.generation})",
        as_json=json,
    )
