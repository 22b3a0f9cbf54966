"""A directory that a session survives in: whole generations and a journal, one writer, strict reading."""

from contextmesh.session.catch_up import refresh
from contextmesh.session.checkpoint import Acknowledged, checkpoint
from contextmesh.session.commit import Saved, save
from contextmesh.session.load import load
from contextmesh.session.manifest import Manifest, WalkerSettings
from contextmesh.session.state import Carried, Home, SessionState

__all__ = [
    "Acknowledged",
    "Carried",
    "Home",
    "Manifest",
    "Saved",
    "SessionState",
    "WalkerSettings",
    "checkpoint",
    "load",
    "refresh",
    "save",
]
