"""The Exam page's left column: the exams of this data folder, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListWidgetItem, QScrollArea, QStyleOptionViewItem, QWidget

from pitwall.console.charts.axes import share
from pitwall.console.exam.format import RULES, horizon_words
from pitwall.console.kit.elements import Button, Label, SectionTitle, column, plain_tip
from pitwall.console.kit.format import counted, local_time
from pitwall.console.kit.row_list import ROW_DATA, Index, RowDelegate, RowList
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, Look
from pitwall.exam.repository import StoredExam

_ROW_HEIGHT = 66
_MOST = 9


@dataclass(frozen=True, slots=True)
class ExamRow:
    """One exam's three lines. best: highest accuracy so far; empty where nobody answered."""

    exam_id: str
    title: str
    at: str
    middle: str
    lower: str
    best: str = ""
    fault: bool = False
    tip: str = ""

    @property
    def said(self) -> str:
        return ", ".join(filter(None, (self.title, self.middle, self.lower, self.best, self.at)))


class ExamsColumn(QScrollArea):
    """Signals: chosen(exam_id). new_wanted()."""

    chosen = Signal(str)
    new_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Exams")
        new = Button("New…", self.new_wanted.emit, kind="link", name="New exam", tip="Ctrl+N")
        self._title = SectionTitle("Exams", "", new)
        self.list = _List(look)
        self.list.chosen.connect(self.chosen)
        self._none = Label("Exams that were made appear here, newest first.", "dim", wrap=True)
        inside = QWidget()
        layout = column(self._title, self._none, self.list, None, gap=GAP)
        layout.setContentsMargins(PAD, PAD, PAD, PAD)
        inside.setLayout(layout)
        self.setWidget(inside)

    def show_exams(self, exams: Sequence[StoredExam], chosen: str) -> None:
        """Show every exam, one marked."""
        self._title.set_note(f"{len(exams):,}" if exams else "")
        self._none.setVisible(not exams)
        self.list.setVisible(bool(exams))
        self.list.show_rows([row_of(one) for one in exams], chosen)


def row_of(shelf: StoredExam) -> ExamRow:
    """An exam in its three lines."""
    exam = shelf.exam
    if exam is None:
        fault = "! its file cannot be read"
        return ExamRow(
            shelf.exam_id, shelf.exam_id, local_time(shelf.at), fault, "", "", True, plain_tip(shelf.fault)
        )
    best = max((side.marks.overall.accuracy or 0.0 for side in shelf.sides), default=-1.0)
    middle = f"{horizon_words(exam.horizon, exam.steps)} · {RULES[exam.rule_set].split()[0]}"
    lower = counted(len(exam.questions), "question")
    return ExamRow(
        shelf.exam_id,
        f"{shelf.game} · run {exam.run_id}",
        local_time(shelf.at),
        middle,
        lower,
        f"best {share(best)}" if best >= 0 else "not answered",
        tip=f"{shelf.exam_id} · seed {exam.seed} · at most {exam.per_template} of a template",
    )


class _List(RowList):
    """Arrows choose. Signals: chosen(exam_id)."""

    chosen = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__("Exams, newest first", _ROW_HEIGHT, _MOST)
        self.setItemDelegate(_Delegate(look, self))
        self.currentItemChanged.connect(self._changed)
        look.changed.connect(self.viewport().update)

    @property
    def rows(self) -> list[ExamRow]:
        """What is shown."""
        return [self.item(at).data(ROW_DATA) for at in range(self.count())]

    def show_rows(self, rows: Sequence[ExamRow], chosen: str) -> None:
        """Show rows and mark one; tells nothing."""
        keys = [row.exam_id for row in rows]
        at = keys.index(chosen) if chosen in keys else -1
        self.fill([(row, row.said, row.tip) for row in rows], at)

    def _changed(self, now: QListWidgetItem | None, _: QListWidgetItem | None) -> None:
        if now is not None:
            self.chosen.emit(now.data(ROW_DATA).exam_id)


class _Delegate(RowDelegate):
    """What it asks about, how far into the episode, how many questions and how well they were answered."""

    mark_inset = 8

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: ExamRow = index.data(ROW_DATA)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = self.ground(painter, option).adjusted(0, 5, 0, -5)
        third = room.height() // 3
        lines = [QRect(room.left(), room.top() + at * third, room.width(), third) for at in range(3)]
        wide = self.words(painter, lines[0], row.at, "faint", px=SMALL_PX, right=True)
        self.words(painter, lines[0].adjusted(0, 0, -wide - GAP, 0), row.title, "text", bold=True)
        self.words(painter, lines[1], row.middle, "stop" if row.fault else "dim", px=SMALL_PX)
        wide = self.words(painter, lines[2], row.best, "dim", px=SMALL_PX, right=True)
        self.words(painter, lines[2].adjusted(0, 0, -wide - GAP, 0), row.lower, "dim", px=SMALL_PX)
        painter.restore()
