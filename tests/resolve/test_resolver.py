"""One id per thing: a name resolves by alias, then by the best score among its blocks, or says why not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import InputError
from contextmesh.resolve import resolver as module
from contextmesh.resolve.normalise import block_keys, normalise
from contextmesh.resolve.resolver import Resolution, Resolver
from contextmesh.resolve.similarity import similarity

WORDS = ["north", "south", "pier", "harbour", "office", "np", "ho", "the", "index", "a", "部品"]
NAMES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), max_size=8)


def resolver_of(*names: str) -> Resolver:
    made = Resolver()
    for name in names:
        made.register(f"entity:{name}", name)
    return made


def test_every_way_a_name_can_end() -> None:
    made = resolver_of("North Pier", "Harbour Office")
    assert made.resolve("the NORTH pier") == Resolution("entity:North Pier", "North Pier", 1.0, "alias table")
    assert made.resolve("north pier closed") == Resolution("entity:North Pier", "North Pier", 0.85, "scored match")
    assert made.resolve("north pier closed").reason == "alias table"
    assert made.resolve("The") == Resolution(None, None, 0.0, "empty after normalisation")
    assert made.resolve("ferry") == Resolution(None, None, 0.0, "no candidate in any block")
    low = made.resolve("north")
    assert (low.id, low.score) == (None, 0.5)
    assert low.reason == "best candidate 'North Pier' scored 0.50 < 0.62"
    far = made.resolve("northern lights")
    assert far.reason == "best candidate 'North Pier' scored 0.00 < 0.62"
    assert [attempt.mention for attempt in made.log][-2:] == ["north", "northern lights"]


def test_initials_stand_for_a_name_either_way() -> None:
    assert resolver_of("North Pier").peek("NP").score == 0.9
    assert resolver_of("NP").peek("north pier").score == 0.9


def test_peeking_neither_logs_nor_learns() -> None:
    made = resolver_of("North Pier")
    before = made.to_json()
    assert made.peek("north pier closed").reason == "scored match"
    assert made.to_json() == before


def test_one_name_in_four_sources_is_one_entity_whatever_the_sentences_are() -> None:
    made = Resolver()
    ids = []
    for context in ("the budget of QRSB", "QRSB moved", "a vote in QRSB", "QRSB went on strike"):
        found = made.resolve("QRSB")
        if found.id is None:
            made.register("entity:qrsb", "QRSB")
            found = made.peek("QRSB")
        ids.append((context, found.id))
    assert [id for _, id in ids] == ["entity:qrsb"] * 4
    again = Resolver.from_json(made.to_json())
    assert again.resolve("QRSB").id == "entity:qrsb"
    assert dict(again.labels) == {"entity:qrsb": "QRSB"}


def test_names_of_another_script_stay_apart_by_a_single_letter() -> None:
    names = ["部品管理_登録", "部品管理_削除", "北海支店", "北海道支店"]
    made = resolver_of(*names)
    assert [made.resolve(name).label for name in names] == names
    assert made.resolve("北海支店").label == "北海支店"
    assert resolver_of("北海道支店").resolve("北海支店").id is None


def test_names_that_differ_only_in_letters_the_format_drops_stay_apart() -> None:
    names = ["Müller", "Möller", "M ller", "Muller"]
    for order in (names, list(reversed(names))):
        made = resolver_of(*order)
        for loaded in (made, Resolver.from_json(made.to_json())):
            assert [loaded.peek(name).label for name in names] == names
            assert loaded.peek("MÜLLER GmbH").label == "Müller"
    assert resolver_of("Müller").peek("Möller").id is None
    assert resolver_of("Müller").peek("Mu\u0308ller").label == "Müller"


def test_a_learned_name_with_dropped_letters_is_found_again() -> None:
    made = resolver_of("Fährhaus am Nordkai")
    assert made.resolve("Fährhaus am Nordkai heute").reason == "scored match"
    assert Resolver.from_json(made.to_json()).peek("Fährhaus am Nordkai heute").reason == "alias table"


def test_no_name_moves_silently_to_another_thing() -> None:
    made = resolver_of("North Pier")
    assert made.register("entity:old", "Old Pier", ["North Pier", "the old one"]) == ("North Pier",)
    assert made.peek("North Pier").id == "entity:North Pier"
    assert made.register("entity:twin", "the north pier") == ("the north pier",)
    assert made.peek("North Pier").id == "entity:North Pier"


def test_a_label_takes_its_form_from_what_was_only_learned() -> None:
    made = resolver_of("Harbour Office")
    assert made.resolve("harbour").id == "entity:Harbour Office"
    assert made.register("entity:harbour", "Harbour") == ()
    assert made.peek("harbour").id == "entity:harbour"


def test_an_id_has_one_label() -> None:
    made = resolver_of("North Pier")
    made.register("entity:North Pier", "North Pier", ["Pier 1"])
    assert made.peek("pier 1").id == "entity:North Pier"
    with pytest.raises(InputError) as caught:
        made.register("entity:North Pier", "South Pier")
    assert caught.value.code == "two-identities"
    with pytest.raises(InputError):
        Resolver(threshold=1.5)


def test_ties_go_to_the_smallest_id() -> None:
    made = Resolver()
    made.register("entity:b", "pier north harbour")
    made.register("entity:a", "pier south harbour")
    assert made.peek("pier harbour").id == "entity:a"


def test_a_near_miss_is_told_once_until_it_resolves() -> None:
    made = resolver_of("North Pier", "Harbour Office")
    for mention in ("north", "the North", "ferry", "pier"):
        made.resolve(mention)
    assert made.near_misses() == ("north", "pier")
    made.register("entity:p", "Pier")
    assert made.near_misses() == ("north",)


@settings(deadline=None)
@given(NAMES, NAMES)
def test_the_best_candidate_is_the_one_a_search_through_all_blocks_finds(names: list[str], mentions: list[str]) -> None:
    made = Resolver()
    for number, name in enumerate(names):
        made.register(f"entity:{number}", name)
    for mention in mentions:
        expected = _by_definition(made, mention)
        found = made.resolve(mention)
        assert (found.id, found.score) == expected


@settings(deadline=None)
@given(NAMES, NAMES)
def test_a_resolver_read_back_resolves_the_same(names: list[str], mentions: list[str]) -> None:
    made = resolver_of(*dict.fromkeys(names))
    for mention in mentions[::2]:
        made.resolve(mention)
    again = Resolver.from_json(made.to_json())
    assert again.to_json() == made.to_json()
    assert [again.peek(mention) for mention in mentions] == [made.peek(mention) for mention in mentions]
    assert again.near_misses() == made.near_misses()


def test_a_resolution_looks_only_at_names_that_share_a_word_or_initials(monkeypatch: pytest.MonkeyPatch) -> None:
    made = resolver_of("North Pier", *(f"northern station number{n}" for n in range(2000)))
    looked: list[str] = []
    monkeypatch.setattr(module, "similarity", _counting(looked))
    assert made.peek("north pier closed").label == "North Pier"
    assert looked == ["north pier"]


def _counting(looked: list[str]) -> Callable[[str, str], float]:
    def counted(one: str, other: str) -> float:
        looked.append(other)
        return similarity(one, other)

    return counted


def _by_definition(made: Resolver, mention: str) -> tuple[str | None, float]:
    """Formats: candidates of the blocks, sorted by id, the best score, ties to the first."""
    normal = normalise(mention)
    if normal in made.aliases:
        return made.aliases[normal], 1.0
    candidates = sorted({id for key in block_keys(normal) for id in made.blocks.get(key, {})})
    scored = [(similarity(normal, normalise(made.labels[id])), id) for id in candidates]
    score, id = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return (id if score >= made.threshold else None), score
