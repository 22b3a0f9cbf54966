"""``session redact``: the text of a source out of a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.base.wording import counted
from contextmesh.cli import kit
from contextmesh.cli.session import session

if TYPE_CHECKING:
    from contextmesh.policy import Policy


@session.command(epilog="Example:  contextmesh session redact source:memo --reason 'asked by its author'")
def redact(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The id of a source, or a name that names one.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it stays in place of the text.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say whose text would go.")] = False,
    wait: kit.WaitOption = 0.0,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Remove the text of a source for good: records, names, plan, ledger, journal, walks, every generation.

    The rules say whose text goes with it. What stands on it stays, and a question that it alone answered is a dead end;
    other sources that say the same still answer. This cannot be undone: earlier generations go too, and a ledger that
    held the text gets a new head. What is asked about it afterwards is kept as typed; to redact it once more, by the
    id that it has then, takes that out too.
    """
    from contextmesh.policy import Policy
    from contextmesh.session.redact import redact as remove

    home = kit.require_session(session)
    rules = kit.load_policy(policy) or Policy.load()
    if dry_run:
        _foretell(home, rules, source, json)
        return
    found = remove(home, rules, source, reason, wait=wait)
    touched = ", ".join(f"{number} {word}" for word, number in found.touched.items())
    lines = [
        f"redacted: {touched}; the source is {found.source} now",
        f"gone: {counted(found.names, 'line')} about names",
        f"gone: {counted(len(found.removed), 'file')} of earlier generations",
    ]
    if found.entries:
        lines.append(f"written anew: {counted(found.entries, 'entry')} of the ledger; its head is {found.head}")
        lines.append("a checkpoint that was taken before does not fit it any more")
    kit.show(lambda: {"session": str(home), **found.as_json()}, lambda: "\n".join(lines), as_json=json)


def _foretell(home: Path, rules: Policy, source: str, json: bool) -> None:
    from contextmesh.graph.naming import node_named
    from contextmesh.session.load import load
    from contextmesh.session.tombstones import redacted_by

    state = load(home, policy=rules)
    why = redacted_by(state.graph, node_named(state.graph, state.resolver, source).id)
    kit.show(
        lambda: {"session": str(home), "would_redact": [{"id": id, "why": word} for id, word in why.items()]},
        lambda: "\n".join(f"{word:>6}  {id}" for id, word in why.items()),
        as_json=json,
    )
