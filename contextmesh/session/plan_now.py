"""The plan as the journal left it, read without the graph: enough to say what code it needs."""

from __future__ import annotations

from pathlib import Path

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.errors import SessionError
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.session.files import read_member
from contextmesh.session.journal import beginning, decode, refused
from contextmesh.session.manifest import Manifest
from contextmesh.session.plan_lines import Plan


def went_on(directory: Path, manifest: Manifest, execution: bytes) -> bytes:
    """The execution file of a generation with the plan lines of its journal folded in; nothing of it is checked yet.

    Args:
        manifest: of a generation that has a journal.

    Raises:
        SessionError: the journal, or a line of it, is not what it should be.
    """
    assert manifest.journal is not None, "asked of a generation with a journal"
    file = str(directory / manifest.journal)
    start = beginning(read_member(directory, manifest.name))
    lines = [
        line for line in decode(read_member(directory, manifest.journal), start, file).lines if line.kind == "plan"
    ]
    if not lines:
        return execution
    plan = Plan(
        parse(execution, str(directory / (manifest.execution or "")), refusal=SessionError).value, {"entries": []}
    )
    for line in lines:
        try:
            plan.fold(line.body)
        except Fault as fault:
            raise refused(line.at, file, fault) from None
    return pretty_bytes(plan.execution)
