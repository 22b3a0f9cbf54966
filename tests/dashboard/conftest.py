"""Lets the tests of this folder use the generated graphs of another."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "graph"))
