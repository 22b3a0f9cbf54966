"""The tasks of a plan in the order of declaration; unknown needs and circles are refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from contextmesh.base.errors import InputError, Problem
from contextmesh.run.capped import capped
from contextmesh.run.task import Task


class Plan:
    """Tasks by name. Needs may name tasks declared later; ``check`` says when one never came."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tasks: dict[str, Task] = {}
        self.by_key: dict[str, Task] = {}
        self.needed_by: dict[str, list[str]] = {}
        self._layers: tuple[tuple[str, ...], ...] | None = ()

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks.values())

    def add(self, task: Task) -> None:
        task.order = len(self.tasks)
        self.tasks[task.name] = task
        self.by_key[task.key] = task
        for need in task.needs:
            self.needed_by.setdefault(need, []).append(task.name)
        self._layers = None

    def task(self, name: str) -> Task:
        """Raises InputError, ``unknown-task``, with the nearest name."""
        found = self.tasks.get(name) if isinstance(name, str) else None
        if found is None:
            raise InputError(unknown_task(self.name, name, self.tasks))
        return found

    def check(self) -> None:
        """Raises InputError, ``unknown-need`` or ``cycle``; every unknown need is told."""
        if self._layers is None:
            needs = {task.name: task.needs for task in self}
            problems = [problem for _, problem in unknown_needs(needs)]
            if problems:
                raise InputError(*capped(problems))
            self._layers = layers(needs)

    @property
    def layers(self) -> tuple[tuple[str, ...], ...]:
        """Tasks by the longest way to them; within a layer in the order of declaration.

        Raises:
            InputError: as ``check``.
        """
        self.check()
        assert self._layers is not None
        return self._layers

    def ordered(self, names: Iterable[str]) -> list[str]:
        """Distinct names in the order of declaration."""
        return sorted(dict.fromkeys(names), key=lambda name: self.tasks[name].order)


def layers(needs: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Kahn's order, a layer at a time; every need is a key.

    Raises:
        InputError: ``cycle``, showing one circle.
    """
    order = {name: number for number, name in enumerate(needs)}
    waits = {name: len(dict.fromkeys(before)) for name, before in needs.items()}
    after: dict[str, list[str]] = {name: [] for name in needs}
    for name, before in needs.items():
        for need in dict.fromkeys(before):
            after[need].append(name)
    layer = [name for name, count in waits.items() if count == 0]
    found: list[tuple[str, ...]] = []
    while layer:
        found.append(tuple(layer))
        following: dict[str, None] = {}
        for name in layer:
            for later in after[name]:
                waits[later] -= 1
                if waits[later] == 0:
                    following[later] = None
        layer = sorted(following, key=order.__getitem__)
    if sum(map(len, found)) < len(needs):
        raise InputError(cycle(needs, {name for name, count in waits.items() if count}))
    return tuple(found)


def cycle(needs: Mapping[str, Sequence[str]], stuck: set[str]) -> Problem:
    """One circle among tasks that wait for each other; each of them needs another of them."""
    name = next(name for name in needs if name in stuck)
    seen: dict[str, int] = {}
    while name not in seen:
        seen[name] = len(seen)
        name = next(need for need in needs[name] if need in stuck)
    circle = [*list(seen)[seen[name] :], name]
    shown = circle if len(circle) <= 9 else [*circle[:4], "…", *circle[-4:]]
    message = f"these tasks wait for each other: {' needs '.join(shown)}"
    return Problem("cycle", message, subject=name, hint="leave out one of these needs")


def unknown_needs(needs: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Problem]]:
    """Each need that names no task or the task itself, with the task."""
    for name, before in needs.items():
        for need in before:
            if need == name:
                yield name, Problem("cycle", f"{name} needs itself", subject=name, hint="leave out this need")
            elif need not in needs:
                near = get_close_matches(need, list(needs), n=1)
                hint = f"did you mean {near[0]}?" if near else "declare that task too"
                message = f"{name} needs {need}, which is no task of the plan"
                yield name, Problem("unknown-need", message, subject=name, fields=(("need", need),), hint=hint)


def unknown_task(plan: str, name: str, tasks: Mapping[str, object]) -> Problem:
    near = get_close_matches(str(name), list(tasks), n=1)
    hint = f"did you mean {near[0]}?" if near else None
    return Problem("unknown-task", f"the plan {plan} has no task {name}", subject=str(name), hint=hint)
