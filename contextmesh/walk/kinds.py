"""Node types that a walk knows by name: those whose words are a name, not something said."""

from __future__ import annotations

SOURCE = "source"
ENTITY = "entity"
WORDLESS = (SOURCE, ENTITY)
