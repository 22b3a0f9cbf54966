"""A resolver file bent in any named way is refused by its code; a good one is written back as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interop.make_ferry import FERRY

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.errors import ResolverSnapshotError
from contextmesh.base.source import render_refusal
from contextmesh.resolve.snapshot import resolver_from_bytes, resolver_from_json

GOOD = (FERRY / "resolver-000001.json").read_bytes()
RESOLVED, UNRESOLVED = 0, 4
Change = Callable[[dict[str, Any]], object]


def good() -> dict[str, Any]:
    value = json.loads(GOOD)
    assert isinstance(value, dict)
    return value


def _log(index: int, **changes: Any) -> Change:
    return lambda value: value["log"][index].update(changes)


KEYS = ("schema", "version", "threshold", "canonical", "aliases", "blocks", "log")
ROW = ("mention", "canonical_id", "canonical_label", "score", "reason")

BENT: dict[str, tuple[Change, str]] = {
    **{f"no {key}": (lambda value, key=key: value.pop(key), "missing-key") for key in KEYS},  # type: ignore[misc]
    **{f"a log row without {key}": (lambda value, key=key: value["log"][0].pop(key), "missing-key") for key in ROW},  # type: ignore[misc]
    "an unknown key": (lambda v: v.update(cache={}), "unknown-key"),
    "an unknown key of a log row": (_log(0, when="now"), "unknown-key"),
    "another schema": (lambda v: v.update(schema="contextmesh.graph"), "wrong-schema"),
    "version true": (lambda v: v.update(version=True), "wrong-version"),
    "version 2": (lambda v: v.update(version=2), "wrong-version"),
    "a threshold below 0": (lambda v: v.update(threshold=-0.1), "out-of-range"),
    "a threshold above 1": (lambda v: v.update(threshold=1.01), "out-of-range"),
    "a threshold that is text": (lambda v: v.update(threshold="0.62"), "wrong-type"),
    "a threshold that is a truth value": (lambda v: v.update(threshold=True), "wrong-type"),
    "a threshold of null": (lambda v: v.update(threshold=None), "wrong-type"),
    **{f"{key} as an array": (lambda v, key=key: v.update({key: []}), "wrong-type") for key in KEYS[3:6]},  # type: ignore[misc]
    "a label that is a number": (lambda v: v["canonical"].update({"entity:pier": 1}), "wrong-type"),
    "an alias that is null": (lambda v: v["aliases"].update({"pier 1": None}), "wrong-type"),
    "an alias of nobody": (lambda v: v["aliases"].update({"pier 9": "entity:nine"}), "unknown-id"),
    "a block that is text": (lambda v: v["blocks"].update({"pier": "entity:pier"}), "wrong-type"),
    "a block with a number": (lambda v: v["blocks"].update({"pier": [1]}), "wrong-type"),
    "a block of nobody": (lambda v: v["blocks"].update({"pier": ["entity:pier", "entity:nine"]}), "unknown-id"),
    "a log that is an object": (lambda v: v.update(log={}), "wrong-type"),
    "a log row that is an array": (lambda v: v["log"].append([]), "wrong-type"),
    "a mention that is null": (_log(0, mention=None), "wrong-type"),
    "a score that is text": (_log(0, score="1.0"), "wrong-type"),
    "a score that is a truth value": (_log(0, score=True), "wrong-type"),
    "a reason that is a number": (_log(0, reason=0), "wrong-type"),
    "an id without a label": (_log(RESOLVED, canonical_label=None), "half-resolved"),
    "a label without an id": (_log(UNRESOLVED, canonical_label="North Pier"), "half-resolved"),
    "a log id that is nobody": (_log(RESOLVED, canonical_id="entity:nine"), "unknown-id"),
    "a log label that is another": (_log(RESOLVED, canonical_label="South Pier"), "label-differs"),
    "a thing that is gone": (lambda v: v["canonical"].pop("entity:card"), "unknown-id"),
}


@pytest.mark.parametrize("name", BENT)
def test_a_bent_value_is_refused_by_its_code(name: str) -> None:
    change, code = BENT[name]
    value = good()
    change(value)
    assert repr(value) != repr(good())
    with pytest.raises(ResolverSnapshotError) as caught:
        resolver_from_bytes(json.dumps(value, indent=2).encode(), "bent.json")
    assert caught.value.code == code
    assert render_refusal(caught.value).startswith("bent.json:")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (GOOD[:-3], "damaged-file"),
        (GOOD + GOOD, "damaged-file"),
        (GOOD.replace(b'"threshold": 0.62', b'"threshold": NaN'), "not-finite"),
        (GOOD.replace(b'"threshold": 0.62', b'"threshold": 0.62, "threshold": 0.1'), "duplicate-key"),
        (GOOD.replace(b'"score": 0.85', b'"score": 1e999'), "huge-number"),
        (GOOD.replace(b"North Pier", b"\\ud800", 1), "lone-surrogate"),
        (b"\xef\xbb\xbf" + GOOD, "byte-order-mark"),
        (b"[]", "wrong-type"),
    ],
)
def test_a_bent_text_is_refused_by_its_code(data: bytes, code: str) -> None:
    with pytest.raises(ResolverSnapshotError) as caught:
        resolver_from_bytes(data, "bent.json")
    assert caught.value.code == code


def test_blocks_are_written_ascending_and_the_log_as_it_happened() -> None:
    value = good()
    value["blocks"]["pier"] = ["entity:table", "entity:pier", "entity:card"]
    value["log"].reverse()
    written = resolver_from_json(value).to_json()
    assert written["blocks"]["pier"] == ["entity:card", "entity:pier", "entity:table"]
    assert written["log"] == value["log"]


def test_forms_of_another_writer_are_kept_even_when_no_name_has_them() -> None:
    value = good()
    value["aliases"]["The Pier!"] = "entity:pier"
    assert resolver_from_json(value).to_json() == value


@settings(deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.binary(max_size=2), st.integers(0, 20))
def test_a_changed_text_is_refused_with_a_code_or_written_back(at: int, new: bytes, gone: int) -> None:
    data = GOOD[:at] + new + GOOD[at + gone :]
    try:
        resolver = resolver_from_bytes(data, "bent.json")
    except ResolverSnapshotError as refusal:
        assert refusal.code
        assert render_refusal(refusal)
    else:
        assert resolver_from_bytes(pretty_bytes(resolver.to_json()), "again").to_json() == resolver.to_json()
