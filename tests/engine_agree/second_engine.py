"""One pyDatalog child for all tests of a process: starting it costs more than most questions."""

from __future__ import annotations

import atexit
from functools import cache

from contextmesh.datalog.goal import SecondEngine
from contextmesh.datalog.limits import Limits


@cache
def second_engine() -> SecondEngine:
    engine = SecondEngine(Limits(rows=200_000, seconds=20.0))
    atexit.register(engine.close)
    return engine
