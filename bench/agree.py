"""A long agreement run: generated programs and graphs under every evaluator, with counts of what was compared."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from bench.measure import ROOT

PROGRAMS_TO_A_GRAPH = 20


def agree(seconds: float, seed: int, *, as_json: bool = False) -> str:
    """Compares until the time is over, or until evaluators differ, which is told with the seed.

    One graph under the shipped rules for every twenty programs of any shape; between two graphs the maintained
    engine is moved from one to the other, and its rows and its delta are compared as well.
    """
    sys.path.insert(0, str(ROOT / "tests"))
    from engine_agree.agreement import disagreements, everyone
    from engine_agree.graph_facts import graph_facts
    from engine_agree.moves import Mover
    from engine_agree.random_programs import sample

    from contextmesh.policy import Policy

    policy = Policy.load()
    counts = dict.fromkeys(("programs", "rules", "rows", "graphs", "graph rows", "moves"), 0)
    mover = Mover(policy.program, graph_facts(policy, seed))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if seed % PROGRAMS_TO_A_GRAPH:
            made = sample(seed)
            found = everyone(made.program, made.facts)
            wrong: Any = disagreements(found)
            counts["programs"] += 1
            counts["rules"] += len(made.program.rules)
            counts["rows"] += sum(map(len, found["spec"].values()))
        else:
            facts = graph_facts(policy, seed)
            found = everyone(policy.program, facts)
            wrong = disagreements(found) or mover.move(facts, found["spec"])
            counts["graphs"] += 1
            counts["moves"] += 1
            counts["graph rows"] += sum(map(len, found["spec"].values()))
        if wrong:
            return f"evaluators differ at seed {seed}: {wrong}"
        seed += 1
    if as_json:
        return json.dumps({**counts, "evaluators": list(found), "next seed": seed})
    words = ", ".join(f"{number} {name}" for name, number in counts.items())
    return f"{', '.join(found)} agree: {words}; next seed {seed}"
