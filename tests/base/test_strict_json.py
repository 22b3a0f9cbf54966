"""Untrusted bytes become one JSON value, or a coded refusal that says where; never anything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contextmesh.base.canon import DEPTH, DIGITS, pretty_bytes
from contextmesh.base.errors import InputError
from contextmesh.base.fields import Fault, path_text
from contextmesh.base.scan import Scanner
from contextmesh.base.source import render_refusal
from contextmesh.base.strict import from_value, parse

from .json_values import json_values

# name -> (bytes, code, line, column, JSON path)
BROKEN: dict[str, tuple[bytes, str, int | None, int | None, str]] = {
    "nothing at all": (b"", "damaged-file", 1, 1, "$"),
    "only white space": (b" \n\t", "damaged-file", 2, 2, "$"),
    "the last bracket is gone": (b'{"a": [1, 2\n', "damaged-file", 2, 1, "$.a[1]"),
    "a second document follows": (b"{}\n{}", "damaged-file", 2, 1, "$"),
    "a comma before the end of an array": (b"[1,]", "damaged-file", 1, 4, "$[0]"),
    "a comma before the end of an object": (b'{"a":1,}', "damaged-file", 1, 8, "$.a"),
    "no comma": (b"[1 2]", "damaged-file", 1, 4, "$[0]"),
    "no colon": (b'{"a" 1}', "damaged-file", 1, 6, "$.a"),
    "a key without quotes": (b"{a: 1}", "damaged-file", 1, 2, "$[0]"),
    "single quotes": (b"['a']", "damaged-file", 1, 2, "$[0]"),
    "a comment": (b"[1] // one", "damaged-file", 1, 5, "$"),
    "a text that never ends": (b'["abc', "damaged-file", 1, 2, "$[0]"),
    "a raw newline in a text": (b'["a\nb"]', "damaged-file", 1, 4, "$[0]"),
    "an escape that is none": (b'["\\x41"]', "damaged-file", 1, 3, "$[0]"),
    "a truncated escape": (b'["\\u12"]', "damaged-file", 1, 3, "$[0]"),
    "a leading zero": (b"[01]", "damaged-file", 1, 2, "$[0]"),
    "a leading plus": (b"[+1]", "damaged-file", 1, 2, "$[0]"),
    "a number without digits after the point": (b"[1.]", "damaged-file", 1, 2, "$[0]"),
    "a hexadecimal number": (b"[0x10]", "damaged-file", 1, 2, "$[0]"),
    "a lonely minus": (b"[-]", "damaged-file", 1, 2, "$[0]"),
    "a word that is none": (b"[tru]", "damaged-file", 1, 2, "$[0]"),
    "True of another language": (b"[True]", "damaged-file", 1, 2, "$[0]"),
    "a digit of another script": ("[٣]".encode(), "damaged-file", 1, 2, "$[0]"),
    "a space of another script": ("[\u00a01]".encode(), "damaged-file", 1, 2, "$[0]"),
    "a duplicate key": (b'{"a": 1, "a": 1}', "duplicate-key", 1, 10, "$.a"),
    "a duplicate key deep inside": (b'[{"x": {"b": 1,\n "b": 2}}]', "duplicate-key", 2, 2, "$[0].x.b"),
    "a duplicate key spelled with an escape": (b'{"a": 1, "\\u0061": 2}', "duplicate-key", 1, 10, "$.a"),
    "a duplicate key apart from its colon": (b'{"a": 1, "a" : 2}', "duplicate-key", 1, 10, "$.a"),
    "a duplicate key beside a quoted colon": (b'{"a": "\\":", "a": 2}', "duplicate-key", 1, 14, "$.a"),
    "a duplicate key made up for by a quoted colon": (b'{"a": 1, "a": "\\": x"}', "duplicate-key", 1, 10, "$.a"),
    "NaN": (b'{"n": NaN}', "not-finite", 1, 7, "$.n"),
    "Infinity": (b"[Infinity]", "not-finite", 1, 2, "$[0]"),
    "minus Infinity": (b"[0, -Infinity]", "not-finite", 1, 5, "$[1]"),
    "a number beyond a double": (b"[1e999]", "huge-number", 1, 2, "$[0]"),
    "a negative number beyond a double": (b"-1e999", "huge-number", 1, 1, "$"),
    "a whole number of too many digits": (b"[" + b"9" * (DIGITS + 1) + b"]", "huge-number", 1, 2, "$[0]"),
    "a whole number no interpreter reads": (b"[" + b"9" * 10_000 + b"]", "huge-number", 1, 2, "$[0]"),
    "half a surrogate pair": (b'{"k": "a\\ud800b"}', "lone-surrogate", 1, 9, "$.k"),
    "half a surrogate pair in a key": (b'{"\\udc00": 1}', "lone-surrogate", 1, 3, "$[0]"),
    "a surrogate pair the wrong way round": (b'["\\udc00\\ud800"]', "lone-surrogate", 1, 3, "$[0]"),
    "too many brackets": (b"[" * (DEPTH + 2) + b"]" * (DEPTH + 2), "too-deep", 1, DEPTH + 2, "$" + "[0]" * (DEPTH + 1)),
    "brackets without end": (b"[" * 200_000, "too-deep", 1, DEPTH + 2, "$" + "[0]" * (DEPTH + 1)),
    "objects without end": (b'{"a":' * 100_000, "too-deep", 1, 5 * (DEPTH + 1) + 1, "$" + ".a" * (DEPTH + 1)),
    "a byte order mark": (b"\xef\xbb\xbf{}", "byte-order-mark", 1, 1, ""),
    "UTF-16": ("{}".encode("utf-16"), "not-utf-8", 1, 1, ""),
    "a broken byte on the second line": (b'["a",\n"\xff"]', "not-utf-8", 2, 2, ""),
    "an encoded surrogate": (b'["\xed\xa0\x80"]', "not-utf-8", 1, 3, ""),
}

SOUND: dict[str, tuple[bytes, object]] = {
    "a text alone": (b'"a"', "a"),
    "null": (b" null ", None),
    "Windows line ends": (b'{\r\n"a": 1\r\n}\r\n', {"a": 1}),
    "a whole surrogate pair": (b'["\\ud83d\\ude00"]', ["\U0001f600"]),
    "what looks like half a pair behind a backslash": (b'["\\\\ud800"]', ["\\ud800"]),
    "many digits inside a text": (b'["' + b"9" * 400 + b'"]', ["9" * 400]),
    "the deepest value allowed": (b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1), None),
    "the longest whole number allowed": (b"9" * DIGITS, int("9" * DIGITS)),
    "negative zero": (b"-0.0", -0.0),
    "the smallest double": (b"5e-324", 5e-324),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_text_is_refused_with_its_place(name: str) -> None:
    data, code, line, column, path = BROKEN[name]
    with pytest.raises(InputError) as caught:
        parse(data, "f.json")
    problem = caught.value.problem
    where = problem.where
    assert where is not None
    assert (problem.code, where.file, where.line, where.column) == (code, "f.json", line, column)
    if path:
        assert problem.subject == path
    assert render_refusal(caught.value)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_text_is_read(name: str) -> None:
    data, value = SOUND[name]
    read = parse(data, "f.json").value
    if value is not None:
        assert read == value


def test_a_text_larger_than_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(InputError) as caught:
        parse(b"[" * 100, "f.json", limit=99)
    assert caught.value.code == "too-large"


def test_a_line_too_long_to_show_is_not_held_by_its_problem() -> None:
    with pytest.raises(InputError) as caught:
        parse(b'["' + b"x" * 50_000 + b'", NaN]', "f.json")
    where = caught.value.problem.where
    assert where is not None
    assert (where.line, where.column, where.text) == (1, 50_006, None)


@settings(deadline=None)
@given(st.binary(max_size=200))
@example(b'{"a":"\\ud800"}')
@example(b"[" * 3_000)
def test_any_bytes_are_read_or_refused_with_a_code(data: bytes) -> None:
    try:
        document = parse(data, "f.json")
    except InputError as refusal:
        assert refusal.code
        assert render_refusal(refusal)
    else:
        assert pretty_bytes(document.value)


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:\\u0dD8Ef\n -+.aeNI1tr\ud83d\x00', max_size=40))
def test_fast_reader_and_scanner_agree_on_what_is_json(text: str) -> None:
    flaw = Scanner(text, depth=DEPTH, digits=DIGITS).flaw()
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return
    try:
        value = parse(data, "f.json").value
    except InputError as refusal:
        assert flaw is not None
        assert refusal.code == flaw.code
    else:
        assert flaw is None
        assert value == json.loads(text)


@settings(deadline=None)
@given(json_values())
def test_what_is_written_is_read_back_equal_and_the_same_bytes(value: object) -> None:
    data = pretty_bytes(value)
    read = parse(data, "f.json").value
    assert repr(read) == repr(_sorted(value))
    assert pretty_bytes(read) == data
    assert data.decode() == json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


@settings(deadline=None)
@given(json_values(), st.data())
def test_every_value_of_a_document_can_be_located(value: object, data: st.DataObject) -> None:
    document = parse(json.dumps(value, indent=1).encode(), "f.json")
    path: tuple[str | int, ...] = ()
    while isinstance(value, dict | list) and value:
        step = data.draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
        value = value[step]
        path = (*path, step)
    where = document.where(path)
    assert where.line is not None
    assert where.column is not None
    assert where.text is not None
    rest = where.text[where.column - 1 :]
    shown = {dict: "{", list: "["}.get(type(value), json.dumps(value))
    assert rest.startswith(shown)
    problem = document.problem(Fault("x", "is wrong", path))
    assert problem.message == f"{path_text(path)} is wrong"


def test_a_fault_at_a_missing_member_is_placed_at_the_value_around_it() -> None:
    document = parse(b'{"a": {\n  "b": 1}}', "f.json")
    assert str(document.where(("a", "c", 3))) == "f.json:1:7"


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, {"a": {"b": {1, 2}}}, "\ud800", 10**400, b"x"])
def test_a_value_that_json_cannot_carry_is_refused_by_its_path(value: object) -> None:
    for act in (lambda: from_value(value, "<v>"), lambda: pretty_bytes(value)):
        with pytest.raises(InputError) as caught:
            act()
        assert caught.value.code == "not-canonical"


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(member) for member in value] if isinstance(value, list) else value
