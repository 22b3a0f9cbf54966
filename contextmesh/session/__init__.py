"""A directory that a session survives in: whole generations, one writer, strict reading."""

from contextmesh.session.commit import Saved, save
from contextmesh.session.load import load
from contextmesh.session.manifest import Manifest, WalkerSettings
from contextmesh.session.state import Carried, Home, SessionState

__all__ = ["Carried", "Home", "Manifest", "Saved", "SessionState", "WalkerSettings", "load", "save"]
