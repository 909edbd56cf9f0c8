"""Learning by playing: the agent plays the open game, and a command beside it learns from what it plays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import TypeAdapter, ValidationError
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.canvas import Canvas
from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.places import LEARNING_PAGE, brought
from pitwall.console.kit.theme import STEP, Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.services.job import Job
from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.memories import PutEntry
from pitwall.core.quantities import NONE
from pitwall.core.validation import first_fault

_CURVE = "Score of a game by minutes of play; the other line is chance"
_INVITES = (
    "The agent plays by itself and learns from the score, first by chance. A key of yours takes over. What "
    "it learned is kept, and it goes on from there the next time."
)
_CURVE_PX = 72
_ENDS_S = 60.0
"""Longest time that the learner may take to save the best policy and to say what it learned."""
_MINUTE_S = 60.0


class _ScoreCurve(Canvas):
    """The score of a game over minutes of play, and the line of chance."""

    def __init__(self, look: Look) -> None:
        self._minutes: list[float] = []
        self._scores: list[float] = []
        self._chance = 0.0
        super().__init__(look, _CURVE, size=(240, _CURVE_PX), least=(120, _CURVE_PX))

    def clear(self) -> None:
        self._minutes.clear()
        self._scores.clear()
        self.redraw()

    def add(self, minutes: float, score: float, chance: float) -> None:
        """Add a point; one that is no number is left out."""
        if math.isfinite(score):
            self._minutes.append(minutes)
            self._scores.append(score)
            self._chance = chance
            self.redraw()

    def redraw(self) -> None:
        self.wipe()
        if len(self._minutes) > 1:
            ends = [self._minutes[0], self._minutes[-1]]
            top = max(*self._scores, self._chance) * 1.1 or 1.0
            self.box.setRange(xRange=ends, yRange=(0.0, top), padding=0)
            self.line(ends, [self._chance, self._chance], self.look.colour("dim"), 1)
            self.line(self._minutes, self._scores, self.look.colour("reflex"), 2)


class LearnCard(QWidget):
    """Begins and ends learning by playing, and shows how it goes.

    Args:
        show_page: brings a page into view by its key.
    """

    def __init__(self, bridge: Bridge, look: Look, show_page: Callable[[str], object]) -> None:
        super().__init__()
        self._bridge = bridge
        self._game = self._module = self._version = self._outcome = ""
        self._wanted = self._plays = False
        self._score = self._chance = NONE
        self.job = Job(self, data=bridge.data, patience_s=_ENDS_S)
        self.job.line.connect(self._take)
        self.job.answered.connect(lambda _: self._end(""))
        self.job.cancelled.connect(lambda: self._end(""))
        self.job.failed.connect(self._failed)
        self._text, self._curve = Label("", wrap=True), _ScoreCurve(look)
        self._curve_note = Label(_CURVE, "note", wrap=True)
        self._begin = Button("Learn by playing", self._learn)
        self._stop = Button("Stop learning", self._stop_learning)
        self._lab = Button("Open the GSM lab", partial(show_page, LEARNING_PAGE), kind="link")
        buttons = Flow(STEP)
        for button in (self._begin, self._stop, self._lab):
            buttons.flow.addWidget(button)
        card = Card(self._text, self._curve, self._curve_note, buttons, gap=STEP + 2)
        self.setLayout(column(SectionTitle("Learn by playing"), card))
        self.refresh(Part.ALL)

    def close_reading(self) -> None:
        """End the command, before the data folder goes away."""
        self.job.cancel()

    def use_subject(self) -> None:
        """Drop what was shown of the former game, and end its learning."""
        if not self.job.running:
            self._module = self._version = self._outcome = ""
        elif not self._open:
            self._stop_learning()

    def refresh(self, changed: Part) -> None:
        if not changed & (Part.PHASE | Part.BUDGETS | Part.GAME):
            return
        phase = self._bridge.state.phase
        module = self._bridge.state.modules.get(self._module)
        loaded = module is not None and module.version == self._version
        if self._wanted and loaded and phase is Phase.READY:
            self._wanted = False
            self._bridge.start()
        if phase in RUNNING and self.job.running and not self._wanted and self._version:
            self._plays = True
        elif self._plays and phase not in RUNNING | HALTED:
            self._stop_learning()
        self._show()

    # ---- inside

    @property
    def _open(self) -> bool:
        """Return whether the game that is learned is still the open game."""
        return self._bridge.state.subject.game_id == self._game

    def _learn(self) -> None:
        self._curve.clear()
        self._module = self._version = self._outcome = ""
        self._score = self._chance = NONE
        self._game = self._bridge.state.subject.game_id
        self.job.start(["learn", "--game", self._game, "--no-play"])
        self._show()

    def _stop_learning(self) -> None:
        if self._bridge.state.phase in RUNNING | HALTED:
            self._bridge.stop()
        self._plays = self._wanted = False
        self.job.cancel()
        self._show()

    def _take(self, line: Any) -> None:
        if not isinstance(line, Mapping):
            return
        if line.get("ready"):
            if self.job.cancelling or not self._open:
                return  # it was stopped while it prepared
            self._module, self._version = str(line["module"]), str(line["version"])
            self._wanted = True
            self._choose(explore=1.0)
        elif "progress" in line:
            score, chance = line.get("score"), line.get("chance")
            self._outcome = ""
            self._score, self._chance = _number(score), _number(chance)
            if isinstance(score, int | float):
                known = float(chance) if isinstance(chance, int | float) else 0.0
                self._curve.add(line["progress"] / _MINUTE_S, float(score), known)
        elif "note" in line:
            self._outcome = str(line["note"])
        elif line.get("memory_edit"):
            self._write_memory(line["memory_edit"])
        self._show()

    def _write_memory(self, written: object) -> None:
        """Have the engine, which holds the memory, write what was learned."""
        try:
            edit = TypeAdapter(PutEntry).validate_python(written)
        except ValidationError as error:
            self._outcome = f"What it learned does not stand in the memory: {first_fault(error)[1]}."
            return
        self._bridge.send(commands.EditMemory(edit_id=0, edits=(edit,), author="agent"))

    def _choose(self, *, explore: float) -> None:
        chosen = commands.ChooseVersion(module=self._module, version=self._version, explore=explore)
        self._bridge.send(chosen)

    def _failed(self, error: PitwallError) -> None:
        self._end(error_sentence(error))

    def _end(self, outcome: str) -> None:
        self._plays = self._wanted = False
        self._outcome = outcome
        if not self._open:
            self._module = self._version = self._outcome = ""
        elif self._version:
            self._choose(explore=0.0)
        self._show()

    def _show(self) -> None:
        running, ready = self.job.running, self._bridge.state.phase is Phase.READY
        self.setVisible(running or ready)
        self._text.show_text(self._words(running=running))
        for shown in (self._curve, self._curve_note):
            shown.setVisible(bool(self._version))
        self._begin.setVisible(not running)
        self._stop.setVisible(running and not self.job.cancelling)
        self._lab.setVisible(bool(self._version) and brought(LEARNING_PAGE))

    def _words(self, *, running: bool) -> str:
        if self.job.cancelling:
            return "Keeping what it learned …"
        if running and not self._version:
            return "Preparing to learn …"
        if self._outcome:
            return self._outcome
        if not self._version:
            return _INVITES
        scores = f"newest minute {self._score}, chance {self._chance}"
        if running:
            return f"{self._module} {self._version} learns: {scores}."
        return f"{self._module} {self._version} learned: {scores}. It plays as long as this game is open."


def _number(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, int | float) else NONE
