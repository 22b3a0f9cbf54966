"""YAML from strangers: text, lists and mappings, no deeper than a file may nest; nothing else is ever constructed.

PyYAML's scanner takes time for each level that is open, at every sign, so that a deep text of some kilobytes takes
minutes; a text that is refused at its first level too many takes none of that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from contextmesh.base.canon import DEPTH
from contextmesh.base.errors import InputError, Problem, Where


def yaml_tree(text: str, file: str) -> Any:
    """The marked nodes of the first document of a text; None when it is empty.

    Raises:
        InputError: ``bad-yaml``, ``yaml-too-big``: deeper than ``DEPTH``; with the line.
    """
    return _made(text, file, lambda loader: loader.get_node() if loader.check_node() else None)


def yaml_value(text: str, file: str) -> Any:
    """The one document of a text; every scalar is text. A version 1.10 must not become the number 1.1.

    Raises:
        InputError: as ``yaml_tree``.
    """
    return _made(text, file, lambda loader: loader.get_single_data())


def _made(text: str, file: str, make: Callable[[Any], Any]) -> Any:
    import yaml

    loader = None
    try:
        loader = _loader()(text)
        loader.file = file
        return make(loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        words = getattr(error, "problem", None) or str(error).split("\n")[0]
        line = None if mark is None else mark.line + 1
        place = "" if line is None else f" at line {line}"
        where = Where(file, line)
        raise InputError(Problem("bad-yaml", f"not YAML{place}: {words}", subject=file, where=where)) from None
    finally:
        if loader is not None:
            loader.dispose()


@cache
def _loader() -> Any:
    import yaml

    class Shallow(yaml.BaseLoader):
        depth, file = 0, ""

        def compose_node(self, parent: Any, index: Any) -> Any:
            here: Any = self
            mark = here.peek_event().start_mark
            if self.depth > DEPTH:
                message = f"the YAML is nested deeper than {DEPTH}"
                where = Where(self.file, mark.line + 1, mark.column + 1)
                raise InputError(Problem("yaml-too-big", message, subject=self.file, where=where))
            self.depth += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

        def compose_scalar_node(self, anchor: Any) -> Any:
            node: Any = super().compose_scalar_node(anchor)
            try:
                node.value.encode("utf-8")
            except UnicodeEncodeError:
                raise yaml.MarkedYAMLError(None, None, "half of a surrogate pair", node.start_mark) from None
            return node

    return Shallow
