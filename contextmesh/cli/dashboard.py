"""``export`` and ``serve``: the dashboard as data, as a page of its own, and live on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contextmesh.cli import kit

AroundOption = Annotated[
    str | None,
    typer.Option("--around", metavar="ID", help="The node to start at, with what lies around it: an id or a name."),
]


@kit.app.command(epilog="Example:  contextmesh export --inline --out mesh.html --session notes.mesh")
def export(
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Where to; stdout when left out.")] = None,
    inline: Annotated[
        bool, typer.Option("--inline", help="One page that holds its data and opens from the disk, without a network.")
    ] = False,
    around: AroundOption = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Write the dashboard: its data as JSON, or one self-contained page.

    It holds every count, the first rows of each panel and at most 1500 nodes with their edges; how many there are in
    all is told beside. Other formats, of every record, are `session export`.
    """
    from contextmesh.cli.session_exchange import write_and_tell
    from contextmesh.dashboard.inline import inlined
    from contextmesh.dashboard.payload import payload, payload_text

    value = payload(kit.open_mesh(session, policy, quiet=json), around)
    text = inlined(value) if inline else payload_text(value)
    if out is None:
        if json and inline:
            kit.emit({"form": "page", "text": text})
        else:
            kit.write_document(text)
        return
    told = {"form": "page" if inline else "data", "nodes": len(value["nodes"]), "nodes_total": value["nodes_total"]}
    part = f"; {told['nodes']} of {told['nodes_total']} nodes" if told["nodes"] < told["nodes_total"] else ""
    write_and_tell(out, text, told, part, as_json=json)


@kit.app.command(epilog="Example:  contextmesh serve --port 8137 --session notes.mesh")
def serve(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, metavar="N", help="The port; 0 takes one that is free.")
    ] = 0,
    around: AroundOption = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Show the dashboard at 127.0.0.1, read only, and follow what is committed to the session, until Ctrl-C.

    Only this machine can reach it. A session that is refused later is told on the page.
    """
    from contextmesh.api import Mesh
    from contextmesh.dashboard.live import Live
    from contextmesh.dashboard.server import Server

    if session is None:
        mesh = kit.open_mesh(None, policy, quiet=json)
        live = Live(None, lambda: mesh, around)
    else:
        rules = kit.load_policy(policy)
        live = Live(session, lambda: Mesh.open(session, policy=rules), around)
    live.document("")
    if live.refusal is not None:  # told here and now; one that comes later is told on the page
        raise live.refusal
    with Server(live, port) as server:
        kit.show(
            lambda: {"url": server.url, "port": server.port, "session": str(session) if session else None},
            lambda: f"{server.url}  (Ctrl-C ends it)",
            as_json=json,
        )
        kit.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            kit.say("stopped")
