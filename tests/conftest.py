"""Puts this folder on the path, so that tests of one folder can use the generators and evaluators of another."""

from __future__ import annotations

import os
import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background of a shell, which processes inherit
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["CONTEXTMESH_CACHE"] = ""  # nothing is remembered from one test to another, nor left in anybody's home
