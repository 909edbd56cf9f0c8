"""Keys and pointer as they are: what a role may write, and what it comes to in events."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from pitwall.core.actions import NO_OP, Invalid, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.errors import IllegalAction
from pitwall.engine.control.baselines import random_value
from pitwall.games.actions.computer_use import ComputerUse, command_ms, vocabulary_of
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile
from pitwall.models.grammars.by_purpose import grammar_for
from pitwall.models.replies.plan import BadReply, parse_plan

MANIFEST: dict[str, Any] = {
    "game": {"id": "two", "name": "Two"},
    "screen": {"width": 320, "height": 200},
    "controls": {"keys": ["left", "Space", "a", "b", "p"], "mouse": True, "hold_ms": [30, 400]},
    "actions": [
        {"name": "jump", "keys": ["Space"], "duration_ms": 300},
        {"name": "go", "keys": ["ArrowLeft"], "duration_ms": 260},
        {"name": "wide", "keys": ["a"], "duration_ms": 4_000},
    ],
    "pause": {"keys": ["p"]},
    "roles": [
        {"name": "all"},
        {"name": "keys", "controls": {"keys": ["ArrowLeft"], "duration_ms": 220}},
        {"name": "mouse", "controls": {"mouse": True}},
    ],
}


@pytest.fixture
def profile() -> Profile:
    return Profile.model_validate(MANIFEST)


def test_a_role_has_the_commands_that_its_controls_allow(profile: Profile) -> None:
    everything = ("click", "click_hold", "drag", "mouse_move", "scroll", "press_key", "press_keys", "type")
    assert ComputerUse(profile).legal == (*everything, "wait")
    assert ComputerUse(profile, "keys").legal == ("press_key", "wait")
    assert ComputerUse(profile, "mouse").legal == (*everything[:5], "wait")
    assert isinstance(vocabulary_of(profile, "keys", "computer-use"), ComputerUse)
    assert isinstance(vocabulary_of(profile, "keys", "semantic"), Vocabulary)
    with pytest.raises(IllegalAction, match="no role"):
        ComputerUse(profile, "kees")


def test_every_command_lasts_as_long_as_is_declared_or_as_the_median(profile: Profile) -> None:
    assert command_ms(profile) == 300
    assert command_ms(profile, "keys") == 220
    space = ComputerUse(profile, "keys")
    lengths = {
        space.resolve(space.parse(text), width=320, height=200).duration_ms
        for text in ("wait", "key(key=left)")
    }
    assert lengths == {220.0}


def test_a_key_that_only_pauses_the_game_is_the_engines(profile: Profile) -> None:
    space = ComputerUse(profile)
    assert "p" in space.allowed_keys
    with pytest.raises(IllegalAction, match="not among the role's keys"):
        space.parse("press_key(key=p)")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Press-Key(key=left)", "press_key(key=ArrowLeft, hold_ms=60)"),
        ("press_keys(keys=left+space+left, hold_ms=100)", "press_keys(keys=ArrowLeft+Space, hold_ms=100)"),
        ("click(x=3, y=4)", "click(x=3, y=4, button=left)"),
        ("type(text='ab a')", "type(text=ab a)"),
        ("scroll(x=1, y=2, dy=-3)", "scroll(x=1, y=2, dx=0, dy=-3)"),
    ],
)
def test_aliases_and_defaults_are_filled_in(profile: Profile, text: str, read: str) -> None:
    space = ComputerUse(profile)
    assert str(space.parse(text)) == read
    assert space.parse(read) == space.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "press_key(key=q)",
        "press_key(key=left, hold_ms=301)",
        "press_keys(keys=left+space+a+b)",
        "click(x=320, y=0)",
        "click(x=1)",
        "click(x=1, y=1, button=fourth)",
        "type(text=p)",
        "type(text='A')",
        "type(text='abababababababab')",
        "scroll(x=1, y=1, dy=6)",
        "jump",
        "wait(ms=3)",
    ],
)
def test_what_is_outside_the_space_is_invalid_and_does_nothing(profile: Profile, text: str) -> None:
    space = ComputerUse(profile)
    with pytest.raises(IllegalAction):
        space.parse(text)
    name, _, inside = text.partition("(")
    given = dict(part.strip().split("=") for part in inside.rstrip(")").replace("'", "").split(",") if part)
    resolved = space.resolve(SemanticAction(name=name, arguments=dict(given)), width=320, height=200)
    assert (resolved.events, resolved.invalid) == ((), Invalid.OUT_OF_SPACE)
    assert space.resolve(SemanticAction(name=" "), width=1, height=1).invalid is Invalid.NO_CALL
    assert space.resolve(NO_OP, width=1, height=1).invalid is None


def test_events_are_scaled_to_the_window_and_end_within_the_command(profile: Profile) -> None:
    space = ComputerUse(profile)
    for text in (
        "drag(x=0, y=0, to_x=160, to_y=100)",
        "press_keys(keys=a+b, hold_ms=90)",
        "type(text='abba')",
    ):
        resolved = space.resolve(space.parse(text), width=640, height=400)
        assert resolved.invalid is None
        downs = [event.event for event in resolved.events if event.event.kind in ("key_down", "mouse_down")]
        ups = [event.event for event in resolved.events if event.event.kind in ("key_up", "mouse_up")]
        assert len(downs) == len(ups) > 0
        assert max(event.at_ms for event in resolved.events) <= resolved.duration_ms == 300
    drag = space.resolve(space.parse("drag(x=0, y=0, to_x=160, to_y=100)"), width=640, height=400)
    assert (drag.events[-1].event.x, drag.events[-1].event.y) == (320, 200)
    moves = [event.event.x for event in drag.events if event.event.kind == "mouse_move"]
    assert moves == sorted(moves, key=lambda x: x or 0) and len(moves) > 4


def test_what_a_grammar_lets_through_is_legal(profile: Profile) -> None:
    """Drawn calls match the schema's pattern, and every one of them is read back as legal."""
    space = ComputerUse(profile)
    shape = grammar_for(Purpose.REACT, space.forms)
    action = json.loads(shape.schema)["anyOf"][0]["properties"]["action"]
    pattern = re.compile(action["pattern"])
    assert pattern.fullmatch("press_keys(keys=ArrowLeft+Space, hold_ms=60)")
    assert pattern.fullmatch("type(text='ab')")
    assert not pattern.fullmatch("press_key(key=p, hold_ms=60)")
    dice = random.Random(6)
    for form in space.forms:
        for _ in range(30):
            inside = ", ".join(
                f"{argument.name}={random_value(argument, dice)}" for argument in form.arguments
            )
            space.parse(f"{form.name}({inside})" if inside else form.name)


def test_an_illegal_command_of_a_model_counts_as_out_of_space(profile: Profile) -> None:
    space = ComputerUse(profile)
    reply = '{"situation":"s","subgoal":"g","actions":["press_key(key=q)","wait"],"stop":"","steps":2}'
    draft = parse_plan(reply, space, fields=())
    assert (draft.proposed, draft.illegal, [str(action) for action in draft.actions]) == (2, 1, ["wait"])
    with pytest.raises(BadReply) as caught:
        parse_plan(reply.replace(',"wait"', ""), space, fields=())
    assert caught.value.invalid is Invalid.OUT_OF_SPACE
