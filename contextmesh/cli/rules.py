"""``rules``: the workbench for people who change policy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.base.errors import InputError, Problem, Where
from contextmesh.base.source import Source, render_problem
from contextmesh.cli import kit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contextmesh.datalog.ast import Declaration, Row

rules = typer.Typer(
    help="Read, check and try rules.", no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}
)
kit.app.add_typer(rules, name="rules")

PathArgument = Annotated[
    Path | None, typer.Argument(metavar="[PATH]", help="A folder laid over the shipped policy, or one rules file.")
]


@rules.command(epilog="Example:  contextmesh rules check my-policy/")
def check(path: PathArgument = None, json: kit.JsonOption = False) -> None:
    """Parse a policy or a stand-alone rules file; check names, arity, safety, strata and the contract."""
    if path is not None and not path.is_dir():
        from contextmesh.datalog.program import build_program
        from contextmesh.lang.rules import parse_rules
        from contextmesh.policy.advice import of_rule

        program = build_program([parse_rules(_read(path))], standalone=True)
        facts, name = len(program.facts), str(path)
        warnings = tuple(found for rule in program.rules for found in of_rule(rule))
    else:
        from contextmesh.policy import Policy
        from contextmesh.policy.advice import advice

        policy = Policy.load(path)
        program, name = policy.program, str(path) if path is not None else "the shipped policy"
        facts = len(program.facts)
        warnings = advice(policy) if path is not None else ()
    count = {
        "rules": len(program.rules),
        "facts": facts,
        "relations": len(program.declarations),
        "strata": len(program.strata),
    }
    for warning in warnings:
        kit.say(render_problem(warning, "warning"))
    words = ", ".join(f"{number} {noun}" for noun, number in count.items())
    told = f"{len(warnings)} to look at" if warnings else "nothing wrong"
    document = {"ok": True, "checked": name, **count, "warnings": [warning.as_json() for warning in warnings]}
    kit.show(lambda: document, lambda: f"{name}: {words}; {told}", as_json=json)


@rules.command("eval", epilog="Example:  contextmesh rules eval reach.dl --query 'reach(1, Y)'")
def eval_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A stand-alone program; - reads stdin.")],
    query: Annotated[str, typer.Option("--query", "-q", metavar="ATOM", help="One atom, such as p(X, 1).")],
    facts: Annotated[
        Path | None, typer.Option("--facts", metavar="DIR", help="A folder of TSV files, one a relation.")
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="incremental, spec (the definition) or pydatalog (a child process).")
    ] = "incremental",
    seconds: Annotated[float, typer.Option("--seconds", min=0.01, max=3600, help="The most time it may take.")] = 60.0,
    rows: Annotated[int, typer.Option("--rows", min=1, help="The most rows it may derive.")] = 10_000_000,
    json: kit.JsonOption = False,
) -> None:
    """Evaluate a stand-alone program and print the full tuples that match one atom, sorted."""
    from contextmesh.cli.words import rows_text
    from contextmesh.datalog.limits import Limits
    from contextmesh.lang.evaluators import evaluator
    from contextmesh.lang.facts import read_facts
    from contextmesh.lang.standalone import evaluate_text

    given: Mapping[str, Sequence[Row]] = read_facts(facts) if facts is not None else {}
    run = evaluator(engine, Limits(rows=rows, seconds=seconds))
    matches = evaluate_text(_read(file), Source("<query>", query), given, run)
    columns = [str(n) for n in range(1, matches.arity + 1)]
    kit.show(
        lambda: {"relation": matches.relation, "rows": [list(row) for row in matches.rows]},
        lambda: rows_text(columns, matches.rows),
        as_json=json,
    )


@rules.command(epilog="Example:  contextmesh rules fmt --check my-policy/propagation.dl")
def fmt(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A rules file; it is rewritten in place.")],
    check: Annotated[bool, typer.Option("--check", help="Only say whether it would change (exit code 1).")] = False,
    json: kit.JsonOption = False,
) -> None:
    """Lay out a rules file, comments kept; formatting twice is formatting once."""
    from contextmesh.lang.format import format_rules

    source = _read(file)
    text = format_rules(source)
    changed = text != source.text
    if changed and not check:
        file.write_text(text, encoding="utf-8", newline="\n")
    word = ("would change" if check else "formatted") if changed else "already formatted"
    kit.show(lambda: {"file": str(file), "changed": changed}, lambda: f"{file}: {word}", as_json=json)
    if changed and check:
        kit.leave(kit.FOUND)


@rules.command("list", epilog="Example:  contextmesh rules list")
def list_(path: PathArgument = None, json: kit.JsonOption = False) -> None:
    """Every relation with its columns, what kind it is, and where it is declared."""
    from contextmesh.policy import Policy

    program = Policy.load(path).program
    declared = [(d.kind, d.name, d.columns, _place(d)) for d in program.declarations.values()]
    kit.show(
        lambda: {"relations": [{"kind": k, "relation": n, "columns": list(c), "where": w} for k, n, c, w in declared]},
        lambda: "\n".join(f"{k:<9}{n}({', '.join(c)})  {w or ''}".rstrip() for k, n, c, w in declared),
        as_json=json,
    )


@rules.command(epilog="Example:  contextmesh rules diff my-policy/ --session notes.mesh")
def diff(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder to be laid over the policy in force.")],
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """What would fall and what would stand up, over the facts of a session, if an edited policy were adopted."""
    from contextmesh.policy import Policy
    from contextmesh.policy.compare import compare
    from contextmesh.store.stated import stated

    mesh = kit.open_mesh(session, policy, quiet=json)
    found = compare(mesh.policy, Policy.load(path), stated(mesh.graph.store))
    kit.show(found.as_json, found.as_text, as_json=json)


def _place(declaration: Declaration) -> str | None:
    if declaration.at is None:
        return None
    place = declaration.at.source.where(declaration.at.span)
    return f"{place.file}:{place.line}"


def _read(path: Path) -> Source:
    """A rules file as text, or standard input for ``-``.

    Raises:
        InputError: no such file, too large, or not UTF-8.
    """
    from contextmesh.base.files import read_bytes
    from contextmesh.lang.rules import MAX_TEXT

    if str(path) == "-":
        name, data = "<stdin>", sys.stdin.buffer.read(4 * MAX_TEXT + 1)
    else:
        name, data = str(path), read_bytes(path, limit=4 * MAX_TEXT)
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name} is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}"
        where = Where(name, line)
        raise InputError(Problem("not-utf-8", message, name, where=where, hint="save it as UTF-8 text")) from None
