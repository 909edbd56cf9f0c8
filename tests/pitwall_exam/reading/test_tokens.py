"""Tokens, numbers and what a question asks apart from how it wants to be answered."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitwall_exam.reading.bare_question import asks_yes_no, bare
from pitwall_exam.reading.numbers import numbers
from pitwall_exam.reading.tokens import stem, tokens


@pytest.mark.parametrize(
    "inflected",
    [
        ("move", "moved", "moving", "moves"),
        ("stand", "stood", "standing"),
        ("drink", "drank", "drinking", "drunk"),
        ("carry", "carries", "carried", "carrying"),
        ("reach", "reaches", "reached"),
        ("nearest", "closest"),
        ("run", "ran", "running"),
        ("tree", "trees"),
        ("tile", "tiles"),
    ],
)
def test_inflections_share_a_stem(inflected: tuple[str, ...]) -> None:
    assert len({stem(word) for word in inflected}) == 1


def test_words_that_differ_keep_different_stems() -> None:
    words = ("first", "last", "before", "after", "left", "leave", "wood", "stone", "step", "stop")
    assert len({stem(word) for word in words}) == len(words)


@example("❶")
@example("x² 3")
@given(st.text(max_size=200))
@settings(max_examples=150)
def test_tokens_of_any_text_stand_where_they_say(text: str) -> None:
    for token in tokens(text):
        assert 0 <= token.start < token.end <= len(text)
        if text.isascii():
            assert text[token.start : token.end].lower() == token.raw


@pytest.mark.parametrize(
    ("question", "stretch"),
    [
        ("From steps 5 to 20, how many?", (5, 20)),
        ("How many between step 5 and step 20?", (5, 20)),
        ("In steps 5-20, how many?", (5, 20)),
        ("What held during steps 5 through 20?", (5, 20)),
        ("Which place (within 5–20)?", (5, 20)),
        ("Up to step 20, how many?", (1, 20)),
        ("In the first 20 steps, how many?", (1, 20)),
        ("Until step 20, how often?", (1, 20)),
    ],
)
def test_a_stretch_of_steps_is_one_however_it_is_said(question: str, stretch: tuple[int, int]) -> None:
    text = bare(question)
    result, ranges = numbers(text, tokens(text))
    assert [(item.lo, item.hi) for item in ranges] == [stretch]
    assert not result


@pytest.mark.parametrize(
    ("question", "roles"),
    [
        ("What did you do at step 12?", [(12, "step")]),
        ("What came three steps before step 12?", [(3, "count"), (12, "step")]),
        ("How far apart are the places of steps 3 and 9?", [(3, "step"), (9, "step")]),
        ("If you had gone 4 tiles up at step 25, what then?", [(4, "count"), (25, "step")]),
        ("What was done on the 7th step?", [(7, "step")]),
    ],
)
def test_each_number_is_there_for_something(question: str, roles: list[tuple[int, str]]) -> None:
    result, ranges = numbers(question, tokens(question))
    assert [(item.value, item.role) for item in result] == roles
    assert not ranges


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("Did you drink before you ate?", True),
        ("By the time you slept, had you eaten?", True),
        ("At step 4, was wood enough for a table? Answer in 'yes' or 'no'.", True),
        ("Is it true that you ate first?", True),
        ("How many steps did you take?", False),
        ("What did you do at step 4?", False),
        ("After you ate, how many steps did you sleep?", False),
        ("At which step were you attacked?", False),
    ],
)
def test_yes_or_no_is_wanted_or_is_not(question: str, wants: bool) -> None:
    assert asks_yes_no(question) is wants


def test_how_to_answer_is_no_part_of_what_is_asked() -> None:
    assert bare("Was it so? Answer in 'yes' or 'no'.").strip() == "Was it so"
    assert "first" not in bare("At which step were you closest? (If ties, answer the first.)")
    assert "5" in bare("Where did you stay longest (within 5–20)?")
    assert len(bare("Was it so? Yes or no?")) == len("Was it so? Yes or no?")
