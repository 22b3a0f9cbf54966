"""``query``, ``why``, ``why-not``: Datalog over the facts and all that is derived from them."""

from __future__ import annotations

from typing import Annotated

import typer

from contextmesh.cli import kit
from contextmesh.cli.past import AsOfOption, ValidAtOption, bounded, with_bounds, with_bounds_text

FactArgument = Annotated[str, typer.Argument(metavar="FACT", help="A fact, such as: fell('decision:x', A)")]


@kit.app.command(epilog="Example:  contextmesh query 'fell(X, A), node(X, decision)'")
def query(
    body: Annotated[str, typer.Argument(metavar="BODY", help="Literals, or rules followed by: ?- literals.")],
    engine: Annotated[str, typer.Option("--engine", help="mesh or pydatalog (a second engine).")] = "mesh",
    seconds: Annotated[float, typer.Option("--seconds", min=0.01, max=600, help="The most time it may take.")] = 10.0,
    rows: Annotated[int, typer.Option("--rows", min=1, help="The most rows it may derive.")] = 1_000_000,
    as_of: AsOfOption = None,
    valid_at: ValidAtOption = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """An ad-hoc Datalog query over facts and derived relations.

    Without rows, a kind or edge type that nothing is called by is told in a note.
    """
    from contextmesh.cli.words import rows_text
    from contextmesh.store.slips import slips

    mesh = bounded(kit.open_mesh(session, policy, quiet=json), as_of, valid_at)
    answer = mesh.query(body, engine=engine, seconds=seconds, rows=rows)
    notes = () if answer.rows else slips(mesh.graph.store, body)
    found = {"columns": list(answer.columns), "rows": [list(row) for row in answer.rows]}
    told = {**found, "notes": list(notes)} if notes else found
    kit.show(
        lambda: with_bounds(mesh, told),
        lambda: with_bounds_text(mesh, rows_text(answer.columns, answer.rows)),
        as_json=json,
    )
    for note in notes if not json else ():
        kit.say(f"note: {note}")


@kit.app.command(epilog='Example:  contextmesh why "fell(X, A)"')
def why(
    fact: FactArgument,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """The proof tree of a fact, down to what was written and the line of each rule."""
    mesh = kit.open_mesh(session, policy, quiet=json)
    proof = mesh.why(fact)
    kit.show(proof.as_json, proof.as_text, as_json=json)


@kit.app.command("why-not", epilog="Example:  contextmesh why-not \"live('claim:x')\"")
def why_not(
    fact: FactArgument,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """For each rule that could derive a fact, the first literal that fails."""
    mesh = kit.open_mesh(session, policy, quiet=json)
    absence = mesh.why_not(fact)
    kit.show(absence.as_json, absence.as_text, as_json=json)
