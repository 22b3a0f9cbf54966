"""What GRAPH.md and rules/ say, as one value."""
