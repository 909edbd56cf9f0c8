"""A model clicks in pixels of the picture that it was sent; the run clicks in pixels of the screen."""

from __future__ import annotations

import pytest

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.engine.control.picture_actions import PictureActions, model_actions
from pitwall.games.actions.computer_use import ComputerUse
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile
from pitwall.models.click_scale import ClickScale


@pytest.fixture
def profile() -> Profile:
    """A game of 1240 × 700 pixels that is played by clicks."""
    return Profile.model_validate(
        {
            "game": {"id": "wide", "name": "Wide", "version": "1"},
            "launch": {"command": ["true"]},
            "screen": {"width": 1240, "height": 700},
            "controls": {"keys": ["Space"], "mouse": True},
            "actions": [{"name": "jump", "keys": ["Space"], "description": "jump"}],
        }
    )


def test_a_click_in_the_picture_lands_at_its_place_on_the_screen(profile: Profile) -> None:
    space = ComputerUse(profile)
    seen = PictureActions(space, lambda: 960)
    click = next(form for form in seen.forms if form.name == "click")
    assert "960 by 542 pixels" in click.description
    assert [argument.maximum for argument in click.arguments[:2]] == [959, 541]
    action = seen.parse("click(x=720, y=406)")
    (move, *_) = space.resolve(action, width=1240, height=700).events
    assert (move.event.x, move.event.y) == (930, 525)
    drag = seen.parse("drag(x=0, y=0, to_x=959, to_y=541)")
    assert drag.arguments["to_x"] >= 1238 and drag.arguments["to_y"] >= 698  # type: ignore[operator]
    with pytest.raises(IllegalAction):
        seen.parse("click(x=1200, y=10)")


def test_past_clicks_and_plans_are_shown_in_the_picture(profile: Profile) -> None:
    seen = PictureActions(ComputerUse(profile), lambda: 620)
    action = SemanticAction(name="click", arguments={"x": 930, "y": 525, "button": "left"})
    assert str(seen.shown(action)) == "click(x=465, y=262, button=left)"
    plan = seen.shown_plan(Proposal(proposal_id=1, situation="", subgoal="hit it", candidates=(action,)))
    assert plan is not None and plan.candidates == (seen.shown(action),)
    assert seen.shown_plan(None) is None


def test_a_small_screen_and_named_actions_stay_as_they_are(profile: Profile) -> None:
    small = PictureActions(ComputerUse(profile), lambda: 1240)
    assert small.parse("click(x=720, y=406)").arguments["x"] == 720
    named = Vocabulary(profile, "")
    assert model_actions(named, lambda: 64) is named


@pytest.mark.parametrize(
    ("scale", "written"),
    [
        ("sent", "720, y=406"),
        ("window", "930, y=525"),
        ("thousand", "750, y=750"),
        ("percent", "75, y=75"),
        ("unit", "0.75, y=0.75"),
    ],
)
def test_a_click_in_the_models_own_scale_lands_at_its_place(
    profile: Profile, scale: ClickScale, written: str
) -> None:
    space = ComputerUse(profile)
    seen = PictureActions(space, lambda: 960, lambda: scale)
    action = seen.parse(f"click(x={written})")
    (move, *_) = space.resolve(action, width=1240, height=700).events
    assert move.event.x is not None and move.event.y is not None
    assert abs(move.event.x - 930) <= 2 and abs(move.event.y - 525) <= 2
    again = seen.original(seen.shown(action))
    assert abs(int(again.arguments["x"]) - int(action.arguments["x"])) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "click(720, 406)",
        "click(x=[720, 406])",
        "click(point='720 406')",
        "click(start_box='(720,406)')",
        "click([700, 396, 740, 416])",
        "click(x1=700, y1=396, x2=740, y2=416)",
        "click(<point>720 406</point>, left)",
        "click(x='720.2', y=405.8)",
        'click(x=75%, y="75%", button=left)',
    ],
)
def test_a_place_is_read_however_it_is_written(profile: Profile, text: str) -> None:
    action = PictureActions(ComputerUse(profile), lambda: 960).parse(text)
    x, y = int(action.arguments["x"]), int(action.arguments["y"])
    assert abs(x - 930) <= 1 and abs(y - 525) <= 1
    assert action.arguments["button"] == "left"


@pytest.mark.parametrize(
    "text", ["click(x=-5, y=10)", "click(2000, 10)", "click(1, 2, 3)", "click(x=nan, y=1)"]
)
def test_a_place_beside_the_picture_is_no_click(profile: Profile, text: str) -> None:
    with pytest.raises(IllegalAction):
        PictureActions(ComputerUse(profile), lambda: 960).parse(text)
