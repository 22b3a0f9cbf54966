"""JSON values, well-formed: everything the formats can carry."""

from __future__ import annotations

from hypothesis import strategies as st

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)


def json_values(max_leaves: int = 12) -> st.SearchStrategy[object]:
    """Values of every kind, nested a little."""
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
        max_leaves=max_leaves,
    )
