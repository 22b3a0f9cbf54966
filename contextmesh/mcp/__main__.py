"""``python -m contextmesh.mcp`` is ``contextmesh-mcp``."""

from contextmesh.mcp.launch import main

raise SystemExit(main())
