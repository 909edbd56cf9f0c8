"""Looks and turns: small motions with an exact sum, by every interface; a person's motion is read as them."""

from __future__ import annotations

from typing import Any

import pytest

from pitwall.cli.games.draft_arguments import action_of
from pitwall.core.actions import InputEvent, Invalid, ResolvedAction
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.errors import IllegalAction
from pitwall.core.paths import DataFolder
from pitwall.games.actions.computer_use import ComputerUse
from pitwall.games.actions.press_reading import PressReader
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.folder import lay_out
from pitwall.games.manifest import load_profile
from pitwall.games.measured_turns import keep_turn, with_measured_turn
from pitwall.games.schema.actions import MouseLook
from pitwall.games.schema.profile import Profile

LOOK = {"units_per_degree": 8.0, "rate_hz": 50, "most_units": 30}
DEGREES = {"type": "float", "minimum": -180, "maximum": 180}
UNITS = {"minimum": -2000, "maximum": 2000, "default": 0}


def _profile(mouse: bool = True, **look: Any) -> Profile:
    return Profile.model_validate(
        {
            "schema": 1,
            "game": {"id": "walk", "name": "Walk"},
            "screen": {"width": 100, "height": 100},
            "controls": {"mouse": mouse, "keys": ["w"]},
            "mouse_look": {**LOOK, **look},
            "actions": [
                {"name": "look", "look": ["$dx", "$dy"], "parameters": {"dx": UNITS, "dy": UNITS}},
                {"name": "turn", "turn": "$degrees", "parameters": {"degrees": DEGREES}},
            ],
        }
    )


def _moved(action: ResolvedAction) -> tuple[int, int]:
    events = [timed.event for timed in action.events]
    assert {event.kind for event in events} <= {"mouse_look"}
    return sum(event.dx for event in events), sum(event.dy for event in events)


@pytest.mark.parametrize(
    ("text", "moved", "count"),
    [
        ("look(dx=100, dy=-7)", (100, -7), 4),
        ("turn(degrees=90)", (720, 0), 24),
        ("turn(degrees=-0.3)", (-2, 0), 1),
        ("turn(degrees=0)", (0, 0), 0),
    ],
)
def test_a_look_is_many_small_motions_with_its_sum(text: str, moved: tuple[int, int], count: int) -> None:
    words = Vocabulary(_profile())
    action = words.resolve(words.parse(text), width=640, height=480)
    assert (_moved(action), len(action.events)) == (moved, count)
    assert all(abs(timed.event.dx) <= 30 for timed in action.events)
    assert [timed.at_ms for timed in action.events] == [number * 20.0 for number in range(count)]


def test_no_turn_is_legal_before_it_is_measured_and_no_look_without_the_mouse() -> None:
    words = Vocabulary(_profile(units_per_degree=0))
    assert [form.name for form in words.forms] == ["look"]
    resolved = words.resolve(words.parse("turn(degrees=5)"), width=1, height=1)
    assert resolved.invalid is Invalid.OUT_OF_SPACE
    assert Vocabulary(_profile(mouse=False)).forms == ()
    assert "turn" not in ComputerUse(_profile(units_per_degree=0)).legal


def test_computer_use_looks_within_the_length_of_its_commands() -> None:
    words = ComputerUse(_profile())
    for text, moved in (("move_relative(dx=-900, dy=40)", (-900, 40)), ("turn(degrees=180)", (1440, 0))):
        action = words.resolve(words.parse(text), width=640, height=480)
        assert _moved(action) == moved
        assert action.events[-1].at_ms < words.duration_ms
    with pytest.raises(IllegalAction, match="outside"):
        words.parse("turn(degrees=200)")


def test_a_persons_motion_is_read_as_turns_that_leave_nothing_out() -> None:
    reader = PressReader(_profile())
    for at_ms in range(0, 200, 10):  # 20 motions of 13 units in two looks: 16.25 degrees each
        reader.take(at_ms * NS_PER_MS, InputEvent(kind="mouse_look", dx=13))
    reader.take(2 * NS_PER_S, InputEvent(kind="mouse_look", dx=-120))
    read = reader.let_go(100 * NS_PER_S, (100, 100))
    assert [press.label for press in read] == ["turn", "turn", "turn"]
    turned = sum(float(press.action.removeprefix("turn(degrees=").rstrip(")")) for press in read)
    assert turned == pytest.approx((260 - 120) / 8.0, abs=4.0)


def test_looks_and_turns_of_a_draft_are_kept_in_its_folder(tmp_path: Any) -> None:
    ways = ("aim=look:12,-3", "gaze=look", "about=turn:180", "swing=turn")
    draft = Draft.model_validate(
        {
            "game_id": "walk",
            "name": "Walk",
            "screen": {"width": 100, "height": 100},
            "window": {"title": "Walk"},
            "actions": [action_of(text) for text in ways],
            "mouse_look": {"units_per_degree": 8.0},
        }
    )
    (tmp_path / "walk").mkdir()
    lay_out(draft, tmp_path / "walk")
    profile = load_profile(tmp_path / "walk")
    words = Vocabulary(profile)
    for text, moved in (
        ("aim", (12, -3)),
        ("gaze(dx=5)", (5, 0)),
        ("about", (1440, 0)),
        ("swing(degrees=-2)", (-16, 0)),
    ):
        assert _moved(words.resolve(words.parse(text), width=1, height=1)) == moved
    data = DataFolder(tmp_path / "data")
    keep_turn(data, "walk", MouseLook(units_per_degree=10.0))
    words = Vocabulary(with_measured_turn(profile, data))
    assert _moved(words.resolve(words.parse("about"), width=1, height=1)) == (1800, 0)
