"""The marks of an exam: the compared answerers, the radar of the abilities, the table, and what was used."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QWidget

from pitwall.console.kit.elements import Card, EmptyState, Label, SectionTitle, clear_layout, column, holder
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.core.quantities import counted, duration_text, local_time, points_text, share
from pitwall_exam.console.marks.distance_plot import DistancePlot
from pitwall_exam.console.marks.radar import FIRST_INK, PUBLISHED_INK, SECOND_INK, AbilityRadar, AnswererKey
from pitwall_exam.console.marks.systems_table import SystemsTable
from pitwall_exam.console.marks.table import MarksTable
from pitwall_exam.marking.baselines import BASELINES, Baseline, best_of
from pitwall_exam.marking.comparison import AnswererMarks, Difference, differences
from pitwall_exam.marking.distances import by_distance
from pitwall_exam.repository import StoredExam

_NO_OTHER = "no comparison"
_WIDE_PX = 820


class MarksPanel(ScrollPane):
    """Shows the marks. Signals: changed(): other answerers. ability_wanted(ability): show its questions."""

    changed = Signal()
    ability_wanted = Signal(str)

    def __init__(self, look: Look, empty_action: QWidget) -> None:
        super().__init__("Marks")
        self._look = look
        self._exam: StoredExam | None = None
        self._wide: bool | None = None
        self.first = Combo("Whose answers", letters=14, compact=True)
        self.second = Combo("Compared with", letters=14, compact=True)
        published = [("", "nothing published"), *((baseline.name, baseline.name) for baseline in BASELINES)]
        self.published = Combo("Published baseline", published, letters=14, compact=True)
        self.radar = AbilityRadar(look)
        self.radar.opened.connect(self.ability_wanted)
        self.table = MarksTable(look)
        self.table.ability_wanted.connect(self.ability_wanted)
        self.distances = DistancePlot(look)
        self.systems = SystemsTable(look)
        self.systems.answerer_wanted.connect(lambda key: self.choose(key, self.second.current or ""))
        self._verdict = Label("", wrap=True)
        self._given = column(gap=STEP)
        self._none = EmptyState(
            "No answers to this exam yet",
            "Marks by ability appear here, with intervals, beside a published baseline.",
            empty_action,
        )
        self._none.setMinimumHeight(170)
        self._build()
        for combo in (self.first, self.second, self.published):
            combo.chosen.connect(lambda _: self._taken())

    @property
    def sides(self) -> tuple[AnswererMarks | None, AnswererMarks | None]:
        """Return the shown answerer, and the one it is compared with."""
        if self._exam is None:
            return None, None
        first, second = (self._exam.side(combo.current or "") for combo in (self.first, self.second))
        return first, second if first is not second else None

    @property
    def baseline(self) -> Baseline | None:
        name = self.published.current
        return next((baseline for baseline in BASELINES if baseline.name == name), None)

    def show_exam(self, exam: StoredExam) -> None:
        """Show an exam; the chosen answerers stay if possible."""
        other = self._exam is None or self._exam.exam_id != exam.exam_id
        before = [combo.current for combo in (self.first, self.second)]
        self._exam = exam
        keys = [(side.key, _listed(side)) for side in exam.sides]
        best = max(exam.sides, key=lambda side: side.marks.overall.accuracy or 0.0, default=None)
        kept = before[0] if not other and exam.side(str(before[0])) else best.key if best else ""
        self.first.offer(keys or [("", "no answers yet")], kept)
        self.second.offer([("", _NO_OTHER), *keys], "" if other else before[1])
        if other and exam.exam is not None:
            horizon = "steps 1 to 50" if exam.exam.horizon else "whole episode"
            games = "text" if exam.exam.inventory.startswith("text") else "visual"
            self.published.choose(best_of(games, horizon).name)  # type: ignore[arg-type]
        for combo in (self.first, self.second):
            combo.setEnabled(bool(keys))
        self._draw()

    def choose(self, first: str, second: str = "") -> None:
        """Show these answerers, by their keys, as the operator does."""
        for combo, key in ((self.first, first), (self.second, second)):
            combo.setCurrentIndex(max(0, combo.findData(key)))

    # ---- inside

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(STEP)
        for at, (word, combo, number) in enumerate(
            (
                ("Answers", self.first, FIRST_INK),
                ("against", self.second, SECOND_INK),
                ("published", self.published, PUBLISHED_INK),
            )
        ):
            grid.addWidget(AnswererKey(self._look, number, hollow=number == PUBLISHED_INK), at, 0)
            grid.addWidget(Label(word, "dim"), at, 1)
            grid.addWidget(combo, at, 2)
        grid.setColumnStretch(2, 1)
        self._radar_card = Card(self.radar, self._none, self._verdict)
        self._radar_card.body.insertLayout(0, grid)
        self._radar_card.body.setStretchFactor(self.radar, 1)
        self._given_card = Card(SectionTitle("What they used"), gap=STEP)
        self._given_card.body.addLayout(self._given)
        self._distance_card = Card(SectionTitle("Accuracy over distance"), self.distances, gap=STEP)
        self._systems_card = Card(SectionTitle("All answerers"), self.systems, gap=STEP)
        right = column(self.table, self._distance_card, self._systems_card, self._given_card, None)
        self._parts: QBoxLayout = column(self._radar_card, right, stretch=0, margins=(PAD, GAP, PAD, PAD))
        self.setWidget(holder(self._parts))
        self._arrange()

    def _arrange(self) -> None:
        """Put the table under the radar, or beside it if there is room."""
        wide = self.width() >= _WIDE_PX
        if wide == self._wide:
            return
        self._wide = wide
        way = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self._parts.setDirection(way)
        self._parts.setAlignment(self._radar_card, Qt.AlignmentFlag.AlignTop if wide else Qt.AlignmentFlag(0))
        self._parts.setStretch(1, 1 if wide else 0)

    def _taken(self) -> None:
        self._draw()
        self.changed.emit()

    def _draw(self) -> None:
        if self._exam is None or self._exam.exam is None:
            return
        first, second = self.sides
        self._none.setVisible(first is None)
        self.radar.setVisible(first is not None)
        self.radar.show_sides(first, second, self.baseline)
        compared = differences(self._exam.exam, first, second) if first and second else ()
        self.table.show_marks(self._exam.counts, first, second, compared, self.baseline)
        self._verdict.show_text(verdict(compared[0], first, second) if compared and first and second else "")
        shown = [(first, FIRST_INK), (second, SECOND_INK)]
        self._distance_card.setVisible(first is not None)
        self.distances.show_sides(
            [
                (side.name, ink, by_distance([(self._exam.exam, side.marks.scores)]))
                for side, ink in shown
                if side is not None
            ]
        )
        self._systems_card.setVisible(len(self._exam.sides) > 1)
        self.systems.show_answerers(self._exam.sides)
        self._show_given([side for side in (first, second) if side is not None])

    def _show_given(self, sides: Sequence[AnswererMarks]) -> None:
        clear_layout(self._given)
        self._given_card.setVisible(bool(sides))
        for side in sides:
            self._given.addWidget(Label(f"{side.name} · {spent_words(side)}", "strong", wrap=True))
            for sentence in side.sheet.uses:
                self._given.addWidget(Label(sentence[:1].upper() + sentence[1:], "dim", wrap=True))
        unread = self._exam.unread if self._exam is not None else ()
        for sentence in unread:
            self._given.addWidget(Label(f"! {sentence}", "error", wrap=True))


def verdict(overall: Difference, first: AnswererMarks, second: AnswererMarks) -> str:
    """Return a sentence that compares two answerers over the questions that both answered."""
    if overall.difference is None or overall.low is None or overall.high is None:
        return ""
    reach = f"{points_text(overall.low)} … {points_text(overall.high)}"
    figures = (
        f"{points_text(overall.difference)} points (95 %: {reach}) over {counted(overall.n, 'question')}"
    )
    where = f"better on {overall.better_a:,}, worse on {overall.better_b:,}"
    if not overall.differs:
        return f"{first.name} and {second.name} do not differ beyond chance: {figures}; {where}."
    return (
        f"{first.name} is {'above' if overall.difference > 0 else 'below'} {second.name}: {figures}; {where}."
    )


def spent_words(side: AnswererMarks) -> str:
    """Format when it answered, how long that took, and its model's tokens."""
    sheet, seconds = side.sheet, side.seconds
    words = [local_time(sheet.at)]
    if not side.whole:
        words.append(f"{len(side.answers):,} of {side.of:,} answered so far")
    if seconds >= 0.05:
        words.append(duration_text(seconds))
    if sheet.model and sheet.model not in side.name:
        words.append(f"model {sheet.model}")
    if sheet.prompt_tokens or sheet.output_tokens:
        words.append(f"{sheet.prompt_tokens:,} tokens read, {sheet.output_tokens:,} written")
    return " · ".join(words)


def _listed(side: AnswererMarks) -> str:
    accuracy = side.marks.overall.accuracy
    marks = f" · {share(accuracy)}" if accuracy is not None else ""
    part = f" · {len(side.answers):,} of {side.of:,}" if not side.whole else ""
    return f"{side.name}{marks}{part}"
