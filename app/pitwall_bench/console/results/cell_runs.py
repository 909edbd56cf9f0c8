"""The runs of a cell: each with its outcome, and the steps and pictures of its own data folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QWidget

from pitwall.console.kit.elements import Button, Chip, EmptyState, KeyValue, Label, column, holder, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.notification import open_path
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words, line
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, WIDE, Look, mono_font
from pitwall.console.run_view.export_dialog import ExportDialog
from pitwall.console.run_view.inspection import RunInspection
from pitwall.console.run_view.panel import RunDetail
from pitwall.console.services.background import RunLogWorker
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import NONE, number, share, tally
from pitwall.store.run_log import RunReader, RunRow
from pitwall_bench.console.format import (
    cell_more,
    cell_title,
    end_sign,
    role_title,
    score_words,
    side_words,
    sides_words,
    why_words,
)
from pitwall_bench.suites.catalogue import SuiteRun
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.results import TaskRun

_LIST_PX, _LIST_LEAST = 236, 150
_LOG_TAIL = 12_000


class CellRuns(QWidget):
    """Shown over the results; Esc and the button lead back.

    Signals: left(): back to the results.
    """

    left = Signal()

    def __init__(self, data: DataFolder, look: Look) -> None:
        super().__init__()
        self._data, self._look = data, look
        self._suite: SuiteFolder | None = None
        self._runs: Sequence[TaskRun] = ()
        self._shown = ""
        self.session: SessionView | None = None
        self._title = Label("", "title")
        self._note = Label("", "dim")
        back = Button("‹ Results", self.left.emit, name="Back to the results")
        self._folder = Button("Show folder", self._show_folder, name="Show the run's folder")
        self._folder.setToolTip("The run's own data folder: its log, its pictures, what the game said")
        self.list = RowList(look, "Runs", 0)
        self.list.setFixedWidth(_LIST_PX)
        self.list.chosen.connect(self._show)
        self._stack = QStackedWidget()
        self.setLayout(
            column(
                row(
                    back,
                    self._title,
                    self._note,
                    self._folder,
                    gap=PAD,
                    stretch=2,
                    margins=(PAD, GAP, PAD, GAP),
                ),
                row(self.list, self._stack, gap=0, stretch=1),
                gap=0,
                stretch=1,
            )
        )

    @property
    def suite_key(self) -> str:
        """Return the suite whose runs are shown."""
        return self._suite.suite if self._suite is not None else ""

    @property
    def shown(self) -> TaskRun | None:
        """Return the run in view."""
        return next((run for run in self._runs if run.cell.key == self._shown), None)

    def show_runs(self, suite: SuiteRun, keys: Sequence[str]) -> None:
        """Show the runs of these cells, the first one in detail."""
        wanted = set(keys)
        self._suite = SuiteFolder(self._data, suite.key)
        self._runs = [run for run in suite.runs if run.cell.key in wanted]
        self._runs = sorted(self._runs, key=lambda run: keys.index(run.cell.key))
        titles = {cell_title(run.cell) for run in self._runs}
        several = len(titles) > 1
        self._title.set_text(f"{len(self._runs):,} runs" if several else "".join(titles))
        self._shown = ""
        self.list.show_rows([_row_of(run, several) for run in self._runs], keys[0])
        self.list.setVisible(len(self._runs) > 1)
        self._show(keys[0])

    def close_reading(self) -> None:
        """Stop reading before the data folder goes away."""
        if self.session is not None:
            self.session.close_reading()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.list.setFixedWidth(_LIST_PX if self.width() > 900 else _LIST_LEAST)

    # ---- inside

    def _show(self, key: str) -> None:
        run = next((run for run in self._runs if run.cell.key == key), None)
        if run is None or self._suite is None or key == self._shown:
            return
        self._shown = key
        self._note.set_text(cell_more(run.cell))
        old = self.session
        self.session = SessionView(self._suite, run, self._look)
        self._stack.addWidget(self.session)
        self._stack.setCurrentWidget(self.session)
        self._folder.setEnabled(self._suite.session(run.cell.key).is_dir())
        if old is not None:
            old.close_reading()
            self._stack.removeWidget(old)
            old.deleteLater()

    def _show_folder(self) -> None:
        if self._suite is not None and self._shown:
            open_path(self._suite.session(self._shown))


def _row_of(run: TaskRun, several: bool) -> ListRow:
    """Build a run's row, with its cell's name if there are several cells."""
    sign = end_sign(run)
    far = f" · {share(run.progress)}" if run.progress is not None else ""
    end = line(f"{sign.text}{far}", "stop" if sign.tone == "stop" else "text")
    named = (Line((Words(cell_title(run.cell)),)),) if several else ()
    sides = (line(words, "dim"),) if (words := sides_words([run])) else ()
    return ListRow(run.cell.key, (*named, end, *sides, line(cell_more(run.cell), "dim")), tip=run.why)


class SessionView(QWidget):
    """Shows a run's outcome and its run log, or its last printed lines if it has no log."""

    def __init__(self, suite: SuiteFolder, run: TaskRun, look: Look) -> None:
        super().__init__()
        self._run = run
        folder = suite.session(run.cell.key)
        self._data = DataFolder(folder)
        self._log = folder.with_name(f"{folder.name}.log")
        self._reading: RunLogWorker | None = None
        self.detail: RunDetail | None = None
        self._stack = QStackedWidget()
        self._empty = EmptyState("", "")
        self._words = QPlainTextEdit()
        self._words.setReadOnly(True)
        self._words.setFont(mono_font(SMALL_PX))
        self._words.setAccessibleName("Last words of the session")
        self._bare = bare = holder(column(self._empty, self._words, margins=(PAD, 0, PAD, PAD)))
        self._stack.addWidget(bare)
        self.setLayout(column(_outcome(run), self._stack, gap=0, stretch=1))
        self._words.hide()
        self._empty.say("Reading the run log …", "")
        if self._data.database.is_file():
            self._read(look)
        else:
            self._show_bare()

    @property
    def last_words(self) -> str:
        """Return the session's last printed lines, if they are shown."""
        return self._words.toPlainText()

    def close_reading(self) -> None:
        """Stop reading."""
        if self.detail is not None:
            self.detail.replay.close_reading()
        if self._reading is not None:
            self._reading.close()

    # ---- inside

    def _read(self, look: Look) -> None:
        reading = self._reading = RunLogWorker(self._data, self)
        detail = self.detail = RunDetail(look, reading, self._data)
        inspection = self._inspection = RunInspection(look, reading)
        detail.inspect_wanted.connect(inspection.open)
        detail.export_wanted.connect(self._export)
        inspection.opened.connect(lambda: self._stack.setCurrentWidget(inspection.inspector))
        inspection.inspector.left.connect(lambda: self._stack.setCurrentWidget(detail))
        self._stack.addWidget(detail)
        self._stack.addWidget(inspection.inspector)
        reading.failed.connect(self._not_read)
        wanted = self._run.run_id

        def read(reader: RunReader) -> RunRow | None:
            rows = reader.runs(50)
            return next((row for row in rows if row.run_id == wanted), rows[0] if rows else None)

        def show(row: RunRow | None) -> None:
            if row is None:
                self._show_bare()
                return
            detail.show_run(row)
            self._stack.setCurrentWidget(detail)

        reading.ask(read, show)

    def _not_read(self, error: PitwallError) -> None:
        self._show_bare(error.what)

    def _show_bare(self, why: str = "") -> None:
        tail = _tail(self._log)
        self._empty.say(
            "No step was recorded" if self._run.played or why else "It could not be played",
            why or why_words(self._run),
        )
        self._empty.setMaximumHeight(180 if tail else 16_000)
        self._words.setPlainText(tail)
        self._words.setVisible(bool(tail))
        self._stack.setCurrentWidget(self._bare)

    def _export(self, run_id: int) -> None:
        dialog = ExportDialog(self._data, run_id, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()


def _outcome(run: TaskRun) -> QWidget:
    """Format the evaluator's verdict on a run in one line."""
    sign = end_sign(run)
    facts = Flow(WIDE)
    facts.flow.addWidget(Chip(sign.text, sign.tone))
    for name, value in (
        ("Score", score_words(run.score, run.target, run.unit)),
        ("Progress", share(run.progress) if run.progress is not None else NONE),
        ("Steps", f"{run.steps:,}"),
        ("Play", number(run.seconds, "s")),
        ("Invalid", tally(run.invalid, "0")),
        ("Refused", tally(run.refusals, "0")),
        ("Resets", f"{run.resets:,}"),
    ):
        facts.flow.addWidget(KeyValue(name, value))
    sides = Flow(WIDE)
    for side in run.sides:
        sides.flow.addWidget(KeyValue(role_title(side.role), side_words(side, run.unit)))
    sides.setVisible(bool(run.sides))
    verified = "the game's own word" if run.verified else "! not verified: read from the pixels"
    notes = (why_words(run) if run.why else "", verified if run.played else "")
    why = Label(" · ".join(filter(None, notes)), "dim", wrap=True)
    return holder(column(facts, sides, why, gap=GAP // 2, margins=(WIDE, 0, WIDE, GAP)))


def _tail(log: Path) -> str:
    """Return the end of a session's output; empty if it printed nothing."""
    try:
        with log.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _LOG_TAIL))
            return file.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""
