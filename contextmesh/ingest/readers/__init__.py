"""One file a kind of input: bytes are text by now; each finds the running words and where they stand."""
