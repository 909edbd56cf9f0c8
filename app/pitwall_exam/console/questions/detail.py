"""Shows a question as it was asked, the truth, and each answer with its score."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import (
    Card,
    Chip,
    KeyValue,
    Label,
    Part,
    SectionTitle,
    clear_layout,
    column,
    row,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.theme import GAP, STEP, Look
from pitwall_exam.console.format import ASKS, TITLES, is_refusal, score_words, sign, steps_words
from pitwall_exam.console.marks.radar import FIRST_INK, SECOND_INK, AnswererKey
from pitwall_exam.console.questions.rows import QuestionRow
from pitwall_exam.marking.comparison import AnswererMarks
from pitwall_exam.questions.paper import Question
from pitwall_exam.questions.sheet import Answer

_TRUTHS_MOST = 6


class QuestionDetail(QWidget):
    """Shows a question with its truth and answers."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shown: tuple[QuestionRow, AnswererMarks | None, AnswererMarks | None] | None = None
        self._title = SectionTitle("Question")
        self._asked = Label("", "title", wrap=True)
        self._asked.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._declared = Label("", "note", wrap=True)
        self._chips = Flow(STEP)
        self._answers = column(gap=GAP)
        texts = (self._title, self._asked, self._declared, self._chips)
        self.setLayout(column(*texts, self._answers, None))

    @property
    def shown(self) -> QuestionRow | None:
        return self._shown[0] if self._shown is not None else None

    def show_row(self, row_: QuestionRow, first: AnswererMarks | None, second: AnswererMarks | None) -> None:
        """Show a question with two answerers' answers; do nothing if they are shown already."""
        if self._shown == (row_, first, second):
            return
        self._shown = (row_, first, second)
        question = row_.question
        self._title.set_note(f"{row_.at:,} · {question.template}")
        self._asked.set_text(question.asked)
        self._declared.show_text(f"In the template's words: {question.text}" if question.paraphrase else "")
        self._show_chips(question)
        clear_layout(self._answers)
        self._answers.addWidget(_truth_card(question))
        for side, answer, score, number in (
            (first, row_.answer, row_.score, FIRST_INK),
            (second, row_.other, row_.other_score, SECOND_INK),
        ):
            if side is not None:
                self._answers.addWidget(_answer_card(self._look, side, answer, score, number))

    def _show_chips(self, question: Question) -> None:
        clear_layout(self._chips.flow)
        ability = Chip(TITLES[question.ability])
        ability.setToolTip(ASKS[question.ability])
        about = f"about step {question.lo:,}" if question.lo == question.hi else ""
        asked = about or f"about steps {question.lo:,} to {question.hi:,}"
        kinds = {"yes-no": "yes or no", "string": "text", "list": "list", "integer": "whole number"}
        for chip in (ability, Chip(asked), Chip(f"answer: {kinds.get(question.kind, 'number')}")):
            self._chips.flow.addWidget(chip)
        self._chips.updateGeometry()


def _truth_card(question: Question) -> Card:
    parts: list[QWidget] = [SectionTitle("Truth"), Label(question.truth[0], "strong", wrap=True)]
    others = question.truth[1:_TRUTHS_MOST]
    if others:
        more = len(question.truth) - 1 - len(others)
        text = " · ".join(others) + (f" · {more:,} more" if more > 0 else "")
        parts.append(Label(f"Also right: {text}", "note", wrap=True))
    if not question.answerable:
        parts.append(Label("Not answerable: what it asks about never happened.", "note", wrap=True))
    elif question.evidence:
        parts.append(KeyValue("Follows from steps", steps_words(question.evidence, 8)))
    return Card(*parts, gap=STEP)


def _answer_card(look: Look, side: AnswererMarks, answer: Answer | None, score: float, number: int) -> Card:
    mark, tone = sign(score)
    points = Label(score_words(score) if answer is not None else "", "strong", tone=tone)
    points.setAccessibleName(f"Score {score_words(score)}")
    name = Label(side.name, "dim")
    head = row(AnswererKey(look, number), name, points, gap=STEP + 2, stretch=1)
    parts: list[Part] = [head]
    if answer is None:
        parts.append(Label("Not answered yet.", "dim", wrap=True))
    else:
        parts += _answer_lines(answer)
    return Card(*parts, tone=tone if mark in ("✓", "✗") else "neutral", gap=STEP)


def _answer_lines(answer: Answer) -> Iterator[QWidget]:
    if answer.text:
        yield Label(answer.text, "strong", wrap=True)
    if answer.problem:
        yield Label(f"No answer: {answer.problem}", "error", wrap=True)
    if answer.explanation:
        yield Label(answer.explanation, "dim", wrap=True)
    if answer.evidence:
        yield KeyValue("Read from steps", steps_words(answer.evidence, 8))
    elif answer.text and not is_refusal(answer.text):
        yield Label("The answer cites no steps.", "note", wrap=True)
    if answer.seconds:
        yield KeyValue("Took", f"{answer.seconds:.1f} s")
