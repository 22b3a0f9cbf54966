"""A question to a path, or to one of four dead ends."""
