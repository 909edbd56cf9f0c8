"""The console's one list of painted rows: each row is a few lines of words, with a key, a tip, a bar below.

rows = [ListRow(run.id, (Line((Words(run.name, bold=True),), Words(run.ended)), line(run.note, "dim")))]
runs = RowList(look, "Runs, newest first", 48)
runs.chosen.connect(show_run)
runs.show_rows(rows, chosen=7)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem

from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.row_drawing import RowDrawing, font_of
from pitwall.console.kit.table.model import ROW, Column, Index, TableModel
from pitwall.console.kit.theme import GAP, SMALL_PX, STEP, TEXT_PX, Look

_WIDTH_PX = 120
"""A list takes the room it is given."""
_FRAME_PX = 4
_TOP_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of text in a row.

    Attributes:
        tone: colour of the palette. width: pixels that it takes, cut where it is wider; 0: as wide as it is.
        most_lines: it is broken into so many lines where it does not fit.
    """

    text: str
    tone: str = "text"
    px: int = TEXT_PX
    bold: bool = False
    width: int = 0
    most_lines: int = 1


@dataclass(frozen=True, slots=True)
class Line:
    """Words side by side from the left, and some at the right end."""

    left: tuple[Words, ...]
    right: Words | None = None


def line(text: str, tone: str = "text", *, right: str = "", right_tone: str = "dim") -> Line:
    """Make a line of small text, with another text at its right end."""
    return Line((Words(text, tone, SMALL_PX),), Words(right, right_tone, SMALL_PX) if right else None)


@dataclass(frozen=True, slots=True)
class ListRow:
    """A row of the list.

    Attributes:
        key: identifies the row when rows are replaced; choosing the row emits it.
        spoken: text for a screen reader; empty for the row's own words. tip: tooltip as plain text.
        share: 0 … 1, drawn as a bar below. indent: pixels. ground: background colour while it is chosen.
        data: for a custom drawing.
    """

    key: Hashable
    lines: tuple[Line, ...]
    spoken: str = ""
    tip: str = ""
    share: float | None = None
    indent: int = 0
    ground: str = "hover"
    data: Any = None

    @property
    def words(self) -> str:
        """Return the row's text for a screen reader."""
        texts = [word.text for line_ in self.lines for word in (*line_.left, line_.right) if word is not None]
        return self.spoken or ", ".join(map(spoken, filter(None, texts)))


_COLUMN: Column[ListRow] = Column(
    "", lambda row: row.words, spoken=lambda row: row.words, cell_tip=lambda row: row.tip
)


class _Rows(TableModel[ListRow]):
    """A table of one column that asks for more where not all rows were read. Signals: more_wanted(offset)."""

    more_wanted = Signal(int)

    def __init__(self, parent: QListView) -> None:
        super().__init__((_COLUMN,), lambda row: row.key, parent)
        self.total = 0
        self.asked_at = -1

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and self.asked_at < len(self.rows) < self.total

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self.asked_at = len(self.rows)
            self.more_wanted.emit(len(self.rows))


