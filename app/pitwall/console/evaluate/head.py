"""The head of the Evaluate page: which suite, how far it is, and what can be done now."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from pitwall.console.evaluate.format import STATES
from pitwall.console.kit.elements import Button, PrimaryButton
from pitwall.console.kit.format import left
from pitwall.console.kit.page_head import PageHead
from pitwall.suites.catalogue import SuiteFile, SuiteRun

_SOURCES = {"bundled": "bundled suite", "own": "your own suite"}


class EvaluateHead(PageHead):
    """Signals: start_wanted. cancel_wanted. resume_wanted. play_wanted: a person plays a task."""

    start_wanted = Signal()
    cancel_wanted = Signal()
    resume_wanted = Signal()
    play_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("Evaluate", progress_name="Progress of the suite")
        self._run: SuiteRun | None = None
        self.play = self.add_action(
            Button(
                "Play it yourself…",
                self.play_wanted.emit,
                tip="A task at your keys: same task, same budget, your input is recorded",
            )
        )
        self.export = self.add_menu("Export", "Export these results")
        self.resume = self.add_action(
            PrimaryButton("Resume", self.resume_wanted.emit, name="Resume this suite")
        )
        self.resume.setToolTip("Plays what is missing; finished runs are not played again")
        self.cancel = self.add_action(
            Button(
                "Cancel",
                self.cancel_wanted.emit,
                name="Cancel this suite",
                tip="Ends what plays now; finished runs are kept, and it can be resumed",
            )
        )
        self.start = self.add_action(PrimaryButton("Start", self.start_wanted.emit, name="Start this suite"))
        self.more = self.add_menu("More", "More to do with this suite")
        self.show_suite(None, None, ready=False)

    def show_suite(self, run: SuiteRun | None, file: SuiteFile | None, *, ready: bool, why: str = "") -> None:
        """Show a run, or a file.

        Args:
            ready: the file has no fault and can be started. why: the reason where it cannot.
        """
        self._run = run
        live = run is not None and run.live
        unfinished = run is not None and run.done < run.of
        if run is not None:
            self.set_title(run.name)
        elif file is not None:
            self.set_title(file.name, _SOURCES[file.source])
        else:
            self.set_title("Evaluate")
        self.start.setVisible(run is None and file is not None)
        self.start.setEnabled(ready)
        self.start.setToolTip(why)
        self.cancel.setVisible(live)
        self.resume.setVisible(unfinished and not live)
        self.export.setVisible(run is not None and bool(run.runs))
        self.more.setVisible(run is not None or file is not None)
        if run is not None and (live or unfinished):
            still = run.board.left_s if run.board is not None and live else None
            done = f"{run.done:,} of {run.of:,} runs" if run.of else ""
            share = run.done / run.of if run.of else 0.0
            self.show_progress(done, left(still) if still is not None else "", share, run.name)
        else:
            self.hide_progress()
        self._show_chip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_chip()

    def _show_chip(self) -> None:
        run = self._run
        if run is None:
            self.set_chip("")
            return
        sign = STATES[run.state]
        counts = not self.progress_fits and (run.live or run.done < run.of) and run.of
        text = f"{sign.text} {run.done:,}/{run.of:,}" if counts else sign.text
        self.set_chip(text, "neutral" if sign.tone == "reactive" else sign.tone, run.why)
