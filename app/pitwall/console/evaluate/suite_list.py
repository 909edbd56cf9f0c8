"""The Evaluate page's left column: suites that were run, how far they are, and suites that can be run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import (
    QPoint,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QListWidgetItem,
    QScrollArea,
    QStyleOptionViewItem,
    QWidget,
)

from pitwall.console.evaluate.format import STATES, progress_words
from pitwall.console.kit.elements import Button, Label, SectionTitle, column, plain_tip
from pitwall.console.kit.format import local_time
from pitwall.console.kit.row_list import ROW_DATA, Index, RowDelegate, RowList
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, Look
from pitwall.suites.catalogue import SuiteCatalogue, SuiteFile, SuiteRun

_ROW_HEIGHT = 48
_RUNS_MOST, _FILES_MOST = 8, 9


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One line of a list.

    Attributes:
        key: what choosing it emits. share: 0 … 1, drawn under it; None: nothing is.
    """

    key: str
    title: str
    note: str
    lower: str
    tone: str = "dim"
    share: float | None = None
    tip: str = ""

    @property
    def said(self) -> str:
        return ", ".join(filter(None, (self.title, self.lower, self.note)))


class SuitesColumn(QScrollArea):
    """Signals: run_chosen(key). file_chosen(path). new_wanted(). menu_wanted(point): of the chosen run."""

    run_chosen = Signal(str)
    file_chosen = Signal(object)
    new_wanted = Signal()
    menu_wanted = Signal(QPoint)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Suites")
        self.runs = _List("Suites that were run", look, _RUNS_MOST)
        self.files = _List("Suites that can be run", look, _FILES_MOST)
        self._runs_title = SectionTitle("Results")
        new = Button(
            "New", self.new_wanted.emit, kind="link", name="New suite", tip="Write a suite of your own"
        )
        self._files_title = SectionTitle("Suites", "", new)
        self._no_runs = Label(
            "Suites that were run appear here with their results, newest first.", "dim", wrap=True
        )
        self.runs.chosen.connect(self.run_chosen)
        self.files.chosen.connect(lambda key: self.file_chosen.emit(Path(key)))
        self.runs.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.runs.customContextMenuRequested.connect(
            lambda at: self.menu_wanted.emit(self.runs.viewport().mapToGlobal(at))
        )
        inside = QWidget()
        layout = column(
            self._runs_title, self._no_runs, self.runs, self._files_title, self.files, None, gap=GAP
        )
        layout.setContentsMargins(PAD, PAD, PAD, PAD)
        inside.setLayout(layout)
        self.setWidget(inside)

    def show_read(self, read: SuiteCatalogue, run: str, file: Path | None) -> None:
        """Show everything, with a run or a file marked."""
        self._runs_title.set_note(f"{len(read.runs):,}" if read.runs else "")
        self._no_runs.setVisible(not read.runs)
        self.runs.setVisible(bool(read.runs))
        self.runs.show_rows([_run_row(one) for one in read.runs], run)
        self.files.show_rows([_file_row(one) for one in read.files], str(file) if file is not None else "")


def _run_row(run: SuiteRun) -> SuiteRow:
    sign = STATES[run.state]
    share = run.done / run.of if run.of and (run.live or run.done < run.of) else None
    tip = "\n".join(filter(None, (run.key, progress_words(run), run.why)))
    done = f"{run.done:,}/{run.of:,}" if run.of else ""
    tone = sign.tone if sign.tone != "neutral" else "dim"
    return SuiteRow(
        run.key, run.name, local_time(run.at), f"{sign.text} {done}".strip(), tone, share, plain_tip(tip)
    )


def _file_row(file: SuiteFile) -> SuiteRow:
    source = "bundled" if file.source == "bundled" else "your own"
    if file.fault:
        return SuiteRow(
            str(file.path), file.name, source, "! cannot be read", "stop", tip=plain_tip(file.fault)
        )
    return SuiteRow(
        str(file.path), file.name, source, file.description or file.path.name, tip=file.description
    )


class _List(RowList):
    """Arrows choose, and so does a click on the chosen one. Signals: chosen(key)."""

    chosen = Signal(str)

    def __init__(self, name: str, look: Look, most: int) -> None:
        super().__init__(name, _ROW_HEIGHT, most)
        self.setItemDelegate(_Delegate(look, self))
        self.currentItemChanged.connect(self._changed)
        self.itemClicked.connect(lambda item: self.chosen.emit(item.data(ROW_DATA).key))
        look.changed.connect(self.viewport().update)

    @property
    def rows(self) -> list[SuiteRow]:
        """What is shown."""
        return [self.item(at).data(ROW_DATA) for at in range(self.count())]

    def show_rows(self, rows: Sequence[SuiteRow], chosen: str) -> None:
        """Show rows and mark one, where it is there; tells nothing."""
        keys = [row.key for row in rows]
        self.fill([(row, row.said, row.tip) for row in rows], keys.index(chosen) if chosen in keys else -1)
        if chosen not in keys:
            self.setCurrentRow(-1)

    def choose(self, key: str) -> None:
        """Choose a row, as a click does."""
        keys = [row.key for row in self.rows]
        if key in keys:
            self.setCurrentRow(keys.index(key))

    def _changed(self, now: QListWidgetItem | None, _: QListWidgetItem | None) -> None:
        if now is not None:
            self.chosen.emit(now.data(ROW_DATA).key)


class _Delegate(RowDelegate):
    """Two lines, and how far it is as a line under them."""

    mark_inset = 7

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: SuiteRow = index.data(ROW_DATA)
        area: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = self.ground(painter, option).adjusted(0, 5, 0, -6)
        half = room.height() // 2
        upper = QRect(room.left(), room.top(), room.width(), half)
        lower = QRect(room.left(), room.top() + half, room.width(), half)
        wide = self.words(painter, upper, row.note, "faint", px=SMALL_PX, right=True)
        self.words(painter, upper.adjusted(0, 0, -wide - GAP, 0), row.title, "text", bold=True)
        self.words(painter, lower, row.lower, row.tone, px=SMALL_PX)
        if row.share is not None:
            self._bar(painter, QRectF(room.left(), area.bottom() - 5, room.width(), 2), row.share)
        painter.restore()

    def _bar(self, painter: QPainter, ground: QRectF, share: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("line"))
        painter.drawRect(ground)
        painter.setBrush(self.look.colour("text"))
        painter.drawRect(
            QRectF(ground.left(), ground.top(), ground.width() * min(1.0, share), ground.height())
        )
