"""One measurement in a process of its own, with a deadline; growth exponents; tables."""

from __future__ import annotations

import gc
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Figure:
    """What one job cost one way of doing it.

    Attributes:
        seconds: CPU time of one repetition; None when it was stopped or cannot be done.
        result: what must be equal for all who do the job: a number of rows, of nodes …
        note: why there is no time, or what to know about it.
    """

    job: str
    who: str
    size: int
    seconds: float | None
    result: int | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one call, and what it returned; garbage of before is not charged to it."""
    gc.collect()
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def in_its_own_process(module: str, arguments: Sequence[str], timeout: float) -> list[Figure] | str:
    """The figures that ``python -m module arguments`` prints as one JSON line, or why there are none."""
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"> {timeout:g} s"
    if done.returncode:
        words = done.stderr.strip().splitlines()
        return words[-1] if words else f"exit {done.returncode}"
    return [Figure(**figure) for figure in json.loads(done.stdout.splitlines()[-1])]


def exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """The slope of log(seconds) over log(size), by least squares: 1 is linear, 0 is flat."""
    usable = [(math.log(size), math.log(seconds)) for size, seconds in points if seconds > 0]
    if len({x for x, _ in usable}) < 2:
        return None
    mean_x = sum(x for x, _ in usable) / len(usable)
    mean_y = sum(y for _, y in usable) / len(usable)
    across = sum((x - mean_x) ** 2 for x, _ in usable)
    return sum((x - mean_x) * (y - mean_y) for x, y in usable) / across


def spell(seconds: float | None) -> str:
    """A time in the unit that suits it."""
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.2g} µs"


def table(figures: Sequence[Figure], base: str) -> str:
    """One line a job and size: each time, each as a multiple of ``base``; then how each grows."""
    people = list(dict.fromkeys(f.who for f in figures))
    cells = [["job", "size", "result", *people, *(f"{who} / {base}" for who in people if who != base)]]
    for job, size in dict.fromkeys((f.job, f.size) for f in figures):
        row = {f.who: f for f in figures if (f.job, f.size) == (job, size)}
        cells.append([job, str(size), _result(list(row.values())), *(_cell(row.get(who)) for who in people)])
        cells[-1] += [_ratio(row.get(who), row.get(base)) for who in people if who != base]
    for job in dict.fromkeys(f.job for f in figures):
        slopes = []
        for who in people:
            points = [(f.size, f.seconds) for f in figures if (f.job, f.who) == (job, who) and f.seconds is not None]
            slope = exponent(points)
            slopes.append("" if slope is None else f"n^{slope:.2f}")
        if any(slopes):
            cells.append([job, "grows", "", *slopes, *[""] * (len(people) - (base in people))])
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def _cell(figure: Figure | None) -> str:
    return "" if figure is None else figure.note if figure.seconds is None else spell(figure.seconds)


def _result(figures: Sequence[Figure]) -> str:
    results = list(dict.fromkeys(f.result for f in figures if f.result is not None))
    return " ≠ ".join(str(r) for r in results)


def _ratio(figure: Figure | None, base: Figure | None) -> str:
    if figure is None or base is None or figure.seconds is None or not base.seconds:
        return ""
    return f"{figure.seconds / base.seconds:.2f}×"
