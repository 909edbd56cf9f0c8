"""The score of the game in view, beside its state: the game's own word, else as read from the screen."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QTimer, Signal

from pitwall.console.kit.elements import Chip
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW
from pitwall.core.quantities import score_text
from pitwall.store.true_scores import RunScore, ScoreTally, TrueScore, last_true_score

_EVERY_MS = 500
ScoreForm = Literal["whole", "now", "none"]


class ScoreChip(Chip):
    """Shows the run's score twice a second; hidden where there is none.

    Signals:
        widened: its width changed.
    """

    widened = Signal()

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("")
        self._bridge = bridge
        self._run_id: int | None = None
        self._read = ScoreTally("")
        self._shown: RunScore | None = None
        self._form: ScoreForm = "whole"
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.show_score)
        self._timer.start()
        self.show_score()

    def show_score(self) -> None:
        """Show the score as it stands."""
        before = (self.isHidden(), self.sizeHint().width())
        self._show(self._score())
        if before != (self.isHidden(), self.sizeHint().width()):
            self.widened.emit()

    def set_form(self, form: ScoreForm) -> None:
        """Leave the best to the tooltip where room is short, or the whole score."""
        if form != self._form:
            self._form = form
            self._show(self._shown)

    def _show(self, score: RunScore | None) -> None:
        self._shown = score
        self.setVisible(score is not None and self._form != "none")
        if score is None:
            return
        best = score_text(score.best, score.unit)
        only = f"Score {score_text(score.last, score.unit)}"
        whole = only if score.last == score.best else f"Score {score_text(score.last)} · best {best}"
        self.set_text(whole if self._form == "whole" else only)
        source = "the game's own word" if score.true else "as read from the screen"
        self.setToolTip(f"Score now, and the best of this run, {best}: {source}")
        self.setAccessibleName(f"{whole}, {source}")

    def _score(self) -> RunScore | None:
        state = self._bridge.state
        field = state.game.score_field if state.game is not None else ""
        run_id = state.run.run_id if state.run is not None else None
        if state.phase not in IN_VIEW:
            return None
        if run_id != self._run_id:
            self._run_id, self._read = run_id, ScoreTally(field)
        true: TrueScore | None = last_true_score(self._bridge.data, run_id) if run_id is not None else None
        if true is not None:
            return RunScore(true.score, true.best, True, true.unit)
        if state.note is not None:
            self._read.add(
                {reading.name: reading.value for reading in state.note.readings if reading.name == field}
            )
        read = self._read.score
        return None if read is None else RunScore(read.last, read.best, False, read.unit)
