"""The dialog in which a person chooses a task to play with the agents' own budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.elements import Card, KeyValue, Label
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted, duration_text
from pitwall.games.actions.vocabulary import role_of
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game, Task
from pitwall.models.registry import ModelRegistry
from pitwall_bench.console.editor.task_tree import Games
from pitwall_bench.console.format import role_title


@dataclass(frozen=True, slots=True)
class PlayableTask:
    """A task that can be played.

    Attributes:
        budget: steps and time, in words. target: the goal, in words.
        baseline: simple players that solved it; empty: nobody tried. side, other: roles of a task for two.
    """

    game: str
    game_name: str
    task: str
    instruction: str
    budget: str
    target: str
    baseline: str
    side: str = ""
    other: str = ""


OTHERS = (("skills", "skills"), ("model", "model"), ("random", "random"), ("person", "another person"))
"""Planners that may play beside a person."""


class PlayDialog(OrderDialog):
    """Lets the operator choose a task. Signals: ordered((game, task, seed, other))."""

    def __init__(self, tasks: Sequence[PlayableTask], stop_key: str, parent: QWidget | None = None) -> None:
        text = (
            "The game opens on this screen and waits for your keys. Same task, same budget as an agent; your "
            f"input is recorded, and the result stands with the others. {stop_key} ends it at once."
        )
        super().__init__("Play a task yourself", text, go="Play", name="Play this task", parent=parent)
        self._tasks = tasks
        games = dict.fromkeys((task.game, task.game_name) for task in tasks)
        self.form = Form(
            [
                Field(key="game", label="Game", kind="choice", options=tuple(games)),
                Field(key="task", label="Task", kind="choice"),
                Field(key="seed", label="Seed", kind="number", default=1, most=1_000_000),
                Field(
                    key="other",
                    label="Other side",
                    name="Who plays the other side",
                    kind="choice",
                    options=OTHERS,
                    default="skills",
                ),
            ]
        )
        self._instruction = Label("", wrap=True)
        self._target, self._budget = KeyValue("Target"), KeyValue("Budget")
        self._baseline, self._sides = KeyValue("Baseline"), KeyValue("You play")
        self.body.addWidget(self.form)
        self.body.addWidget(Card(self._instruction, self._sides, self._target, self._budget, self._baseline))
        self.form.edited.connect(lambda _: self._show())
        self._show()

    @property
    def budget(self) -> str:
        """Return the shown budget of the chosen task."""
        return self._budget.value()

    @property
    def order(self) -> tuple[str, str, int, str] | None:
        """Return game, task, seed and who plays the other side ("same": there is none).

        None if there is no task.
        """
        task = self._chosen_task()
        if task is None:
            return None
        return (
            task.game,
            task.task,
            self.form.value("seed"),
            self.form.value("other") if task.other else "same",
        )

    def choose(self, game: str, task: str) -> None:
        """Choose a task, as the operator does."""
        self.form.enter({"game": game})
        self.form.enter({"task": task})

    def _show(self) -> None:
        game = self.form.value("game")
        self.form.offer("task", [task.task for task in self._tasks if task.game == game])
        chosen = self._chosen_task()
        self.go.setEnabled(chosen is not None)
        if chosen is not None:
            self._instruction.set_text(chosen.instruction)
            self._target.set_value(chosen.target)
            self._budget.set_value(chosen.budget)
            self._baseline.set_value(chosen.baseline)
            self._baseline.setVisible(bool(chosen.baseline))
            self.form.show_field("other", bool(chosen.other))
            self._sides.setVisible(bool(chosen.other))
            self._sides.set_value(f"{role_title(chosen.side)}, against or with {role_title(chosen.other)}")

    def _chosen_task(self) -> PlayableTask | None:
        wanted = self.form.value("game"), self.form.value("task")
        return next((task for task in self._tasks if (task.game, task.task) == wanted), None)


def model_names(data: DataFolder) -> tuple[str, ...]:
    """Return the names of the models that can play."""
    return tuple(entry.spec.name for entry in ModelRegistry(data).all() if not entry.spec.embeds)


def read_games(data: DataFolder) -> tuple[Games, tuple[PlayableTask, ...]]:
    """Read every game that can be read: for the form, and its tasks one by one."""
    registry = Registry(data)
    games: dict[str, tuple[str, list[tuple[str, str, str]]]] = {}
    tasks: list[PlayableTask] = []
    for entry in registry.games():
        if entry.fault:
            continue
        try:
            game = registry.load(str(entry.folder))  # by its id every folder would be read
        except PitwallError:
            continue  # the game's own page tells its faults
        named = [(task.id, task.instruction, task.baseline) for task in game.profile.tasks]
        games[entry.game_id] = (entry.name, named)
        tasks += [_facts(game, task) for task in game.profile.tasks if entry.playable]
    return games, tuple(tasks)


def _facts(game: Game, task: Task) -> PlayableTask:
    unit = game.profile.truth.unit if game.profile.truth is not None else ""
    budget = counted(task.steps, "step") + (f", {duration_text(task.seconds)}" if task.seconds else "")
    played = role_of(game.profile, task.role)
    start = "what it begins with" if task.start == "first" else f"{task.start:g}"
    return PlayableTask(
        game.game_id,
        game.profile.game.name,
        task.id,
        task.instruction,
        budget,
        f"from {start} to {task.target:g} {unit}".rstrip(),
        task.baseline,
        played.name if played is not None and task.other_role else "",
        task.other_role,
    )
