"""From documents to answers: names that must stay one, names that must stay apart, and nothing that falls by chance."""

from __future__ import annotations

import json

from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import Document
from contextmesh.ingest.pipeline import ingest
from contextmesh.resolve.resolver import Resolver
from contextmesh.walk.answer import Answer
from contextmesh.walk.ask import ask
from contextmesh.walk.index import WordIndex

OFFICE = (
    "QRSB presented a budget of nine million to the council.",
    "QRSB moved into the old customs building in March.",
    "QRSB counted the votes of the harbour district twice.",
    "QRSB closed its counters because of the strike.",
    "QRSB hired four clerks for the archive.",
)


class Desk:
    """A graph that reads texts and is asked."""

    def __init__(self) -> None:
        self.graph, self.resolver = ContextGraph(), Resolver()
        self.index = WordIndex(self.graph)

    def read(self, name: str, text: str) -> None:
        ingest(self.graph, self.resolver, [Document(name, f"Note {name}", text)])

    def ask(self, question: str) -> Answer:
        return ask(self.graph, self.resolver, self.index, question)

    def reloaded(self) -> Desk:
        """The desk after its files were written and read again."""
        other = Desk()
        other.graph = ContextGraph.from_json(json.loads(json.dumps(self.graph.to_json())))
        other.resolver = Resolver.from_json(json.loads(json.dumps(self.resolver.to_json())))
        other.index = WordIndex(other.graph)
        return other

    def entities(self, label: str) -> list[str]:
        return [node.id for node in self.graph.live_nodes("entity") if node.label == label]

    def claims_about(self, entity: str) -> int:
        edges = self.graph.edges_to(entity, "mentions")
        return sum(self.graph.node(edge.src).type == "claim" for edge in edges)


def test_an_exact_name_is_one_thing_whatever_is_said_of_it_and_after_a_reload() -> None:
    desk = Desk()
    for number, sentence in enumerate(OFFICE[:4]):
        desk.read(f"s{number}", sentence)
    (office,) = desk.entities("QRSB")
    assert desk.claims_about(office) == 4

    later = desk.reloaded()
    later.read("s4", OFFICE[4])
    assert later.entities("QRSB") == [office]
    assert later.claims_about(office) == 5
    answer = later.ask("Why did QRSB close its counters?")
    assert answer.answer is not None
    assert answer.answer.label == OFFICE[3]


def test_names_in_other_scripts_stay_four_things_and_are_asked_apart() -> None:
    desk = Desk()
    labels = ("部品管理_登録", "部品管理_削除", "北海支店", "北海道支店")
    sentences = ("部品管理_登録は部品を台帳に加える。", "部品管理_削除は部品を台帳から消す。",
                 "北海支店は港の倉庫を管理する。", "北海道支店は空港の倉庫を管理する。")  # fmt: skip
    for label, sentence in zip(labels, sentences, strict=True):
        node = desk.graph.add_node("entity", label, attrs={"canonical": label, "aliases": []})
        desk.resolver.register(node.id, label)
        desk.read(f"note-{label}", sentence)
    ids = [desk.entities(label) for label in labels]
    assert [len(found) for found in ids] == [1, 1, 1, 1]
    assert len({found[0] for found in ids}) == 4
    for label, sentence in zip(labels, sentences, strict=True):
        answer = desk.ask(f"{label} は何をしますか")
        assert answer.answer is not None, label
        assert answer.answer.label == sentence


def test_a_later_sentence_about_the_same_names_contradicts_nothing() -> None:
    desk = Desk()
    desk.read("s1", "Otter is site manager at Kelpworks.")
    before = {node.id for node in desk.graph.live_nodes()}
    desk.read("s2", "Otter set a new audit rule for Kelpworks's repository account.")
    assert before <= {node.id for node in desk.graph.live_nodes()}
    assert desk.graph.query("signal(open_contradictions, X)").rows == []
    assert desk.graph.query("invalid(X)").rows == []
    answer = desk.ask("What is Otter's role?")
    assert answer.answer is not None
    assert answer.answer.label == "Otter is site manager at Kelpworks."
    assert answer.conflicts == ()
