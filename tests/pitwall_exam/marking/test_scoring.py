"""Scores follow the source's rules, and no text breaks them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall_exam.marking.comparison import compare
from pitwall_exam.marking.scoring import is_refusal, marks, pooled, score
from pitwall_exam.marking.similarity import distance, likeness
from pitwall_exam.questions.abilities import Ability, AnswerKind
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.sheet import Answer, Answers


def question(
    kind: AnswerKind, *truth: str, ability: Ability = Ability.SINGLE_HOP, number: int = 1
) -> Question:
    return Question(id=f"{number:03d}", template="T", ability=ability, text="?", kind=kind, truth=truth)


@pytest.mark.parametrize(
    ("kind", "truth", "answer", "expected"),
    [
        ("integer", "7", "7", 1.0),
        ("integer", "7", " 7.0 ", 1.0),
        ("integer", "7", "7 %", 1.0),
        ("integer", "7", '"7"', 1.0),
        ("integer", "-3", "\N{MINUS SIGN}3", 1.0),
        ("integer", "7", "step 7", 0.0),
        ("integer", "7", "7.5", 0.0),
        ("integer", "7", "8", 0.0),
        ("integer", "7", "9" * 9000, 0.0),
        ("float", "0.25", "25 %", 1.0),
        ("float", "25", "0.25", 1.0),
        ("float", "3.141", "3.1411", 1.0),
        ("float", "100", "101", 1.0),
        ("float", "100", "102", 0.0),
        ("float", "0", "0.001", 1.0),
        ("float", "0.4", "0", 0.0),
        ("float", "0.5", "0.01", 0.0),
        ("float", "12.345", "0.12", 1.0),
        ("float", "3.5", "about 3.5", 0.0),
        ("string", "grass", "  GRASS ", 1.0),
        ("string", "grass", "'grass'", 1.0),
        ("string", "grass", "grass (the green one)", 1.0),
        ("string", "grass", "gross", 0.8),
        ("string", "grass", "sand", 0.0),
        ("string", "abcd", "abxy", 0.0),
        ("string", "2026-11-22", "2026-11-23", 0.0),
        ("string", "2026-11-22", "2026-11-22", 1.0),
        ("string", "http://a.example/x", "http://a.example/y", 0.0),
        ("string", "someone@mail.example", "someon@mail.example", 0.0),
        ("string", "notes.txt", "note.txt", 0.0),
        ("string", "4:05 p.m.", "4:06 p.m.", 0.0),
        ("string", "+49 30 1234567", "+49 30 1234568", 0.0),
        ("string", "say(text=north)", "say(text=south)", 1 - 2 / 15),
        ("yes-no", "yes", "Yes.", 1.0),
        ("yes-no", "yes", "yep", 0.0),
        ("yes-no", "no", "yes", 0.0),
        ("list", "wood, stone", "stone, wood", 1.0),
        ("list", "wood, stone", "stone and wood", 1.0),
        ("list", "3, 17, 20", "[20, 3, 17]", 1.0),
        ("list", "3, 17, 20", "3; 17", 2 / 3),
        ("list", "101, 202, 303", "102, 203, 304", 0.0),  # other steps are no likeness of letters
        ("list", "112", "113", 0.0),
        ("list", "wood, stone", "['wood', 'stone']", 1.0),
        ("list", "wood, stone", "iron, coal", 0.0),
        ("float", "-0.5", "\N{MINUS SIGN}0.5", 1.0),
    ],
)
def test_an_answer_scores_as_its_kind_is_compared(
    kind: AnswerKind, truth: str, answer: str, expected: float
) -> None:
    assert score(question(kind, truth), answer) == pytest.approx(expected)


def test_of_several_truths_the_best_counts() -> None:
    asked = question("string", "1 step up", "3 steps left and 2 steps down")
    assert score(asked, "3 steps left and 2 steps down") == 1.0


def test_what_cannot_be_answered_wants_the_words_for_it() -> None:
    asked = question("integer", "not answerable", ability=Ability.ADVERSARIAL)
    assert score(asked, "Not answerable") == 1.0
    assert score(asked, "Not answerable.") == 1.0 and is_refusal(" not answerable! ")
    assert score(asked, "7") == 0.0
    assert score(question("integer", "7"), "not answerable") == 0.0


@given(
    st.text(max_size=300),
    st.sampled_from(["string", "integer", "float", "yes-no", "list"]),
    st.text(max_size=40),
)
def test_every_text_has_a_score(answer: str, kind: AnswerKind, truth: str) -> None:
    asked = question(kind, truth)
    assert 0.0 <= score(asked, answer) <= 1.0
    is_refusal(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "(" * 100_000,
        "[" * 100_000,
        "9" * 100_000,
        "a," * 50_000,
        '"' * 100_000,
        "x" + "\n" * 100_000 + "y",
        "\ud800",
        "1e999",
        "-" * 9000,
    ],
    ids=str.__len__,
)
@pytest.mark.parametrize("kind", ["string", "integer", "float", "yes-no", "list"])
def test_a_long_or_broken_text_is_scored_at_once(kind: AnswerKind, answer: str) -> None:
    assert score(question(kind, "a, b, c"), answer) == 0.0


@settings(deadline=None)
@given(st.text(max_size=12), st.text(max_size=12))
def test_the_edit_distance_is_one(one: str, other: str) -> None:
    far = distance(one, other)
    assert far == distance(other, one)
    assert abs(len(one) - len(other)) <= far <= max(len(one), len(other))
    assert (far == 0) == (one == other)
    assert 0.0 <= likeness(one, other) <= 1.0


def exam(*questions: Question) -> Exam:
    return Exam(
        exam_id="e",
        rule_set="paper",
        inventory="general",
        game_id="g",
        run_id=1,
        seed=1,
        steps=9,
        questions=questions,
    )


def answered(*texts: str, name: str = "recall") -> Answers:
    given = tuple(Answer(id=f"{number:03d}", text=text) for number, text in enumerate(texts, start=1))
    return Answers(exam_id="e", answerer="recall", name=name, uses=("nothing",), at="", answers=given)


def test_marks_count_per_ability_and_refusals_lower_recall_not_precision() -> None:
    paper = exam(
        question("integer", "1", number=1),
        question("integer", "2", number=2),
        question("integer", "3", ability=Ability.SPATIAL, number=3),
        question("integer", "not answerable", ability=Ability.ADVERSARIAL, number=4),
    )
    result = marks(paper, answered("1", "not answerable", "9", "not answerable"))
    assert result.overall.n == 4 and result.overall.accuracy == 0.5
    assert result.of(Ability.SINGLE_HOP).accuracy == 0.5
    assert result.of(Ability.SPATIAL).accuracy == 0.0
    assert result.of(Ability.ADVERSARIAL).accuracy == 1.0
    assert result.of(Ability.ADVERSARIAL).f1 is None
    assert result.of(Ability.TEMPORAL).n == 0 and result.of(Ability.TEMPORAL).accuracy is None
    precision, recall = 1 / 2, 1 / 3
    assert result.overall.f1 == pytest.approx(2 * precision * recall / (precision + recall))
    low, high = result.overall.low, result.overall.high
    assert low is not None and high is not None and low < 0.5 < high


def test_answering_what_has_no_answer_lowers_precision() -> None:
    paper = exam(
        question("integer", "1", number=1),
        question("integer", "not answerable", ability=Ability.ADVERSARIAL, number=2),
    )
    assert marks(paper, answered("1", "not answerable")).overall.f1 == 1.0
    assert marks(paper, answered("1", "5")).overall.f1 == pytest.approx(2 / 3)


def test_what_is_left_out_counts_as_wrong() -> None:
    paper = exam(question("integer", "1", number=1), question("integer", "2", number=2))
    result = marks(paper, answered("1"))
    assert result.overall.accuracy == 0.5
    assert result.unanswered == 1


def test_several_sheets_count_question_by_question() -> None:
    paper = exam(question("integer", "1", number=1))
    both = pooled([(paper, answered("1")), (paper.model_copy(update={"exam_id": "f"}), answered("2"))])
    assert both.overall.n == 2 and both.overall.accuracy == 0.5
    assert set(both.scores) == {"e/001", "f/001"}


def test_two_sheets_are_compared_question_by_question() -> None:
    paper = exam(*(question("integer", str(number), number=number) for number in range(1, 21)))
    good = marks(paper, answered(*(str(number) for number in range(1, 21))))
    poor = marks(paper, answered(*(str(number + number % 2) for number in range(1, 21))))
    overall, single = compare(paper, good, poor)[:2]
    assert overall.difference == 0.5 and overall.better_a == 10 and overall.better_b == 0
    assert overall.differs and single.ability is Ability.SINGLE_HOP
    same = compare(paper, good, good)[0]
    assert same.difference == 0.0 and not same.differs
