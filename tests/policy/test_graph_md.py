"""GRAPH.md is read as Markdown that people write: what is no table of types is prose."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.errors import PolicyError
from contextmesh.base.source import Source
from contextmesh.lang.graphmd import Document, parse_graph_md
from contextmesh.policy import Policy
from contextmesh.policy.ontology import DIRECTIONS, EdgeType, NodeType, Ontology
from contextmesh.policy.read import read_ontology
from contextmesh.policy.schema import ontology_facts
from tests.laws.worlds import patient

SMALL = """\
## Node types

| Type | Symbol | Must carry |
|:-----|:------:|-----------:|
| Note | `note` | `kind`     |
| Tag  | tag    |            |

## Edge types

| Edge   | Legal pairs          | Invalidation |
|--------|----------------------|--------------|
| `on`   | note→tag, tag -> tag | Backward     |
| `like` | `note→note`          | none         |
"""
ONTOLOGY = Ontology(
    (NodeType("note", ("kind",)), NodeType("tag", ())),
    (
        EdgeType("on", (("note", "tag"), ("tag", "tag")), "backward"),
        EdgeType("like", (("note", "note"),), "none"),
    ),
)


def document(text: str) -> Document:
    return parse_graph_md(Source("GRAPH.md", text))


def read(text: str) -> Ontology:
    return read_ontology(document(text))


def test_a_small_file_is_its_tables() -> None:
    assert read(SMALL) == ONTOLOGY


def test_windows_line_ends_mean_nothing() -> None:
    assert read(SMALL.replace("\n", "\r\n")) == ONTOLOGY


def test_a_last_line_without_its_end_is_a_line() -> None:
    assert read(SMALL.rstrip("\n")) == ONTOLOGY


def test_heading_case_and_closing_marks_mean_nothing() -> None:
    assert read(SMALL.replace("## Node types", "##  NODE TYPES ##")) == ONTOLOGY


def test_back_ticks_are_optional_everywhere() -> None:
    assert read(SMALL.replace("`", "")) == ONTOLOGY


def test_columns_may_stand_in_any_order_beside_others() -> None:
    text = SMALL.replace("| Type | Symbol | Must carry |", "| Type | Must carry | Symbol | Means |")
    text = text.replace("| Note | `note` | `kind`     |", "| Note | `kind` | `note` | a \\| b |")
    text = text.replace("| Tag  | tag    |            |", "| Tag | | tag |")
    assert read(text) == ONTOLOGY


def test_an_escaped_pipe_is_a_pipe_in_the_cell() -> None:
    table = document("## T\n| A |\n|---|\n| x \\| y |\n").named("T")[0].tables[0]
    assert table.rows[0].cells[0].text == "x | y"


def test_prose_fences_comments_and_other_tables_are_passed_over() -> None:
    noise = """
Some | prose | with pipes.

```
## Node types
| Type | Symbol | Must carry |
| Fake | wrong  |            |
```

<!--
## Edge types
| Edge | Legal pairs |
-->

| Other | Table |
|-------|-------|
| of    | ours  |

### A smaller heading

