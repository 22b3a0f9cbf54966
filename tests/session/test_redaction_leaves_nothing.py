"""Whatever a source says, and wherever a session put its words, no byte of it is left after its redaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from contextmesh import session
from contextmesh.api import Mesh
from contextmesh.base.chain import verify
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver
from contextmesh.run import Runner, TaskRegistry
from contextmesh.session import SessionState
from contextmesh.session.keep import keeping
from contextmesh.session.redact import redact
from contextmesh.session.session import Session
from contextmesh.session.tombstones import TOMBSTONE
from contextmesh.store.model import Provenance
from contextmesh.store.records_stamp import VARIABLE

POLICY = Policy.load()
WORD = st.text("qxzvkjéñßЖ", min_size=4, max_size=8).filter(lambda word: sum(c in "qxzvkj" for c in word) > 2)
WORDS = st.lists(WORD, min_size=5, max_size=5, unique_by=lambda w: normalize("NFD", w).casefold()[:3])
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "decomposed": lambda text: normalize("NFD", text),
    "escaped": lambda text: json.dumps({"said": text}),
    "in JSON": lambda text: json.dumps({"said": text}, ensure_ascii=False),
}


def _registry(note: str) -> TaskRegistry:
    registry = TaskRegistry()
    registry.register_worker("sell.v1", lambda context: {"note": note, note: [note]})
    return registry


def _told_everywhere(home: Path, words: list[str], spelled: Callable[[str], str]) -> tuple[str, list[str]]:
    """A session that holds the words in every place there is; the source, and what it says."""
    one, two, three, four, five = words
    said = [f"The {one} crane flooded the North Quay with {two} oil.", f'{two} "{three}" owns\n{four} {five}.']
    graph, resolver = ContextGraph(), Resolver()
    attrs = {"origin": f"{three}.txt", "retrieved_at": "2024-05-01", "kind": f"a {one}", "fields": {four: [five]}}
    memo = graph.add_node("source", f"The {three} memo", attrs={**attrs, one: "x"})
    log = graph.add_node("source", "Harbour log", attrs={"origin": "log", "retrieved_at": "2024-01-01"})
    quay = graph.add_node("entity", "North Quay", attrs={"canonical": "North Quay", "aliases": [f"{one} quay", one]})
    thing = graph.add_node(
        "entity", f"{two} {three}", attrs={"canonical": two, "aliases": [four]}, embedding=[1.0, 0.0]
    )
    for text in said:
        claim = graph.add_node("claim", text, provenance=Provenance(memo.id, (0, 4)), attrs={"quote": text})
        graph.add_edge(claim.id, "derived_from", memo.id)
        graph.add_edge(claim.id, "mentions", thing.id)
    graph.add_edge(claim.id, "mentions", quay.id)
    note = {"note": spelled(said[0]), "copies": [spelled(said[1])]}
    other = graph.add_node(
        "claim", "The North Quay floods in spring.", provenance=Provenance(log.id, (0, 4)), attrs=note
    )
    graph.add_edge(other.id, "mentions", quay.id)
    graph.add_edge(other.id, "derived_from", log.id)
    ground = graph.assume(f"The {five} flowers in the dark of winter")
    with graph.batch("edit") as batch:
        batch.set_provenance(ground.id, Provenance(memo.id))
    graph.decide(f"{three} plan", rationale=f"{four} first", source=memo.id, depends_on=[ground.id])
    resolver.register(quay.id, quay.label, [f"{one} quay", one])
    resolver.register(thing.id, thing.label, [four])
    registry = _registry(spelled(said[1]))
    runner = Runner("sale", graph=graph, registry=registry)
    runner.task("sell", worker_key="sell.v1", assumes=ground.statement)
    runner.run()
    runner.task("sell again", worker_key="sell.v1", assumes=ground.statement)
    home.mkdir()
    with keeping(home, 4):
        Session(SessionState(graph, resolver), runner).save(home)
        mesh = Mesh.open(home)
        for question in (f'Who is "North Quay {one}"?', f'What is "{two} North-Quay"?', *said):
            mesh.ask(question)
        mesh.checkpoint()
        mesh.save()
        mesh.submit_evidence(f"{one} was seen", source_id=memo.id)
        mesh.ask(f"What does {four} own?")
        mesh.checkpoint()
    return memo.id, said


def _left(folders: tuple[Path, ...], words: list[str]) -> Iterator[tuple[str, str]]:
    forms = {
        json.dumps(form(case(word)), ensure_ascii=plain)[1:-1].encode(): word
        for word in words
        for case in (str, str.upper, str.lower, str.casefold, str.title)
        for form in (lambda text: normalize("NFC", text), lambda text: normalize("NFD", text))
        for plain in (False, True)
    }
    for path in (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()):
        held = path.name.encode() + path.read_bytes()
        yield from ((word, path.name) for form, word in forms.items() if form in held)


@settings(
    max_examples=6,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(words=WORDS, spelling=st.sampled_from(sorted(SPELLINGS)))
def test_no_byte_of_a_session_or_of_the_cache_holds_a_word_of_what_was_redacted(
    monkeypatch: pytest.MonkeyPatch, words: list[str], spelling: str
) -> None:
    with TemporaryDirectory() as place:
        home, cache = Path(place) / "s", Path(place) / "cache"
        monkeypatch.setenv(VARIABLE, str(cache))
        source, said = _told_everywhere(home, words, SPELLINGS[spelling])
        assert {word for word, _ in _left((home, cache), words)} == set(words)

        done = redact(home, POLICY, source, "asked by its author")

        assert list(_left((home, cache), words)) == []
        state = session.load(home)
        assert state.carried is not None
        entries = json.loads(state.carried.ledger)["entries"]
        links = [({k: v for k, v in entry.items() if k != "digest"}, entry["digest"]) for entry in entries]
        assert verify(links).reason is None
        assert done.head == state.carried.ledger_head == entries[-1]["digest"]
        assert Session.load(home, registry=_registry("x")).runner is not None, "the plan can go on"
        mesh = Mesh.of(state)
        mesh.submit_evidence("the quay is dry", source_id=done.source)
        mesh.save()
        assert list(_left((home, cache), words)) == []
        for sentence in said:
            answer = mesh.ask(sentence)
            assert answer.answer is None or answer.answer.label == "The North Quay floods in spring."
            assert TOMBSTONE not in [step.label for step in answer.path]
