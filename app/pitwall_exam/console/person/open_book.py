"""The open book: the run log up to the exam's horizon, step by step, with the kept frames."""

from __future__ import annotations

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import Label, SectionTitle, column
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, Look
from pitwall.console.services.background import RunLogWorker
from pitwall.core.paths import DataFolder
from pitwall.store.run_log import RunReader
from pitwall_exam.console.person.book_lines import BookLine, book_lines
from pitwall_exam.questions.paper import Exam

_ROW_HEIGHT = 24


class OpenBook(QWidget):
    """A searchable list of steps, and the chosen step."""

    def __init__(self, data: DataFolder, look: Look, reading: RunLogWorker) -> None:
        super().__init__()
        self._data, self._reading = data, reading
        self._run = 0
        self._lines: list[BookLine] = []
        self._title = SectionTitle("Open book")
        self.search = SearchField("Look up   Ctrl+L", "Look up words in the run log")
        self.search.searched.connect(lambda _: self._fill())
        self.list = RowList(look, "Steps of the run", _ROW_HEIGHT)
        self.list.chosen.connect(self._show)
        self.frame = StillImage(look)
        self._head = Label("", "strong")
        self._why = Label("", "dim", wrap=True)
        self._read = Label("", "note", wrap=True)
        texts = (self._head, self._why, self._read)
        parts = (self._title, self.search, self.list, self.frame, *texts)
        self.setLayout(column(*parts, gap=STEP + 2, stretch=2, margins=(PAD, GAP, PAD, PAD)))

    def show_run(self, exam: Exam) -> None:
        """Open the book at the steps of an exam's run that it asks about."""
        run_id = self._run = exam.run_id

        def read(reader: RunReader) -> list[BookLine]:
            return book_lines(reader, self._data, run_id, exam.last_step, exam.inventory)

        self._reading.ask(read, self._take)

    def close_book(self) -> None:
        self._run, self._lines = 0, []
        self.search.clear()
        self._fill()

    # ---- inside

    def _take(self, lines: list[BookLine]) -> None:
        self._lines = lines if self._run else []
        self._fill()

    def _fill(self) -> None:
        wanted = self.search.text().casefold().split()
        matches = [line for line in self._lines if all(word in line.text for word in wanted)]
        count, shown = (sum(not line.is_outcome for line in lines) for lines in (self._lines, matches))
        self._title.set_note(
            f"{count:,} steps" if len(matches) == len(self._lines) else f"{shown:,} of {count:,} steps"
        )
        self.list.show_rows([_row(match) for match in matches], matches[0].step if matches else None)
        self._show(self.list.current)

    def _show(self, step: int | None) -> None:
        line = next((line for line in self._lines if line.step == step), None)
        if line is None:
            self._head.set_text("")
            self._why.set_text("")
            self._read.set_text("")
            self.frame.show_image(QImage(), "", "The run log does not have this step.")
            return
        self._head.set_text(line.title if line.is_outcome else f"Step {line.step:,} · {line.action}")
        self._why.set_text(line.reason)
        self._read.set_text(line.words)

        def show(image: QImage) -> None:
            if self.list.current == line.step:
                name = line.title if line.is_outcome else f"Frame of step {line.step}"
                self.frame.show_image(image, name, "No frame of this step was kept.")

        self._reading.ask_image(self._run, line.frame_ref, show)


def _row(line: BookLine) -> ListRow:
    number = Words("" if line.is_outcome else f"{line.step:,}", px=SMALL_PX, bold=True, width=46)
    words = (number, Words(line.title, px=SMALL_PX), Words(line.reason, "faint", SMALL_PX))
    return ListRow(
        line.step, (Line(words),), line.title if line.is_outcome else f"Step {line.step}, {line.action}"
    )