"""
    nodes, edges = SMALL.split("## Edge types\n")
    nodes = nodes.replace("## Node types\n", "## Node types\n" + noise)
    rules = "\n## Rules\n\n| Rule | Text |\n| 1 | x |\n"
    text = noise + nodes + "## Edge types\n" + noise + edges + rules
    assert read(text) == ONTOLOGY


def test_the_rows_of_a_section_may_stand_in_two_tables() -> None:
    head = "\nMore of them:\n\n| Type | Symbol | Must carry |\n|---|---|---|\n"
    assert read(SMALL.replace("| Tag  |", head + "| Tag  |")) == ONTOLOGY


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert read(SMALL + "\n```\n## Node types\n| Type | Symbol |\n") == ONTOLOGY


def test_each_cell_keeps_its_line_and_column() -> None:
    cell = document(SMALL).named("edge types")[0].tables[0].rows[0].cells[1]
    assert (cell.where.line, cell.where.column, cell.where.width) == (12, 12, len("note→tag, tag -> tag"))


def test_a_direction_of_none_makes_no_fact() -> None:
    facts = ontology_facts(read(SMALL))
    assert facts == {
        "node_type": (("note",), ("tag",)),
        "must_carry": (("note", "kind"),),
        "edge_type": (("on",), ("like",)),
        "legal": (("on", "note", "tag"), ("on", "tag", "tag"), ("like", "note", "note")),
        "propagates": (("on", "backward"),),
    }


def test_the_shipped_tables_are_those_of_the_format() -> None:
    ontology = Policy.load().ontology
    assert ontology.kinds == ("entity", "claim", "source", "decision", "assumption", "evidence")
    assert {kind: ontology.must_carry(kind) for kind in ontology.kinds} == {
        "entity": ("canonical", "aliases"),
        "claim": ("provenance",),
        "source": ("origin", "retrieved_at"),
        "decision": ("rationale", "provenance"),
        "assumption": ("status", "version"),
        "evidence": ("kind",),
    }
    pairs = {
        "mentions": "source→entity claim→entity",
        "derived_from": "claim→source decision→claim entity→source",
        "cites": "decision→source claim→claim",
        "contradicts": "claim→claim evidence→claim evidence→assumption",
        "supports": "evidence→claim claim→decision evidence→decision",
        "depends_on": "decision→assumption decision→decision claim→assumption",
        "produces": "decision→entity decision→source",
        "supersedes": "decision→decision assumption→assumption claim→claim",
        "justified_by": "decision→evidence claim→evidence assumption→evidence",
        "resolves_to": "entity→entity",
    }
    assert {
        edge: " ".join(f"{src}→{dst}" for src, dst in ontology.legal_pairs(edge)) for edge in ontology.edge_types
    } == pairs
    directions = {edge: ontology.direction(edge) for edge in ontology.edge_types if ontology.direction(edge) != "none"}
    assert directions == {"derived_from": "backward", "depends_on": "backward", "produces": "forward"}
    assert sum(len(rows) for rows in Policy.load().facts.values()) == 54


def test_a_name_nobody_declared_has_nothing() -> None:
    assert ONTOLOGY.legal_pairs("x") == () == ONTOLOGY.must_carry("x")
    assert ONTOLOGY.direction("x") == "none"
    assert not ONTOLOGY.is_legal("on", "note", "note")


# ---- any text, and any ontology -----------------------------------------------------------------

lines = st.lists(
    st.one_of(
        st.sampled_from(
            [*SMALL.split("\n"), "```", "~~~", "<!--", "-->", "| a | b", "||", "| |", "|", "\\|", "| x \\|"]
        ),
        st.text(alphabet="|#-`\\ab →\r\t ", max_size=12),
    ),
    max_size=14,
)
words = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)


@patient
@given(lines)
def test_any_text_is_an_ontology_or_a_refusal(text: list[str]) -> None:
    try:
        read("\n".join(text))
    except PolicyError as refusal:
        for problem in refusal.problems:
            assert problem.where is not None


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    kinds = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    pairs = st.lists(st.tuples(st.sampled_from(kinds), st.sampled_from(kinds)), min_size=1, max_size=3, unique=True)
    nodes = [NodeType(kind, tuple(draw(st.lists(words, max_size=2, unique=True)))) for kind in kinds]
    edges = [
        EdgeType(name, tuple(draw(pairs)), draw(st.sampled_from(DIRECTIONS)))
        for name in draw(st.lists(words, min_size=1, max_size=4, unique=True))
    ]
    return Ontology(tuple(nodes), tuple(edges))


def written(ontology: Ontology) -> str:
    nodes = [f"| {n.name.upper()} | `{n.name}` | {', '.join(n.must_carry)} |" for n in ontology.nodes]
    edges = [
        f"| {e.name} | {', '.join(f'{src}→{dst}' for src, dst in e.pairs)} | {e.direction} |" for e in ontology.edges
    ]
    head = ["## Node types", "| Type | Symbol | Must carry |", "|---|---|---|"]
    middle = ["", "## Edge types", "| Edge | Legal pairs | Invalidation |", "|---|---|---|"]
    return "\n".join([*head, *nodes, *middle, *edges])


@patient
@given(ontologies())
def test_a_written_ontology_reads_back(ontology: Ontology) -> None:
    assert read(written(ontology)) == ontology
