"""Run a plan of work: break one ground, and only what stood on it is done again."""

from contextmesh.run.ledger import RunLedger
from contextmesh.run.registry import TaskRegistry
from contextmesh.run.report import RunReport
from contextmesh.run.runner import Runner
from contextmesh.run.verdict import AuditContext, Verdict, WorkContext

__all__ = ["AuditContext", "RunLedger", "RunReport", "Runner", "TaskRegistry", "Verdict", "WorkContext"]
