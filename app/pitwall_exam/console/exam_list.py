"""The Exam page's left column: the exams of this data folder, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Label, SectionTitle, column, holder
from pitwall.console.kit.game_filter import GameFilter
from pitwall.console.kit.panes import scrolled
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words, line
from pitwall.console.kit.theme import PAD, SMALL_PX, Look
from pitwall.core.quantities import counted, local_time, share
from pitwall_exam.console.format import RULES, horizon_words
from pitwall_exam.repository import StoredExam

_ROW_HEIGHT = 66
_MOST = 9


class ExamsColumn(QWidget):
    """Signals: chosen(exam_id). new_wanted()."""

    chosen = Signal(str)
    new_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        new = Button("New…", self.new_wanted.emit, kind="link", name="New exam", tip="Ctrl+N")
        self._title = SectionTitle("Exams", "", new)
        self.list = RowList(look, "Exams, newest first", _ROW_HEIGHT, most=_MOST)
        self.list.chosen.connect(self.chosen.emit)
        self.games = GameFilter()
        self.games.chosen.connect(lambda _: self._show_list())
        self._exams: Sequence[StoredExam] = ()
        self._chosen = ""
        self._none = Label("Your exams appear here, newest first.", "dim", wrap=True)
        inside = holder(column(self._title, self.games, self._none, self.list, None, margins=PAD))
        self.setLayout(column(scrolled(inside, "Exams"), gap=0))

    def show_exams(self, exams: Sequence[StoredExam], chosen: str) -> None:
        self._exams, self._chosen = exams, chosen
        self.games.show_games({exam.exam.game_id: exam.game for exam in exams if exam.exam is not None})
        self._show_list()

    def _show_list(self) -> None:
        game = self.games.current
        shown = [exam for exam in self._exams if not game or (exam.exam and exam.exam.game_id == game)]
        self._title.set_note(f"{len(shown):,}" if shown else "")
        self._none.setVisible(not shown)
        self.list.setVisible(bool(shown))
        self.list.show_rows([row_of(exam) for exam in shown], self._chosen)


def row_of(stored: StoredExam) -> ListRow:
    """Describe an exam in three lines: its run and date, its horizon, its size and best mark."""
    exam = stored.exam
    if exam is None:
        name = Words(stored.exam_id, bold=True)
        head = Line((name,), Words(local_time(stored.at), "faint", SMALL_PX))
        return ListRow(
            stored.exam_id, (head, line("! its file cannot be read", "stop"), line("")), tip=stored.fault
        )
    best = max((side.marks.overall.accuracy or 0.0 for side in stored.sides), default=-1.0)
    name = Words(f"{stored.game} · run {exam.run_id}", bold=True)
    head = Line((name,), Words(local_time(stored.at), "faint", SMALL_PX))
    asked = f"{horizon_words(exam.horizon, exam.steps)} · {RULES[exam.rule_set].split()[0]}"
    marks = f"best {share(best)}" if best >= 0 else "not answered"
    return ListRow(
        stored.exam_id,
        (head, line(asked, "dim"), line(counted(len(exam.questions), "question"), "dim", right=marks)),
        tip=f"{stored.exam_id} · seed {exam.seed} · at most {exam.per_template} of a template",
    )
