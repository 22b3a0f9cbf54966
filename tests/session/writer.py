"""A process that writes to a session: so many observations, each committed; prints the id of each confirmed."""

from __future__ import annotations

import sys
from pathlib import Path

from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal


def main(directory: str, source: str, name: str, count: int, wait: float) -> None:
    mesh = Mesh.open(Path(directory))
    for number in range(count):
        node = mesh.submit_evidence(f"{name} saw wave {number}", source_id=source)
        try:
            mesh.checkpoint(wait=wait)
        except Refusal as refusal:
            print("refused", refusal.code, flush=True)
        else:
            print("stored", node.id, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
