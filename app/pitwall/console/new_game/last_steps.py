"""The last steps of "Add a game": thresholds by watching, a task, saving."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QProgressBar, QWidget

from pitwall.console.kit.elements import (
    Button,
    Card,
    KeyValue,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.form.inputs import Combo, Line, NumberBox
from pitwall.console.kit.form.word_completer import WordCompleter
from pitwall.console.kit.language.catalogue import keep_name
from pitwall.console.kit.theme import GAP, STEP, Tone
from pitwall.console.new_game.draft_edits import can_count, changed_task, with_path, with_value, without_task
from pitwall.console.new_game.step_parts import ListPanel, StepPanel, drop_button
from pitwall.core.errors import Fault, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Thresholds
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.folder import asks_to_replace, folder_of
from pitwall.games.drafting.signs import RESUME, passage_of
from pitwall.games.drafting.start_command import UNKNOWN_COMMAND
from pitwall.games.drafting.template_slots import title
from pitwall.games.drafting.toml_writer import instruction_of

_SHORT_S, _MINUTE_S = 15, 60
_NAMES = {
    "scene_change": "Scene change (d)",
    "stall_steps": "Stall",
    "refresh_steps": "Refresh",
}


class ThresholdsPanel(StepPanel):
    """Watches the game being played and suggests the thresholds of new plans; may be skipped.

    Signals:
        watch_wanted(seconds): watch for so long; 0: cancel.
    """

    watch_wanted = Signal(float)

    def __init__(self) -> None:
        super().__init__(
            "Play for a minute while Pitwall watches",
            "It measures how the picture changes, and suggests when a new plan is needed. "
            "Without this step the default thresholds apply.",
        )
        watch = self.watch_wanted.emit
        self._minute = PrimaryButton("Watch for a minute", partial(watch, _MINUTE_S))
        self._short = Button(f"{_SHORT_S} s", partial(watch, _SHORT_S), name=f"Watch for {_SHORT_S} seconds")
        self._cancel = Button("Cancel", partial(watch, 0))
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Watching")
        self._message = Label("", "note", wrap=True)
        self._rows = column(gap=GAP)
        buttons = row(self._minute, self._short, self._cancel, None)
        self.fill(buttons, self._bar, self._message, SectionTitle("Thresholds"), self._rows)
        self._show_busy(False, "")

    def begin(self) -> None:
        self._bar.setRange(0, 0)
        self._show_busy(True, "Play as you always do; the keys go to the game, not here.")

    def rest(self) -> None:
        """Show that watching was cancelled, if it was going on."""
        if not self._bar.isHidden():
            self.show_answer({"called_off": True})

    def show_progress(self, done_s: float, of_s: float) -> None:
        """Show how many seconds were watched."""
        self._bar.setRange(0, round(1000 * of_s))
        self._bar.setValue(round(1000 * done_s))
        self._message.set_text(f"Watching: {max(0.0, of_s - done_s):.0f} s left. Play as you always do.")

    def show_answer(self, answer: dict[str, Any]) -> None:
        if "what" in answer or "called_off" in answer:
            called_off = "Cancelled. The earlier suggestion still applies."
            self._show_busy(False, str(answer.get("what", called_off)))
        elif not answer["why"]:
            self._show_busy(False, "Too little was seen. Watch for longer, while the game is played.")
        else:
            self._show_busy(
                False,
                f"{answer['steps']} steps in {answer['seconds']:.0f} s. The picture stood still in "
                f"{100 * answer['still_share']:.0f} % of them. Scene changes: {answer['cuts']}.",
            )
            self.edit(Draft.changed, thresholds=answer["thresholds"], why=answer["why"])

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

    def _show_busy(self, busy: bool, text: str) -> None:
        self._message.set_text(text)
        for widget in (self._bar, self._cancel):
            widget.setVisible(busy)
        for widget in (self._minute, self._short):
            widget.setVisible(not busy)


class TaskPanel(ListPanel):
    """Makes tasks: a reading and a target.

    Signals:
        task_wanted(name): the operator wants a task on this field.
    """

    task_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__(
            "Click the value that the agent is to raise",
            "Click a reading on the picture, then set its target. It is read from pixels, so results are "
            "marked as read, not as verified.",
            "Tasks",
            "Without a task the game can be played, but not measured.",
        )
        self._fields = Combo("Reading to raise")
        self._fields.chosen.connect(self._field_chosen)
        self._path = Line(
            "Path of the page's own state to raise",
            "Or a path of its gameAPI, like game_state.score: verified",
        )
        self._path.returnPressed.connect(self._path_typed)
        self._page = Combo("Value of the page to raise")
        self._page.chosen.connect(self._value_chosen)
        self._page.setVisible(False)
        self._targets: list[NumberBox] = []
        self.lay_out(self._fields, self._path, self._page)

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        names = [field.name for field in draft.fields if can_count(field)] if draft is not None else []
        self._fields.offer([("", "Or choose a reading here"), *((name, name) for name in names)])
        self._fields.setEnabled(bool(names))
        self._path.setVisible(draft is not None and bool(draft.url))
        self.show_rows([task.id for task in draft.tasks] if draft is not None else [], self._card)

    def show_page(self, offers: Sequence[Mapping[str, Any]]) -> None:
        """Offer the numbers of a page's true state."""
        values = [offer for offer in offers if offer["kind"] == "value"]
        words = [(value["expression"], f"{value['expression']} = {value['value']}") for value in values]
        self._page.offer([("", "Or a value of the page: verified"), *words])
        self._page.setVisible(bool(values))

    def _value_chosen(self, expression: str) -> None:
        if expression:
            self._page.choose("")
            self.edit(with_value, expression)
            self.to_target()

    def to_target(self) -> None:
        """Focus the target of the newest task, with its number selected."""
        QTimer.singleShot(0, self, self._mark_target)  # after the layout

    def _mark_target(self) -> None:
        if self.draft is not None and self.draft.tasks:
            self._targets[-1].setFocus()
            self._targets[-1].selectAll()

    def _field_chosen(self, name: str) -> None:
        self._fields.choose("")
        if name:
            self.task_wanted.emit(name)

    def _path_typed(self) -> None:
        path = self._path.text().strip()
        self._path.clear()
        if path:
            self.edit(with_path, path)
            self.to_target()

    def _card(self, task_id: str) -> QWidget:
        assert self.draft is not None
        task = next(task for task in self.draft.tasks if task.id == task_id)
        decimals = 1 if task.target % 1 else 0
        target = NumberBox(f"Target of {task.score}", -1e9, 1e9, decimals=decimals, step=1, value=task.target)
        words = Line(f"What to do, in words, for {task.score}", instruction_of(task), task.instruction)
        named = (*self.draft.fields, *self.draft.actions)
        WordCompleter(words).know(each.name for each in named)

        def retarget(value: float) -> None:
            words.setPlaceholderText(instruction_of(task.model_copy(update={"target": value})))
            self.edit(changed_task, task_id, target=value)

        target.valueChanged.connect(retarget)
        words.editingFinished.connect(
            lambda: self.edit(changed_task, task_id, instruction=words.text().strip())
        )
        drop = drop_button(f"Remove the task on {task.score}", partial(self.edit, without_task, task_id))
        self._targets.append(target)
        line = row(Label(task.score, "strong"), Label("to", "dim"), target, None, drop)
        return Card(holder(line), words)


