"""Ready auditors. Each looks at one thing outside the graph and says ok, fail or disproved."""

from contextmesh.run.auditors.command import CommandStatus
from contextmesh.run.auditors.digest import FileDigest
from contextmesh.run.auditors.endpoint import JsonField
from contextmesh.run.auditors.feed import AdvisoryFeed

__all__ = ["AdvisoryFeed", "CommandStatus", "FileDigest", "JsonField"]
