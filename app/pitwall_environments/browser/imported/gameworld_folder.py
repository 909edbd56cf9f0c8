"""Finds games and tasks in a folder of a GameWorld checkout, by the keys that its paper states.

A YAML file with `game_rules`, `semantic_controls` or roles describes a game; one with `task_instruction`
a task. A game's page is the index.html in a folder that is named after the game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pitwall.core.errors import PitwallError

_GAME_KEYS = frozenset({"game_rules", "semantic_controls", "roles", "role_config"})
_TASK_KEY = "task_instruction"
_NESTED = ("game", "game_config", "role_config", "task_config", "evaluator_config", "evaluator", "controls")
"""Sections whose keys count as the document's own."""
_MOST_FILES, _MOST_BYTES = 5_000, 1 << 20


@dataclass(frozen=True, slots=True)
class CheckoutGame:
    """A game of a checkout: its page and its description, with the tasks by id.

    Attributes:
        tasks: id → keys of the task's file, sections unfolded.
    """

    game_id: str
    page: Path
    keys: Mapping[str, Any]
    tasks: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def games_in(folder: Path) -> tuple[list[CheckoutGame], list[str]]:
    """Return the games of a checkout, and a sentence for each file that cannot be used.

    Raises:
        PitwallError: the folder is not there, or holds no game.
    """
    if not folder.is_dir():
        raise PitwallError(f"{folder} is no folder.", "Name the folder of a GameWorld checkout.")
    pages = {same_id(page.parent.name): page for page in sorted(folder.rglob("index.html"))}
    games: dict[str, CheckoutGame] = {}
    tasks: list[tuple[Path, str, Mapping[str, Any]]] = []
    problems: list[str] = []
    for path, keys in _documents(folder, problems):
        game_id = _game_of(path, keys, pages)
        if _TASK_KEY in keys:
            tasks.append((path, game_id, keys))
        elif keys.keys() & _GAME_KEYS and game_id:
            games[game_id] = CheckoutGame(game_id, pages[game_id], keys)
        elif keys.keys() & _GAME_KEYS:
            problems.append(f"{path}: no page index.html in a folder named after this game.")
    for path, game_id, task in sorted(tasks, key=lambda file: len(file[0].parts)):
        if game_id in games:
            _add_task(games[game_id].tasks, path, task)
        else:
            problems.append(f"{path}: no game of this task is there; name it under game_id.")
    if not games:
        fix = "It needs YAML files with game_rules or semantic_controls, and pages named index.html."
        raise PitwallError(f"{folder} holds no game of GameWorld's shape.", fix)
    return list(games.values()), problems


def _add_task(tasks: dict[str, Mapping[str, Any]], path: Path, task: Mapping[str, Any]) -> None:
    """Add a task under its id, else its file's name; a name that is taken begins with the folder's name."""
    name = named = str(task.get("task_id") or path.stem)
    number = 1
    while _plain(named) in map(_plain, tasks):
        named = f"{path.parent.name}_{name}" + (f"_{number}" if number > 1 else "")
        number += 1
    tasks[named] = task


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.casefold()).strip("_")


def same_id(name: str) -> str:
    """Return a game's id as Pitwall writes it: lower case, joined by hyphens."""
    return "-".join(part for part in name.casefold().replace("_", "-").split("-") if part)


def _documents(folder: Path, problems: list[str]) -> Iterator[tuple[Path, dict[str, Any]]]:
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml"))
    for path in files[:_MOST_FILES]:
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError(f"more than {_MOST_BYTES:,} bytes")
            value = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
            problems.append(f"{path} cannot be read: {str(error).splitlines()[0][:120]}.")
            continue
        yield from ((path, keys) for keys in _unfolded(value))


def _unfolded(value: Any) -> Iterator[dict[str, Any]]:
    """Yield each description in a file, its sections unfolded; a list of tasks holds several."""
    if not isinstance(value, dict):
        return
    listed = value.get("tasks")
    if isinstance(listed, list):
        shared = {key: value[key] for key in ("game_id",) if key in value}
        for entry in listed:
            yield from _unfolded({**shared, **entry} if isinstance(entry, dict) else None)
    keys: dict[str, Any] = {}
    for name, held in value.items():
        parts = held if isinstance(held, list) else [held]
        if name in _NESTED and all(isinstance(part, dict) for part in parts):
            for part in parts:  # a list of one-key tables, as the paper prints role_config
                keys |= next(_unfolded(part), {})
        else:
            keys[str(name)] = held
    if keys.keys() - {"tasks", "game_id"}:
        yield keys


def _game_of(path: Path, keys: Mapping[str, Any], pages: Mapping[str, Path]) -> str:
    """Return the id of the game that a file belongs to: by its key, its name or its folders; empty: none."""
    named = [keys.get("game_id"), keys.get("id"), path.stem, *(parent.name for parent in path.parents)]
    return next((same_id(str(name)) for name in named if name and same_id(str(name)) in pages), "")
