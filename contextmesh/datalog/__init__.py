"""The rule engine: a checked program over rows of text and whole numbers. Knows no graph, no file."""