class RowDelegate(RowDrawing):
    """Paints a row's background and its lines.

    Args:
        row_height: pixels; 0: as high as its words need.
        under: paints something under the words.
    """

    def __init__(
        self,
        look: Look,
        view: QListView,
        row_height: int,
        under: Callable[[QPainter, QRect, ListRow], None] | None = None,
    ) -> None:
        super().__init__(look, view)
        self._view, self._height, self._under = view, row_height, under

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        if self._height:
            return QSize(_WIDTH_PX, self._height)
        row: ListRow = index.data(ROW)
        room = self._view.viewport().width() - 2 * GAP - row.indent
        return QSize(_WIDTH_PX, sum(_height(line_, room) for line_ in row.lines) + 2 * STEP + 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: ListRow = index.data(ROW)
        area: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, area, option, row)
        room = area.adjusted(GAP + 2, STEP, -GAP, -STEP)
        if self._under is not None:
            self._under(painter, room, row)
        room.setLeft(room.left() + row.indent)
        high = room.height() // max(1, len(row.lines))
        for at, line_ in enumerate(row.lines):
            self._line(painter, QRect(room.left(), room.top() + at * high, room.width(), high), line_)
        if row.share is not None:
            self._bar(painter, QRectF(room.left(), area.bottom() - 4, room.width(), 2), row.share)
        painter.restore()

    def _ground(self, painter: QPainter, area: QRect, option: QStyleOptionViewItem, row: ListRow) -> None:
        state: QStyle.StateFlag = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour(row.ground if chosen else "raised"))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
        if chosen:
            inset = min(8, area.height() // 5)
            mark = QRect(area.left(), area.top() + inset, 2, area.height() - 2 * inset)
            painter.fillRect(mark, self.look.colour("text"))

    def _line(self, painter: QPainter, room: QRect, line_: Line) -> None:
        room = QRect(room)
        if line_.right is not None and line_.right.text:
            right = line_.right
            wide = self.words(painter, room, right.text, right.tone, px=right.px, bold=right.bold, right=True)
            room.setRight(room.right() - wide - GAP)
        broken = next((word for word in line_.left if word.most_lines > 1), None)
        for word in line_.left:
            if word is broken:
                painter.setFont(font_of(word.px, word.bold))
                painter.setPen(self.look.colour(word.tone))
                painter.setClipRect(room)
                painter.drawText(room, int(_TOP_LEFT), cut(word.text, painter.fontMetrics(), room))
                return
            area = QRect(room)
            if word.width:
                area.setWidth(min(area.width(), word.width - STEP))
            if broken is not None:  # beside the first of several lines
                area.setHeight(QFontMetrics(font_of(broken.px, broken.bold)).lineSpacing())
            wide = self.words(painter, area, word.text, word.tone, px=word.px, bold=word.bold)
            room.setLeft(room.left() + (word.width or wide + GAP))

    def _bar(self, painter: QPainter, ground: QRectF, share: float) -> None:
        painter.fillRect(ground, self.look.colour("line"))
        ground.setWidth(ground.width() * min(1.0, share))
        painter.fillRect(ground, self.look.colour("text"))


def cut(text: str, metrics: QFontMetrics, room: QRect) -> str:
    """Keep the words that fit into a room of several lines, with … where some do not, translated."""
    text = spoken(text)  # a part of it is no known text

    def fits(shown: str) -> bool:
        area = QRect(0, 0, room.width(), 10_000)
        return metrics.boundingRect(area, int(_TOP_LEFT), shown).height() <= room.height()

    if fits(text):
        return text
    words = text.split(" ")
    kept = bisect_left(range(1, len(words)), True, key=lambda n: not fits(" ".join(words[:n]) + "…"))
    return " ".join(words[: max(1, kept)]) + "…"


def _height(line_: Line, room: int) -> int:
    """Return the pixels that a line needs in so many pixels of width."""
    heights = []
    for word in line_.left:
        metrics = QFontMetrics(font_of(word.px, word.bold))
        area = QRect(0, 0, max(60, room), 10_000)
        high = metrics.boundingRect(area, int(_TOP_LEFT), word.text or " ").height()
        heights.append(min(high, word.most_lines * metrics.lineSpacing()))
        room -= word.width or metrics.horizontalAdvance(word.text) + GAP
    return max(heights, default=0)


class RowList(QListView):
    """Rows that are chosen one at a time, by a click or the arrow keys.

    Args:
        row_height: pixels; 0: as high as its words need. most: the list is as high as its rows, up to so
            many; 0: it takes the height it is given. under: see `RowDelegate`.

    Signals:
        chosen(key): the operator, or `choose`, chose another row. opened(key): Enter or a double click.
        menu_wanted(point): of the chosen row, at a point of the screen.
        more_wanted(offset): the view came to the end of the rows read so far.
    """

    chosen = Signal(object)
    opened = Signal(object)
    menu_wanted = Signal(QPoint)
    more_wanted = Signal(int)

    def __init__(
        self,
        look: Look,
        name: str,
        row_height: int,
        *,
        most: int = 0,
        under: Callable[[QPainter, QRect, ListRow], None] | None = None,
    ) -> None:
        super().__init__()
        self._row_height, self._most, self._filling = row_height, most, False
        self._rows = _Rows(self)
        self._rows.more_wanted.connect(self.more_wanted)
        self.setModel(self._rows)
        self.setItemDelegate(RowDelegate(look, self, row_height, under))
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setUniformItemSizes(bool(row_height))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(
            lambda at: self.menu_wanted.emit(self.viewport().mapToGlobal(at))
        )
        self.selectionModel().currentChanged.connect(self._changed)
        look.changed.connect(self.viewport().update)

    # ---- what is shown

    @property
    def rows(self) -> Sequence[ListRow]:
        return self._rows.rows

    @property
    def keys(self) -> list[Any]:
        """Return the keys of the rows, in order."""
        return [row.key for row in self._rows.rows]

    @property
    def current(self) -> Any:
        """Key of the chosen row; None: none is."""
        at = self.currentIndex().row()
        return self._rows.rows[at].key if 0 <= at < len(self._rows.rows) else None

    def show_rows(
        self, rows: Sequence[ListRow], chosen: Hashable | None = None, *, total: int | None = None
    ) -> None:
        """Show rows and mark one; emits nothing.

        Args:
            chosen: key of the marked row; None keeps the mark. No row is marked where the key is not listed.
            total: number of rows, where more can be read.
        """
        wanted = self.current if chosen is None else chosen
        place = self.verticalScrollBar().value()
        self._filling = True
        self._rows.total = total or 0
        if len(rows) != self._rows.asked_at:
            self._rows.asked_at = -1
        self._rows.show(rows)
        keys = self.keys
        at = keys.index(wanted) if wanted in keys else -1
        if at != self.currentIndex().row():
            self.setCurrentIndex(self._rows.index(at, 0))
        else:
            self.verticalScrollBar().setValue(place)
        self._filling = False
        if self._most:
            height = max(1, min(len(rows), self._most)) * self._row_height + _FRAME_PX
            self.setFixedHeight(height)

    def choose(self, key: Hashable) -> bool:
        """Choose a row as a click does; False where it is not listed."""
        keys = self.keys
        if key not in keys:
            return False
        self.setCurrentIndex(self._rows.index(keys.index(key), 0))
        return True

    # ---- Qt's own

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, max(self._row_height, 24) * 3)

    def minimumSizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, max(self._row_height, 24))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.opened.emit(self.current)
            event.accept()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: Any) -> None:
        super().mouseDoubleClickEvent(event)
        if self.current is not None:
            self.opened.emit(self.current)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._row_height:
            self.scheduleDelayedItemsLayout()

    def _changed(self, now: QModelIndex, _: QModelIndex) -> None:
        if not self._filling and now.isValid():
            self.chosen.emit(self._rows.rows[now.row()].key)
