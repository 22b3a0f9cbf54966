"""``rules explain``: a relation or a rule as the engine sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contextmesh.cli import kit
from contextmesh.cli.rules import rules

if TYPE_CHECKING:
    from contextmesh.policy.explained import Explained, Function, Variant


@rules.command("explain", epilog="Example:  contextmesh rules explain fell --code")
def explain(
    target: Annotated[
        str, typer.Argument(metavar="NAME", help="A relation; or a rule: fell/2, @backward, propagation.dl:47.")
    ],
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A folder laid over the shipped policy, or one rules file.")
    ] = None,
    code: Annotated[
        bool, typer.Option("--code", help="With the functions that the engine makes of the rules.")
    ] = False,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Its rules as read, its stratum, what it reads and who reads it, and the plan of each rule.

    A plan is shown for each thing that can start it, with the index of each lookup. Functions depend on how many rows
    there are: --code makes them over the facts of the session, or of the demo.
    """
    from contextmesh.policy import Policy
    from contextmesh.policy.explained import explained

    under = Policy.load(path if path is not None else policy)
    facts = None
    if code:
        from contextmesh.store.stated import stated

        facts = {**stated(kit.open_mesh(session, policy, quiet=json).graph.store), **under.facts}
    found = explained(under, target, facts)
    kit.show(
        lambda: {"target": target, "relations": [_json(one) for one in found]},
        lambda: "\n\n".join("\n".join(_lines(one)) for one in found),
        as_json=json,
    )


def _lines(one: Explained) -> Iterator[str]:
    from contextmesh.cli.rules_words import count
    from contextmesh.datalog.fold import place
    from contextmesh.lang.render import render_declaration, render_rule

    told = one.declaration
    yield f"{kit.paint(render_declaration(told), 'bold')}  {place(told.at) or ''}".rstrip()
    if one.stratum is None:
        yield "no rule derives it" + (f"; {count(one.facts, 'fact')} of it in the rules files" if one.facts else "")
    else:
        loop = "recursive" if one.recursive else "not recursive"
        beside = f", together with {', '.join(one.together)}" if one.together else ""
        facts = f"; {count(one.facts, 'fact')} beside its rules" if one.facts else ""
        yield f"stratum {one.stratum} of {one.strata}, {loop}{beside}{facts}"
    if one.reads:
        yield f"reads: {', '.join(f'{word} {name}'.strip() for name, word in one.reads)}"
    yield f"read by: {', '.join(one.read_by) or 'no rule'}"
    for rule, variants in one.rules:
        yield ""
        yield f"{place(rule.at)}"
        yield from (f"  {line}" for line in render_rule(rule).splitlines())
        for variant in variants:
            yield from _variant_lines(variant)
    for function in one.functions:
        yield ""
        yield from _function_lines(function)


def _variant_lines(variant: Variant) -> Iterator[str]:
    yield f"    {variant.when}:"
    for number, step in enumerate(variant.steps, 1):
        yield f"      {number}. {step}"
    if not variant.steps:
        yield "      nothing more is asked"


def _function_lines(function: Function) -> Iterator[str]:
    yield f"# {function.when}"
    yield from (
        f"#   {name}: {meaning}{' (from 0)' if 'column' in meaning else ''}" for name, meaning in function.names.items()
    )
    yield from function.text.splitlines()


def _json(one: Explained) -> dict[str, Any]:
    from contextmesh.cli.rules_words import rule_json
    from contextmesh.datalog.fold import place
    from contextmesh.lang.render import render_rule

    where = place(one.declaration.at)
    return {
        "relation": one.declaration.name,
        "kind": one.declaration.kind,
        "columns": list(one.declaration.columns),
        "file": where.file if where is not None else None,
        "line": where.line if where is not None else None,
        "stratum": one.stratum,
        "strata": one.strata,
        "recursive": one.recursive,
        "together": list(one.together),
        "reads": [{"relation": name, "how": word or "joined"} for name, word in one.reads],
        "read_by": list(one.read_by),
        "facts": one.facts,
        "rules": [
            {
                **rule_json(rule),
                "text": render_rule(rule),
                "plans": [{"when": v.when, "steps": list(v.steps)} for v in variants],
            }
            for rule, variants in one.rules
        ],
        "code": [{"when": f.when, "names": dict(f.names), "text": f.text} for f in one.functions],
    }
