"""Rounds of a plan as text for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from contextmesh.base.wording import counted
from contextmesh.cli.kit import paint

if TYPE_CHECKING:
    from contextmesh.demo.plan import PlanStory
    from contextmesh.run import Runner, RunReport

LISTED = 20


def report_text(runner: Runner, report: RunReport) -> str:
    """One round: what ran, what stood, what waits and why, what fell."""
    tasks = counted(len(runner.plan), "task")
    state = paint("complete", "green") if report.complete else paint("not complete", "yellow")
    lines = [f"plan {runner.name}, round {report.round}: {tasks}, {state}"]
    lines += _named("executed", report.executed)
    lines += _named("cached", report.cached)
    lines += _named("audited", report.audited)
    lines += _told("blocked", report.blocked.items())
    lines += _told("failed", report.failed.items())
    for receipt in report.invalidations:
        fell = receipt["invalidated"]
        lines.append(f"  {paint('disproved', 'red')}: {receipt['assumption']}")
        lines.append(f"      {receipt['reason']}")
        lines += [f"      fell: {' '.join(words)}" for words in list(fell.values())[:LISTED]]
        lines += _rest(len(fell), "      ")
        lines.append(f"      {counted(receipt['preserved_count'], 'node')} left standing")
    if report.cancelled:
        lines.append("  cancelled; what was recorded stands, and the next round goes on with it")
    return "\n".join(lines)


def story_text(story: PlanStory) -> str:
    """The worked plan, told in five parts."""
    runner = story.runner
    return "\n\n".join(
        [
            f"{paint('1. Five tasks, each on a ground of its own, are run', 'bold')}",
            report_text(runner, story.first),
            f"{paint('2. An advisory on argon2 appears in the feed; the auditors look again', 'bold')}",
            report_text(runner, story.recheck),
            f"{paint('3. Nothing runs on a ground that was rejected', 'bold')}",
            report_text(runner, story.waiting),
            f"{paint('4. Repair: bcrypt in its place, ground and worker in one step', 'bold')}",
            report_text(runner, story.repaired),
            f"{paint('5. The ledger', 'bold')}",
            f"{counted(len(runner.ledger), 'entry')}, head {runner.ledger.head}",
            f"{len(story.repaired.executed)} executed, {len(story.repaired.cached)} cached",
        ]
    )


def _named(word: str, names: tuple[str, ...]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return [f"  {word} ({len(names)}): {', '.join(names[:LISTED])}{more}"]


def _told(word: str, items: Iterable[tuple[str, str]]) -> list[str]:
    pairs = list(items)
    lines = [f"  {word}: {name}: {reason}" for name, reason in pairs[:LISTED]]
    return lines + _rest(len(pairs), "  ")


def _rest(count: int, indent: str) -> list[str]:
    return [f"{indent}and {count - LISTED} more (all of them with --json)"] if count > LISTED else []
