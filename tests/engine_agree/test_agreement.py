"""The definition, the engine, pyDatalog and clingo give the same rows of every relation."""

from __future__ import annotations

import pytest
from engine_agree.agreement import disagreements, everyone
from engine_agree.graph_facts import graph_facts
from engine_agree.random_programs import sample
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import facts_for, programs

from contextmesh.datalog import spec
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.policy import Policy

PROGRAMS_OVER_FACTS = programs().flatmap(lambda program: st.tuples(st.just(program), facts_for(program)))
PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]


@given(PROGRAMS_OVER_FACTS)
@settings(max_examples=100, deadline=None, suppress_health_check=PATIENT)
def test_all_evaluators_agree_on_well_formed_programs(case: tuple) -> None:
    assert disagreements(everyone(*case)) == {}


@pytest.mark.slow
@given(PROGRAMS_OVER_FACTS)
@settings(max_examples=5000, deadline=None, suppress_health_check=PATIENT)
def test_all_evaluators_agree_on_many_well_formed_programs(case: tuple) -> None:
    assert disagreements(everyone(*case)) == {}


@pytest.mark.parametrize("start", range(0, 160, 40))
def test_all_evaluators_agree_on_programs_of_any_shape(start: int) -> None:
    for seed in range(start, start + 40):
        made = sample(seed)

        assert disagreements(everyone(made.program, made.facts)) == {}, f"seed {seed}\n{made.text}\n{made.facts}"


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 6000, 500))
def test_all_evaluators_agree_on_many_programs_of_any_shape(start: int) -> None:
    for seed in range(start, start + 500):
        made = sample(seed)

        assert disagreements(everyone(made.program, made.facts)) == {}, f"seed {seed}\n{made.text}\n{made.facts}"


@pytest.mark.parametrize("start", range(0, 16, 4))
def test_all_evaluators_agree_on_the_shipped_rules(start: int) -> None:
    policy = Policy.load()
    for seed in range(start, start + 4):
        facts = graph_facts(policy, seed)

        assert disagreements(everyone(policy.program, facts)) == {}, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 600, 50))
def test_all_evaluators_agree_on_the_shipped_rules_over_many_graphs(start: int) -> None:
    policy = Policy.load()
    for seed in range(start, start + 50):
        facts = graph_facts(policy, seed)

        assert disagreements(everyone(policy.program, facts)) == {}, f"seed {seed}"


def test_a_graph_changed_into_another_concludes_what_the_other_does() -> None:
    policy = Policy.load()
    inputs = [name for name, d in policy.program.declarations.items() if d.kind == "input"]
    before = graph_facts(policy, 0)
    engine = Engine(policy.program, before)
    rows = {name: set(engine.rows(name)) for name in policy.program.declarations}
    for seed in range(1, 25):
        after = graph_facts(policy, seed)
        added = {name: [row for row in after[name] if row not in before[name]] for name in inputs}
        dropped = {name: [row for row in before[name] if row not in after[name]] for name in inputs}
        told = engine.apply(Delta.of(added=added, dropped=dropped))
        right = spec.evaluate(policy.program, after)
        for name, found in rows.items():
            came, went = told.plus(name), told.minus(name)

            assert set(engine.rows(name)) == set(right[name]), f"{name}, seed {seed}"
            assert (found - set(went)) | set(came) == set(right[name]), f"the delta of {name}, seed {seed}"
            assert not found & set(came) and set(went) <= found, f"the delta of {name}, seed {seed}"
        rows = {name: set(found) for name, found in right.items()}
        before = after
