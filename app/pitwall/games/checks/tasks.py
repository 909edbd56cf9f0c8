"""The conformance checker's part for tasks, and for the true state that judges them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pitwall.core.errors import Fault, nearest
from pitwall.games.checks.actions import PartChecker
from pitwall.games.schema.profile import Task, Truth

_PLACES = ("data", "folder")
_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_TABLES = ("game_state", "metrics", "raw")
_SINGLE = (
    "status",
    "seed",
    "game_time_ms",
    "timestamp_ms",
    "terminal.is_terminal",
    "terminal.outcome",
    "terminal.reason",
)
_TAKES = {"file": (), "log": ("file", "patterns"), "output": ("patterns",), "fields": ("fields",)}
"""Keys of [truth] that each kind reads, all required."""


class TaskChecker(PartChecker):
    """Checks [truth] and [[tasks]]."""

    def faults(self) -> Iterator[Fault]:
        truth = self._profile.truth
        if truth is not None:
            yield from self._truth(truth)
        for role in self._profile.roles:
            if role.score:
                yield from self._provided(f"roles.{role.name}.score", role.score)
        for task in self._profile.tasks:
            yield from self._task(f"tasks.{task.id}", task)

    # ---- the true state

    def _truth(self, truth: Truth) -> Iterator[Fault]:
        takes = _TAKES[truth.kind]
        for name in ("file", "patterns", "fields"):
            if getattr(truth, name) and name not in takes:
                yield self._fault(f"truth.{name}", f"is not read by kind {truth.kind!r}", "no such key")
            elif name in takes and not getattr(truth, name):
                yield self._fault(f"truth.{name}", "is missing", f"what kind {truth.kind!r} reads")
        for name in _PLACEHOLDER.findall(truth.file):
            if name not in _PLACES:
                problem = f"{{{name}}} is no placeholder"
                yield self._fault("truth.file", problem, "{data}, {folder}", nearest(name, _PLACES))
        if truth.kind == "output" and self._profile.launch is None and "launch" not in self._dropped:
            yield self._fault("truth.kind", "nothing prints: the game has no [launch]", "a [launch] table")
        yield from self._patterns(truth)
        for path, name in truth.fields.items():
            yield from self._rooted(f"truth.fields.{path}", path)
            known = frozenset(field.name for field in self._profile.fields) | self._dropped
            if name not in known:
                yield self._blame.unknown(f"truth.fields.{path}", name, "field", known)
        yield from self._provided("truth.score", truth.score)

    def _patterns(self, truth: Truth) -> Iterator[Fault]:
        for path, pattern in truth.patterns.items():
            key = f"truth.patterns.{path}"
            yield from self._rooted(key, path)
            faults = list(self._blame.no_pattern(key, pattern))
            yield from faults
            if not faults and (groups := re.compile(pattern).groups) != 1:
                yield self._fault(key, f"has {groups} groups", "one group, which is the value")

    def _rooted(self, key: str, path: str) -> Iterator[Fault]:
        """Check that a dotted path leads into the state contract."""
        root, _, rest = path.partition(".")
        if path in _SINGLE or (root in _TABLES and rest and ".." not in path and not rest.endswith(".")):
            return
        options = [*_SINGLE, *(f"{table}.NAME" for table in _TABLES)]
        near = nearest(path, _SINGLE) or next((f"{table}.{rest}" for table in _near_table(root) if rest), "")
        yield self._fault(key, f"{path!r} is no place of the true state", ", ".join(options), near)

    def _provided(self, key: str, path: str) -> Iterator[Fault]:
        """Check that the game's truth provides the value of a path."""
        truth = self._profile.truth
        if truth is None:
            return
        if truth.kind == "file":
            yield from self._rooted(key, path)
            return
        paths = truth.fields if truth.kind == "fields" else truth.patterns
        if path not in paths:
            table = "truth.fields" if truth.kind == "fields" else "truth.patterns"
            yield self._fault(
                key, f"{path!r} is provided nowhere", f"a path of [{table}]", nearest(path, paths)
            )

    # ---- tasks

    def _task(self, key: str, task: Task) -> Iterator[Fault]:
        if task.start != "first" and task.target <= task.start:
            yield self._fault(f"{key}.target", f"found {task.target:g}", f"more than start ({task.start:g})")
        if self._profile.truth is None and "truth" not in self._dropped:
            yield self._fault(key, "cannot be verified: the game has no [truth]", "a [truth] table")
        if not task.scores:
            yield self._fault(f"{key}.score", "names nothing", "a path of the true state, or several")
        for path in task.scores:
            yield from self._provided(f"{key}.score", path)
        if task.end:
            yield from self._provided(f"{key}.end", task.end)
        if task.standing:
            yield from self._provided(f"{key}.standing", task.standing)
        scenarios = {scenario.name for scenario in self._profile.scenarios} | self._dropped
        if task.scenario and task.scenario not in scenarios:
            yield self._blame.unknown(f"{key}.scenario", task.scenario, "scenario", scenarios)
        roles = {role.name for role in self._profile.roles} | self._dropped
        for name, role in (("role", task.role), ("other_role", task.other_role)):
            if role and role not in roles:
                yield self._blame.unknown(f"{key}.{name}", role, "role", roles)
        own = task.role or next((role.name for role in self._profile.roles), "")
        if task.other_role and task.other_role == own:
            yield self._fault(f"{key}.other_role", f"{own} is the role of the task itself", "another role")


def _near_table(root: str) -> Iterator[str]:
    near = nearest(root, _TABLES)
    if near:
        yield near