class SavePanel(StepPanel):
    """Shows the folder to be written and its faults, and offers to play it.

    Signals:
        save_wanted(replace): write the folder. play_wanted(): play it now. mend_wanted(step): go to the step
            that mends a fault.
    """

    save_wanted = Signal(bool)
    play_wanted = Signal()
    mend_wanted = Signal(int)

    def __init__(self, data: DataFolder) -> None:
        super().__init__("Save the game", "A folder of plain files that you may change by hand.")
        self._data = data
        self._facts = column(gap=GAP)
        self._command = Line("Command that starts the game again", "None: you start it yourself")
        self._command.editingFinished.connect(self._started_by)
        note = Label("Pitwall runs this command when the game's window is not open.", "note", wrap=True)
        self._start = holder(column(SectionTitle("Started by"), self._command, note, gap=STEP))
        self._replace = QCheckBox("Replace the folder: it was changed elsewhere")
        self._save = PrimaryButton("Save and check", lambda: self.save_wanted.emit(self._replace.isChecked()))
        self.play = PrimaryButton("Play it now", self.play_wanted.emit)
        self._message = Label("", wrap=True)
        self._faults = column(gap=GAP)
        buttons = row(self._save, self.play, None)
        self.fill(self._facts, self._start, self._replace, buttons, self._message, self._faults)
        self.show_saved(None)

    def show_place(self) -> None:
        """Show the folder to be written, and ask before replacing a folder that was changed elsewhere."""
        clear_layout(self._facts)
        draft = self.draft
        if draft is None:
            return
        keep_name(draft.name)
        folder = folder_of(self._data, draft)
        self._replace.setVisible(asks_to_replace(self._data, draft) and self.play.isHidden())
        facts = (
            ("Game", f"{draft.name} · {draft.game_id}"),
            ("Actions", ", ".join(action.name for action in draft.actions) or "none yet"),
            ("Readings", ", ".join(field.name for field in draft.fields) or "none"),
            ("Tasks", ", ".join(f"{task.score} to {task.target:g}" for task in draft.tasks) or "none"),
            ("Plays by", _player(draft)),
            ("Folder", str(folder)),
        )
        for name, text in facts:
            self._facts.addWidget(KeyValue(name, text))
        if not (draft.url or draft.command):
            self._facts.addWidget(Label(UNKNOWN_COMMAND, "note", wrap=True))
        if draft.status.paused and passage_of(draft, RESUME) is None and not draft.pause:
            words = "A pause is recognised, but no key ends it: record the key under Actions, Pause."
            self._facts.addWidget(Label(words, "note", wrap=True))

    def show_draft(self, draft: Draft | None) -> None:
        super().show_draft(draft)
        self._start.setVisible(draft is not None and not draft.url)
        self._command.setText(shlex.join(draft.command) if draft is not None else "")

    def _started_by(self) -> None:
        """Take a command that was typed."""
        try:
            words = shlex.split(self._command.text())
        except ValueError as error:
            self._say(f"! The command does not parse: {error}.", "stop")
            return
        if self.draft is not None and words != self.draft.command:
            self.edit(Draft.changed, command=words)

    def show_saved(self, folder: Path | None) -> None:
        """Show that the folder was written and passed the checker; None: not yet."""
        self.play.setVisible(folder is not None)
        self._save.setVisible(folder is None)
        self.show_faults(())
        if folder is not None:
            self._say("✓ Saved. The checker finds no faults; the folder is trusted as you made it.", "ok")
            self._replace.setVisible(False)

    def show_faults(self, faults: Sequence[Fault]) -> None:
        """Show the checker's faults, each with a button to the step that mends it."""
        clear_layout(self._faults)
        self._say(f"! {len(faults)} to mend before it can be saved" if faults else "", "stop")
        for fault in faults:
            words = str(dataclasses.replace(fault, file=""))[2:]
            go = Button("Mend", partial(self.mend_wanted.emit, step_of(fault.key)), name=f"Mend {fault.key}")
            self._faults.addWidget(Card(Label(words, wrap=True), holder(row(go, None)), tone="stop"))

    def show_error(self, error: PitwallError) -> None:
        self._say(f"! {error.what} {error.fix}".strip(), "stop")

    def _say(self, text: str, tone: Tone) -> None:
        self._message.set_tone(tone)
        self._message.set_text(text)


def _player(draft: Draft) -> str:
    """Return in words who plays the game without a model."""
    agent = "the default agent: it tries actions and keeps what raises the score"
    return ", ".join(title(type(template)).casefold() for template in draft.templates) or agent


def step_of(key: str) -> int:
    """Return the number, from 0, of the wizard's step that edits a profile key, like "fields[2].box"."""
    room = key.split(".")[0].split("[")[0]
    if room in ("actions", "controls", "skills", "draft"):
        return 1
    return {"fields": 2, "detectors": 2, "trigger": 3, "tasks": 4, "truth": 4, "modules": 5}.get(room, 0)
