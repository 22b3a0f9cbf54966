"""What tests of the store start from."""

from __future__ import annotations

import pytest

from contextmesh.graph.graph import ContextGraph


@pytest.fixture
def graph() -> ContextGraph:
    """An empty graph under the shipped policy."""
    return ContextGraph()
