"""The head of the Evaluate page: the suite, its progress, and the page's actions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu

from pitwall.console.kit.elements import Button, PrimaryButton
from pitwall.console.kit.page_head import PageHead
from pitwall.core.quantities import left
from pitwall_bench.console.commands import EXPORTS, EvaluateCommands
from pitwall_bench.console.format import STATES
from pitwall_bench.suites.catalogue import SuiteFile, SuiteRun

_SOURCES = {"bundled": "bundled suite", "own": "your own suite"}


class EvaluateHead(PageHead):
    """The title, buttons and menus of the page."""

    def __init__(self, acts: EvaluateCommands) -> None:
        super().__init__("Evaluate", progress_name="Progress of the suite")
        self._acts = acts
        self._run: SuiteRun | None = None
        self.play = self.add_action(
            Button(
                "Play it yourself…",
                acts.play_yourself,
                tip="A task at your keys: same task, same budget, your input is recorded",
            )
        )
        exports, self._menu = QMenu(self), QMenu(self)
        for title, kind in EXPORTS:
            exports.addAction(title, partial(acts.export, kind))
        self._menu.aboutToShow.connect(self._fill_menu)
        self.export = self.add_menu("Export", "Export these results", exports)
        self.resume = self.add_action(
            PrimaryButton(
                "Resume",
                acts.resume,
                name="Resume this suite",
                tip="Plays what is missing; finished runs are not played again",
            )
        )
        self.cancel = self.add_action(
            Button(
                "Cancel",
                acts.cancel,
                name="Cancel this suite",
                tip="Ends what plays now; finished runs are kept, and it can be resumed",
            )
        )
        self.start = self.add_action(PrimaryButton("Start", acts.start, name="Start this suite"))
        self.more = self.add_menu("More", "More to do with this suite", self._menu)
        self.show_suite(None, None, ready=False)

    def show_suite(self, run: SuiteRun | None, file: SuiteFile | None, *, ready: bool, why: str = "") -> None:
        """Show a run, or a file.

        Args:
            ready: the file has no fault and can be started. why: the reason if it cannot.
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

    def show_menu(self, at: QPoint) -> None:
        """Show the menu of the suite in view at a point of the screen."""
        self._menu.popup(at)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_chip()

    def _fill_menu(self) -> None:
        self._menu.clear()
        for deed in self._acts.more():
            if deed.possible():
                self._menu.addAction(deed.name, deed.run)

    def _show_chip(self) -> None:
        run = self._run
        if run is None:
            self.set_chip("")
            return
        sign = STATES[run.state]
        counts = not self.progress_fits and (run.live or run.done < run.of) and run.of
        self.set_chip(f"{sign.text} {run.done:,}/{run.of:,}" if counts else sign.text, sign.tone, run.why)
