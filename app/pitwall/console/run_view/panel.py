"""One run: its figures in a line, its steps with the one that is selected, its events, all figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QSplitter,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from pitwall.console.kit import format as words
from pitwall.console.kit.column_table import ROW, whole_rows
from pitwall.console.kit.elements import Button, Chip, EmptyState, Label, column, row
from pitwall.console.kit.format import started_text
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, WIDE, Look, ui_font
from pitwall.console.run_view.figures import RunFigures, headline
from pitwall.console.run_view.format import OUTCOMES
from pitwall.console.run_view.step import StepDetail
from pitwall.console.run_view.steps_model import COLUMNS, StepsModel
from pitwall.console.services.run_log_reader import RunLogWorker
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store.run_log import RunReader, RunRow

_ROW_HEIGHT = 28
_CELL = 26
"""What a cell's text leaves free at its sides, in pixels."""
_EVENT_TONES = {
    "escalation": "strategic",
    "refusal": "stop",
    "takeover": "human",
    "stopped": "stop",
    "broker": "stop",
    "fault": "stop",
}
_EVENT_COLUMNS: tuple[Column[RunEvent], ...] = (
    Column(
        "Time",
        lambda event: words.clock_tenths(event.at_ns / 1e9),
        sort=lambda event: event.at_ns,
        number=True,
        tone="dim",
        width=80,
    ),
    Column(
        "Kind",
        lambda event: event.kind.replace("_", " "),
        tone=lambda event: _EVENT_TONES.get(event.kind, "dim"),
        width=110,
    ),
    Column("What happened", lambda event: event.text, width=200, stretch=1),
    Column(
        "Step",
        lambda event: f"{event.step:,}" if event.step else words.NONE,
        sort=lambda event: event.step or None,
        number=True,
        tone="dim",
        width=70,
    ),
)


class StepsTable(QTableView):
    """Rows are chosen whole; Home and End go to the first and last row."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        whole_rows(self, _ROW_HEIGHT)
        self.setFont(ui_font(SMALL_PX))
        self.horizontalHeader().setMinimumSectionSize(44)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover, False)  # rows, not cells, are chosen

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self.model().rowCount() - 1
        at = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(Qt.Key(event.key()))
        if at is not None and last >= 0:
            self.choose(at)
            event.accept()
        else:
            super().keyPressEvent(event)

    def choose(self, at: int) -> None:
        """Select a row and bring it into view."""
        self.setCurrentIndex(self.model().index(at, 0))

    @property
    def at_end(self) -> bool:
        """Whether the last row is in view."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()


