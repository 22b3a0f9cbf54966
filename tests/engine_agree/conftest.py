"""pyDatalog is first imported through our door: Python's warnings about its source, told once, are no errors here."""

import contextmesh.store.logic  # noqa: F401
