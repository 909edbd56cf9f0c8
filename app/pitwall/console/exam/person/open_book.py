"""The open book: the run log up to the exam's horizon, step by step, with the frames that were kept."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QStyleOptionViewItem, QWidget

from pitwall.console.exam.person.book_lines import BookLine, book_lines
from pitwall.console.kit.elements import Label, SectionTitle, column
from pitwall.console.kit.row_list import ROW_DATA, Index, RowDelegate
from pitwall.console.kit.search_field import SearchField
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, Look
from pitwall.console.services.run_log_reader import RunLogWorker
from pitwall.core.paths import DataFolder
from pitwall.store.run_log import RunReader

_ROW_HEIGHT = 24
_SEARCH_AFTER_MS = 180


class OpenBook(QWidget):
    """Steps to look things up in, and the chosen one."""

    def __init__(self, data: DataFolder, look: Look, reading: RunLogWorker) -> None:
        super().__init__()
        self._data, self._reading = data, reading
        self._run = 0
        self._lines: list[BookLine] = []
        self._title = SectionTitle("Open book")
        self.search = SearchField("Look up   Ctrl+L", "Look up words in the run log")
        self._typed = QTimer(self, singleShot=True, interval=_SEARCH_AFTER_MS)
        self._typed.timeout.connect(self._fill)
        self.search.textChanged.connect(self._typed.start)
        self.list = QListWidget()
        self.list.setAccessibleName("Steps of the run")
        self.list.setUniformItemSizes(True)
        self.list.setLayoutMode(QListView.LayoutMode.Batched)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(_Delegate(look, self.list))
        self.list.currentItemChanged.connect(lambda now, _: self._show(now))
        self.frame = StillImage(look)
        self._head = Label("", "strong")
        self._why = Label("", "dim", wrap=True)
        self._read = Label("", "note", wrap=True)
        layout = column(
            self._title, self.search, self.list, self.frame, self._head, self._why, self._read, gap=STEP + 2
        )
        layout.setStretch(2, 1)
        layout.setContentsMargins(PAD, GAP, PAD, PAD)
        self.setLayout(layout)

    @property
    def shown(self) -> list[int]:
        """Numbers of the steps that are listed."""
        return [self.list.item(at).data(ROW_DATA).step for at in range(self.list.count())]

    def show_run(self, run_id: int, last_step: int) -> None:
        """Open it at a run's steps 1 … last_step."""
        self._run = run_id

        def read(reader: RunReader) -> list[BookLine]:
            return book_lines(reader, self._data, run_id, last_step)

        self._reading.ask(read, self._take)

    def close_book(self) -> None:
        """Show nothing."""
        self._run, self._lines = 0, []
        self.search.clear()
        self._fill()

    # ---- inside

    def _take(self, lines: list[BookLine]) -> None:
        self._lines = lines if self._run else []
        self._fill()

    def _fill(self) -> None:
        wanted = self.search.text().casefold().split()
        found = [one for one in self._lines if all(word in one.text for word in wanted)]
        self.list.clear()
        for one in found:
            item = QListWidgetItem()
            item.setData(ROW_DATA, one)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Step {one.step}, {one.action}")
            self.list.addItem(item)
        count = len(self._lines)
        self._title.set_note(
            f"{count:,} steps" if len(found) == count else f"{len(found):,} of {count:,} steps"
        )
        if found:
            self.list.setCurrentRow(0)
        else:
            self._show(None)

    def _show(self, item: QListWidgetItem | None) -> None:
        line: BookLine | None = item.data(ROW_DATA) if item is not None else None
        if line is None:
            self._head.set_text("")
            self._why.set_text("")
            self._read.set_text("")
            self.frame.show_image(QImage(), "", "The run log has no such step.")
            return
        self._head.set_text(f"Step {line.step:,} · {line.action}")
        self._why.set_text(line.reason)
        self._read.set_text(line.words)

        def show(image: QImage) -> None:
            now = self.list.currentItem()
            if now is not None and now.data(ROW_DATA) == line:
                self.frame.show_image(image, f"Frame of step {line.step}", "No frame was kept of this step.")

        self._reading.ask_image(self._run, line.frame_ref, show)


class _Delegate(RowDelegate):
    """Its number, what was done, why."""

    mark_inset = 5

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        size.setHeight(_ROW_HEIGHT)
        return size

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line: BookLine = index.data(ROW_DATA)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = self.ground(painter, option)
        number = QRect(room.left(), room.top(), 46, room.height())
        self.words(painter, number, f"{line.step:,}", "text", px=SMALL_PX, bold=True)
        rest = room.adjusted(46, 0, 0, 0)
        wide = self.words(painter, rest, line.action, "text", px=SMALL_PX)
        self.words(painter, rest.adjusted(wide + GAP, 0, 0, 0), line.reason, "faint", px=SMALL_PX)
        painter.restore()
