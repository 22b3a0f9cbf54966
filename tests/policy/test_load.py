"""A policy is the shipped files with a user's laid over them; its digest is what they say, not how they look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextmesh.base.data import data_root
from contextmesh.base.errors import PolicyError, Refusal, RuleError
from contextmesh.base.source import render_refusal
from contextmesh.policy import Policy
from contextmesh.policy.contract import EDGE_TYPES, KINDS, OUTPUTS
from tests.laws.worlds import World, by_definition

GRAPH_MD = (data_root() / "GRAPH.md").read_text(encoding="utf-8")


def rules(name: str) -> str:
    return (data_root() / "rules" / name).read_text(encoding="utf-8")


def refusal_of(path: Path) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        Policy.load(path)
    return refusal.value


# ---- laying over --------------------------------------------------------------------------------


def test_the_shipped_policy_is_loaded_once() -> None:
    assert Policy.load() is Policy.load()


def test_every_rules_file_of_the_shipped_folder_is_in_force_and_no_alternative() -> None:
    names = [source.name for source in Policy.load().sources]
    folder = sorted(path.name for path in (data_root() / "rules").glob("*.dl"))
    assert names == ["GRAPH.md", *(f"rules/{name}" for name in folder)]


def test_a_file_of_the_same_name_replaces(tmp_path: Path) -> None:
    changed = rules("walk.dl").replace("price(cites,         80).", "price(cites, 81).")
    (tmp_path / "walk.dl").write_text(changed, encoding="utf-8")
    policy = Policy.load(tmp_path)
    rows = by_definition(policy.program, policy.facts)["walks"]
    assert ("cites", 81) in rows
    assert ("cites", 80) not in rows
    assert policy.digest != Policy.load().digest


def test_a_new_name_adds_and_the_folder_rules_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    text = 'output lonely(id).\n@mine "{X} is alone"\nlonely(X) :- signal(orphans, X).\n'
    (tmp_path / "rules" / "mine.dl").write_text(text, encoding="utf-8")
    assert "lonely" in Policy.load(tmp_path).program.declarations


def test_one_file_may_be_laid_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.dl"
    path.write_text("shielded(X) :- carries(X, frozen).\n", encoding="utf-8")
    assert Policy.load(str(path)).digest != Policy.load().digest


def test_a_user_rule_may_refuse_a_write(tmp_path: Path) -> None:
    text = '@house "{X} has no owner"\nviolation(no_owner, X) :- new_node(X, decision), not carries(X, owner).\n'
    (tmp_path / "owner.dl").write_text(text, encoding="utf-8")
    world = World()
    world.node("d", "decision")
    for field in ("rationale", "provenance"):
        world.say("carries", "d", field)
    world.say("new_node", "d", "decision")
    assert by_definition(Policy.load(tmp_path).program, world.facts)["violation"] == {("no_owner", "d")}


def test_a_type_added_to_graph_md_works_without_a_release(tmp_path: Path) -> None:
    text = GRAPH_MD.replace(
        "| Evidence   | `evidence`   |",
        "| Risk | `risk` | What may go wrong | `level` |\n| Evidence   | `evidence`   |",
    ).replace("| `cites`        |", "| `threatens` | risk→decision | forward | Endangers |\n| `cites`        |")
    (tmp_path / "GRAPH.md").write_text(text, encoding="utf-8")
    policy = Policy.load(tmp_path)
    assert "risk" in policy.ontology.kinds
    assert policy.ontology.direction("threatens") == "forward"
    world = World()
    world.facts.update({relation: list(rows) for relation, rows in policy.facts.items()})
    world.nodes("risk", "flood")
    world.nodes("decision", "build")
    world.nodes("claim", "said")
    world.edge("flood", "threatens", "build")
    world.edge("flood", "threatens", "said")
    for row in world.facts["edge"]:
        world.say("new_edge", *row)
    world.say("new_node", "flood", "risk")
    rows = by_definition(policy.program, world.facts)
    assert rows["violation"] == {("illegal_pair", "flood threatens said"), ("missing_field", "flood")}
    assert ("threatens", 100) in rows["walks"]


# ---- the digest ---------------------------------------------------------------------------------


def test_comments_layout_and_prose_do_not_change_the_digest(tmp_path: Path) -> None:
    walk = "% other words\n" + rules("walk.dl").replace("price(cites,         80).", "price( cites , 80 ) . % cheap")
    (tmp_path / "walk.dl").write_text(walk, encoding="utf-8")
    (tmp_path / "GRAPH.md").write_text(GRAPH_MD.replace("This file is the schema.", "So it is."), encoding="utf-8")
    assert Policy.load(tmp_path).digest == Policy.load().digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("decision→source, claim→claim ", "decision→source              "),
        ("| none         | Speaks of", "| forward      | Speaks of"),
        ("`canonical`, `aliases`", "`canonical`           "),
    ],
)
def test_every_cell_that_means_something_changes_the_digest(tmp_path: Path, old: str, new: str) -> None:
    assert old in GRAPH_MD
    (tmp_path / "GRAPH.md").write_text(GRAPH_MD.replace(old, new, 1), encoding="utf-8")
    assert Policy.load(tmp_path).digest != Policy.load().digest


# ---- the contract -------------------------------------------------------------------------------


def test_every_promised_output_is_declared_with_its_columns() -> None:
    declared = Policy.load().program.declarations
    for name, columns in OUTPUTS.items():
        assert (declared[name].kind, declared[name].columns) == ("output", columns)


def test_every_output_of_the_shipped_rules_is_promised() -> None:
    assert {d.name for d in Policy.load().program.declarations.values() if d.kind == "output"} == set(OUTPUTS)


def test_the_types_that_are_written_by_name_are_declared() -> None:
    ontology = Policy.load().ontology
    assert set(KINDS) <= set(ontology.kinds)
    assert set(EDGE_TYPES) <= set(ontology.edge_types)


CONTRACT: dict[str, tuple[str, Callable[[str], str], str]] = {
    "an output is gone": ("time.dl", lambda text: text.replace("output   known(", "relation known("), "changed-output"),
    "a file is emptied": ("walk.dl", lambda text: "", "unknown-relation"),
    "columns changed": ("walk.dl", lambda text: text.replace("answers(kind)", "answers(what)"), "changed-output"),
    "an input is gone": ("schema.dl", lambda text: text.replace("input now(build).", ""), "unknown-relation"),
    "an input nobody reads is gone": (
        "schema.dl",
        lambda text: text.replace("input walked(id).", "relation walked(id)."),
        "changed-input",
    ),
}


@pytest.mark.parametrize("case", CONTRACT)
def test_rules_that_lack_what_is_read_or_filled_from_outside_are_refused(tmp_path: Path, case: str) -> None:
    name, edit, code = CONTRACT[case]
    (tmp_path / name).write_text(edit(rules(name)), encoding="utf-8")
    assert code in {problem.code for problem in refusal_of(tmp_path).problems}


def test_a_missing_output_says_how_to_declare_it(tmp_path: Path) -> None:
    (tmp_path / "schedule.dl").write_text("", encoding="utf-8")
    problems = refusal_of(tmp_path).problems
    assert "missing-output" in {problem.code for problem in problems}
    assert "declare it: output blocked(task, reason)." in {problem.hint for problem in problems}
    assert "declare it: input planned(task, assumption, turn)." in {problem.hint for problem in problems}


def test_a_derived_input_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.dl").write_text("edge(X, X, cites, X) :- node(X, claim).\n", encoding="utf-8")
    assert refusal_of(tmp_path).code == "input-derived"


def test_problems_of_all_rules_files_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "a.dl").write_text("p(X :- q(X).\n", encoding="utf-8")
    (tmp_path / "b.dl").write_text("r(X) q.\n", encoding="utf-8")
    refusal = refusal_of(tmp_path)
    assert isinstance(refusal, RuleError)
    assert [problem.where.file for problem in refusal.problems if problem.where] == [
        str(tmp_path / "a.dl"),
        str(tmp_path / "b.dl"),
    ]


# ---- files that cannot be read ------------------------------------------------------------------


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "nothing there": (lambda folder: folder.rmdir(), "missing-file"),
    "an empty folder": (lambda folder: None, "empty-policy"),
    "bytes that are no text": (lambda folder: write(folder / "a.dl", b"\xff\xfe\x00"), "not-utf-8"),
    "a graph that is no text": (lambda folder: write(folder / "GRAPH.md", b"## \xff"), "not-utf-8"),
    "a byte order mark": (lambda folder: write(folder / "a.dl", "\ufeff% x\n".encode()), "byte-order-mark"),
    "a graph with a byte order mark": (
        lambda folder: write(folder / "GRAPH.md", ("\ufeff" + GRAPH_MD).encode()),
        "byte-order-mark",
    ),
    "a tab": (lambda folder: write(folder / "a.dl", b"shielded(X) :-\tnode(X, _).\n"), "tab"),
    "a control character": (lambda folder: write(folder / "a.dl", b"shielded(X)\x00"), "bad-character"),
    "a long file": (lambda folder: write(folder / "a.dl", b"%" * (5 << 20)), "too-large"),
    "a long graph": (lambda folder: write(folder / "GRAPH.md", b"x" * (5 << 20)), "too-large"),
    "a folder called like a file": (lambda folder: (folder / "a.dl").mkdir(), "not-a-file"),
    "a graph that is a folder": (lambda folder: (folder / "GRAPH.md").mkdir(), "not-a-file"),
    "a link that leads nowhere": (lambda folder: (folder / "a.dl").symlink_to(folder / "b.dl"), "missing-file"),
    "one name twice": (
        lambda folder: (write(folder / "a.dl", b""), write(folder / "rules" / "a.dl", b""))[0],
        "file-twice",
    ),
    "a grammar": (
        lambda folder: (write(folder / "a.dl", b""), write(folder / "grammar" / "rules.lark", b""))[0],
        "grammar-not-overridable",
    ),
    "too many files": (lambda folder: [write(folder / f"{n}.dl", b"") for n in range(501)].clear(), "too-many-files"),
    "an empty graph": (lambda folder: write(folder / "GRAPH.md", b""), "missing-table"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_folder_that_does_not_make_a_policy_is_refused_by_code(tmp_path: Path, case: str) -> None:
    make, code = FILES[case]
    folder = tmp_path / "mine"
    folder.mkdir()
    make(folder)
    assert refusal_of(folder).code == code


def test_what_is_no_rules_file_is_no_policy(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("shielded(X) :- node(X, _).", encoding="utf-8")
    assert refusal_of(path).code == "missing-file"


def test_a_tab_is_shown_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.dl"
    path.write_text("% one\n\tshielded(X) :- node(X, _).\n", encoding="utf-8")
    refusal = refusal_of(path)
    assert isinstance(refusal, PolicyError)
    assert render_refusal(refusal).splitlines()[0] == f"{path}:2:1: error[tab]: a tab stands in a rules file"


def test_other_files_of_the_folder_mean_nothing(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# mine", encoding="utf-8")
    (tmp_path / "a.dl").write_text("", encoding="utf-8")
    assert len(Policy.load(tmp_path).sources) == len(Policy.load().sources) + 1
