"""What the rule workbench says, as text and as JSON: outcomes of cases, coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from contextmesh.base.source import render_problem
from contextmesh.cli.kit import paint
from contextmesh.datalog.fold import place
from contextmesh.lang.render import render_atom, render_literal
from contextmesh.lang.words import quote
from contextmesh.policy.suite import by_file, file_of, percent
from contextmesh.store.explain import failure_text, tree_text

if TYPE_CHECKING:
    from contextmesh.base.errors import Where
    from contextmesh.datalog.ast import Rule
    from contextmesh.datalog.coverage import Tally
    from contextmesh.policy.expected import Miss
    from contextmesh.policy.suite import Outcome

STEPS = 12
"""Steps of a derivation that are shown of a row that should not be."""


def outcomes_text(outcomes: Sequence[Outcome]) -> str:
    """A line a file; under it each case that failed, with what was expected and why it is otherwise."""
    lines: list[str] = []
    for file in dict.fromkeys(outcome.file for outcome in outcomes):
        here = [outcome for outcome in outcomes if outcome.file == file]
        failed = [outcome for outcome in here if not outcome.holds]
        word = paint(f"{len(failed)} failed", "red") if failed else paint("all hold", "green")
        lines.append(f"{file}: {count(len(here), 'case')}, {word}")
        for outcome in failed:
            lines.append(f"  {paint('FAILED', 'red')} {_printable(outcome.case.says)}")
            for problem in outcome.problems:
                lines += _indented(render_problem(problem))
            for miss in outcome.misses:
                lines += _indented("\n".join(_miss_lines(miss)))
    failed_all = sum(1 for outcome in outcomes if not outcome.holds)
    lines.append(f"{count(len(outcomes), 'case')}, {f'{failed_all} failed' if failed_all else 'all hold'}")
    return "\n".join(lines)


def outcomes_json(outcomes: Sequence[Outcome], name: str) -> dict[str, Any]:
    """The same as a document."""
    failed = sum(1 for outcome in outcomes if not outcome.holds)
    return {
        "ok": not failed,
        "policy": name,
        "cases": len(outcomes),
        "failed": failed,
        "outcomes": [
            {
                "file": outcome.file,
                "line": _line(place(outcome.case.at)),
                "case": outcome.case.says,
                "ok": outcome.holds,
                "problems": [problem.as_json() for problem in outcome.problems],
                "misses": [_miss_json(miss) for miss in outcome.misses],
            }
            for outcome in outcomes
        ],
    }


def coverage_text(tallies: Sequence[Tally], failed: int) -> str:
    """A line a file, then each rule that concluded nothing, with the literal at which it always ended."""
    files = list(by_file(tallies))
    width = max((len(found.file) for found in files), default=0)
    lines = [f"{f.file:<{width}}  {f.covered:>4} of {f.rules:<4} {_percent(f.percent):>7}" for f in files]
    lines += [_uncovered_line(tally) for tally in tallies if not tally.rows]
    covered = sum(1 for tally in tallies if tally.rows)
    total = f"{covered} of {len(tallies)} rules concluded a row, {_percent(percent(covered, len(tallies)))}"
    lines.append(total if not failed else f"{total}; {count(failed, 'case')} failed, as `rules test` shows")
    return "\n".join(lines)


def coverage_json(tallies: Sequence[Tally], name: str, cases: int, failed: int) -> dict[str, Any]:
    """The same as a document, with the counts of every literal."""
    covered = sum(1 for tally in tallies if tally.rows)
    return {
        "policy": name,
        "cases": cases,
        "failed": failed,
        "covered": covered,
        "total": len(tallies),
        "percent": round(percent(covered, len(tallies)), 2),
        "files": [
            {"file": f.file, "covered": f.covered, "total": f.rules, "percent": round(f.percent, 2)}
            for f in by_file(tallies)
        ],
        "rules": [_tally_json(tally) for tally in tallies],
    }


def rule_json(rule: Rule) -> dict[str, Any]:
    """Which rule it is: file, line, column, relation, label."""
    where = place(rule.at)
    return {
        "file": file_of(rule),
        "line": _line(where),
        "column": where.column if where is not None else None,
        "relation": rule.head.relation,
        "label": rule.label.name if rule.label is not None else None,
    }


def count(number: int, noun: str) -> str:
    """``1 case``, ``2 cases``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# ---- parts -------------------------------------------------------------------------------------------


def _miss_lines(miss: Miss) -> Iterator[str]:
    yield render_problem(miss.problem)
    if miss.expected:
        yield f"  expected: {', '.join(miss.expected)}"
    if miss.expected or miss.got:
        yield f"  got:      {', '.join(miss.got) or 'nothing'}"
    if miss.why is not None:
        yield "  why:"
        yield from (f"    {_printable(line)}" for line in tree_text(miss.why, steps=STEPS).split("\n"))
    if miss.why_not:
        yield "  why not:"
        yield from (f"    {_printable(line)}" for line in _why_not(miss))


def _miss_json(miss: Miss) -> dict[str, Any]:
    return {
        **miss.problem.as_json(),
        "expected": list(miss.expected),
        "got": list(miss.got),
        "why": tree_text(miss.why, steps=STEPS).splitlines() if miss.why is not None else None,
        "why_not": _why_not(miss),
    }


def _why_not(miss: Miss) -> list[str]:
    """Where each rule ends whose head fits what is missing."""
    fitting = [failure_text(failure) for failure in miss.why_not if failure.literal is not None]
    return fitting if fitting or not miss.why_not else [f"no rule concludes {miss.problem.subject} of these values"]


def _uncovered_line(tally: Tally) -> str:
    where, stuck = place(tally.rule.at), tally.stuck
    head = f"{where}: {render_atom(tally.rule.head)}"
    if not any(tally.tried):
        return f"{head}: no case looks at what it concludes"
    if stuck is None:
        return f"{head}: the body held, and the head has no value"
    tried = tally.tried[next(i for i, part in enumerate(tally.body) if part is stuck)]
    times = "once" if tried == 1 else f"{tried} times"
    return f"{head}: {render_literal(stuck)} never held, tried {times}"


def _tally_json(tally: Tally) -> dict[str, Any]:
    literals = []
    for part, tried, held in zip(tally.body, tally.tried, tally.held, strict=True):
        where = place(part.at)
        column = where.column if where is not None else None
        text = render_literal(part)
        literals.append({"literal": text, "line": _line(where), "column": column, "tried": tried, "held": held})
    return {**rule_json(tally.rule), "rows": tally.rows, "literals": literals}


def _line(where: Where | None) -> int | None:
    return where.line if where is not None else None


def _percent(number: float) -> str:
    """Rounded down, so that 100 % is all of them."""
    return f"{int(number * 10) / 10:.1f} %"


def _printable(text: str) -> str:
    """Text that comes from a file: what would move the cursor is shown as an escape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else quote(c)[1:-1] for c in text)


def _indented(text: str, by: int = 4) -> list[str]:
    return [" " * by + line for line in text.splitlines()]