class RunDetail(QWidget):
    """Everything of one run. Reads through `reading`.

    Signals:
        export_wanted(run_id). inspect_wanted(RunRow, step).
    """

    export_wanted = Signal(int)
    inspect_wanted = Signal(object, int)

    def __init__(self, look: Look, reading: RunLogWorker) -> None:
        super().__init__()
        self._reading = reading
        self._run: RunRow | None = None
        self._step: StepRecord | None = None
        self._calls: dict[int, int] = {}
        self.steps = StepsModel(look, self)
        self.steps.page_wanted.connect(self._read_page)
        self.steps.dataChanged.connect(lambda *_: self._show_current())
        self._tabs = QTabWidget()
        self._tabs.setAccessibleName("Steps, events and figures of the run")
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.addTab(self._build_steps(look), "Steps")
        self._tabs.addTab(self._build_events(look), "Events")
        self.figures = RunFigures()
        self._tabs.addTab(self.figures, "All figures")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._build_head())
        layout.addWidget(self._tabs, 1)

    @property
    def run_id(self) -> int | None:
        return self._run.run_id if self._run is not None else None

    @property
    def shown_step(self) -> StepRecord | None:
        """The step whose reasons are shown."""
        return self._step

    def show_run(self, run: RunRow) -> None:
        """Turn to a run, or show the same run's newer figures."""
        same = run.run_id == self.run_id
        self._run = run
        self._show_head(run)
        self.figures.show_run(run)
        if same:
            self._grow(run.summary.steps)
        else:
            self._step = None
            self._calls = {}
            self.detail.clear()
            self.steps.show(run.run_id, run.summary.steps)
            self._show_empty(run.summary.steps == 0)
            self.event_table.show_rows(())
            self._tabs.setTabText(1, "Events")
            if run.summary.steps:
                self.table.choose(0)
        self._reading.ask(
            lambda reader: reader.events(run.run_id), lambda events: self._show_events(run, events)
        )
        self._reading.ask(
            lambda reader: reader.calls_by_step(run.run_id), lambda calls: self._show_calls(run, calls)
        )

    def inspect(self) -> None:
        """Open the decision inspector at the chosen step."""
        if self._run is not None and self._step is not None:
            self.inspect_wanted.emit(self._run, self._step.step)

    def choose_step(self, step: int) -> None:
        """Select a step in the table."""
        if 0 < step <= self.steps.rowCount():
            self._tabs.setCurrentIndex(0)
            self.table.choose(step - 1)

    def add_step(self, run: RunRow, step: StepRecord) -> None:
        """A step of the run in view was committed just now."""
        follow = self.table.at_end
        self._run = run
        self.steps.append(step)
        self._show_empty(False)
        self._show_head(run)
        if follow:
            self.table.scrollToBottom()

    # ---- parts

    def _build_head(self) -> QWidget:
        self._title = Label("", "title")
        self._when = Label("", "dim")
        self._outcome = Chip("")
        export = Button("Export…", self._ask_export, name="Export this run", tip="JSON lines, CSV or SQLite")
        top = row(self._title, self._outcome, self._when, export, gap=PAD)
        top.setStretch(2, 1)
        self._headline = row(gap=WIDE)
        self._headline_values: dict[str, Label] = {}
        head = QWidget()
        layout = column(gap=GAP)
        layout.addLayout(top)
        layout.addLayout(self._headline)
        layout.setContentsMargins(WIDE, PAD, WIDE, GAP)
        head.setLayout(layout)
        return head

    def _build_steps(self, look: Look) -> QWidget:
        self.table = StepsTable("Steps of the run")
        self.table.setModel(self.steps)
        for at, described in enumerate(COLUMNS):
            self.table.setColumnWidth(at, described.width)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        self.table.selectionModel().currentRowChanged.connect(self._chosen)
        self.table.activated.connect(lambda *_: self.inspect())
        self.detail = StepDetail(look)
        self.detail.inspect_wanted.connect(self.inspect)
        self._no_steps = EmptyState(
            "No steps were recorded", "A step is listed here as soon as its commit returned."
        )
        left = QWidget()
        left.setLayout(column(self.table, self._no_steps, gap=0))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(left)
        splitter.addWidget(self.detail)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([700, 268])
        splitter.setChildrenCollapsible(False)
        self.detail.setMinimumWidth(256)
        return splitter

    def _build_events(self, look: Look) -> QWidget:
        model = TableModel(_EVENT_COLUMNS, lambda event: (event.at_ns, event.kind, event.text, event.step))
        self.event_table = Table(look, model, "Events of the run", row_height=_ROW_HEIGHT)
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
        now = datetime.now().astimezone()
        self._when.set_text(f"run {run.run_id} · {started_text(run.manifest.started_at, now)}")
        outcome = OUTCOMES[run.summary.outcome]
        self._outcome.set_text(str(outcome))
        self._outcome.set_tone(outcome.tone)
        self._tabs.setTabText(0, f"Steps {run.summary.steps:,}")
        metrics = self.table.fontMetrics()
        for at, widest in enumerate((f"{run.summary.steps:,}", words.clock_tenths(run.summary.seconds))):
            self.table.setColumnWidth(at, max(COLUMNS[at].width, metrics.horizontalAdvance(widest) + _CELL))
        for name, text in headline(run.summary):
            if name not in self._headline_values:
                value = Label("", "strong")
                self._headline_values[name] = value
                self._headline.addLayout(column(Label(name, "note"), value, gap=STEP // 2))
            self._headline_values[name].set_text(text)
            self._headline_values[name].setAccessibleName(f"{name}: {text}")

    def _show_events(self, run: RunRow, events: Sequence[RunEvent]) -> None:
        if run.run_id == self.run_id:
            self.event_table.show_rows(events)
            self._tabs.setTabText(1, f"Events {len(events):,}")

    def _show_calls(self, run: RunRow, calls: dict[int, int]) -> None:
        if run.run_id == self.run_id:
            self._calls = calls
            if self._step is not None:
                self.detail.show_calls(calls.get(self._step.step, 0))

    def _show_empty(self, empty: bool) -> None:
        self.table.setVisible(not empty)
        self._no_steps.setVisible(empty)

    def _grow(self, total: int) -> None:
        follow = self.table.at_end
        self.steps.grow(total)
        self._show_empty(total == 0)
        if follow:
            self.table.scrollToBottom()

    def _read_page(self, run_id: int, start: int, count: int) -> None:
        def read(reader: RunReader) -> list[StepRecord]:
            return reader.steps(run_id, start, count)

        self._reading.ask(read, lambda steps: self.steps.add_page(run_id, start, steps))

    def _chosen(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self._show_current()

    def _show_current(self) -> None:
        step: StepRecord | None = self.table.currentIndex().data(ROW)
        if step is None or self._run is None or (step is self._step):
            return
        run_id = self._run.run_id
        self._step = step
        self.detail.show_step(step, self._run.manifest)
        self.detail.show_calls(self._calls.get(step.step, 0))

        def show(image: QImage) -> None:
            if self._step is step:
                self.detail.show_frame(image, step)

        self._reading.ask_image(run_id, step.frame_ref, show)

    def _go_to_event(self, event: RunEvent) -> None:
        if event.step and event.step <= self.steps.rowCount():
            self.choose_step(event.step)
            self.table.setFocus()

    def _ask_export(self) -> None:
        if self._run is not None:
            self.export_wanted.emit(self._run.run_id)
