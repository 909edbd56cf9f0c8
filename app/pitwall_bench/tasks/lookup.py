"""Looks up a task by its name."""

from __future__ import annotations

from pitwall.core.errors import PitwallError, suggestion
from pitwall.games.schema.profile import Game, Task


def task_named(game: Game, task_id: str) -> Task:
    """Return a game's task.

    Raises:
        PitwallError: it has none of this name, or no truth to judge it by.
    """
    tasks = {task.id: task for task in game.profile.tasks}
    if task_id not in tasks:
        hint = suggestion(task_id, tasks, f"It has: {', '.join(tasks) or 'none'}.")
        raise PitwallError(f"{game.game_id} has no task {task_id!r}.", hint)
    if game.profile.truth is None:
        raise PitwallError(f"{game.game_id} has no [truth] to judge {task_id!r} by.", "Declare it.")
    return tasks[task_id]
