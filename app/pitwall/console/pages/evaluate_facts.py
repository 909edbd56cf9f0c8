"""What the Evaluate page asks the games for: names, and the tasks that can be ticked or played. No Qt."""

from __future__ import annotations

from pitwall.console.pages.evaluate_form import Games
from pitwall.console.pages.evaluate_play import TaskFacts
from pitwall.console.pages.runs_words import counted, length
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.profile import Game, Task
from pitwall.games.registry import Registry


def read_games(data: DataFolder) -> tuple[Games, tuple[TaskFacts, ...]]:
    """Every game that can be read: for the form, and its tasks one by one."""
    registry = Registry(data)
    games: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    tasks: list[TaskFacts] = []
    for entry in registry.games():
        if entry.fault:
            continue
        try:
            game = registry.load(str(entry.folder))  # by its id every folder would be read
        except PitwallError:
            continue  # the game's own page tells its faults
        named = [(task.id, task.instruction) for task in game.profile.tasks]
        games[entry.game_id] = (entry.name, named)
        tasks += [_facts(game, task) for task in game.profile.tasks if entry.playable]
    return games, tuple(tasks)


def _facts(game: Game, task: Task) -> TaskFacts:
    unit = game.profile.truth.unit if game.profile.truth is not None else ""
    budget = counted(task.steps, "step") + (f", {length(task.seconds)}" if task.seconds else "")
    start = "what it begins with" if task.start == "first" else f"{task.start:g}"
    return TaskFacts(
        game.game_id,
        game.profile.game.name,
        task.id,
        task.instruction,
        budget,
        f"from {start} to {task.target:g} {unit}".rstrip(),
    )
