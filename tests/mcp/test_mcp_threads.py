"""Many threads read, ask and write one served mesh, while another process commits: nothing is torn, nothing lost."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served_places import DECISION, SOURCE, TIDE, Workshop, harbour, planned, served

from contextmesh.api import Mesh
from contextmesh.mcp import resources
from contextmesh.mcp.calls import call
from contextmesh.mcp.served import Served

QUESTION = {"question": "Which ferry sails at noon?"}
PATIENCE = 120.0


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(*acts: Callable[[], object]) -> None:
    """Each in a thread of its own; what one raises is raised here."""
    wrong: list[BaseException] = []

    def run(act: Callable[[], object]) -> None:
        try:
            act()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    if wrong:
        raise wrong[0]


def submit(here: Served, number: int) -> dict[str, Any]:
    return call(here, "mesh_submit_evidence", {"text": f"Fog {number}", "source_id": SOURCE})


def looked(here: Served, times: int) -> None:
    """Reads of every kind; what is there once does not go again, and one answer is of one state."""
    seen = 0
    for _ in range(times):
        found = call(here, "mesh_query", {"query": "node(X, evidence)", "limit": 200})
        assert len(found["rows"]) == found["row_count"] >= seen
        seen = found["row_count"]
        session = resources.read(here, "contextmesh://session")
        assert session["nodes"]["total"] >= seen
        node = call(here, "mesh_get_node", {"id": SOURCE})
        assert node["in_count"] >= 2
        fallen = call(here, "mesh_blast_radius", {"assumption": TIDE})
        assert [one["id"] for one in fallen["invalidated"]] == ["assumption:tide", DECISION]
        assert call(here, "mesh_health", {})["status"] in ("ok", "warn", "error")
        assert call(here, "mesh_why", {"fact": f"live('{DECISION}')"})["holds"]


def test_reads_beside_writes_here_and_elsewhere_see_whole_states_and_no_walk_is_lost(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    here = served(place, wait=PATIENCE)
    asks, commits = 12, 8
    start = call(here, "mesh_ask", QUESTION)["path"][0]["id"]

    def asked() -> None:
        for _ in range(asks):
            assert call(here, "mesh_ask", QUESTION)["answer"]["id"] == DECISION

    def written() -> None:
        assert all(submit(here, number)["new"] for number in range(commits))

    def elsewhere() -> None:
        other = Mesh.open(place)
        for number in range(commits):
            other.submit_evidence(f"Rain {number}", source_id=SOURCE)
            other.checkpoint(wait=PATIENCE)

    at_once(asked, asked, asked, written, elsewhere, lambda: looked(here, 8), lambda: looked(here, 8))
    here.close()

    there = Mesh.open(place)
    assert len([n for n in there.graph.store.nodes.values() if n.type == "evidence"]) == 1 + 2 * commits
    assert there.graph.store.walks[start] == 1 + 3 * asks
    assert here.read(lambda mesh: mesh.graph.to_json()) == there.graph.to_json()


def test_who_waited_for_a_mesh_that_was_exchanged_meanwhile_asks_the_one_that_is_served(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    here = served(place)
    before = here.read(lambda mesh: mesh)
    held = here._current()
    waits = threading.Event()

    class Slow:
        """Lets the lock of the old mesh go to nobody until another mesh is served."""

        def __enter__(self) -> None:
            if not waits.is_set():
                waits.set()
                other = Mesh.open(place)
                other.submit_evidence("Rain", source_id=SOURCE)
                other.checkpoint()
                here.read(lambda mesh: None)
            lock.acquire()

        def __exit__(self, *_: object) -> None:
            lock.release()

    lock = held.lock
    held.lock = Slow()  # type: ignore[assignment]

    found = call(here, "mesh_query", {"query": "node(X, evidence)"})

    assert waits.is_set() and here.read(lambda mesh: mesh) is not before
    assert found["row_count"] == 2


def test_reads_beside_a_round_of_a_plan_see_it_whole_or_not_at_all(tmp_path: Path) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)
    shop.rotten.append("hull")
    over = threading.Event()
    seen: dict[tuple[int, str], None] = {}

    def looks() -> None:
        while not over.is_set():
            session = here.read(lambda mesh: (mesh.graph.store.engine.count("invalid"), str(mesh.health().status)))
            seen[session] = None

    def rounds() -> None:
        try:
            call(here, "mesh_recheck", {})
        finally:
            over.set()

    at_once(looks, looks, rounds)
    looks_after = here.read(lambda mesh: mesh.graph.store.engine.count("invalid"))

    assert looks_after > 0
    assert {count for count, _ in seen} <= {0, looks_after}
