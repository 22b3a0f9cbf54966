"""The worked plan: five tasks, one of which stands on a hash function that an advisory takes down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contextmesh.graph.graph import ContextGraph
from contextmesh.run import Runner, RunReport, TaskRegistry, WorkContext
from contextmesh.run.auditors import AdvisoryFeed

PLAN = "auth"
PACKAGE, VERSION = "argon2-cffi", "21.3.0"
ARGON2 = f"{PACKAGE} {VERSION} has no open advisory"
BCRYPT = "bcrypt 4.1.2 has no open advisory"
ADVISORY = "DEMO-2025-1.yaml"
ADVISORY_TEXT = f"""\
# Made up for this demonstration. The form is that of the Open Source Vulnerability schema.
id: DEMO-2025-1
published: '2025-03-14T09:00:00Z'
modified: '2025-03-14T09:00:00Z'
summary: A crafted salt makes the verification accept any password.
affected:
- package:
    ecosystem: PyPI
    name: {PACKAGE}
  ranges:
  - type: ECOSYSTEM
    events:
    - introduced: '20.1.0'
    - fixed: '23.1.0'
"""


@dataclass(frozen=True)
class PlanStory:
    """The plan from end to end.

    Attributes:
        first: the round in which everything is executed.
        recheck: the round after the advisory appeared; nothing is executed.
        waiting: the round before the repair, in which nothing can be done.
        repaired: the round after it.
    """

    runner: Runner
    first: RunReport
    recheck: RunReport
    waiting: RunReport
    repaired: RunReport

    def as_json(self) -> dict[str, Any]:
        rounds = ("first", "recheck", "waiting", "repaired")
        return {
            "plan": self.runner.name,
            "rounds": {name: getattr(self, name).as_json() for name in rounds},
            "executed": len(self.repaired.executed),
            "cached": len(self.repaired.cached),
            "complete": self.repaired.complete,
            "ledger": {"entries": len(self.runner.ledger), "head": self.runner.ledger.head},
        }


def demo_registry(feed: Path) -> TaskRegistry:
    """Every worker and auditor of the plan; ``feed`` is the folder in which advisories appear."""
    registry = TaskRegistry()
    registry.register_worker("auth.hash.argon2.v1", argon2_hasher)
    registry.register_worker("auth.hash.bcrypt.v1", bcrypt_hasher)
    registry.register_worker("auth.store.v1", credential_table)
    registry.register_worker("auth.login.v1", login_endpoint)
    registry.register_worker("auth.tokens.v1", session_tokens)
    registry.register_worker("auth.limit.v1", rate_limit)
    registry.register_auditor("auth.hash.argon2.audit.v1", AdvisoryFeed(feed, PACKAGE, VERSION))
    registry.register_auditor("auth.hash.bcrypt.audit.v1", AdvisoryFeed(feed, "bcrypt", "4.1.2"))
    return registry


def demo_plan(feed: Path, *, workers: int = 4, graph: ContextGraph | None = None) -> Runner:
    """The plan, declared and not yet run."""
    runner = Runner(PLAN, registry=demo_registry(feed), graph=graph, workers=workers)
    runner.task(
        "hash_password",
        worker_key="auth.hash.argon2.v1",
        auditor_key="auth.hash.argon2.audit.v1",
        assumes=ARGON2,
        produces=["Password Hash"],
    )
    runner.task(
        "credential_table",
        worker_key="auth.store.v1",
        assumes="one row holds one account",
        needs=["hash_password"],
        produces=["Credential Table"],
    )
    runner.task(
        "session_tokens",
        worker_key="auth.tokens.v1",
        assumes="all servers read one secret store",
        produces=["Session Token"],
    )
    runner.task(
        "login_endpoint",
        worker_key="auth.login.v1",
        assumes="logins arrive over TLS alone",
        needs=["credential_table", "session_tokens"],
        produces=["Login Endpoint"],
    )
    runner.task(
        "rate_limit",
        worker_key="auth.limit.v1",
        assumes="the proxy hands on the address of the client",
        needs=["session_tokens"],
        produces=["Rate Limit"],
    )
    return runner


def publish_advisory(feed: Path) -> Path:
    """The advisory appears in the feed."""
    path = feed / ADVISORY
    path.write_text(ADVISORY_TEXT, encoding="utf-8")
    return path


def repair(runner: Runner) -> None:
    """Another hash function, with another worker and another auditor, in one step."""
    runner.repair(
        "hash_password",
        worker_key="auth.hash.bcrypt.v1",
        auditor_key="auth.hash.bcrypt.audit.v1",
        assumes=BCRYPT,
    )


def run_story(
    feed: Path,
    *,
    workers: int = 4,
    graph: ContextGraph | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> PlanStory:
    """Run, learn, wait, repair, run: what a round costs is what fell."""
    runner = demo_plan(feed, workers=workers, graph=graph)
    first = runner.run(progress=progress)
    publish_advisory(feed)
    recheck = runner.recheck(progress=progress)
    waiting = runner.run(progress=progress)
    repair(runner)
    return PlanStory(runner, first, recheck, waiting, runner.run(progress=progress))


# ---- the workers: what each settles, from what it is handed ------------------------------------


def argon2_hasher(context: WorkContext) -> dict[str, Any]:
    return {"algorithm": "argon2id", "memory_kib": 65_536, "passes": 3, "encoded_length": 97}


def bcrypt_hasher(context: WorkContext) -> dict[str, Any]:
    return {"algorithm": "bcrypt", "cost": 12, "encoded_length": 60}


def credential_table(context: WorkContext) -> dict[str, Any]:
    hashing = context.inputs["hash_password"]
    return {"table": "credential", "columns": {"account": "BIGINT", "hash": f"CHAR({hashing['encoded_length']})"}}


def session_tokens(context: WorkContext) -> dict[str, Any]:
    return {"format": "opaque", "bytes": 32, "lifetime_minutes": 30}


def login_endpoint(context: WorkContext) -> dict[str, Any]:
    column = context.inputs["credential_table"]["columns"]["hash"]
    return {"path": "/login", "compares": column, "answers_with": context.inputs["session_tokens"]["format"]}


def rate_limit(context: WorkContext) -> dict[str, Any]:
    return {"per_address": 5, "window_minutes": context.inputs["session_tokens"]["lifetime_minutes"]}
