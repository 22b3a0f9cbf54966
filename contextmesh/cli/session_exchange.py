"""``session import`` and ``session export``: formats of others, in and out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.cli import kit
from contextmesh.cli.session import KeepOption, session, told, told_text

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.exchange.around import Part

WRITTEN = ("prov", "lines", "graphml", "mermaid")


@session.command("import", epilog="Example:  contextmesh session import memory.jsonl --session notes.mesh")
def import_(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or another session directory.")],
    form: Annotated[
        str | None,
        typer.Option("--as", metavar="FORM", help="memory, lines, graph or session; guessed when left out."),
    ] = None,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Take a file whose conclusions differ from the rules', and tell how.")
    ] = False,
    keep: KeepOption = None,
    on: kit.OnOption = None,
    wait: kit.WaitOption = 0.0,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Take in what a file or another session holds, all of it or nothing; say what did not become what it was.

    memory is the memory.jsonl of the reference MCP memory server, lines what `session export` writes, graph a graph
    file. Records of one id are one record, and one that says something else is a conflict.
    """
    from contextlib import ExitStack
    from dataclasses import replace

    from contextmesh.cli.session_words import report_text
    from contextmesh.session.commit import prune, save
    from contextmesh.session.intake import take_in
    from contextmesh.session.keep import keep as choose_kept
    from contextmesh.session.keep import keeping, require_number
    from contextmesh.session.load import load
    from contextmesh.session.lock import writer_lock
    from contextmesh.session.manifest import JOURNALLED

    home = kit.require_session(session)
    mesh = kit.open_or_new(home, kit.load_policy(policy))
    with ExitStack() as stack:
        held = None
        state = mesh.state
        if mesh.generation > 0:
            stack.enter_context(keeping(home, keep))
            held = stack.enter_context(writer_lock(home, wait=wait))
            state = load(home, policy=mesh.policy)
        elif keep is not None:
            require_number(keep)
        state, report = take_in(kit.dated(state, on), path, form=form, recompute=recompute)
        # Only version 3 has a place for the numbers of transactions, which these forms carry.
        is_numbered = report.form in ("lines", "session") and (report.written or report.changed)
        version = JOURNALLED if is_numbered else None
        saved = save(home, state, version=version, held=held, wait=wait)
        if held is None and keep is not None:
            choose_kept(home, keep)
        elif keep is not None and not saved.written:
            saved = replace(saved, removed=prune(home, mesh.policy))
    kit.show(
        lambda: {**report.as_json(), **told(home, saved)},
        lambda: f"{report_text(report)}\n{told_text(home, saved)}",
        as_json=json,
    )


@session.command(epilog="Example:  contextmesh session export --as mermaid --around Quay --hops 2 --session notes.mesh")
def export(
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help="prov (JSON-LD), lines, graphml or mermaid.")
    ] = "lines",
    out: Annotated[Path | None, typer.Option("--out", metavar="PATH", help="Where to; stdout when left out.")] = None,
    around: Annotated[
        str | None, typer.Option("--around", metavar="ID", help="Only what lies around this node: an id or a name.")
    ] = None,
    hops: Annotated[int, typer.Option("--hops", min=0, metavar="N", help="How far around it.")] = 1,
    nodes: Annotated[int, typer.Option("--nodes", min=1, metavar="N", help="The most nodes around it.")] = 500,
    version: Annotated[
        int | None,
        typer.Option("--version", metavar="2", help="A session directory of this version instead, at --out."),
    ] = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Write a session for other programs: W3C PROV-O, JSON lines of every record, or a picture of a neighbourhood."""
    from contextmesh.base.errors import InputError, Problem

    if form not in WRITTEN:
        raise InputError(Problem("unknown-form", f"there is no form {form!r} to export", form, hint=", ".join(WRITTEN)))
    if version is not None:
        _copy(kit.require_session(session), out, version, policy, json)
        return
    if around is not None and form in ("prov", "lines"):
        raise InputError(Problem("usage", f"--around is for pictures, and {form} is the whole", hint="leave it out"))
    mesh = kit.open_mesh(session, policy, quiet=json)
    text, part = _written(mesh, form, around, hops, nodes)
    if part is not None and part.left_out:
        kit.say(f"more lies within {hops} hops; these are the first {nodes} nodes (--nodes N)")
    told = {"form": form, "nodes": len(part.nodes if part is not None else mesh.graph.store.nodes)}
    if out is None:
        if json:
            kit.emit({**told, "text": text})
        else:
            kit.write_document(text)
        return
    write_and_tell(out, text, told, as_json=json)


def write_and_tell(out: Path, text: str, told: dict[str, object], part: str = "", *, as_json: bool) -> None:
    """Write an export to a file that is not the session's own, and say so; ``part``: what of it is there."""
    from contextmesh.base.files import write_out

    require_not_ours(out)
    data = text.encode("utf-8")
    write_out(out, data)
    kit.show(
        lambda: {**told, "file": str(out), "bytes": len(data)},
        lambda: f"wrote {out} ({len(data)} bytes{part})",
        as_json=as_json,
    )


def require_not_ours(out: Path) -> None:
    """Raises InputError, ``unwritable-file``: the name is one that a session has for its own files."""
    from contextmesh.base.errors import InputError, Problem, Where
    from contextmesh.session.doctor import generation_in
    from contextmesh.session.files import has_session

    is_ours = generation_in(out.name) is not None or out.name.startswith("session.")
    if is_ours and has_session(out.parent):
        message = f"{out} cannot be written: it is a file of a session, which only its writer changes"
        where, hint = Where(str(out)), "name a file outside of the session"
        raise InputError(Problem("unwritable-file", message, str(out), where=where, hint=hint))


def _written(mesh: Mesh, form: str, center: str | None, hops: int, most: int) -> tuple[str, Part | None]:
    from json import dumps

    from contextmesh.exchange.around import around, whole
    from contextmesh.exchange.graphml import graphml
    from contextmesh.exchange.lines import lines_to_bytes
    from contextmesh.exchange.mermaid import mermaid
    from contextmesh.exchange.prov import prov

    if form == "prov":
        return dumps(prov(mesh.graph), indent=2, ensure_ascii=False) + "\n", None
    if form == "lines":
        return lines_to_bytes(mesh.graph.store, mesh.resolver).decode("utf-8"), None
    part = whole(mesh.graph) if center is None else around(mesh.graph, mesh.node(center).id, hops=hops, most=most)
    return (graphml if form == "graphml" else mermaid)(mesh.graph, part), part


def _copy(home: Path, out: Path | None, version: int, policy: Path | None, json: bool) -> None:
    """The session as a directory of its own, in a version that an older reader takes."""
    from dataclasses import replace

    from contextmesh.base.errors import InputError, Problem
    from contextmesh.policy import Policy
    from contextmesh.session.commit import save
    from contextmesh.session.load import load

    if out is None:
        message = "a session is a directory, and none was named to write it to"
        raise InputError(Problem("usage", message, hint="add --out DIR"))
    state = load(home, policy=kit.load_policy(policy) or Policy.load())
    saved = save(out, replace(state, home=None, manifest=None, pending=None), version=version)
    kit.show(
        lambda: {**told(out, saved), "version": version},
        lambda: f"version {version}: {told_text(out, saved)}",
        as_json=json,
    )
