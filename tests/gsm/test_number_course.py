"""A number's readings: which can be relied on, and when a score counts as unreadable."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from pitwall.engine.perception.text import is_plain_number, text_value
from pitwall.games.schema.fields import TextField
from pitwall.gsm.number_course import NumberCourse

MS = 1_000_000
SCORE = TextField(kind="text", name="score", box=(0, 0, 100, 30), number=True)


def _judged(values: Sequence[int | None], *, every_ms: int = 300, playing: bool = True) -> list[object]:
    course = NumberCourse()
    return [
        course.judge(value, 0.9, (10_000 + number * every_ms) * MS, playing=playing)
        for number, value in enumerate(values)
    ]


def _kept(values: Sequence[int | None], *, every_ms: int = 300) -> set[object]:
    return set(_judged(values, every_ms=every_ms)) - {None}


def test_a_number_that_jumps_and_comes_back_is_not_kept() -> None:
    assert _kept([23, 23, 23, 27, 27, 271, 271, 271, 271, 27, 27, 31, 31]) == {23, 27, 31}


def test_a_digit_that_is_missing_for_a_while_is_not_kept() -> None:
    assert _kept([120, 120, 120, 127, 127, 27, 27, 27, 127, 127, 12, 127]) == {120, 127}


def test_a_number_that_grows_with_every_reading_is_kept() -> None:
    kept = _judged(list(range(0, 300, 3)))
    assert sum(value is not None for value in kept) > 40
    assert all(value is None or value == 3 * number for number, value in enumerate(kept))


def test_a_new_game_begins_again_at_its_start() -> None:
    kept = _judged([0] * 4 + [10] * 4 + [20] * 4 + [0] * 4 + [10] * 4)
    assert kept[-8:] == [None, None, 0, 0, None, 10, 10, 10]


def test_another_number_on_an_end_screen_is_never_kept() -> None:
    course, at = NumberCourse(), 0
    for value, playing, most in ((340, True, 40), (900, False, 400), (340, False, 4)):
        for _ in range(most):
            at += 300
            judged = course.judge(value, 0.95, at * MS, playing=playing)
            assert judged in (None, 340)
    assert judged == 340


def test_a_real_jump_is_kept_once_the_number_goes_on_from_there() -> None:
    values: list[int | None] = [0, 0, 0, 10, 10, 20, 20, 30, 30, 5_000, 5_000, 5_000, 5_010, 5_010, 5_010]
    assert {5_010, 30} <= _kept(values)


def test_a_rise_that_is_no_multiple_of_the_usual_ones_is_not_kept_at_once() -> None:
    values: list[int | None] = [
        0,
        0,
        0,
        50,
        50,
        100,
        100,
        150,
        150,
        200,
        200,
        300,
        300,
        350,
        350,
        392,
        392,
        392,
    ]
    assert 392 not in _kept(values)


def test_what_is_not_sure_is_not_kept() -> None:
    course = NumberCourse()
    assert [course.judge(7, 0.3, at * 300 * MS) for at in range(9)] == [None] * 9


@pytest.mark.parametrize("share", (0.0, 0.1))
def test_a_score_that_is_hardly_ever_read_counts_as_unreliable(share: float) -> None:
    course, dice = NumberCourse(), random.Random(5)
    for at in range(60):
        course.judge(dice.randrange(9_999) if dice.random() < share else None, 0.9, at * 300 * MS)
    assert course.unreliable


def test_a_score_that_is_absent_in_a_menu_is_not_called_unreliable() -> None:
    course = NumberCourse()
    for at in range(60):
        course.judge(None, 0.0, at * 300 * MS, playing=False)
    assert not course.unreliable


@pytest.mark.parametrize(
    ("text", "value", "plain"),
    (
        ("27", 27, True),
        ("Score: 27", 27, True),
        ("+4\n27", 27, True),
        ("27 +16", 27, True),
        ("PTS: 1,088", 1088, True),
        ("4+16", 4, False),
        ("4C+16", 4, False),
        ("27 Best 900", 27, False),
        ("+4", 4, False),
    ),
)
def test_a_floating_gain_is_left_out_and_a_text_of_two_numbers_is_not_plain(
    text: str, value: int, plain: bool
) -> None:
    assert (text_value(SCORE, text), is_plain_number(SCORE, text)) == (value, plain)
