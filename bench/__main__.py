"""The command: ``python -m bench [programs|graph|agree]``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.measure import Figure, table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="What jobs cost, beside others.")
    parser.add_argument("family", nargs="?", choices=["programs", "graph", "agree", "all"], default="all")
    parser.add_argument("--sizes", help="numbers of nodes, as 1000,1000000; programs run up to the largest")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds until a measurement is stopped")
    parser.add_argument("--graph", type=Path, help="a TSV of package and requirement for the package program")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long `agree` goes on")
    parser.add_argument("--seed", type=int, default=0, help="where `agree` starts")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")] if given.sizes else []
    if given.family == "agree":
        from bench.agree import agree

        print(agree(given.seconds, given.seed, as_json=given.json))
        return
    found: dict[str, tuple[list[Figure], str]] = {}
    if given.family in ("programs", "all"):
        from bench import programs

        found["programs"] = programs.figures(max(sizes, default=None), given.timeout, given.graph), "engine"
    if given.family in ("graph", "all"):
        from bench import graph

        found["graph"] = graph.figures(sizes or [1000, 10_000, 100_000], given.timeout * 5), "straight"
    if given.json:
        print(json.dumps({family: [f.as_json() for f in figures] for family, (figures, _) in found.items()}, indent=2))
        return
    for figures, base in found.values():
        print(table(figures, base), end="\n\n")


if __name__ == "__main__":
    main()
