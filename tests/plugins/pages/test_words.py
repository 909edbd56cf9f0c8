"""Lantern Words: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import PLUGINS, HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "words", seed=4)
    page.begin()
    page.js("stage.game.word = 'sleep'")
    return page


def _guess(page: StagePage, word: str) -> None:
    page.tap(*word, "enter", then=60)


def test_guesses_marks_typed_letters_and_figures_are_read(page: StagePage) -> None:
    _guess(page, "eerie")
    _guess(page, "plumb")
    page.tap("x", "q")
    seen = page.seen()
    assert seen["guesses"] == "eerie ??---; plumb ?+---"
    assert (seen["typed"], seen["solved"], seen["left"], seen["points"], seen["words"]) == (
        "xq",
        False,
        4,
        0,
        0,
    )
    assert (seen["fitting"], seen["guess"]) == (1, "guess(word=sleep)")
    _guess(page, "")
    assert page.seen()["left"] == 4, "a short guess is no guess"
    page.tap("delete")
    _guess(page, "sleep")
    seen = page.seen()
    assert (seen["solved"], seen["points"], seen["words"]) == (True, 4, 1)
    assert seen["fitting"] == 412, "the next word is not known"
    page.tap("a")
    assert (page.seen()["guesses"], page.seen()["typed"]) == ("", "a")


def test_every_letter_is_read(page: StagePage) -> None:
    for word in ("abcde", "fghij", "klmno", "pqrst", "uvwxy"):
        _guess(page, word)
    page.tap("z")
    seen = page.seen()
    assert str(seen["guesses"]).split("; ")[4].startswith("uvwxy ")
    assert [row.split()[0] for row in str(seen["guesses"]).split("; ")][:4] == [
        "abcde",
        "fghij",
        "klmno",
        "pqrst",
    ]
    assert seen["typed"] == "z"


def test_six_wrong_guesses_end_it_and_name_the_word(page: StagePage) -> None:
    for _ in range(6):
        _guess(page, "stick")
    over = page.state().terminal
    assert (over.outcome, over.reason) == ("loss", "It was SLEEP; you solved 0")


def test_each_word_stands_in_one_list_and_has_five_letters() -> None:
    text = (PLUGINS / "words" / "page" / "words.js").read_text(encoding="utf-8")
    words = [word for line in text.split('"')[3::2] for word in line.split() if word.isalpha()]
    words = [word for word in words if word.islower() and len(word) == 5]
    assert len(words) == len(set(words)) == 412
