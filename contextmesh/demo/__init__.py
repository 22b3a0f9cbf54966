"""The bundled corpus and its questions."""
