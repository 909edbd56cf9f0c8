"""The last three steps of "Add a game": thresholds by watching, a task, saving."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QProgressBar, QWidget

from pitwall.console.kit.elements import (
    Button,
    Card,
    KeyValue,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
)
from pitwall.console.kit.theme import GAP
from pitwall.console.new_game.draft_edits import can_count, changed_task, without_task
from pitwall.console.new_game.step_parts import RowList, StepPanel, beside
from pitwall.core.errors import Fault, PitwallError
from pitwall.core.signals import Thresholds
from pitwall.games.drafting.draft import Draft, DraftTask
from pitwall.games.drafting.toml_writer import instruction_of

MINUTE_S = 60
_SHORT_S = 15
_NAMES = {
    "scene_change": "Scene change (d)",
    "stall_steps": "Stall",
    "refresh_steps": "Refresh",
}


class ThresholdsPanel(StepPanel):
    """Watches the game being played and suggests when a plan is called for; may be skipped.

    Signals:
        watch_wanted(seconds): to be watched; 0: called off.
    """

    watch_wanted = Signal(float)

    def __init__(self) -> None:
        super().__init__(
            "Play for a minute while Pitwall watches",
            "It measures how the picture changes, and suggests when a new plan is called for. "
            "Without it the usual thresholds hold.",
        )
        self.minute = PrimaryButton("Watch for a minute", lambda: self.watch_wanted.emit(float(MINUTE_S)))
        self.short = Button(f"{_SHORT_S} s", lambda: self.watch_wanted.emit(float(_SHORT_S)))
        self.short.setAccessibleName(f"Watch for {_SHORT_S} seconds")
        self.cancel = Button("Cancel", lambda: self.watch_wanted.emit(0.0))
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Watching")
        self._said = Label("", "note", wrap=True)
        self._rows = column(gap=GAP)
        self.body.addSpacing(GAP)
        for widget in (beside(self.minute, self.short, self.cancel, None), self._bar, self._said):
            self.body.addWidget(widget)
        self.body.addWidget(SectionTitle("Thresholds"))
        self.body.addLayout(self._rows)
        self.body.addStretch(1)
        self._rest("")

    def begin(self) -> None:
        """Watching was asked for."""
        self._bar.setRange(0, 0)
        self._busy(busy=True)
        self._said.set_text("Play as you always do; the keys go to the game, not here.")

    def rest(self) -> None:
        """Nobody watches any more."""
        if not self._bar.isHidden():
            self.show_answer({"called_off": True})

    def show_progress(self, done_s: float, of_s: float) -> None:
        """So many seconds of so many were watched."""
        self._bar.setRange(0, round(1000 * of_s))
        self._bar.setValue(round(1000 * done_s))
        self._said.set_text(f"Watching: {max(0.0, of_s - done_s):.0f} s left. Play as you always do.")

    def show_answer(self, answer: dict[str, Any]) -> None:
        """What came of it."""
        if "what" in answer or "called_off" in answer:
            self._rest(str(answer.get("what", "Called off. What was suggested before still holds.")))
            return
        cut = {0: "never cut", 1: "cut once"}.get(answer["cuts"], f"cut {answer['cuts']} times")
        self._rest(
            f"{answer['steps']} steps in {answer['seconds']:.0f} s. The picture stood still in "
            f"{100 * answer['still_share']:.0f} % of them, and was {cut}."
        )
        if not answer["why"]:
            self._said.set_text("Too little was seen. Watch for longer, while the game is played.")
        elif self.draft is not None:
            self.tell(self.draft.changed(thresholds=answer["thresholds"], why=answer["why"]))

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        clear_layout(self._rows)
        if draft is None:
            return
        usual = Thresholds()
        for name, words in _NAMES.items():
            now = getattr(draft.thresholds, name)
            unit = "" if name == "scene_change" else " steps"
            usually = "" if now != getattr(usual, name) else " · usual"
            self._rows.addWidget(KeyValue(words, f"{now:g}{unit}{usually}"))
            if why := draft.why.get(name):
                self._rows.addWidget(Label(f"{why[:1].upper()}{why[1:]}.", "note", wrap=True))

    def _rest(self, text: str) -> None:
        self._busy(busy=False)
        self._said.set_text(text)

    def _busy(self, *, busy: bool) -> None:
        self._bar.setVisible(busy)
        self.cancel.setVisible(busy)
        self.minute.setVisible(not busy)
        self.short.setVisible(not busy)


class TaskPanel(StepPanel):
    """A task: a reading and a target.

    Signals:
        task_wanted(name): a task on this field. path_wanted(path): a task on the page's own state.
    """

    task_wanted = Signal(str)
    path_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__(
            "Click what the agent is to raise",
            "Click a reading on the picture, then set its target. It is read from pixels, so results are "
            "marked as read, not as verified.",
        )
        self._fields = QComboBox()
        self._fields.setAccessibleName("Reading to raise")
        self._fields.setPlaceholderText("Or choose a reading here")
        self._fields.activated.connect(lambda at: self.task_wanted.emit(self._fields.itemText(at)))
        self._none = Label("Without a task the game can be played, but not measured.", "note", wrap=True)
        self._title = SectionTitle("Tasks")
        self._list = RowList()
        self.body.addSpacing(GAP)
        self._path = QLineEdit()
        self._path.setPlaceholderText("Or a path of its gameAPI, like game_state.score: verified")
        self._path.setAccessibleName("Path of the page's own state to raise")
        self._path.returnPressed.connect(self._path_typed)
        for widget in (self._fields, self._path, self._title, self._none, self._list):
            self.body.addWidget(widget)
        self.body.setStretchFactor(self._list, 1)
        self._shown: tuple[DraftTask, ...] = ()
        self._targets: list[QDoubleSpinBox] = []

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        names = [one.name for one in draft.fields if can_count(one)] if draft is not None else []
        if names != [self._fields.itemText(at) for at in range(self._fields.count())]:
            self._fields.clear()
            self._fields.addItems(names)
            self._fields.setCurrentIndex(-1)
        self._fields.setEnabled(bool(names))
        self._path.setVisible(draft is not None and bool(draft.url))
        tasks = tuple(draft.tasks) if draft is not None else ()
        self._none.setVisible(not tasks)
        self._title.set_note(str(len(tasks)) if tasks else "")
        same = [task.id for task in tasks] == [task.id for task in self._shown]
        self._shown = tasks
        if not same:
            self._targets = []
            self._list.fill([self._card(at, task) for at, task in enumerate(tasks)])

    def to_target(self) -> None:
        """Go into the newest task's target, its number marked."""
        QTimer.singleShot(0, self, self._mark_target)  # it is laid out by then

    def _mark_target(self) -> None:
        if self._targets:
            self._targets[-1].setFocus()
            self._targets[-1].selectAll()

    def _path_typed(self) -> None:
        path = self._path.text().strip()
        self._path.clear()
        if path:
            self.path_wanted.emit(path)

    def _card(self, at: int, task: DraftTask) -> QWidget:
        target = QDoubleSpinBox()
        target.setRange(-1e9, 1e9)
        target.setDecimals(1 if task.target % 1 else 0)
        target.setValue(task.target)
        target.setAccessibleName(f"Target of {task.score}")
        words = QLineEdit(task.instruction)
        words.setPlaceholderText(instruction_of(task))
        words.setAccessibleName(f"What to do, in words, for {task.score}")
        target.valueChanged.connect(partial(self._retarget, at, words))
        words.editingFinished.connect(lambda: self._set(at, instruction=words.text().strip()))
        drop = Button("×", lambda: self._drop(at), kind="quiet", name=f"Remove the task on {task.score}")
        self._targets.append(target)
        return Card(beside(Label(task.score, "strong"), Label("to", "dim"), target, None, drop), words)

    def _retarget(self, at: int, words: QLineEdit, value: float) -> None:
        self._set(at, target=value)
        if self.draft is not None:
            words.setPlaceholderText(instruction_of(self.draft.tasks[at]))

    def _set(self, at: int, **values: Any) -> None:
        if self.draft is not None and at < len(self.draft.tasks):
            self.tell(changed_task(self.draft, at, **values))

    def _drop(self, at: int) -> None:
        assert self.draft is not None
        self._shown = ()
        self.tell(without_task(self.draft, at))


