"""Puts this folder on the path, so that tests of one folder can use the generators and evaluators of another."""

from __future__ import annotations

import os

os.environ["CONTEXTMESH_CACHE"] = ""  # nothing is remembered from one test to another, nor left in anybody's home
