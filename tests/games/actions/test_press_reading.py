"""Presses are read as the game's actions, and typing is left out."""

from __future__ import annotations

from typing import Any

import pytest

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.games.actions.press_reading import PressReader
from pitwall.games.schema.profile import Profile

SIZE = (200, 100)


def _profile(*actions: dict[str, Any], **more: Any) -> Profile:
    return Profile.model_validate(
        {
            "schema": 1,
            "game": {"id": "walk", "name": "Walk"},
            "screen": {"width": 100, "height": 100},
            "actions": list(actions),
            **more,
        }
    )


WALK = _profile(
    {"name": "left", "keys": ["ArrowLeft"], "hold_ms": 60},
    {"name": "run_left", "keys": ["ArrowLeft"], "hold_ms": 600},
    {"name": "jump", "keys": ["Space"]},
    {"name": "jump_left", "keys": ["Space", "ArrowLeft"]},
    {"name": "step", "keys": ["$way"], "parameters": {"way": {"type": "choice", "choices": ["w", "s"]}}},
    {
        "name": "turn",
        "keys": ["ArrowUp"],
        "hold_ms": "$ms",
        "parameters": {"ms": {"minimum": 100, "maximum": 400}},
    },
)
BOARD = _profile(
    {
        "name": "put",
        "click": ["$column", "$row"],
        "cells": {"box": [0, 0, 60, 60], "columns": 3, "rows": 3},
        "parameters": {"column": {"minimum": 0, "maximum": 2}, "row": {"minimum": 0, "maximum": 2}},
    },
    {"name": "again", "click": [80, 80]},
)


def _read(reader: PressReader, *events: tuple[int, str, str]) -> list[str]:
    """Give a reader keys at milliseconds, and return what became of each key that went down."""
    for at_ms, kind, key in events:
        reader.take(at_ms * NS_PER_MS, InputEvent(kind="key_down" if kind == "v" else "key_up", key=key))
    read = reader.let_go(100 * NS_PER_S, SIZE)
    return [press.action or press.event.key for press in read if press.counts]


@pytest.mark.parametrize(
    ("events", "actions"),
    [
        ([(0, "v", "Space"), (50, "^", "Space")], ["jump"]),
        ([(0, "v", "ArrowLeft"), (80, "^", "ArrowLeft")], ["left"]),
        ([(0, "v", "ArrowLeft"), (900, "^", "ArrowLeft")], ["run_left"]),
        ([(0, "v", "ArrowLeft"), (20, "v", "Space"), (90, "^", "Space")], ["ArrowLeft", "jump_left"]),
        ([(0, "v", "ArrowLeft"), (300, "v", "Space"), (360, "^", "Space")], ["run_left", "jump_left"]),
        ([(0, "v", "w"), (60, "^", "w")], ["step(way=w)"]),
        ([(0, "v", "ArrowUp"), (260, "^", "ArrowUp")], ["turn(ms=250)"]),
        ([(0, "v", "ArrowUp"), (3_000, "^", "ArrowUp")], ["turn(ms=400)"]),
        ([(0, "v", "Space"), (30, "v", "Space"), (60, "^", "Space"), (70, "^", "Space")], ["jump"]),
        ([(0, "^", "Space"), (10, "v", "Escape")], ["Escape"]),
    ],
)
def test_a_press_is_named_by_what_it_completes_and_how_long_it_is_held(
    events: list[tuple[int, str, str]], actions: list[str]
) -> None:
    assert _read(PressReader(WALK), *events) == actions


def test_actions_are_counted_without_their_numbers() -> None:
    labels = ("left", "run_left", "jump", "jump_left", "step(way=w)", "step(way=s)", "turn")
    assert PressReader(WALK).labels == labels


@pytest.mark.parametrize(
    ("place", "action"), [((90, 30), "put(column=2, row=1)"), ((160, 81), "again"), ((190, 10), "")]
)
def test_a_click_is_named_by_its_place(place: tuple[int, int], action: str) -> None:
    reader = PressReader(BOARD)
    reader.take(1, InputEvent(kind="mouse_down", x=place[0], y=place[1]))
    pressed, let_go = reader.let_go(2, SIZE)
    assert (pressed.action, let_go.event.kind) == (action, "mouse_up")


def _typed(text: str, *, every_ms: int = 150, from_ms: int = 0) -> list[tuple[int, str, str]]:
    return [
        (from_ms + at * every_ms + up, kind, letter)
        for at, letter in enumerate(text)
        for up, kind in ((0, "v"), (60, "^"))
    ]


def test_typing_is_left_out_with_the_games_own_keys_in_it() -> None:
    reader = PressReader(WALK)
    steps = [(4_000, "v", "w"), (4_050, "^", "w"), (4_100, "v", "Enter")]
    assert _read(reader, *_typed("swimsuit"), *steps) == ["step(way=w)", "Enter"]
    assert reader.typed == 8


def test_no_letter_is_kept_outside_of_play_but_what_is_asked_for_is() -> None:
    away = PressReader(WALK)
    away.playing = False
    assert _read(away, *_typed("ws")) == []
    assert _read(PressReader(WALK, keep_typing=True), *_typed("hi")) == ["h", "i"]


def test_a_bare_window_keeps_usual_keys_and_no_password() -> None:
    reader = PressReader(None)
    assert _read(reader, *_typed("wasd")) == ["w", "a", "s", "d"]
    assert _read(reader, *_typed("password1", from_ms=200_000)) == []


def test_what_is_held_comes_up_where_the_watch_ends() -> None:
    reader = PressReader(WALK)
    reader.take(0, InputEvent(kind="key_down", key="Space"))
    assert reader.ready(NS_PER_S // 2, SIZE) == []
    down, up = reader.let_go(NS_PER_S // 2, SIZE)
    assert (down.event.kind, up.event.kind, up.at_ns) == ("key_down", "key_up", NS_PER_S // 2)
    reader.take(NS_PER_S, InputEvent(kind="key_up", key="Space"))
    assert reader.let_go(2 * NS_PER_S, SIZE) == []


def test_a_turn_of_the_wheel_is_an_action_and_each_way_a_press_of_its_own() -> None:
    reader = PressReader(_profile({"name": "next_weapon", "wheel": "up"}))
    for at, dy in enumerate((-1, 1), 1):
        reader.take(at * NS_PER_S, InputEvent(kind="scroll", x=5, y=5, dy=dy))
    read = reader.let_go(100 * NS_PER_S, SIZE)
    assert [(press.action, press.pressed) for press in read] == [
        ("next_weapon", "wheel up"),
        ("", "wheel down"),
    ]
    assert reader.labels == ("next_weapon",)
