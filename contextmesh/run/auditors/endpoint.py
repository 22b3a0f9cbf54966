"""Auditor: does a field of a JSON document on the net still say what was relied on?"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from contextmesh.base.canon import canonical
from contextmesh.base.errors import InputError, Problem
from contextmesh.base.fields import path_text
from contextmesh.base.strict import parse
from contextmesh.run.verdict import AuditContext, Verdict

SIZE = 4 * 1024 * 1024
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class JsonField:
    """Disproves a ground such as "the quota of the service is 500".

    Attributes:
        url: http or https; redirections are not followed.
        path: keys and indexes from the document to the field.
        expect: the JSON value that was relied on.
        seconds: to wait for each answer of the network.
    """

    url: str
    path: Sequence[str | int]
    expect: Any
    seconds: float = 10.0

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https"):
            message = f"an endpoint is asked over http or https, and {self.url} is neither"
            raise InputError(Problem("bad-url", message, subject=self.url))
        canonical(self.expect)

    def __call__(self, context: AuditContext) -> Verdict:
        """Raises InputError: ``unreachable``, or a document that is no JSON; neither says anything about the ground."""
        value = parse(self._fetch(), self.url, limit=SIZE).value
        at = path_text(tuple(self.path))
        for step in self.path:
            inside = isinstance(value, dict) and step in value
            if isinstance(value, list) and isinstance(step, int) and not isinstance(step, bool):
                inside = -len(value) <= step < len(value)
            if not inside:
                return context.disproved(f"{self.url} has no {at}")
            value = value[step]
        found, wanted = canonical(value), canonical(self.expect)
        if found != wanted:
            return context.disproved(f"{at} of {self.url} is {found[:_SHOWN]}, and was {wanted[:_SHOWN]}")
        return context.ok(f"{at} of {self.url} is {found[:_SHOWN]}")

    def _fetch(self) -> bytes:
        request = urllib.request.Request(self.url, headers={"Accept": "application/json"})  # noqa: S310  # checked above
        try:
            with urllib.request.build_opener(_Straight()).open(request, timeout=self.seconds) as answer:
                data: bytes = answer.read(SIZE + 1)
                return data
        except urllib.error.HTTPError as error:
            with error:  # it is the answer, too, and holds its connection
                message = f"{self.url} answers with status {error.code}"
            raise InputError(Problem("unreachable", message, subject=self.url)) from None
        except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
            message = f"{self.url} gives no answer: {error}"
            raise InputError(Problem("unreachable", message, subject=self.url)) from None


class _Straight(urllib.request.HTTPRedirectHandler):
    """A redirection is an answer of another place, which nobody relied on."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None
