"""Rows, deltas and explanations come in one order, whatever the seed of Python's hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
from contextmesh.base.source import Source
from contextmesh.datalog.engine import Delta, Engine
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_query, parse_rules

RULES = '''
    reached(X, Y) :- edge(X, Y).
    reached(X, Z) :- reached(X, Y), edge(Y, Z), not shut(Z).
    busy(X, N) :- edge(X, _), N = count { Y : reached(X, Y) }.
    top(X) :- busy(X, N), N = max { M : busy(_, M) }.
    even(X) :- root(X).
    odd(Y) :- even(X), edge(X, Y).
    even(Y) :- odd(X), edge(X, Y).
    lone(X) :- reached(_, X), not edge(X, _).
'''
names = [f"node-{(i * 37) % 101}" for i in range(60)]
edges = [(names[i], names[(i * i + 7 * i + 3) % 60]) for i in range(60)]
program = build_program([parse_rules(Source("r.dl", RULES))], standalone=True, facts={"shut": [("x",)]})
engine = Engine(program, {"edge": edges, "root": [(names[0],)]})
for step in range(8):
    told = engine.apply(Delta.of(
        added={"edge": [(names[step], names[59 - step])], "shut": [(names[3 * step],)]},
        dropped={"edge": edges[4 * step : 4 * step + 3], "shut": [(names[3 * step - 3],)]},
    ))
    print(told)
    with engine.trial() as trial:
        print(engine.apply(Delta.of(dropped={"edge": edges[30:40]})))
for name in program.declarations:
    print(name, engine.rows(name))
for row in engine.rows("reached")[::50]:
    top = engine.explain("reached", row)
    print(row, top.rule, top.binding, top.premises)
print(engine.query(parse_query(Source("q", "p(X) :- reached(X, Y), busy(Y, 3). ?- p(X), not lone(X)"))))
"""


def output(seed: int) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_five_hash_seeds_give_one_output() -> None:
    first = output(0)

    assert first.count("\n") > 25
    for seed in range(1, 5):
        assert output(seed) == first
