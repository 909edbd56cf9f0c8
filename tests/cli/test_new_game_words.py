"""The words of `pitwall games new`: holds of actions, and boxes of another size."""

from __future__ import annotations

import numpy as np
import pytest

from pitwall.cli.games.draft_arguments import action_of
from pitwall.core.errors import PitwallError
from pitwall.engine.drafting.field_reading import propose, still_frame
from pitwall.games.schema.profile import Screen


@pytest.mark.parametrize(
    ("text", "keys", "click", "hold_ms"),
    (
        ("left=ArrowLeft:500", ["ArrowLeft"], None, 500),
        ("jump=Shift+ArrowLeft:80", ["Shift", "ArrowLeft"], None, 80),
        ("aim=click:40,60:200", [], (40, 60), 200),
        ("aim=click:40,60", [], (40, 60), 60),
        ("left=ArrowLeft", ["ArrowLeft"], None, 60),
    ),
)
def test_an_action_is_held_as_long_as_its_word_says(
    text: str, keys: list[str], click: tuple[int, int] | None, hold_ms: int
) -> None:
    action = action_of(text)
    assert (action.keys, action.click, action.hold_ms) == (keys, click, hold_ms)


def test_a_hold_that_no_action_may_have_names_the_limits() -> None:
    with pytest.raises(PitwallError, match="9000 ms") as raised:
        action_of("left=ArrowLeft:9000")
    assert "10 to 5000 ms" in raised.value.fix


def test_a_box_beyond_the_picture_names_the_pictures_size() -> None:
    frame = still_frame(np.zeros((480, 640, 3), np.uint8))
    with pytest.raises(PitwallError, match="640×480 px"):
        propose(frame, (700, 20, 90, 30), Screen(width=640, height=480), recogniser=None)
