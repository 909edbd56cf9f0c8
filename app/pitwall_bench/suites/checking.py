"""Checks a suite beyond its types: its games, tasks, agents and models exist and make sense."""

from __future__ import annotations

import fnmatch
import functools
import math
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pitwall.core.bounded_reading import real_path
from pitwall.core.errors import Fault, ManifestError, PitwallError, SettingsError, UnknownGame, nearest
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings
from pitwall.games.registry import GameEntry, Registry
from pitwall.games.schema.profile import Game, Task
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import with_shipped
from pitwall_bench.suites.first_memory import FirstMemory, first_memory
from pitwall_bench.suites.spec import AgentSpec
from pitwall_bench.suites.yaml_text import YamlText

_ADDED = ("gym-", "miniwob-")
"""Prefixes of games that are not bundled but added from other packages' environments."""


class Checker:
    """Checks a document as it was written, whatever else is wrong with it.

    Args:
        folder: base of the games' relative paths.

    Attributes (after `faults`):
        games: by id. wanted: id → the name or path that opens it. ids: a game's name in the document → its
            id.
        fitting: a name with a star → ids of the matching games. memories: by the agent's name.
    """

    def __init__(self, text: YamlText, folder: Path, data: DataFolder) -> None:
        self._text, self._folder, self._data = text, folder, data
        self._value = text.value
        self._registry = Registry(data)
        self._unknown: set[str] = set()
        self.games: dict[str, Game] = {}
        self.wanted: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        self.fitting: dict[str, list[str]] = {}
        self.memories: dict[str, FirstMemory] = {}

    @functools.cached_property
    def _listed(self) -> list[GameEntry]:
        """List every known game, once for the whole document."""
        return self._registry.games()

    def faults(self) -> Iterator[Fault]:
        """Yield every fault of meaning."""
        yield from self._games()
        yield from self._agents()
        yield from self._presets()
        yield from self._ladders()
        yield from self._seeds()
        yield from self._first_memories()

    # ---- games and tasks

    def _games(self) -> Iterator[Fault]:
        seen: set[tuple[str, str]] = set()
        for at, table in _tables(self._value, "games"):
            if isinstance(table.get("game"), str) and "*" in table["game"]:
                yield from self._pattern(at, table["game"], table)
                continue
            game = yield from self._game(("games", at, "game"), table.get("game"))
            if game is None:
                continue
            for number, task in _words(table.get("tasks")):
                place = ("games", at, "tasks", number)
                yield from self._task(place, game, task)
                if (game.game_id, task) in seen:
                    yield self._text.fault(place, f"{game.game_id}/{task} is listed twice")
                seen.add((game.game_id, task))
            if table.get("tasks", "all") == "all":
                yield from self._all_tasks(("games", at, "game"), game)

    def _pattern(self, at: int, named: str, table: dict[str, Any]) -> Iterator[Fault]:
        """Take every game that matches a name with a star and has one of the tasks."""
        place = ("games", at, "game")
        listed = [entry.game_id for entry in self._listed if not entry.fault]
        asked = {task for _, task in _words(table.get("tasks"))}
        self.fitting[named] = []
        for game_id in fnmatch.filter(listed, named):
            game = yield from self._game(place, game_id)
            if game is not None and (asked & {task.id for task in game.profile.tasks} if asked else True):
                self.fitting[named].append(game_id)
        if not self.fitting[named]:
            tasks = f" with a task {' or '.join(sorted(asked))}" if asked else ""
            yield self._text.fault(place, f"no game fits {named!r}{tasks}", _expected(named, listed))

    def _game(self, place: tuple[str | int, ...], named: Any) -> Generator[Fault, None, Game | None]:
        if not isinstance(named, str) or named in self._unknown:
            return None
        if named in self.ids:
            return self.games[self.ids[named]]
        opens = named
        if "/" in named or named.startswith("."):
            opens = str(real_path(self._folder / named) or named)
        try:
            game = self._registry.load(opens)
        except UnknownGame:
            ids = [entry.game_id for entry in self._listed]
            near = nearest(named, ids)
            near = "" if named.startswith(_ADDED) else near
            yield self._text.fault(
                place, f"there is no game {named!r}", "" if near else _expected(named, ids), near
            )
        except ManifestError as error:
            problem = f"the folder of {named!r} has faults: {error.faults[0]}"
            yield self._text.fault(place, problem, "a game that `pitwall games check` passes")
        else:
            other = self.wanted.setdefault(game.game_id, opens)
            if other == opens:
                self.ids[named] = game.game_id
                self.games[game.game_id] = game
                return game
            yield self._text.fault(place, f"{game.game_id!r} is also the id of {other}", "one of them")
        self._unknown.add(named)
        return None

    def _all_tasks(self, place: tuple[str | int, ...], game: Game) -> Iterator[Fault]:
        if not game.profile.tasks:
            yield self._text.fault(place, f"{game.game_id!r} has no tasks", "a game with [[tasks]]")
        for task in game.profile.tasks:
            yield from self._target(place, game, task)

    def _task(self, place: tuple[str | int, ...], game: Game, named: str) -> Iterator[Fault]:
        known = {task.id: task for task in game.profile.tasks}
        if named in known:
            yield from self._target(place, game, known[named])
            return
        near = nearest(named, known)
        expected = "" if near else f"one of {', '.join(known) or 'none: it has no tasks'}"
        yield self._text.fault(place, f"{game.game_id} has no task {named!r}", expected, near)

    def _target(self, place: tuple[str | int, ...], game: Game, task: Task) -> Iterator[Fault]:
        problem = ""
        if game.profile.truth is None:
            problem = "its game declares no [truth], so its progress cannot be measured"
        elif not math.isfinite(task.target):
            problem = f"its target is {task.target}"
        elif task.start != "first" and task.target <= task.start:
            problem = f"its target {task.target:g} is not above its start {task.start:g}"
        if problem:
            yield self._text.fault(place, f"{game.game_id}/{task.id}: {problem}", "a target above the start")

    # ---- agents

    def _agents(self) -> Iterator[Fault]:
        seen: set[str] = set()
        for at, table in _tables(self._value, "agents"):
            name = str(table.get("name", ""))
            if name in seen:
                yield self._text.fault(("agents", at, "name"), f"{name!r} is listed twice", "another name")
            seen.add(name)
            yield from self._models(at, table)
            yield from self._settings(at, table)
            yield from self._modules(at, table)

    def _models(self, at: int, agent: dict[str, Any]) -> Iterator[Fault]:
        if not (agent.get("model") or agent.get("fast_model") or agent.get("kind") == "model"):
            return
        try:
            known = [entry.name for entry in ModelRegistry(self._data).all()]
            settings = load_settings(self._data.settings).with_value("control", "planner", "model")
            settled = with_shipped(settings).models.strategic
        except PitwallError as error:
            yield self._text.fault(("agents", at), error.what)
            return
        for key in ("model", "fast_model"):
            name = agent.get(key)
            if isinstance(name, str) and name not in ("", "none", *known):
                expected = f"one of {', '.join(known)}" if known else "one that `pitwall models add` added"
                near = nearest(name, known)
                yield self._text.fault(("agents", at, key), f"there is no model {name!r}", expected, near)
        if agent.get("kind") == "model" and not agent.get("model") and not settled:
            problem = "a model shall play, but none is named, here or in the settings"
            yield self._text.fault(("agents", at, "kind"), problem, "model: NAME of `pitwall models`")

    def _settings(self, at: int, agent: dict[str, Any]) -> Iterator[Fault]:
        changes = agent.get("settings")
        settings = Settings()
        known = [f"{section}.{key}" for section, keys in settings.model_dump().items() for key in keys]
        for name, value in changes.items() if isinstance(changes, dict) else ():
            place = ("agents", at, "settings", str(name))
            if name not in known:
                yield self._text.fault(place, "no such setting", "section.name", nearest(str(name), known))
                continue
            section, _, key = name.partition(".")
            try:
                settings.with_value(section, key, value)
            except SettingsError as error:
                yield self._text.fault(place, error.what)

    def _modules(self, at: int, agent: dict[str, Any]) -> Iterator[Fault]:
        pins = agent.get("modules")
        known = {module.name for game in self.games.values() for module in game.profile.modules}
        for name in pins if isinstance(pins, dict) else ():
            if name not in known:
                expected = f"one of {', '.join(sorted(known)) or 'none: the games have no modules'}"
                place = ("agents", at, "modules", str(name))
                near = nearest(str(name), known)
                yield self._text.fault(place, f"no game of the suite has a module {name!r}", expected, near)

    def _first_memories(self) -> Iterator[Fault]:
        for at, table in _tables(self._value, "agents"):
            try:
                named = AgentSpec.model_validate(table).begins_with
            except ValidationError:
                continue
            place = ("agents", at, "memory")
            if named and table.get("kind") == "person":
                yield self._text.fault(place, "a person's memory is not Pitwall's", "layered")
            elif named:
                try:
                    self.memories[str(table["name"])] = first_memory(
                        named, self._folder, self._data, self.games
                    )
                except PitwallError as error:
                    expected = (
                        "empty, rounds, a snapshot's name or hash, or a file of `pitwall memory export`"
                    )
                    yield self._text.fault(place, f"{named!r}: {error.what} {error.fix}".strip(), expected)

    # ---- presets, ladders, seeds

    def _presets(self) -> Iterator[Fault]:
        agents = [str(table.get("name")) for _, table in _tables(self._value, "agents")]
        seen: set[str] = set()
        for at, preset in _words(self._value.get("presets")):
            place = ("presets", at)
            parts = preset.split("+")
            if preset in seen:
                yield self._text.fault(place, f"{preset!r} is listed twice")
            seen.add(preset)
            if len(parts) != 3 or not all(parts):
                yield self._text.fault(place, f"found {preset!r}", "game+task+agent")
                continue
            game = yield from self._game(place, parts[0])
            if game is not None:
                yield from self._task(place, game, parts[1])
            if parts[2] not in agents:
                near = nearest(parts[2], agents)
                expected = f"one of {', '.join(agents)}"
                yield self._text.fault(place, f"there is no agent {parts[2]!r} here", expected, near)

    def _ladders(self) -> Iterator[Fault]:
        seen: set[str] = set()
        for at, table in _tables(self._value, "ladders"):
            game = yield from self._game(("ladders", at, "game"), table.get("game"))
            if game is None:
                continue
            if game.game_id in seen:
                problem = f"{game.game_id!r} has another ladder already"
                yield self._text.fault(("ladders", at, "game"), problem, "one ladder a game")
            seen.add(game.game_id)
            rungs: set[str] = set()
            for number, task in _words(table.get("rungs")):
                place = ("ladders", at, "rungs", number)
                yield from self._task(place, game, task)
                if task in rungs:
                    yield self._text.fault(place, f"{task!r} is a rung twice")
                rungs.add(task)

    def _seeds(self) -> Iterator[Fault]:
        seeds = self._value.get("seeds")
        if isinstance(seeds, list):
            if not seeds:
                yield self._text.fault(("seeds",), "names none", "at least one seed")
            for at, seed in enumerate(seeds):
                if seed in seeds[:at]:
                    yield self._text.fault(("seeds", at), f"{seed} is listed twice", "repeats: N")


def _expected(named: str, ids: list[str]) -> str:
    if named.startswith(_ADDED):
        return "a game that `installer/extra gym` or `pitwall games add-gym` added"
    return f"one of {', '.join(sorted(ids))}"


def _tables(value: dict[str, Any], key: str) -> list[tuple[int, dict[str, Any]]]:
    return [(at, table) for at, table in _listed(value.get(key)) if isinstance(table, dict)]


def _words(value: Any) -> list[tuple[int, str]]:
    return [(at, text) for at, text in _listed(value) if isinstance(text, str)]


def _listed(value: Any) -> list[tuple[int, Any]]:
    return list(enumerate(value)) if isinstance(value, list) else []
