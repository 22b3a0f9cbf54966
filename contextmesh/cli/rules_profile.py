"""``rules profile``: what each rule costs over the facts of a session."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextmesh.cli import kit
from contextmesh.cli.rules import rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contextmesh.datalog.profile import Cost

_HEADS = ("work", "rows", "runs", "driven", "lookups", "scanned")


@rules.command("profile", epilog="Example:  contextmesh rules profile my-policy/ --session notes.mesh --top 10")
def profile(
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A folder laid over the shipped policy, or one rules file.")
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many rules are shown; --json shows all.")] = 20,
    timed: Annotated[bool, typer.Option("--time/--no-time", help="With the CPU time, which differs each run.")] = True,
    seconds: Annotated[float, typer.Option("--seconds", min=0.01, max=3600, help="The most time it may take.")] = 60.0,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Evaluate every rule from nothing over a session (or the demo), and count what each one does.

    Sorted by work: rows it was driven by, keys it looked up and rows it passed, counted by the rules as they ran.
    Rows are those that it was the first to conclude. Each rule runs by itself here; a session runs several at once.
    """
    from contextmesh.cli.rules_words import rule_json
    from contextmesh.datalog.limits import Limits
    from contextmesh.datalog.profile import profile as measure
    from contextmesh.policy import Policy
    from contextmesh.store.stated import stated

    mesh = kit.open_mesh(session, policy, quiet=json)
    under = mesh.policy if path is None else Policy.load(path)
    declared = under.program.declarations
    stands = {name: rows for name, rows in stated(mesh.graph.store).items() if name in declared}
    facts = {**stands, **under.facts}
    costs = measure(under.program, facts, time.process_time, Limits(seconds=seconds))
    order = sorted(costs, key=lambda cost: -cost.work)
    count = sum(len(rows) for rows in facts.values())
    kit.show(
        lambda: {"facts": count, "rules": [{**rule_json(cost.rule), **_numbers(cost, timed)} for cost in order]},
        lambda: _text(order, top, timed, count),
        as_json=json,
    )


def _numbers(cost: Cost, timed: bool) -> dict[str, Any]:
    numbers: dict[str, Any] = {name: getattr(cost, name) for name in _HEADS}
    return {**numbers, "cpu_ms": round(cost.seconds * 1000, 3)} if timed else numbers


def _text(order: Sequence[Cost], top: int, timed: bool, facts: int) -> str:
    from contextmesh.datalog.fold import place
    from contextmesh.lang.render import render_atom

    heads = [*_HEADS, *(["cpu ms"] if timed else [])]
    lines = ["  ".join(f"{head:>8}" for head in heads) + "  rule"]
    for cost in order[:top]:
        cells = [str(getattr(cost, name)) for name in _HEADS] + ([f"{cost.seconds * 1000:.2f}"] if timed else [])
        label = f" @{cost.rule.label.name}" if cost.rule.label is not None else ""
        lines.append(
            "  ".join(f"{c:>8}" for c in cells) + f"  {place(cost.rule.at)} {render_atom(cost.rule.head)}{label}"
        )
    left = order[top:]
    if left:
        lines.append(f"and {len(left)} more rules, with {sum(cost.work for cost in left)} of the work")
    total = (
        f"{len(order)} rules over {facts} facts: {sum(c.rows for c in order)} rows, work {sum(c.work for c in order)}"
    )
    lines.append(f"{total}, {sum(c.seconds for c in order) * 1000:.1f} ms" if timed else total)
    return "\n".join(lines)
