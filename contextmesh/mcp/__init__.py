"""A mesh as the memory of an agent: reads, controlled writes and resources over the Model Context Protocol."""

from contextmesh.mcp.launch import main

__all__ = ["main"]
