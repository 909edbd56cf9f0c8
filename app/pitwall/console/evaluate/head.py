"""The Evaluate page's top line: which suite, how far it is, and what can be done now."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy, QToolButton, QWidget

from pitwall.console.evaluate.format import STATES
from pitwall.console.kit.elements import Button, Chip, Label, PrimaryButton, column, row
from pitwall.console.kit.format import left
from pitwall.console.kit.theme import GAP, PAD, STEP
from pitwall.suites.catalogue import SuiteFile, SuiteRun

_PER_MILLE = 1000
_BAR_WIDTH = 280
_NARROW_PX = 780


class EvaluateHead(QFrame):
    """Signals: start_wanted. cancel_wanted. resume_wanted. play_wanted: a person plays a task."""

    start_wanted = Signal()
    cancel_wanted = Signal()
    resume_wanted = Signal()
    play_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._progressing = False
        self.setObjectName("labHead")
        self._title = Label("Evaluate", "heading")
        self._how = Label("", "dim")
        self._chip = Chip("")
        self._done, self._left = Label(""), Label("", "dim")
        self._left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = QProgressBar()
        self._bar.setRange(0, _PER_MILLE)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the suite")
        self._progress = QWidget()
        lines = column(gap=STEP)
        lines.addLayout(row(self._done, self._left))
        lines.addWidget(self._bar)
        self._progress.setLayout(lines)
        self._done.setMinimumWidth(self._done.fontMetrics().horizontalAdvance("888 of 888 runs"))
        self._left.setMinimumWidth(self._left.fontMetrics().horizontalAdvance("88:88 min left"))
        self._progress.setMaximumWidth(_BAR_WIDTH)
        self._progress.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.start = PrimaryButton("Start", self.start_wanted.emit, name="Start this suite")
        self.cancel = Button("Cancel", self.cancel_wanted.emit, name="Cancel this suite")
        self.cancel.setToolTip("Ends what plays now; finished runs are kept, and it can be resumed")
        self.resume = PrimaryButton("Resume", self.resume_wanted.emit, name="Resume this suite")
        self.resume.setToolTip("Plays what is missing; finished runs are not played again")
        self.play = Button("Play it yourself…", self.play_wanted.emit)
        self.play.setToolTip("A task at your keys: same task, same budget, your input is recorded")
        self.export = _menu_button("Export", "Export these results")
        self.more = _menu_button("More", "More to do with this suite")
        line = row(self._title, self._how, self._chip, gap=GAP)
        line.addStretch(1)
        line.addWidget(self._progress, 2)
        for button in (self.play, self.export, self.resume, self.cancel, self.start, self.more):
            line.addWidget(button)
        line.setContentsMargins(PAD, GAP, PAD, GAP)
        self.setLayout(line)
        self.show_suite(None, None, ready=False)

    @property
    def said(self) -> str:
        """What the line says, as shown."""
        labels = (self._title, self._how, self._chip, self._done, self._left)
        return " ".join(one.full_text() for one in labels if one.isVisibleTo(self))

    def show_suite(self, run: SuiteRun | None, file: SuiteFile | None, *, ready: bool, why: str = "") -> None:
        """Show a run, or a file.

        Args:
            ready: the file has no fault and can be started. why: not.
        """
        live = run is not None and run.live
        title = run.name if run is not None else file.name if file is not None else "Evaluate"
        self._title.set_text(title)
        self._title.setMinimumWidth(min(320, self._title.sizeHint().width()))
        source = {"bundled": "bundled suite", "own": "your own suite"}
        self._how.set_text(source[file.source] if file is not None and run is None else "")
        self._how.setVisible(bool(self._how.full_text()))
        self._chip.setVisible(run is not None)
        self._progressing = run is not None and (live or run.done < run.of)
        self._progress.setVisible(self._progressing and self.width() >= _NARROW_PX)
        self.start.setVisible(run is None and file is not None)
        self.start.setEnabled(ready)
        self.start.setToolTip(why)
        self.cancel.setVisible(live)
        self.resume.setVisible(run is not None and not live and run.done < run.of)
        self.export.setVisible(run is not None and bool(run.runs))
        self.more.setVisible(run is not None or file is not None)
        if run is not None:
            self._show_run(run)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._progress.setVisible(self._progressing and self.width() >= _NARROW_PX)

    def _show_run(self, run: SuiteRun) -> None:
        sign, narrow = STATES[run.state], self._progressing and self.width() < _NARROW_PX
        self._chip.set_text(f"{sign.text} {run.done:,}/{run.of:,}" if narrow and run.of else sign.text)
        self._chip.set_tone("neutral" if sign.tone == "reactive" else sign.tone)
        self._chip.setToolTip(run.why)
        self._done.set_text(f"{run.done:,} of {run.of:,} runs" if run.of else "")
        still = run.board.left_s if run.board is not None and run.live else None
        self._left.set_text(left(still) if still is not None else "")
        self._bar.setValue(round(_PER_MILLE * min(1.0, run.done / run.of)) if run.of else 0)
        self._bar.setAccessibleDescription(f"{run.name}: {self._done.full_text()}, {self._left.full_text()}")


def _menu_button(text: str, name: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setAccessibleName(name)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    return button
