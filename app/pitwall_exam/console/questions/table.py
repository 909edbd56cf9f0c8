"""The questions as a table: question, answer, truth, score and evidence."""

from __future__ import annotations

import math

from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall_exam.console.format import TITLES, answer_words, score_words, sign, steps_words, truth_words
from pitwall_exam.console.questions.rows import QuestionRow
from pitwall_exam.questions.abilities import Ability

_ORDER = {ability: at for at, ability in enumerate(Ability)}
_NUMBER: Column[QuestionRow] = Column(
    "#", lambda row: f"{row.at}", number=True, sort=lambda row: row.at, tone="dim"
)
_ABILITY: Column[QuestionRow] = Column(
    "Ability",
    lambda row: TITLES[row.question.ability],
    sort=lambda row: _ORDER[row.question.ability],
    tone="dim",
)
_ASKED: Column[QuestionRow] = Column("Question", lambda row: row.question.asked, stretch=6)
_ANSWER: Column[QuestionRow] = Column("Answer", lambda row: answer_words(row.answer), stretch=2)
_OTHER: Column[QuestionRow] = Column(
    "Second's answer",
    lambda row: answer_words(row.other),
    tip="The compared answerer's answer",
    stretch=2,
)
_TRUTH: Column[QuestionRow] = Column(
    "Truth",
    lambda row: truth_words(row.question.truth),
    tip="The first of the right answers",
    stretch=2,
)
_SCORE: Column[QuestionRow] = Column(
    "Score",
    lambda row: score_words(row.score),
    sort=lambda row: row.score,
    tip="1 is right; below 1, the text is similar to the right one",
    tone=lambda row: sign(row.score)[1],
)
_OTHER_SCORE: Column[QuestionRow] = Column(
    "Second",
    lambda row: score_words(row.other_score),
    sort=lambda row: row.other_score,
    tip="Score of the compared answerer",
    tone=lambda row: sign(row.other_score)[1],
)
_EVIDENCE: Column[QuestionRow] = Column(
    "Steps",
    lambda row: steps_words(row.question.evidence, 3),
    sort=lambda row: row.question.evidence[0] if row.question.evidence else math.inf,
    tip="The steps from which the truth follows",
    tone="dim",
)
ALONE = (_NUMBER, _ABILITY, _ASKED, _ANSWER, _TRUTH, _SCORE, _EVIDENCE)
NARROW = ALONE[:-1]
UNANSWERED = (_NUMBER, _ABILITY, _ASKED, _TRUTH, _EVIDENCE)
COMPARED = (_NUMBER, _ABILITY, _ASKED, _ANSWER, _OTHER, _TRUTH, _SCORE, _OTHER_SCORE)


def question_table(look: Look) -> Table[QuestionRow]:
    """Build the table; one of its questions is always chosen."""
    model = TableModel(ALONE, key=lambda row: row.question.id)
    does = "Enter goes to a question's steps"
    return Table(look, model, "Questions", does, row_height=27, first=True)
