"""``python -m contextmesh`` is the command line."""

from contextmesh.cli.app import main

if __name__ == "__main__":
    raise SystemExit(main())
