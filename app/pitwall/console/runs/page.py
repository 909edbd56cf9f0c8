"""The runs page: the recorded runs, newest first, and everything about the selected one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QProcess, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFileDialog

from pitwall.console.inspector.panel import INSPECT_KEYS
from pitwall.console.kit import places
from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import Button, EmptyState, PrimaryButton, column
from pitwall.console.kit.game_filter import ALL_GAMES, GameFilter
from pitwall.console.kit.job_dialog import JobDialog
from pitwall.console.kit.kept_panes import KeptPanes
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.page import Page
from pitwall.console.kit.page_head import PageHead
from pitwall.console.kit.panes import ReadStack, plain_tabs, split, stacked
from pitwall.console.kit.theme import Look
from pitwall.console.run_view.export_dialog import ExportDialog
from pitwall.console.run_view.inspection import RunInspection
from pitwall.console.run_view.panel import RunDetail
from pitwall.console.runs.list import RunsList
from pitwall.console.runs.query_tab import QueryTab
from pitwall.console.services.background import RunLogWorker
from pitwall.console.services.bridge import Bridge
from pitwall.console.services.job import Job
from pitwall.console.state.subject import Subject
from pitwall.core import rail
from pitwall.core.quantities import counted
from pitwall.core.telemetry import RunEnded, StepNote
from pitwall.store.run_log import RunReader, RunRow

_PORTION, _SEARCH_PX = 100, 260
_AGAIN_MS = 5_000
"""How often a run that another process records is read again, while the page is in view …"""
_READ_AT_MOST = 20
"""… but a list that is slow to read takes no more than a twentieth of the time."""


class RunsPage(Page):
    """Runs of the bridge's data folder.

    Args:
        read_only: the folder is a bundle's: nothing of it can be played, and no exam made.
    """

    place = places.RUNS

    def __init__(self, bridge: Bridge, look: Look, *, read_only: bool = False) -> None:
        super().__init__(bridge, look)
        self._read_only = read_only
        self._reading = RunLogWorker(bridge.data, self)
        self._searched = ""
        self._in_view = False
        self._wanted: tuple[int, int] | None = None
        self.list = RunsList(look)
        self.search = SearchField("Search runs   Ctrl+F", "Search runs by game, time, role or outcome")
        self.search.searched.connect(self._search)
        self.list.selected.connect(self._selected)
        self.list.more_wanted.connect(self._read_more)
        self.detail = RunDetail(look, self._reading, bridge.data)
        self.detail.export_wanted.connect(self.export)
        self.inspection = RunInspection(look, self._reading)
        self.detail.inspect_wanted.connect(self.inspection.open)
        self.inspection.opened.connect(self._show_inspector)
        self.inspection.why_wanted.connect(self.why_wanted)
        self.inspection.inspector.left.connect(self._leave_inspector)
        self.games = GameFilter()
        self.games.chosen.connect(lambda _: self.read())
        self.query = QueryTab(bridge.data, look)
        self._bundle_file = ""
        self._brought: list[Any] = list(rail.load_all(rail.PARTS, "runs.").values())
        self.opening = Job(self)
        self.notifications = NotificationBar(self)
        self.opening.answered.connect(lambda _: self._show_bundle())
        self.opening.failed.connect(lambda error: self.notifications.notify(Notification.of_error(error)))
        self._build()
        self.kept = KeptPanes(bridge, self)
        self._reading.failed.connect(self._stack.show_error)
        self._again = QTimer(self, interval=_AGAIN_MS)
        self._again.timeout.connect(self._read_if_playing)
        bind_keys(self, (QKeySequence.StandardKey.Find, self.search.setFocus), anywhere=True)
        bind_keys(self, (INSPECT_KEYS, self._toggle_inspector), anywhere=True)
        bridge.received.connect(self._receive)

    def opened(self) -> None:
        self._in_view = True
        self._again.start()
        self.read()

    def closed(self) -> None:
        self._in_view = False
        self._again.stop()

    def use_subject(self, subject: Subject) -> None:  # noqa: ARG002
        self._read_in_view()

    def commands(self) -> Sequence[Command]:
        run = self.list.chosen()
        return (
            Command(
                name="Inspect the decision of this step",
                run=self.detail.inspect,
                keys=INSPECT_KEYS,
                possible=lambda: self.detail.shown_step is not None,
            ),
            Command(name="Replay this run", run=self.detail.play, possible=lambda: run is not None),
            Command(
                name="Export this run: bundle, report, data…",
                run=self._export_chosen,
                possible=lambda: run is not None,
            ),
            *(
                Command(
                    name=place.run_command,
                    run=partial(self._hand_run, place.key),
                    possible=lambda: run is not None and not self._read_only,
                )
                for place in places.all_places()
                if place.run_command
            ),
            Command(name="Open a bundle…", run=self.open_bundle, possible=lambda: not self._read_only),
            *(
                Command(
                    name=make.offer_name,
                    run=partial(self.open_part, make),
                    possible=lambda: not self._read_only,
                )
                for make in self._brought
            ),
            Command(name="Read the run list again", run=self.read),
            *self._layout_commands(),
            Command(name="Ask the runs and the memory in SQL", run=self._ask_in_sql),
        )

    def close_reading(self) -> None:
        """Stop reading; before the data folder goes away."""
        self.detail.replay.close_reading()
        self._reading.close()
        self.query.close_reading()

    def read(self) -> None:
        """Read the list again; the selection stays."""
        words, count, game = self._searched, max(_PORTION, len(self.list.rows)), self.games.current
        wanted = self._wanted[0] if self._wanted is not None and not words else None

        def read(reader: RunReader) -> tuple[list[RunRow], int, dict[str, str], float]:
            began = time.monotonic()
            most = max(count, _behind(reader, wanted)) if wanted is not None else count
            rows, total, games = reader.runs(most, 0, words, game), reader.count(words, game), reader.games()
            return rows, total, games, time.monotonic() - began

        def show(read: tuple[list[RunRow], int, dict[str, str], float]) -> None:
            rows, total, games, took_s = read
            if game != self.games.current:
                return
            self.games.show_games(games)
            self._again.setInterval(max(_AGAIN_MS, int(took_s * 1_000 * _READ_AT_MOST)))
            self._show(words, rows, total)

        self._reading.ask(read, show)

    def show_step(self, run_id: int, step: int) -> None:
        """Select a run and one of its steps (0: none), also where it is not listed yet."""
        self._wanted = (run_id, step)
        self.tabs.setCurrentWidget(self._stack)
        self.search.clear()
        self.games.choose(ALL_GAMES)
        self.read()

    def export(self, run_id: int) -> ExportDialog:
        """Open the export dialog of a run."""
        dialog = ExportDialog(self.bridge.data, run_id, self)
        dialog.show()
        return dialog

    def open_part(self, make: Callable[..., JobDialog]) -> JobDialog:
        """Open a package's dialog about the runs (`rail.PARTS`); the list follows."""
        dialog = make(self.bridge.data, self)
        dialog.job.answered.connect(lambda _: self.read())
        dialog.show()
        return dialog

    def open_bundle(self) -> None:
        """Ask for a bundle, check it, and show it in another console."""
        file, _ = QFileDialog.getOpenFileName(
            self, "Open a bundle", "", spoken("Bundles (*.pitwall);;All files (*)")
        )
        if file and not self.opening.running:
            self._bundle_file = file
            self.notifications.show_busy("Checking the bundle")
            self.opening.start(["open", file])

    def _show_bundle(self) -> None:
        self.notifications.show_busy("")
        QProcess.startDetached(
            sys.executable, ["-m", "pitwall", "open", self._bundle_file, "--data", str(self.bridge.data.root)]
        )

    # ---- parts

    def _layout_commands(self) -> Sequence[Command]:
        turn = self.kept.turn
        return (
            Command(name="Move the list of runs to the other side", run=partial(turn, "runs")),
            Command(name="Move the chosen step to the other side of the steps", run=partial(turn, "steps")),
            Command(name="Move the inspector's panes to the other side", run=partial(turn, "inspector")),
            Command(name="Reset the layout of the Runs page", run=self.kept.reset),
        )

    def _build(self) -> None:
        self._empty = EmptyState(
            "No runs yet",
            "Each session of play is recorded here: its steps, why each was taken, and what it did.",
            PrimaryButton("Choose a game and start", partial(self.page_wanted.emit, places.LIVE.key)),
        )
        self._no_match = EmptyState(
            "No run holds these words",
            "The search looks at number, game, role, planner, time and outcome.",
            Button("Show every run", self.search.clear),
        )
        self._right = stacked(self.detail, self._no_match)
        self._both = split(self.list, self._right, sizes=(256, 960), stretch=1, keep="runs")
        self.list.setMinimumWidth(220)
        self._stack = ReadStack(
            "Reading the run log …", self._empty, self._both, self.inspection.inspector, again=self.read
        )
        self._head = PageHead(self.place.title)
        self._head.add_choice(self.games)
        self._head.add_choice(self.search)
        if not self._read_only:
            tip = "Show a run that somebody sent you as one file; its hashes are checked"
            for make in self._brought:
                opened = partial(self.open_part, make)
                self._head.add_action(Button(make.offer, opened, name=make.offer_name, tip=make.tip))
            self._head.add_action(Button("Open a bundle…", self.open_bundle, tip=tip))
        self.search.setMinimumWidth(_SEARCH_PX)
        self.tabs = plain_tabs("Runs and queries")
        self.tabs.addTab(self._stack, "Recorded runs")
        self.tabs.addTab(self.query, "Query")
        self.tabs.currentChanged.connect(lambda _: self._show_tab())
        self.setLayout(column(self._head, self.tabs, gap=0, stretch=1))

    def _show_tab(self) -> None:
        asks = self.tabs.currentWidget() is self.query
        self.search.setVisible(not asks)
        self.games.setVisible(not asks and self.games.count() > 2)
        if asks:
            self.query.opened()

    def _ask_in_sql(self) -> None:
        self.tabs.setCurrentWidget(self.query)
        self.query.sql.setFocus()

    # ---- answers

    def _show(self, words: str, rows: Sequence[RunRow], total: int) -> None:
        if words != self._searched:
            return
        if not total and not words and not self.games.current:
            self.list.show_runs((), 0)
            self._stack.setCurrentWidget(self._empty)
            return
        chosen = self.list.chosen()
        newest_before = self.list.rows[0].run_id if self.list.rows else None
        self.list.show_runs(rows, total)
        self._head.set_note(
            counted(total, "match", "matches") if words or self.games.current else counted(total, "run")
        )
        if self._stack.currentWidget() is not self.inspection.inspector:
            self._stack.setCurrentWidget(self._both)
        self._right.setCurrentWidget(self.detail if rows else self._no_match)
        if self._wanted is not None and self._choose_wanted(words):
            return
        live = self.bridge.state.live_run
        follow = chosen is not None and chosen.run_id == newest_before and live is not None
        self.list.choose(live if follow or chosen is None else chosen.run_id)
        current = self.list.chosen()
        if current is not None:
            self.detail.show_run(current)

    def _choose_wanted(self, words: str) -> bool:
        """Choose the requested run; return False where the usual choice applies."""
        if words or self._wanted is None:
            return False  # the search is being cleared
        (run_id, step), self._wanted = self._wanted, None
        at = self.list.place_of(run_id)
        if at is None:
            return False
        if self._stack.currentWidget() is self.inspection.inspector:
            self._stack.setCurrentWidget(self._both)
        self.list.choose(run_id)
        self.detail.show_run(self.list.rows[at])
        if step:
            self.detail.choose_step(step)
        return True

    def _search(self, words: str) -> None:
        self._searched = words.strip()
        self.read()

    def _read_more(self, offset: int) -> None:
        words, game = self._searched, self.games.current

        def add(rows: list[RunRow]) -> None:
            if (words, game) == (self._searched, self.games.current):
                self.list.add(rows)

        self._reading.ask(lambda reader: reader.runs(_PORTION, offset, words, game), add)

    def _selected(self, run: RunRow | None) -> None:
        if run is not None and run.run_id != self.detail.run_id:
            self.detail.show_run(run)

    # ---- the decision inspector

    def _show_inspector(self) -> None:
        self._stack.setCurrentWidget(self.inspection.inspector)
        self.inspection.inspector.setFocus()

    def _leave_inspector(self) -> None:
        self._stack.setCurrentWidget(self._both)
        run_id, step = self.inspection.place or (None, 0)
        if run_id == self.detail.run_id:
            self.detail.choose_step(step)
        self.detail.table.setFocus()

    def _toggle_inspector(self) -> None:
        if self._stack.currentWidget() is self.inspection.inspector:
            self._leave_inspector()
        else:
            self.detail.inspect()

    # ---- a run that is being recorded

    def _receive(self, record: object) -> None:
        match record:
            case RunEnded():
                self._read_in_view()
            case StepNote(run_id=run_id, step=step) if self._in_view:
                self.list.count_step(run_id, step)
                at = self.list.place_of(run_id)
                if at is not None and run_id == self.detail.run_id:
                    self.detail.add_step(self.list.rows[at], step)

    def _read_in_view(self) -> None:
        if self._in_view:
            self.read()

    def _read_if_playing(self) -> None:
        playing = [row for row in self.list.rows if row.summary.outcome == "playing"]
        if any(row.run_id != self.bridge.state.live_run for row in playing):
            self.read()

    def _hand_run(self, key: str) -> None:
        run = self.list.chosen()
        if run is not None:
            self.run_wanted.emit(key, run.run_id)

    def _export_chosen(self) -> None:
        run = self.list.chosen()
        if run is not None:
            self.export(run.run_id)


def _behind(reader: RunReader, run_id: int) -> int:
    """Count how many runs, newest first, hold this one for sure."""
    newest = reader.runs(1)
    return newest[0].run_id - run_id + 1 if newest else 0
