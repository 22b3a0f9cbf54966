"""A plan and its ledger, which a session carries without running them: read as the runner reads them, and compared."""

from __future__ import annotations

from contextmesh.base.errors import LedgerIntegrityError, SessionError
from contextmesh.base.strict import Document, parse
from contextmesh.run.ledger_file import entries_of, require_chain
from contextmesh.run.plan_file import Compared, rows_of
from contextmesh.run.plan_fits import compare, require_ledger_fits, require_plan_fits
from contextmesh.session.state import Carried
from contextmesh.store.store import Store


def carried(execution: bytes, ledger: bytes, head: str, names: tuple[str, str], store: Store) -> Carried:
    """The pair, once each is what its format says and both fit the graph and each other.

    Raises:
        SessionError: what is wrong, with file and place.
    """
    plan, log = (parse(data, name, refusal=SessionError) for data, name in zip((execution, ledger), names, strict=True))
    rows = rows_of(plan, SessionError)
    try:
        entries, stated = entries_of(log)
        violations = compare(store, rows, entries)
        require_plan_fits(violations, plan, SessionError)
        require_ledger_fits(violations, log, SessionError)
        require_chain(log, entries, stated, head)
    except LedgerIntegrityError as error:
        raise SessionError(*error.problems) from None
    places = Document(plan.file, None, plan.text)  # the value is in the rows
    return Carried(execution, ledger, head, Compared(places, rows, tuple(entries), store, store.seq))
