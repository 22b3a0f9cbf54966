"""A directory that holds a mesh."""
