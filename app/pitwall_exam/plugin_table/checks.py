"""The conformance checker's part for [exam]: fields, actions, terrains and paths that it names are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pitwall.core.errors import Fault
from pitwall.games.checks.actions import FaultFactory
from pitwall.games.schema.profile import Profile
from pitwall_exam.plugin_table.schema import ExamTable, GridTable, TextTable

_ROOTS = ("game_state", "metrics", "raw", "terminal", "status")


def exam_faults(profile: Profile, file: str, dropped: frozenset[str]) -> Iterator[Fault]:
    """Yield the faults of the [exam] table beyond types (`games/schema/plugin_table.py`)."""
    return _ExamChecker(profile, file, dropped).faults()


class _ExamChecker:
    """Checks [exam].

    Args:
        dropped: names that the manifest declares in tables with faults of their own.
    """

    def __init__(self, profile: Profile, file: str, dropped: frozenset[str]) -> None:
        self._profile = profile
        self._folder = Path(file).parent
        self._blame = blame = FaultFactory(file)
        self._fault = blame.fault
        self._fields = frozenset(field.name for field in profile.fields) | dropped
        self._actions = frozenset(action.name for action in profile.actions) | dropped

    def faults(self) -> Iterator[Fault]:
        exam = self._profile.table(ExamTable)
        if exam is None:
            return
        if getattr(exam, exam.inventory) is None:
            problem = f"there is no [exam.{exam.inventory}]"
            yield self._fault("exam.inventory", problem, f"a table [exam.{exam.inventory}]")
        if exam.icons and not (self._folder / exam.icons).is_file():
            yield self._fault("exam.icons", f"there is no file {exam.icons!r}", "a picture of the folder")
        yield from self._truth(exam)
        if exam.grid is not None:
            yield from self._grid(exam.grid)
        if exam.text is not None:
            yield from self._text(exam.text)

    def _truth(self, exam: ExamTable) -> Iterator[Fault]:
        for kind, table in (("grid", exam.grid), ("text", exam.text)):
            if table is None or table.truth is None:
                continue
            key = f"exam.{kind}.truth"
            if self._profile.truth is None:
                yield self._fault(key, "the game has no [truth] to read it from", "a [truth] table")
            for name, paths in table.truth.model_dump().items():
                for path in (paths,) if isinstance(paths, str) else paths:
                    if path and path.split(".")[0] not in _ROOTS:
                        problem = f"{path!r} is no place of the true state"
                        yield self._fault(f"{key}.{name}", problem, f"a path that begins {', '.join(_ROOTS)}")

    def _grid(self, grid: GridTable) -> Iterator[Fault]:
        named: dict[str, Iterable[str]] = {
            "position": grid.position,
            "view": (grid.view,),
            "ground": (grid.ground,),
            "facing": (grid.facing,),
            "stats": grid.stats,
            "resources": grid.resources,
            "tools": grid.tools,
        }
        for key, names in named.items():
            yield from self._unknown(f"exam.grid.{key}", names, "field", self._fields)
        acting: dict[str, Iterable[str]] = {
            "moves": grid.moves,
            "places": grid.places,
            "makes": grid.makes,
            "interact": (grid.interact,),
            "sleep": (grid.sleep,),
        }
        for key, names in acting.items():
            yield from self._unknown(f"exam.grid.{key}", names, "action", self._actions)
        yield from self._words(grid)

    def _words(self, grid: GridTable) -> Iterator[Fault]:
        """Collect the names that the table's own keys refer to."""
        for sign in grid.legend:
            if len(sign) != 1:
                yield self._fault("exam.grid.legend", f"found {sign!r}", "one sign for a terrain")
        trees = (grid.trees,)
        for key, names in (("walkable", grid.walkable), ("deadly", grid.deadly), ("trees", trees)):
            yield from self._unknown(f"exam.grid.{key}", names, "terrain of the legend", grid.terrains)
        for key, stats in (("wants", grid.wants), ("restores", grid.restores)):
            yield from self._unknown(f"exam.grid.{key}", stats, "stat", grid.stats)
        yield from self._unknown("exam.grid.makes", grid.makes.values(), "tool", grid.tools)
        for name, needs in grid.recipes.items():
            yield from self._unknown(f"exam.grid.recipes.{name}", needs, "resource", grid.resources)

    def _text(self, text: TextTable) -> Iterator[Fault]:
        for key in ("location", "observation", "inventory", "score", "valid"):
            yield from self._unknown(f"exam.text.{key}", (getattr(text, key),), "field", self._fields)
        arguments = {name for action in self._profile.actions for name in action.parameters}
        yield from self._unknown("exam.text.command", (text.command,), "parameter of an action", arguments)

    def _unknown(self, key: str, names: Iterable[str], kind: str, known: Iterable[str]) -> Iterator[Fault]:
        options = frozenset(known)
        for name in names:
            if name and name not in options:
                yield self._blame.unknown(key, name, kind, options)
