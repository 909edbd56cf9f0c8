"""What counts as an answer in language, and what damaged weights say."""

from __future__ import annotations

import pytest

from pitwall.models.language import is_language, repeats_itself


@pytest.mark.parametrize(
    "text",
    [
        "A bird wakes at dawn and looks for food. It flies from tree to tree. In the evening it rests.",
        "Sure! Here are three sentences:\n1. Birds fly in the sky.\n2. They eat insects.\n3. They sing.",
        "birds eat and sleep and fly all day and they do not stop until it is dark and then they sleep",
    ],
)
def test_language(text: str) -> None:
    assert is_language(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the the the the the the the the the the the",
        "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!",
        "assic uden ungeon Kirk orem lipsum azzo vex quar nimble torque jinx 2041 }} || zzz",
        "\ufffd is \ufffd a \ufffd\ufffd the \ufffd\ufffd to it they on \ufffd\ufffd of 123456 #### ====",
        "def class return import lambda yield async await global nonlocal raise except",
        "Yes.",
    ],
)
def test_no_language(text: str) -> None:
    assert not is_language(text)


@pytest.mark.parametrize(
    "text", ["pipesaea6 pipesaea6", "go go go", "the cat the cat the cat the cat the cat", "a b c " * 9]
)
def test_a_text_that_repeats_itself(text: str) -> None:
    assert repeats_itself(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "wood",
        "cut the tree",
        "the log is too far away, so walk to the log and then cut the log",
        "no, no way",
    ],
)
def test_a_text_that_does_not(text: str) -> None:
    assert not repeats_itself(text)
