"""Shows one run: its figures in a line, its steps with the selected one, its events, all figures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit import format as words
from pitwall.console.kit.elements import Button, Chip, EmptyState, Label, column, holder, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.panes import plain_tabs, split
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.paged import PagedModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, PAD, ROUTE_SIGNS, STEP, WIDE, Look, route_tone
from pitwall.console.replay.panel import ReplayPanel
from pitwall.console.replay.timeline import EVENT_TONES
from pitwall.console.run_view.figures import RunFigures, headline
from pitwall.console.run_view.format import OUTCOMES, refused, score_words
from pitwall.console.run_view.step import StepDetail
from pitwall.console.services.background import RunLogWorker
from pitwall.core.actions import Effect
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import NONE, clock_tenths, figure, local_time
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store.run_log import RunRow

if TYPE_CHECKING:
    from pitwall.store.run_reader import RunReader

_PAGE_STEPS = 256
_EVENTS_AT_ONCE = 2_000
"""A run with more events is shown without them at first."""
_WITH_HEADLINE = 720
_WITH_EFFECT, _WITH_REASONS, _WITH_REACTION, _WITH_REFUSED = 440, 520, 640, 760
"""Widths from which the steps table has these columns; the pane beside it always shows them."""
_EFFECTS = {
    Effect.CONFIRMED: words.Badge("✓", "confirmed", "ok"),
    Effect.UNVERIFIED: words.Badge("?", "unverified"),
    Effect.NONE: words.Badge("—", "none"),
}
_STEP_COLUMNS: tuple[Column[StepRecord], ...] = (
    Column("Step", lambda step: f"{step.step:,}", number=True, width=62),
    Column("Time", words.step_time, number=True, tone="dim", width=74),
    Column(
        "Route",
        lambda step: f"{ROUTE_SIGNS[step.route]} {step.route.value}",
        tone=lambda step: route_tone(step.route),
        width=104,
    ),
    Column(
        "Reasons",
        lambda step: words.reasons(step.reasons),
        tone="dim",
        width=70,
        stretch=1,
        least_room=_WITH_REASONS,
    ),
    Column("Action", lambda step: str(step.action), width=70, stretch=1),
    Column(
        "Effect",
        lambda step: str(_EFFECTS.get(step.effect, NONE)),
        tone=lambda step: "ok" if step.effect is Effect.CONFIRMED else "dim",
        width=94,
        least_room=_WITH_EFFECT,
    ),
    Column(
        "Refused",
        lambda step: refused(step) or (step.invalid or "").replace("_", " "),
        tone="stop",
        width=76,
        least_room=_WITH_REFUSED,
    ),
    Column(
        "Reaction",
        lambda step: figure(step.timings.reaction_ms, "ms"),
        number=True,
        tone="dim",
        width=82,
        least_room=_WITH_REACTION,
    ),
)
_EVENT_COLUMNS: tuple[Column[RunEvent], ...] = (
    Column(
        "Time",
        lambda event: clock_tenths(event.at_ns / 1e9),
        sort=lambda event: event.at_ns,
        number=True,
        tone="dim",
        width=80,
    ),
    Column(
        "Kind",
        lambda event: event.kind.replace("_", " "),
        tone=lambda event: EVENT_TONES.get(event.kind, "dim"),
        width=110,
    ),
    Column("What happened", lambda event: event.text, width=200, stretch=1),
    Column(
        "Step",
        lambda event: f"{event.step:,}" if event.step else NONE,
        sort=lambda event: event.step or None,
        number=True,
        tone="dim",
        width=70,
    ),
)


class RunDetail(QWidget):
    """Everything of one run. Reads through `reading`.

    Signals:
        export_wanted(run_id). inspect_wanted(RunRow, step).
    """

    export_wanted = Signal(int)
    inspect_wanted = Signal(object, int)

    def __init__(self, look: Look, reading: RunLogWorker, data: DataFolder) -> None:
        super().__init__()
        self._reading, self._look, self._data = reading, look, data
        self._run: RunRow | None = None
        self._step: StepRecord | None = None
        self._calls: dict[int, int] = {}
        self._events_wait = False
        self.steps: PagedModel[StepRecord] = PagedModel(
            _STEP_COLUMNS, lambda step: step.step, page_rows=_PAGE_STEPS
        )
        self.steps.page_wanted.connect(self._read_page)
        self.steps.dataChanged.connect(lambda *_: self._show_current())
        self.figures = RunFigures()
        self.replay = ReplayPanel(look, reading, data)
        self._tabs = plain_tabs("Steps, events, figures and replay of the run")
        self._tabs.addTab(self._build_steps(look), "Steps")
        self._tabs.addTab(self._build_events(look), "Events")
        self._tabs.addTab(self.replay, "Replay")
        self._tabs.addTab(self.figures, "All figures")
        self._tabs.tabBarClicked.connect(self._clicked)
        self._tabs.currentChanged.connect(lambda _: self._turned())
        self.setLayout(column(self._build_head(), self._tabs, gap=0, stretch=1))

    @property
    def run_id(self) -> int | None:
        return self._run.run_id if self._run is not None else None

    @property
    def shown_step(self) -> StepRecord | None:
        """Return the step in the pane beside the table."""
        return self._step

    def show_run(self, run: RunRow) -> None:
        """Turn to a run, or show the same run's newer figures."""
        same = run.run_id == self.run_id
        self._run = run
        self._show_head(run)
        self.figures.show_run(run)
        self.replay.show_run(run)
        if same:
            self._grow(max(run.summary.steps, self.steps.rowCount()))
        else:
            self._step = None
            self._calls = {}
            self.detail.clear()
            with self.table.filling():
                self.steps.restart(total=run.summary.steps)
            self.event_table.show_rows(())
            self._tabs.setTabText(1, "Events")
        self._read_events(run)
        self._reading.ask(
            lambda reader: reader.calls_by_step(run.run_id), lambda calls: self._show_calls(run, calls)
        )

    def inspect(self) -> None:
        """Open the decision inspector at the chosen step."""
        if self._run is not None and self._step is not None:
            self.inspect_wanted.emit(self._run, self._step.step)

    def ask_about_step(self, make: Callable[..., Any]) -> Any:
        """Open a package's dialog about the chosen step (`rail.PARTS`)."""
        if self._run is None or self._step is None:
            return None
        dialog: Any = make(self._look, self._data, self._run, self._step.step, self)
        dialog.step_wanted.connect(self.choose_step)
        dialog.show()
        return dialog

    def _clicked(self, at: int) -> None:
        """Give the replay its keys with its tab: Space and the arrows are meant for it."""
        if self._tabs.widget(at) is self.replay:
            QTimer.singleShot(0, self.replay, self.replay.setFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()

    def _share_height(self) -> None:
        """Leave the figures' line out where a replay's picture needs its room; a tab has all figures."""
        replays = self._tabs.currentWidget() is self.replay
        self._headline.setVisible(not replays or self.height() >= _WITH_HEADLINE)

    def play(self) -> None:
        """Show the replay, and play."""
        self._tabs.setCurrentWidget(self.replay)
        self.replay.setFocus()
        if not self.replay.playing:
            self.replay.toggle()

    def choose_step(self, step: int) -> None:
        """Select a step in the table."""
        if 0 < step <= self.steps.rowCount():
            self._tabs.setCurrentIndex(0)
            self.table.choose_row(step - 1)

    def add_step(self, run: RunRow, step: StepRecord) -> None:
        """Take a step of the run in view that was committed just now."""
        self._run = run
        self._grow(step.step, step)
        self._show_head(run)

    # ---- parts

    def _build_head(self) -> QWidget:
        self._title, self._when, self._outcome = Label("", "title"), Label("", "dim"), Chip("")
        tip = "A bundle to open elsewhere, a report for a browser, or files for other programs"
        export = Button("Export…", self._ask_export, name="Export this run", tip=tip)
        replay = Button(
            "▶ Replay", self.play, name="Replay this run", tip="Play the run again as it was seen"
        )
        top = row(self._title, self._outcome, self._when, replay, export, gap=PAD, stretch=2)
        self._headline = Flow(WIDE)
        self._headline_values: dict[str, Label] = {}
        return holder(column(top, self._headline, margins=(WIDE, PAD, WIDE, GAP)))

    def _build_steps(self, look: Look) -> QWidget:
        self.table = Table(
            look, self.steps, "Steps of the run", "Enter inspects a step", sortable=False, first=True
        )
        self.table.set_empty(
            EmptyState("No steps were recorded", "A step is listed here as soon as its commit returned.")
        )
        self.table.chosen.connect(lambda _: self._show_current())
        self.table.opened.connect(lambda _: self.inspect())
        self.detail = StepDetail(look)
        self.detail.inspect_wanted.connect(self.inspect)
        self.detail.part_wanted.connect(self.ask_about_step)
        self.detail.setMinimumWidth(256)
        return split(self.table, self.detail, sizes=(700, 268), keep="steps")

    def _build_events(self, look: Look) -> QWidget:
        model = TableModel(_EVENT_COLUMNS, lambda event: (event.at_ns, event.kind, event.text, event.step))
        self.event_table = Table(look, model, "Events of the run")
        self.event_table.opened.connect(self._go_to_event)
        self.event_table.setToolTip("Enter or a double click shows the step")
        self.event_table.set_empty(
            EmptyState(
                "Nothing happened beside the steps",
                "Takeovers, pauses, refusals and faults are listed here.",
            )
        )
        return self.event_table

    # ---- what is shown

    def _show_head(self, run: RunRow) -> None:
        self._title.set_text(run.manifest.game_name)
        self._when.set_text(f"run {run.run_id} · {local_time(run.manifest.started_at)}")
        outcome = OUTCOMES[run.summary.outcome]
        self._outcome.set_text(str(outcome))
        self._outcome.set_tone(outcome.tone)
        self._tabs.setTabText(0, f"Steps {run.summary.steps:,}")
        for name, text in headline(run):
            if name not in self._headline_values:
                value = self._headline_values[name] = Label("", "strong")
                self._headline.flow.addWidget(holder(column(Label(name, "note"), value, gap=STEP // 2)))
            self._headline_values[name].set_text(text)
            self._headline_values[name].setAccessibleName(f"{name}: {text}")
        self._headline_values["Score"].setToolTip(score_words(run.score)[1])

    def _read_events(self, run: RunRow) -> None:
        """Count the events, and read them; of a long run only once their tab is in view."""
        most = sys.maxsize if self._tabs.currentWidget() is self.event_table else _EVENTS_AT_ONCE

        def read(reader: RunReader) -> tuple[int, Sequence[RunEvent]]:
            count = reader.event_count(run.run_id)
            return count, reader.events(run.run_id) if count <= most else ()

        self._reading.ask(read, lambda counted: self._show_events(run, *counted))

    def _show_events(self, run: RunRow, count: int, events: Sequence[RunEvent]) -> None:
        if run.run_id == self.run_id:
            self._events_wait = len(events) < count
            self.event_table.show_rows(events)
            self._tabs.setTabText(1, f"Events {count:,}")

    def _turned(self) -> None:
        self._share_height()
        if self._run is not None and self._events_wait and self._tabs.currentWidget() is self.event_table:
            self._read_events(self._run)

    def _show_calls(self, run: RunRow, calls: dict[int, int]) -> None:
        if run.run_id == self.run_id:
            self._calls = calls
            if self._step is not None:
                self.detail.show_calls(calls.get(self._step.step, 0))

    def _grow(self, total: int, newest: StepRecord | None = None) -> None:
        """Show that there are more steps; a view at the end follows."""
        bar = self.table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        with self.table.filling():
            if newest is not None and total == self.steps.rowCount() + 1:
                self.steps.append(newest)
            elif total > self.steps.rowCount():
                self.steps.resize(total)
        if at_end:
            self.table.scrollToBottom()

    def _read_page(self, ticket: int, offset: int, limit: int) -> None:
        run_id = self.run_id
        if run_id is not None:
            self._reading.ask(
                lambda reader: reader.steps(run_id, offset + 1, limit),
                lambda steps: self.steps.add_page(ticket, offset, _at_places(steps, offset + 1, limit)),
            )

    def _show_current(self) -> None:
        step = self.table.current
        if step is None or self._run is None or step is self._step:
            return
        self._step = step
        self.detail.show_step(step, self._run.manifest)
        self.detail.show_calls(self._calls.get(step.step, 0))

        def show(image: QImage) -> None:
            if self._step is step:
                self.detail.show_frame(image, step)

        self._reading.ask_image(self._run.run_id, step.frame_ref, show)

    def _go_to_event(self, event: RunEvent) -> None:
        if event.step and event.step <= self.steps.rowCount():
            self.choose_step(event.step)
            self.table.setFocus()

    def _ask_export(self) -> None:
        if self._run is not None:
            self.export_wanted.emit(self._run.run_id)


def _at_places(steps: Sequence[StepRecord], first: int, limit: int) -> list[StepRecord | None]:
    """Return the steps in order of their numbers, with None for steps that were never recorded."""
    records = {step.step: step for step in steps}
    last = min(max(records, default=0), first + limit - 1)
    return [records.get(number) for number in range(first, last + 1)]
