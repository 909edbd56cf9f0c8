"""Learning from recorded play: installs what is missing, trains, and draws how the training goes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.canvas import Canvas
from pitwall.console.kit.elements import Label, column
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import BusyLine
from pitwall.console.kit.theme import STEP, Look
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import left, share

_CURVE_PX = 64
_CURVE = "How wrong it still is on play that it has not seen"


@dataclass(frozen=True, slots=True)
class TaughtVersion:
    """A version that was trained here: its game, module and name, and the result in a sentence."""

    game_id: str
    module: str
    version: str
    result: str


class _LearningCurve(Canvas):
    """A falling line: the loss on play that is not learned from, by training step."""

    def __init__(self, look: Look) -> None:
        self._steps: list[float] = []
        self._losses: list[float] = []
        super().__init__(look, _CURVE, size=(240, _CURVE_PX), least=(120, _CURVE_PX))

    def clear(self) -> None:
        self._steps.clear()
        self._losses.clear()
        self.redraw()

    def add(self, step: float, loss: float) -> None:
        """Add a point; one that is no number is left out."""
        if math.isfinite(loss):
            self._steps.append(step)
            self._losses.append(loss)
            self.redraw()

    def redraw(self) -> None:
        self.wipe()
        if len(self._steps) > 1:
            top = max(self._losses) * 1.05 or 1.0
            self.box.setRange(xRange=(self._steps[0], self._steps[-1]), yRange=(0.0, top), padding=0)
            self.line(self._steps, self._losses, self.look.colour("reflex"), 2)


class TeachTraining(QWidget):
    """Runs `pitwall teach train`, or an installation, and shows its progress, its curve and its end.

    Signals:
        changed(): it began, ended or failed.

    Attributes:
        made: the version that was trained last; None before.
        promoted: whether it drives from now on. refused: whether a promotion was refused.
    """

    changed = Signal()

    def __init__(self, data: DataFolder, look: Look) -> None:
        super().__init__()
        self.made: TaughtVersion | None = None
        self.promoted = self.refused = False
        self.job = Job(self, data=data)
        self.job.line.connect(self._take)
        self.job.answered.connect(self._answered)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(lambda: self._end("Stopped. What you showed is kept."))
        self._game_id = ""
        self._busy = BusyLine(self.job.cancel, name="Cancel the training")
        self._curve, self._curve_note = _LearningCurve(look), Label(_CURVE, "note", wrap=True)
        self._outcome = Label("", wrap=True)
        self._doing = Label("", "note", wrap=True)
        self.setLayout(
            column(self._busy, self._doing, self._curve, self._curve_note, self._outcome, gap=STEP)
        )
        self.forget()

    @property
    def running(self) -> bool:
        return self.job.running

    @property
    def trains(self) -> bool:
        """Return whether a training runs, not only an installation."""
        return self.job.running and bool(self._game_id) and self.made is None

    def train(self, game_id: str) -> None:
        """Train on everything that was shown of a game, after installing what is missing."""
        self._begin(game_id, "Preparing", ["teach", "train", "--game", game_id])

    def install(self, component: str) -> None:
        """Install a component."""
        self._begin("", "Installing", ["components", "install", component])

    def run(self, arguments: list[str], doing: str) -> None:
        """Run a short command about the version that was made."""
        self._outcome.show_text("")
        self._busy.show_share(doing, None)
        self.job.start(arguments)
        self.changed.emit()

    def forget(self) -> None:
        """Forget the last training: another game is in view."""
        self.made, self.promoted, self.refused = None, False, False
        self._outcome.show_text("")
        self._show_curve(False)

    def close_reading(self) -> None:
        """End the job, before the data folder goes away."""
        self.job.cancel()

    # ---- inside

    def _begin(self, game_id: str, doing: str, arguments: list[str]) -> None:
        self.forget()
        self._curve.clear()
        self._game_id = game_id
        self.run(arguments, doing)

    def _take(self, line: Any) -> None:
        if not isinstance(line, Mapping) or "progress" not in line:
            return
        progress = self.job.progress
        installs = bool(line.get("doing"))
        time_left = left(progress.left_s) if progress.left_s else ""
        self._busy.show_share("Installing" if installs else "Learning from your play", progress.share)
        self._doing.show_text(" · ".join(filter(None, (progress.doing if installs else "", time_left))))
        if isinstance(line.get("held_out"), float):
            self._curve.add(float(line["progress"]), line["held_out"])
            self._show_curve(True)

    def _answered(self, answer: Any) -> None:
        if isinstance(answer, Mapping) and "cloned" in answer:
            version, cloned = str(answer["about"]["version"]), answer["cloned"]
            before = cloned.get("before")
            earlier = f" The version before it agreed on {share(before)}." if before is not None else ""
            result = (
                f"{answer['module']} {version} does as you did in {share(cloned['agreement'])} of the play "
                f"that it had not seen.{earlier}"
            )
            self.made = TaughtVersion(self._game_id, str(answer["module"]), version, result)
            self._end(result)
        elif isinstance(answer, Mapping) and "probe_ms" in answer:
            self.promoted = True
            self._end(f"{answer['version']} drives from now on.")
        else:
            self._end("It is installed.")

    def _failed(self, error: PitwallError) -> None:
        self.refused = self.made is not None
        self._end(error_sentence(error), fault=True)

    def _end(self, text: str, *, fault: bool = False) -> None:
        self._busy.hide()
        self._doing.show_text("")
        self._outcome.set_tone("stop" if fault else "neutral")
        self._outcome.show_text(text)
        self.changed.emit()

    def _show_curve(self, shown: bool) -> None:
        for part in (self._curve, self._curve_note):
            part.setVisible(shown)
