"""Texts as the memory compares them, and states in words."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.core.observations import GameStatus, Value
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.memory.text import MOST_TOKENS, normalise, state_summary, tokens


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  The HERO, (wounded)\n stands!  ", "the hero wounded stands"),
        ("Don't stop", "dont stop"),
        ("move_left(ms=500)", "move_leftms500"),
        ("wood_pickaxe >= 1", "wood_pickaxe 1"),
        ("Ärger «über» Öl…", "ärger über öl"),
        ("हिन्दी में। 木の家、石", "हिन्दी में 木の家石"),
        ("e\u0301tage", "étage"),
        ("a\x00b\x1bc\ud800d", "a b c d"),
        ("a\u200bb\u202ec", "abc"),
        ("'; DROP TABLE entries; --", "drop table entries"),
        ("<b>bold</b>", "bboldb"),
        ("", ""),
        ("?!", ""),
    ],
)
def test_texts_are_made_plain(text: str, normal: str) -> None:
    assert normalise(text) == normal
    assert tokens(text) == normal.split()


@given(st.text(max_size=60))
def test_a_normal_text_stays_as_it_is(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once == once.strip() and "  " not in once


_FLAPPY: dict[str, Value] = {
    "menu": False,
    "game_over": False,
    "score": 5,
    "bird_y": 233,
    "gap_bottom": 301,
    "next_gap_bottom": None,
    "speed": -3.21,
    "frames_left": 12.5,
}
_FLAPPY_UNITS = {
    "score": "pipes",
    "bird_y": "px",
    "gap_bottom": "px",
    "speed": "px/frame",
    "frames_left": "frames",
}


def test_a_flight_in_words() -> None:
    assert state_summary(_FLAPPY, GameStatus.PLAYING, _FLAPPY_UNITS) == "playing score_4"
    named = state_summary(_FLAPPY, GameStatus.PLAYING, _FLAPPY_UNITS, fields=["bird_y", "speed"])
    assert named == "playing score_4 bird_y_192 speed_minus_3"
    lower = {**_FLAPPY, "bird_y": 250, "score": 7}
    assert state_summary(lower, GameStatus.PLAYING, _FLAPPY_UNITS, fields=["bird_y"]) == state_summary(
        _FLAPPY, GameStatus.PLAYING, _FLAPPY_UNITS, fields=["bird_y"]
    )


def test_a_fight_in_words() -> None:
    units = {"health": "%", "ammo": "rounds", "armour": "%", "view_change": "%", "dark_ahead": "%"}
    values: dict[str, Value] = {
        "health": 100,
        "ammo": 47,
        "armour": 0,
        "view_change": 3.7,
        "hurt": True,
        "dark_ahead": 41.0,
    }
    text = "playing health_full ammo_32 armour_empty view_change_low hurt dark_ahead_half"
    assert state_summary(values, GameStatus.PLAYING, units) == text
    values.update(health=99, ammo=12, hurt=False)
    text = "playing health_high ammo_8 armour_empty view_change_low dark_ahead_half"
    assert state_summary(values, GameStatus.PLAYING, units) == text
    menu: dict[str, Value] = {"health": None, "ammo": None, "view_change": 0.0}
    assert state_summary(menu, GameStatus.MENU, units) == "menu view_change_empty"


def test_an_open_world_in_words() -> None:
    values: dict[str, Value] = {
        "end_screen": False,
        "view": "...T.....\n" * 7,
        "x": -13,
        "y": 4,
        "facing": "left",
        "front": "tree",
        "front_open": False,
        "ground": "grass",
        "moved": None,
        "turned": True,
        "daylight": 88.0,
        "health": 9,
        "food": 3,
        "wood": 5,
        "stone": 0,
        "wood_pickaxe": 1,
        "near_table": True,
        "tree_dx": -1,
        "tree_steps": 0,
        "way_to_tree": "move_left; move_left; interact; interact",
    }
    units = {"x": "tiles", "y": "tiles", "tree_dx": "tiles", "tree_steps": "turns", "daylight": "%"}
    text = (
        "playing facing_left front_tree ground_grass turned daylight_high health_8 food_3 wood_4 "
        "wood_pickaxe_1 near_table"
    )
    assert state_summary(values, GameStatus.PLAYING, units) == text
    placed = state_summary(values, "playing", units, fields=("x", "y"))
    assert placed == text.replace("facing", "x_minus_8 y_0 facing", 1)
    moved = state_summary({**values, "x": -9, "y": 7}, "playing", units, fields=("x", "y"))
    assert moved == placed


def test_a_key_tells_places_exactly_and_leaves_out_the_rest() -> None:
    units = {"x": "cells", "y": "cells", "lamp": "%"}
    values: dict[str, Value] = {"x": 0, "y": 13, "goal": "door", "level": 1, "lamp": 80, "score": 10}
    key = ("level", "x", "y", "goal")
    assert state_summary(values, "playing", units, key=key) == "playing level_1 x_0 y_13 goal_door"
    beside = state_summary({**values, "x": 2}, "playing", units, key=key)
    assert beside == "playing level_1 x_2 y_13 goal_door"


def test_no_word_says_something_about_two_fields() -> None:
    units = {"health": "%", "ammo": "%"}
    item = state_summary({"health": 10, "ammo": 90}, "playing", units)
    other = state_summary({"health": 90, "ammo": 10}, "playing", units)
    assert not {*item.split()} & {*other.split()} - {"playing"}


def test_a_summary_is_bounded_and_keeps_what_is_named() -> None:
    values: dict[str, Value] = {f"field{number}": number + 1 for number in range(100)}
    words = state_summary(values, "playing", {}, fields=["field99", "field98"]).split()
    assert len(words) == MOST_TOKENS == len(set(words))
    assert words[0] == "playing" and words[-2:] == ["field98_64", "field99_64"]


@given(
    st.dictionaries(
        st.sampled_from(["a", "b_x", "text", "share"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=200),
    ),
    st.sampled_from(["", "%", "px", "tiles", "ms"]),
)
def test_any_values_give_a_bounded_normal_text(values: dict[str, Value], unit: str) -> None:
    units = dict.fromkeys(values, unit)
    text = state_summary(values, GameStatus.PLAYING, units, fields=list(values))
    assert text == normalise(text) == state_summary(values, GameStatus.PLAYING, units, fields=list(values))
    assert text.startswith("playing") and len(text.split()) <= MOST_TOKENS
    assert len(set(text.split())) == len(text.split())


# ---- hashed vectors


def test_vectors_have_length_one_and_like_texts_are_near() -> None:
    embedder = HashingEmbedder()
    texts = ["playing front_tree wood_4", "playing front_tree wood_8", "menu loading", "", "?!"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (5, 384) == (len(texts), embedder.dims) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0, 0], abs=1e-6)
    near, far = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    assert near > 0.6 > 0.3 > far
    assert embedder.embed([]).shape == (0, 384)


def test_vectors_are_the_same_in_every_process() -> None:
    text = "Playing front_tree, wood_4: 木 ünd \\ud800"
    code = (
        "from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder as H;"
        f"print(H().embed([{text!r}])[0].tobytes().hex())"
    )
    answer = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert answer == {HashingEmbedder().embed([text])[0].tobytes().hex()}
