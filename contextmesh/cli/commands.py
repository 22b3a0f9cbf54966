"""The list of command modules; importing one registers its commands."""

from __future__ import annotations


def register() -> None:
    """Register every command, in the order in which help lists them."""
    from contextmesh.cli import (  # noqa: F401
        ask,
        demo,
        health,
        ingest,
        invalidate,
        look,
        query,
        rules,
    )  # isort: skip
