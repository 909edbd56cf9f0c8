"""A person as an agent: choose a task, then play it at these keys, under the agents' own budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QSpinBox, QWidget

from pitwall.console.kit.elements import Button, Card, KeyValue, Label, PrimaryButton, column, row
from pitwall.console.kit.theme import GAP, WIDE

_WIDTH = 520


@dataclass(frozen=True, slots=True)
class PlayableTask:
    """A task that can be played.

    Attributes:
        budget: steps and time, in words. target: what is to be reached, in words.
    """

    game: str
    game_name: str
    task: str
    instruction: str
    budget: str
    target: str


class PlayDialog(QDialog):
    """Signals: ordered(game, task, seed)."""

    ordered = Signal(str, str, int)

    def __init__(self, tasks: Sequence[PlayableTask], stop_key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Play a task yourself")
        self.setAccessibleName("Play a task yourself")
        self.setFixedWidth(_WIDTH)
        self.game = _combo("Game")
        self.task = _combo("Task")
        for name, title in dict.fromkeys((one.game, one.game_name) for one in tasks):
            self.game.addItem(title, name)
        self.seed = QSpinBox()
        self.seed.setRange(0, 1_000_000)
        self.seed.setValue(1)
        self.seed.setAccessibleName("Seed")
        self._instruction = Label("", wrap=True)
        self._target, self._budget = KeyValue("Target"), KeyValue("Budget")
        layout = column(Label("Play a task yourself", "title"), gap=GAP)
        said = (
            "The game opens on this screen and waits for your keys. Same task, same budget as an agent; your "
            f"input is recorded, and the result stands with the others. {stop_key} ends it at once."
        )
        layout.addWidget(Label(said, "dim", wrap=True))
        choices = row(self.game, self.task, Label("seed", "dim"), self.seed, gap=GAP)
        choices.setStretch(0, 1)
        choices.setStretch(1, 1)
        layout.addLayout(choices)
        layout.addWidget(Card(self._instruction, self._target, self._budget))
        cancel = Button("Cancel", self.reject)
        self.go = PrimaryButton("Play", self._order, name="Play this task")
        layout.addLayout(row(None, cancel, self.go))
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)
        self.game.currentIndexChanged.connect(lambda _: self._fill_tasks())
        self.task.currentIndexChanged.connect(lambda _: self._show())
        self._fill_tasks()

    @property
    def budget_said(self) -> str:
        """The chosen task's budget, as shown."""
        return self._budget.value()

    def choose(self, game: str, task: str) -> None:
        """Take a task, as the operator does."""
        self.game.setCurrentIndex(max(0, self.game.findData(game)))
        self.task.setCurrentIndex(max(0, self.task.findData(task)))

    def _fill_tasks(self) -> None:
        self.task.clear()
        for one in self._tasks:
            if one.game == self.game.currentData():
                self.task.addItem(one.task, one.task)
        self._show()

    def _show(self) -> None:
        found = self._found()
        self.go.setEnabled(found is not None)
        if found is not None:
            self._instruction.set_text(found.instruction)
            self._target.set_value(found.target)
            self._budget.set_value(found.budget)

    def _found(self) -> PlayableTask | None:
        game, task = self.game.currentData(), self.task.currentData()
        return next((one for one in self._tasks if (one.game, one.task) == (game, task)), None)

    def _order(self) -> None:
        found = self._found()
        if found is not None:
            self.ordered.emit(found.game, found.task, self.seed.value())
            self.accept()


def write_own_suite(folder: Path, game: str, task: str, seed: int) -> Path:
    """The suite of one task that a person plays, as a file; written anew each time."""
    suite: dict[str, Any] = {
        "schema": 1,
        "name": f"you-{game}-{task}",
        "description": "A task played by a person.",
        "games": [{"game": game, "tasks": [task]}],
        "agents": [{"name": "person", "kind": "person"}],
        "seeds": [seed],
    }
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / ".yourself.yaml"
    file.write_text(yaml.safe_dump(suite, sort_keys=False), encoding="utf-8")
    return file


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(12)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo
