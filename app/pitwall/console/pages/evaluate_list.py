"""The Evaluate page's left column: suites that were run, how far they are, and suites that can be run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pitwall.console.evaluate.reading import SuiteFile, SuiteRun, SuitesRead
from pitwall.console.evaluate.words import STATES, progress_words, when
from pitwall.console.theme import GAP, PAD, SMALL_PX, TEXT_PX, Look, ui_font
from pitwall.console.widgets.panels import Button, Label, SectionTitle, column, plain_tip

Index = QModelIndex | QPersistentModelIndex
_DATA = Qt.ItemDataRole.UserRole
_ROW_HEIGHT = 48
_RUNS_MOST, _FILES_MOST = 8, 9
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Row:
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

    def show_read(self, read: SuitesRead, run: str, file: Path | None) -> None:
        """Show everything, with a run or a file marked."""
        self._runs_title.set_note(f"{len(read.runs):,}" if read.runs else "")
        self._no_runs.setVisible(not read.runs)
        self.runs.setVisible(bool(read.runs))
        self.runs.fill([_run_row(one) for one in read.runs], run)
        self.files.fill([_file_row(one) for one in read.files], str(file) if file is not None else "")


def _run_row(run: SuiteRun) -> Row:
    sign = STATES[run.state]
    share = run.done / run.of if run.of and (run.live or run.done < run.of) else None
    tip = "\n".join(filter(None, (run.key, progress_words(run), run.why)))
    done = f"{run.done:,}/{run.of:,}" if run.of else ""
    tone = sign.tone if sign.tone != "neutral" else "dim"
    return Row(run.key, run.name, when(run.at), f"{sign.text} {done}".strip(), tone, share, plain_tip(tip))


def _file_row(file: SuiteFile) -> Row:
    source = "bundled" if file.source == "bundled" else "your own"
    if file.fault:
        return Row(str(file.path), file.name, source, "! cannot be read", "stop", tip=plain_tip(file.fault))
    return Row(str(file.path), file.name, source, file.description or file.path.name, tip=file.description)


class _List(QListWidget):
    """As high as its rows, up to a bound; arrows choose. Signals: chosen(key)."""

    chosen = Signal(str)

    def __init__(self, name: str, look: Look, most: int) -> None:
        super().__init__()
        self._most = most
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        self.setItemDelegate(_Delegate(look, self))
        self.currentItemChanged.connect(self._changed)
        self.itemClicked.connect(lambda item: self.chosen.emit(item.data(_DATA).key))
        look.changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        return QSize(120, _ROW_HEIGHT * 3)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _ROW_HEIGHT)

    @property
    def rows(self) -> list[Row]:
        """What is shown."""
        return [self.item(at).data(_DATA) for at in range(self.count())]

    def fill(self, rows: Sequence[Row], chosen: str) -> None:
        """Show rows and mark one, where it is there; tells nothing."""
        self.blockSignals(True)
        if self.count() != len(rows):
            self.clear()
            for _ in rows:
                item = QListWidgetItem()
                item.setSizeHint(QSize(10, _ROW_HEIGHT))
                self.addItem(item)
        for at, row in enumerate(rows):
            item = self.item(at)
            if item.data(_DATA) != row:
                item.setData(_DATA, row)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, row.said)
                item.setToolTip(row.tip)
        keys = [row.key for row in rows]
        at = keys.index(chosen) if chosen in keys else -1
        if self.currentRow() != at:
            self.setCurrentRow(at)
        self.blockSignals(False)
        height = max(1, min(len(rows), self._most)) * _ROW_HEIGHT + 4
        if self.maximumHeight() != height:
            self.setFixedHeight(height)

    def choose(self, key: str) -> None:
        """Choose a row, as a click does."""
        keys = [row.key for row in self.rows]
        if key in keys:
            self.setCurrentRow(keys.index(key))

    def _changed(self, now: QListWidgetItem | None, _: QListWidgetItem | None) -> None:
        if now is not None:
            self.chosen.emit(now.data(_DATA).key)


class _Delegate(QStyledItemDelegate):
    """Two lines, and how far it is as a line under them."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(_DATA)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, area, state)
        room = area.adjusted(GAP + 2, 5, -GAP, -6)
        half = room.height() // 2
        upper = QRect(room.left(), room.top(), room.width(), half)
        lower = QRect(room.left(), room.top() + half, room.width(), half)
        wide = self._words(painter, upper, row.note, "faint", px=SMALL_PX, right=True)
        self._words(painter, upper.adjusted(0, 0, -wide - GAP, 0), row.title, "text", bold=True)
        self._words(painter, lower, row.lower, row.tone, px=SMALL_PX)
        if row.share is not None:
            self._bar(painter, QRectF(room.left(), area.bottom() - 5, room.width(), 2), row.share)
        painter.restore()

    def _ground(self, painter: QPainter, area: QRect, state: QStyle.StateFlag) -> None:
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if not chosen and not state & QStyle.StateFlag.State_MouseOver:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.colour("hover" if chosen else "raised"))
        painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
        if chosen:
            painter.setBrush(self._look.colour("text"))
            painter.drawRect(QRect(area.left(), area.top() + 7, 2, area.height() - 14))

    def _words(
        self,
        painter: QPainter,
        room: QRect,
        text: str,
        colour: str,
        *,
        px: int = TEXT_PX,
        bold: bool = False,
        right: bool = False,
    ) -> int:
        painter.setFont(ui_font(px, bold=bold))
        painter.setPen(self._look.colour(colour))
        cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
        painter.drawText(room, _RIGHT if right else _LEFT, cut)
        return painter.fontMetrics().horizontalAdvance(cut)

    def _bar(self, painter: QPainter, ground: QRectF, share: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.colour("line"))
        painter.drawRect(ground)
        painter.setBrush(self._look.colour("text"))
        painter.drawRect(
            QRectF(ground.left(), ground.top(), ground.width() * min(1.0, share), ground.height())
        )
