"""The definition, the engine, pyDatalog and clingo give the same rows of every relation."""

from __future__ import annotations

import pytest
from engine_agree.agreement import disagreements, everyone
from engine_agree.graph_facts import graph_facts
from engine_agree.moves import Mover
from engine_agree.random_programs import sample
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import facts_for, programs

from contextmesh.datalog import spec
from contextmesh.policy import Policy

PROGRAMS_OVER_FACTS = programs().flatmap(lambda program: st.tuples(st.just(program), facts_for(program)))
PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]


@given(PROGRAMS_OVER_FACTS)
@settings(max_examples=70, deadline=None, suppress_health_check=PATIENT)
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


@pytest.mark.parametrize("start", range(0, 12, 4))
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
    mover = Mover(policy.program, graph_facts(policy, 0))
    for seed in range(1, 16):
        facts = graph_facts(policy, seed)
        right = {name: frozenset(rows) for name, rows in spec.evaluate(policy.program, facts).items()}

        assert mover.move(facts, right) == [], f"seed {seed}"