class SavePanel(StepPanel):
    """What will be written, what is wrong with it, and playing it.

    Signals:
        save_wanted(replace): write the folder. play_wanted(): play it now. mend_wanted(step): go where a
            fault is mended.
    """

    save_wanted = Signal(bool)
    play_wanted = Signal()
    mend_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__("Save the game", "A folder of plain files that you may change by hand.")
        self._facts = column(gap=GAP)
        self.replace = QCheckBox("Replace the folder that is there")
        self.save = PrimaryButton("Save and check", lambda: self.save_wanted.emit(self.replace.isChecked()))
        self.play = PrimaryButton("Play it now", self.play_wanted.emit)
        self._said = Label("", wrap=True)
        self._faults = column(gap=GAP)
        self.body.addSpacing(GAP)
        self.body.addLayout(self._facts)
        self.body.addWidget(self.replace)
        self.body.addWidget(beside(self.save, self.play, None))
        self.body.addWidget(self._said)
        self.body.addLayout(self._faults)
        self.body.addStretch(1)
        self.show_saved(None)

    def show_place(self, folder: Path) -> None:
        """Where it will be written."""
        there = folder.exists()
        self.replace.setVisible(there and self.play.isHidden())
        clear_layout(self._facts)
        draft = self.draft
        if draft is None:
            return
        facts = (
            ("Game", f"{draft.name} · {draft.game_id}"),
            ("Actions", ", ".join(action.name for action in draft.actions) or "none yet"),
            ("Readings", ", ".join(field.name for field in draft.fields) or "none"),
            ("Tasks", ", ".join(f"{task.score} to {task.target:g}" for task in draft.tasks) or "none"),
            ("Plays by", "each action in turn, until a model or skills play it"),
            ("Folder", str(folder)),
        )
        for name, text in facts:
            self._facts.addWidget(KeyValue(name, text))

    def show_saved(self, folder: Path | None) -> None:
        """It was written and passed the checker; None: not yet."""
        self.play.setVisible(folder is not None)
        self.save.setVisible(folder is None)
        clear_layout(self._faults)
        self._said.set_tone("ok" if folder is not None else "neutral")
        self._said.set_text(
            "✓ Saved. The checker finds no faults; the folder is trusted as you made it." if folder else ""
        )
        if folder is not None:
            self.replace.setVisible(False)

    def show_faults(self, faults: Sequence[Fault]) -> None:
        """What the checker found, each with the way to where it is mended."""
        clear_layout(self._faults)
        self._said.set_tone("stop" if faults else "neutral")
        self._said.set_text(f"! {len(faults)} to mend before it can be saved" if faults else "")
        for fault in faults:
            words = str(dataclasses.replace(fault, file=""))[2:]
            go = Button("Mend", partial(self.mend_wanted.emit, step_of(fault.key)), name=f"Mend {fault.key}")
            self._faults.addWidget(Card(Label(words, wrap=True), beside(go, None), tone="stop"))

    def show_error(self, error: PitwallError) -> None:
        """It could not be written."""
        self._said.set_tone("stop")
        self._said.set_text(f"! {error.what} {error.fix}".strip())


def step_of(key: str) -> int:
    """The step at which a fault of this key is mended."""
    room = key.split(".")[0].split("[")[0]
    if room in ("actions", "controls", "skills", "draft"):
        return 1
    return {"fields": 2, "detectors": 2, "trigger": 3, "tasks": 4, "truth": 4}.get(room, 0)
