"""Where both programs begin: an interruption in the midst of their first imports ends them without a word.

Later ones are minded by the programs themselves. ``python -m contextmesh`` is the command line.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

INTERRUPTED = 130


def main() -> int:
    """The command line."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # somebody else minds it, or nobody shall
        from contextmesh.cli.app import main as run

        return run()
    signal.signal(signal.SIGINT, _interrupted)
    from contextmesh.cli.app import main as run

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return run()
    except KeyboardInterrupt:
        return INTERRUPTED


def serve() -> int:
    """The server."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _over)
    from contextmesh.mcp.launch import main as run

    return run()


def _interrupted(*_: object) -> NoReturn:
    os._exit(INTERRUPTED)


def _over(*_: object) -> NoReturn:
    """As the server ends by a signal later on: nothing was written, and nothing went wrong."""
    os._exit(0)


if __name__ == "__main__":
    raise SystemExit(main())
