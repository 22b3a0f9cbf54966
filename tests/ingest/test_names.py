"""What a text names is found; what merely opens a sentence, or is an everyday word, is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.ingest.documents import Document
from contextmesh.ingest.extract import sentences_of
from contextmesh.ingest.layouts import layout_of
from contextmesh.ingest.names import names_of, survey
from contextmesh.ingest.terms import repeated_terms

CASES = [
    ("However, the ferry was late. Many boats were.", []),
    ("Later that day the Harbour Office closed.", ["Harbour Office"]),
    ("The Harbour Office of North Bay was founded by Ann van Dyke.", ["Harbour Office of North Bay", "Ann van Dyke"]),
    ("In May, Anna Berg met Dr. Otto Lund on a Monday.", ["Anna Berg", "Otto Lund"]),
    ("J. R. Ashby built it for Anna's brother Bo Ek.", ["J. R. Ashby", "Anna", "Bo Ek"]),
    ("It runs on PEP 12, Marten 2.1 and the NATS bus.", ["PEP 12", "Marten 2.1", "NATS"]),
    ("The APIs MUST NOT change, and HTTP stays.", ["API", "HTTP"]),
    ("Call `read_all` or os.path.join twice.", ["read_all", "os.path.join"]),
    ("She sang “The Long Way Home” and the “right thing” once.", ["The Long Way Home"]),
    ("Some Linux-based systems use the ASCII-encoded form.", ["Linux", "ASCII"]),
    ("They run Windows here, and only Windows there.", ["Windows", "Windows"]),
    ("See Section 2 and Figure 3 of Appendix B.", []),
    ("Splunk is a tool. Builder nodes are rented. A builder waits.", ["Splunk"]),
    ("北海支店は新しい倉庫を開いた。北海道支店は閉じた。", ["北海支店", "北海道支店"]),
    ("部品管理_登録は部品管理_削除と別の機能である。", ["部品管理_登録", "部品管理_削除"]),
    ("《红楼梦》是一部小说。", ["红楼梦"]),
    ("Москва и Анна Каренина были там.", ["Анна Каренина"]),
]


def found_in(text: str, kind: str = "text") -> list[str]:
    sentences = list(sentences_of(layout_of(Document("source:t", "T", text, kind))))
    seen = survey(sentences)
    return [name.text for sentence in sentences for name in names_of(sentence, seen)]


@pytest.mark.parametrize(("text", "names"), CASES)
def test_a_text_names_what_the_table_says(text: str, names: list[str]) -> None:
    assert found_in(text, "markdown") == names


def test_a_word_that_opens_a_sentence_is_a_name_when_it_has_its_capital_inside_one_too() -> None:
    assert found_in("Lantern answers queries. The team likes Lantern.") == ["Lantern", "Lantern"]


def test_a_capital_word_that_the_text_also_writes_small_is_no_name() -> None:
    assert found_in("Iterators are lazy. All iterators end.") == []


def test_an_acronym_is_tied_to_the_long_form_beside_it() -> None:
    sentences = list(sentences_of(layout_of(Document("source:t", "T", "The Bay Ferry Union (BFU) met."))))

    assert survey(sentences).short == {"BFU": "Bay Ferry Union"}


def test_terms_that_a_text_keeps_using_are_found_in_the_singular() -> None:
    text = (
        "The capacity plan is old. A capacity plan lists shards. Both capacity plans failed. The rule holds. "
        "It rained on incident 47. The report of incident 47 is short."
    )

    sentences = list(sentences_of(layout_of(Document("source:t", "T", text))))
    assert repeated_terms(sentences) == ("capacity plan", "incident 47")


@given(st.text(st.sampled_from("Aab. '\"_-()1é中あ[]`\n"), max_size=60) | st.text(max_size=60))
def test_names_lie_in_order_inside_their_sentence_and_apart(text: str) -> None:
    sentences = list(sentences_of(layout_of(Document("source:t", "T", text, "markdown"))))
    seen = survey(sentences)

    for sentence in sentences:
        at = sentence.start
        for name in names_of(sentence, seen):
            assert at <= name.start < name.end <= sentence.end
            assert name.text
            at = name.end
