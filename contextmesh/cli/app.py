"""The entry point: runs a command, turns a refusal into its exit code and its words."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress

from contextmesh.base.errors import InputError, Problem, Refusal
from contextmesh.cli import kit


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit codes are those of the documentation (0, 1, 2, 3, 4, 70)."""
    args = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in args
    try:
        _require_text(args)
        code = _run(args)
        kit.flush()
        return code
    except Refusal as refusal:
        _refuse(refusal, as_json)
        return refusal.exit_code
    except BrokenPipeError:
        return _pipe_closed()
    except KeyboardInterrupt:
        kit.say("interrupted; nothing after the last saved state was written")
        return 130
    except OSError:
        return _unwritten(as_json)
    except Exception:
        return _fault(as_json)


def _require_text(args: list[str]) -> None:
    """Raises InputError, ``not-utf-8``, for an argument whose bytes the system could not read as text."""
    for number, arg in enumerate(args, 1):
        if any("\ud800" <= char <= "\udfff" for char in arg):
            shown = arg.encode("utf-8", "backslashreplace").decode("ascii", "replace")
            message = f"argument {number} is not text in the encoding of this terminal: {shown}"
            hint = "set a UTF-8 locale, such as LC_ALL=C.UTF-8"
            raise InputError(Problem("not-utf-8", message, subject=shown, hint=hint))


def _run(args: list[str]) -> int:
    import typer.main
    from typer.exceptions import TyperException

    from contextmesh.cli import commands

    commands.register()
    command = typer.main.get_command(kit.app)
    try:
        result = command.main(args, prog_name="contextmesh", standalone_mode=False)
    except typer.Abort:
        return 130
    except TyperException as usage:
        if type(usage).__name__ == "NoArgsIsHelpError":  # the help has been shown
            return kit.REFUSED
        raise Refusal(_usage(usage)) from None
    return result if isinstance(result, int) else kit.DONE


def _usage(error: object) -> Problem:
    message = getattr(error, "format_message", lambda: str(error))()
    ctx = getattr(error, "ctx", None)
    path = ctx.command_path if ctx is not None else "contextmesh"
    return Problem("usage", message, subject=path, hint=f"see `{path} --help`")


def _refuse(refusal: Refusal, as_json: bool) -> None:
    if as_json:
        payload: dict[str, object] = {"error": refusal.problem.as_json()}
        if len(refusal.problems) > 1:
            payload["errors"] = [problem.as_json() for problem in refusal.problems]
        with suppress(Refusal):  # no place for it: the words on stderr still say it
            kit.emit(payload)
            kit.flush()
    from contextmesh.base.source import render_refusal

    kit.say(render_refusal(refusal))


def _pipe_closed() -> int:
    # The reader has gone: leave quietly, and keep the interpreter from flushing into the closed pipe.
    sys.stdout = None
    return kit.DONE


def _unwritten(as_json: bool) -> int:
    """Help is written by a library, past ``kit``: what it could not write is still held back, and fails again."""
    try:
        kit.flush()
    except Refusal as refusal:
        _refuse(refusal, as_json)
        return refusal.exit_code
    except BrokenPipeError:
        return _pipe_closed()
    return _fault(as_json)


def _fault(as_json: bool) -> int:
    import tempfile

    with tempfile.NamedTemporaryFile("w", prefix="contextmesh-", suffix=".log", delete=False, encoding="utf-8") as log:
        log.write(traceback.format_exc())
    message = "this is a fault of contextmesh, not of your input"
    if as_json:
        problem = Problem("fault", message, subject=log.name, hint="please report it with the log")
        kit.write_line(json.dumps({"error": problem.as_json()}, indent=2))
    kit.say(f"error[fault]: {message}; please report it with the log {log.name}")
    return kit.FAULT


if __name__ == "__main__":
    raise SystemExit(main())
