"""``session``: the generations of a session directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.cli import kit

if TYPE_CHECKING:
    from contextmesh.session.commit import Saved

session = typer.Typer(
    help="Generations of a session, and formats of others in and out.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
kit.app.add_typer(session, name="session")

KeepOption = Annotated[
    int | None,
    typer.Option(
        "--keep",
        metavar="N",
        min=0,
        help="Earlier generations to keep, from now on; others are removed, also where nothing is to be written.",
    ),
]


def told(home: Path, saved: Saved) -> dict[str, object]:
    """What a save did, as JSON."""
    told = {"session": str(home), "generation": saved.generation, "written": list(saved.written)}
    return {**told, "removed": list(saved.removed)} if saved.removed else told


def told_text(home: Path, saved: Saved) -> str:
    """What a save did, as a line."""
    if saved.written:
        return f"saved in {home} (generation {saved.generation})"
    removed = f"; {len(saved.removed)} files of earlier ones were removed" if saved.removed else ""
    return f"{home} stays at generation {saved.generation}{removed}"


@session.command(epilog="Example:  contextmesh session save --keep 5 --session notes.mesh")
def save(
    keep: KeepOption = None,
    adopt_policy: Annotated[
        bool, typer.Option("--adopt-policy", help="Put a session of other rules under those in force.")
    ] = False,
    wait: kit.WaitOption = 0.0,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Write the session as a new generation, its journal folded in; one that has nothing to fold stays as it is."""
    from contextmesh.policy import Policy
    from contextmesh.session.generations import fold
    from contextmesh.session.keep import keeping

    home = kit.require_session(session)
    rules = kit.load_policy(policy) or Policy.load()
    with keeping(home, keep):
        saved = fold(home, rules, wait=wait, adopt_policy=adopt_policy, pruning=keep is not None)
    kit.show(lambda: told(home, saved), lambda: told_text(home, saved), as_json=json)


@session.command(epilog="Example:  contextmesh session inspect --session notes.mesh")
def inspect(
    generation: Annotated[
        int | None, typer.Argument(metavar="[GEN]", help="A kept generation; the newest when left out.")
    ] = None,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """What a generation holds, file by file and kind by kind; it is read as strictly as if it were opened."""
    from contextmesh.cli.session_words import inspection_text
    from contextmesh.policy import Policy
    from contextmesh.session.inspection import inspect as look

    home = kit.require_session(session)
    found = look(home, kit.load_policy(policy) or Policy.load(), generation)
    kit.show(lambda: found, lambda: inspection_text(found), as_json=json)


@session.command(epilog="Example:  contextmesh session log --session notes.mesh")
def log(session: kit.SessionOption = None, policy: kit.PolicyOption = None, json: kit.JsonOption = False) -> None:
    """The kept generations, newest first, each with what it holds, its transactions, and whether it can be trusted.

    Exit code 1 when one of them cannot.
    """
    from contextmesh.cli.session_words import log_text
    from contextmesh.policy import Policy
    from contextmesh.session.generations import log as read

    home = kit.require_session(session)
    found = read(home, kit.load_policy(policy) or Policy.load())
    kit.show(
        lambda: {"session": str(home), "generations": [entry.as_json() for entry in found]},
        lambda: log_text(found),
        as_json=json,
    )
    if not all(entry.whole for entry in found):
        kit.leave(kit.FOUND)


@session.command(epilog="Example:  contextmesh session diff 3 4 --session notes.mesh")
def diff(
    old: Annotated[int, typer.Argument(metavar="GEN", help="The earlier generation.")],
    new: Annotated[int, typer.Argument(metavar="GEN", help="The later generation.")],
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Records that were added, changed or are gone between two generations, and conclusions that changed."""
    from contextmesh.cli.session_words import diff_text
    from contextmesh.policy import Policy
    from contextmesh.session.generations import diff as compare
    from contextmesh.session.load import load

    home = kit.require_session(session)
    rules = kit.load_policy(policy) or Policy.load()
    one, other = (load(home, policy=rules, generation=number) for number in (old, new))
    found = compare(one, other)
    kit.show(found.as_json, lambda: diff_text(found, one, other), as_json=json)


@session.command(epilog="Example:  contextmesh session restore 3 --session notes.mesh")
def restore(
    generation: Annotated[int, typer.Argument(metavar="GEN", help="A kept generation; `session log` lists them.")],
    keep: KeepOption = None,
    wait: kit.WaitOption = 0.0,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Commit the content of an earlier generation as a new one; what came after it stays as long as it is kept."""
    from contextmesh.policy import Policy
    from contextmesh.session.generations import restore as bring_back
    from contextmesh.session.keep import keeping

    home = kit.require_session(session)
    with keeping(home, keep):
        rules = kit.load_policy(policy) or Policy.load()
        saved = bring_back(home, generation, rules, wait=wait, pruning=keep is not None)
    kit.show(
        lambda: {**told(home, saved), "restored": generation},
        lambda: f"generation {generation} restored: {told_text(home, saved)}",
        as_json=json,
    )


@session.command(epilog="Example:  contextmesh session migrate --session notes.mesh")
def migrate(
    version: Annotated[int, typer.Option("--to", metavar="VERSION", help="2 or 3.")] = 3,
    wait: kit.WaitOption = 0.0,
    session: kit.SessionOption = None,
    policy: kit.PolicyOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Write a session in a newer version of its format, whole or not at all; nothing else ever does."""
    from contextmesh.policy import Policy
    from contextmesh.session.generations import migrate as bring_up

    home = kit.require_session(session)
    saved = bring_up(home, kit.load_policy(policy) or Policy.load(), version, wait=wait)
    kit.show(
        lambda: {**told(home, saved), "version": version},
        lambda: f"version {version}: {told_text(home, saved)}",
        as_json=json,
    )
