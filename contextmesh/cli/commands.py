"""The list of command modules; importing one registers its commands."""

from __future__ import annotations


def register() -> None:
    """Register every command, in the order in which help lists them."""
    # isort: off
    from contextmesh.cli import demo  # noqa: F401
    from contextmesh.cli import ingest  # noqa: F401
    from contextmesh.cli import ask  # noqa: F401
    from contextmesh.cli import look  # noqa: F401
    from contextmesh.cli import health  # noqa: F401
    from contextmesh.cli import doctor  # noqa: F401
    from contextmesh.cli import past  # noqa: F401
    from contextmesh.cli import invalidate  # noqa: F401
    from contextmesh.cli import execute  # noqa: F401
    from contextmesh.cli import ledger  # noqa: F401
    from contextmesh.cli import ledger_proofs  # noqa: F401
    from contextmesh.cli import session  # noqa: F401
    from contextmesh.cli import session_exchange  # noqa: F401
    from contextmesh.cli import session_redact  # noqa: F401
    from contextmesh.cli import dashboard  # noqa: F401
    from contextmesh.cli import query  # noqa: F401
    from contextmesh.cli import rules  # noqa: F401
    from contextmesh.cli import rules_test  # noqa: F401
    from contextmesh.cli import rules_explain  # noqa: F401
    from contextmesh.cli import rules_profile  # noqa: F401
