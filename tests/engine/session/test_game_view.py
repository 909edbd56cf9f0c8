"""The reason why a window closed is stated as far as it is known, and a small screen is named."""

from __future__ import annotations

import pytest

from pitwall.core.geometry import Rect
from pitwall.engine.session.game_view import ClosedWindow

SCREEN = (1280, 720)


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({}, "not started here"),
        ({"runs": True}, "runs on"),
        ({"runs": False}, "as its program ended."),
        ({"runs": False, "words": "segmentation fault"}, "Its last words: segmentation fault"),
        (
            {"runs": False, "words": "Couldn't set video mode"},
            "screen mode that this screen of 1280 × 720 px",
        ),
        ({"runs": False, "window": Rect(0, 0, *SCREEN)}, "filled the whole screen of 1280 × 720 px"),
    ],
)
def test_why_a_window_closed_is_stated_as_far_as_it_is_known(known: dict[str, object], sentence: str) -> None:
    closed = ClosedWindow(name="Balls", screen=SCREEN, **known)  # type: ignore[arg-type]
    assert sentence in closed.why
    assert closed.why.startswith("the window of Balls was closed")
    assert ("larger screen" in closed.fix("Press Start.")) == ("1280" in sentence)
    assert closed.fix("Press Start.").endswith("Press Start.")


def test_a_game_that_runs_on_or_had_a_window_of_its_own_size_blames_no_screen() -> None:
    small = ClosedWindow(name="Balls", screen=SCREEN, window=Rect(9, 9, 640, 480), runs=False)
    runs = ClosedWindow(name="Balls", screen=SCREEN, window=Rect(0, 0, *SCREEN), runs=True)
    assert small.about_the_screen == runs.about_the_screen == ""
