"""pyDatalog sees our values and names only wrapped, and its process is ours alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from engine_agree.second_engine import second_engine
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import InputError, LimitReached, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.goal import SecondEngine, Text
from contextmesh.datalog.goal_child import Child
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.order import value_key
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_query, parse_rules

ROOT = Path(__file__).resolve().parent.parent.parent
LOOKALIKES = [
    1,
    "1",
    "1.0",
    "True",
    "true",
    "None",
    0,
    "0",
    "",
    "False",
    "-1",
    -1,
    "X",
    "_",
    "a.b",
    "f[1]",
    "x'y",
    'x"y',
    "\\",
]


def program(text: str, facts: dict) -> Program:
    return build_program([parse_rules(Source("<test>", text))], standalone=True, facts=facts)


def both(text: str, facts: dict) -> tuple[dict, dict]:
    made = program(text, facts)
    return second_engine().evaluate(made, facts), spec.evaluate(made, facts)


def test_values_that_look_alike_stay_apart() -> None:
    facts = {"v": [(value,) for value in LOOKALIKES]}
    found, right = both("same(X, Y) :- v(X), v(Y), X = Y. order(X, Y) :- v(X), v(Y), X < Y.", facts)

    assert {name: set(rows) for name, rows in found.items()} == {name: set(rows) for name, rows in right.items()}
    assert len(found["same"]) == len(LOOKALIKES)
    assert all(type(a) is type(b) for a, b in found["same"])


@given(st.lists(st.one_of(st.text(max_size=6), st.integers(-(2**63), 2**63 - 1)), max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_value_crosses_and_comes_back(values: list) -> None:
    facts = {"v": [(value,) for value in dict.fromkeys(values)]}
    found, _ = both("w(X) :- v(X).", facts)

    assert list(found["w"]) == [(value,) for value in sorted(dict.fromkeys(values), key=value_key)]


@given(st.one_of(st.integers(-3, 3), st.text(max_size=2)), st.one_of(st.integers(-3, 3), st.text(max_size=2)))
@settings(deadline=None)
def test_wrapped_text_is_ordered_as_values_are(left: str | int, right: str | int) -> None:
    a, b = (Text(v) if isinstance(v, str) else v for v in (left, right))

    assert (a < b, a <= b, a > b, a >= b, a == b) == (
        value_key(left) < value_key(right),
        value_key(left) <= value_key(right),
        value_key(left) > value_key(right),
        value_key(left) >= value_key(right),
        left == right,
    )


@pytest.mark.parametrize(
    "name", ["open", "sum", "sum_", "len_", "ask", "min_", "rank_", "print", "format_", "range_", "exit"]
)
def test_a_relation_may_bear_a_name_that_python_or_pydatalog_uses(name: str) -> None:
    found, right = both(
        f"{name}(X, N) :- e(X), N = count {{ Y : e(Y) }}. q(X) :- e(X), not {name}(X, 1).", {"e": [(1,), (2,)]}
    )

    assert {k: set(v) for k, v in found.items()} == {k: set(v) for k, v in right.items()}


def test_text_that_is_python_is_only_text(tmp_path: Path) -> None:
    bait = tmp_path / "created"
    text = f"open({str(bait)!r}, 'w')"
    found, _ = both("w(X) :- v(X), X != 1.", {"v": [(text,)]})

    assert list(found["w"]) == [(text,)]
    assert not bait.exists()


def test_a_query_of_constants_answers_with_the_empty_row_or_with_none() -> None:
    made = program("", {"e": [(1, 2)]})
    for text, rows in (("e(1, 2)", [()]), ("e(2, 1)", []), ("not e(2, 2)", [()])):
        query = parse_query(Source("<query>", text))

        assert second_engine().answer(made, query, {"e": [(1, 2)]}) == rows


def test_a_query_is_checked_before_pydatalog_is_asked() -> None:
    with pytest.raises(RuleError) as refusal:
        second_engine().answer(program("", {"e": [(1,)]}), parse_query(Source("<query>", "f(X)")), {"e": [(1,)]})

    assert refusal.value.code == "unknown-relation"


def test_only_what_the_question_needs_is_evaluated() -> None:
    made = program("n(0). n(X + 1) :- n(X). q(X) :- e(X).", {"e": [(1,)]})

    assert list(second_engine().evaluate(made, {"e": [(1,)]}, ["q"])["q"]) == [(1,)]


def test_text_that_json_cannot_carry_is_refused() -> None:
    facts = {"v": [("\ud800",)]}
    with pytest.raises(InputError) as refusal:
        second_engine().evaluate(program("w(X) :- v(X).", facts), facts)

    assert refusal.value.code == "not-canonical"


def test_a_module_beside_the_user_is_not_taken_for_pydatalog(tmp_path: Path) -> None:
    for name in ("pyDatalog.py", "contextmesh.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit('taken from the working directory')", encoding="utf-8")
    asks = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from contextmesh.base.source import Source
from contextmesh.datalog import goal
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules
program = build_program([parse_rules(Source("<x>", "p(1)."))], standalone=True)
print(goal.evaluate(program, {{}}))
"""
    done = subprocess.run([sys.executable, "-P", "-c", asks], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.stdout.strip(), done.returncode) == ("{'p': {(1,): None}}", 0), done.stderr


def test_a_child_that_ends_by_itself_is_a_refusal_with_its_last_words() -> None:
    with Child("contextmesh.datalog.goal") as child:
        with pytest.raises(LimitReached) as refusal:
            child.ask(b"{}", 10)

        assert refusal.value.code == "pydatalog-stopped"
        assert "KeyError" in (refusal.value.problem.note or "")
        assert child.process.returncode == 1


def test_closing_leaves_no_process_and_may_be_repeated() -> None:
    engine = SecondEngine(Limits(seconds=20))
    engine.evaluate(program("p(1).", {}), {})
    child = engine._child
    assert child is not None and child.alive
    engine.close()
    engine.close()

    assert not child.alive


def test_the_plan_is_plain_data() -> None:
    from contextmesh.datalog.goal_plan import plan

    made = program("p(X) :- e(X, Y), not p2(Y, _), Y < 3. p2(X, X + 1) :- e(X, _).", {"e": [(1, 2)]})
    steps = plan(made, {"e": [(1, 2)]}, ["p"])

    assert json.loads(json.dumps(steps))[-1] == ["answer", "p", "r_p", 1]
