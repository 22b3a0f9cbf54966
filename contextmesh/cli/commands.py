"""The list of command modules; importing one registers its commands."""

from __future__ import annotations


def register() -> None:
    """Register every command, in the order in which help lists them."""
    from contextmesh.cli import (  # noqa: F401
        demo,
        ingest,
        ask,
        look,
        health,
        invalidate,
        query,
        rules,
    )  # isort: skip
