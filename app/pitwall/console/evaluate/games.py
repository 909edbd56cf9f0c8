"""What the Evaluate page asks the games for: names, and the tasks that can be ticked or played. No Qt."""

from __future__ import annotations

from pitwall.console.evaluate.editor.task_tree import Games
from pitwall.console.evaluate.play_dialog import PlayableTask
from pitwall.console.kit.format import counted, duration_text
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game, Task


def read_games(data: DataFolder) -> tuple[Games, tuple[PlayableTask, ...]]:
    """Every game that can be read: for the form, and its tasks one by one."""
    registry = Registry(data)
    games: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    tasks: list[PlayableTask] = []
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


def _facts(game: Game, task: Task) -> PlayableTask:
    unit = game.profile.truth.unit if game.profile.truth is not None else ""
    budget = counted(task.steps, "step") + (f", {duration_text(task.seconds)}" if task.seconds else "")
    start = "what it begins with" if task.start == "first" else f"{task.start:g}"
    return PlayableTask(
        game.game_id,
        game.profile.game.name,
        task.id,
        task.instruction,
        budget,
        f"from {start} to {task.target:g} {unit}".rstrip(),
    )
