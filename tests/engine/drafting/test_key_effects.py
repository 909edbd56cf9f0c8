"""What a key moves is told from what only happens to go that way, for all ways of pressing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pitwall.core.actions import InputEvent
from pitwall.engine.drafting.filmstrip import SPAN_S, Filmstrip, Press
from pitwall.engine.drafting.finding.key_effects import KeyEffect, Speeds, strongest_effect
from pitwall.engine.drafting.finding.played_minute import PlayedMinute
from pitwall.games.schema.profile import Screen

_KEYS = ("ArrowLeft", "ArrowRight")
_HOLDS_S = {"tapped": (0.05, 0.3), "held": (0.1, 0.9), "held long": (0.5, 3.0)}
_SEEDS = (2, 3, 55)
"""At three of these nine, what goes to and fro seems steered where its speeds count as independent draws."""
_TICK_S = 0.02
_WIDE_PX = 600.0


@pytest.mark.parametrize("way", _HOLDS_S)
@pytest.mark.parametrize("seed", _SEEDS)
def test_what_goes_to_and_fro_by_itself_is_moved_by_no_key(way: str, seed: int) -> None:
    presses = _presses(way, seed)
    there = np.abs((60 * _ticks() + 300) % (2 * _WIDE_PX) - _WIDE_PX)
    assert _effect(there, presses, seed) is None


@pytest.mark.parametrize("way", _HOLDS_S)
@pytest.mark.parametrize("seed", _SEEDS)
def test_what_keys_steer_is_found_though_it_often_stands_at_an_edge(way: str, seed: int) -> None:
    presses = _presses(way, seed)
    effect = _effect(_steered(presses), presses, seed)
    assert effect is not None
    assert effect.axis == "x"
    assert (effect.speed < effect.otherwise) == (effect.key == "ArrowLeft")


def test_what_keys_steer_by_turns_is_found_though_it_is_unseen_as_they_go_down() -> None:
    """Presses at other times are then the same presses, and no change of speed tells the rest."""
    presses, at_s = list[Press](), 1.0
    for turn in range(20):
        presses.append(Press(at_s=at_s, event=InputEvent(kind="key_down", key=_KEYS[turn % 2])))
        presses.append(Press(at_s=at_s + 0.5, event=InputEvent(kind="key_up", key=_KEYS[turn % 2])))
        at_s += 0.7
    begin = np.arange(0, at_s, 0.1)
    changes = np.array([press.at_s for press in presses])
    begin = begin[np.abs(begin[:, None] + 0.05 - changes).min(axis=1) > 0.15]
    at = ((begin / _TICK_S).astype(int), ((begin + 0.1) / _TICK_S).astype(int))
    places = _steered(presses)
    speed = (places[at[1]] - places[at[0]]) / 0.1
    effect = strongest_effect(
        Speeds(begin=begin, end=begin + 0.1, speed=np.stack([speed, 0 * speed], axis=1)), presses
    )
    assert effect is not None
    assert effect.axis == "x"


def test_a_whole_minute_is_looked_at_closely_enough_to_tell_speeds() -> None:
    strip = Filmstrip()
    for at in range(round(10 * SPAN_S)):
        strip.take(at / 10, np.full((24, 32, 4), at % 251, np.uint8))
    gaps = np.diff(PlayedMinute(strip, Screen(width=32, height=24)).at_s)
    assert gaps.sum() > 0.9 * SPAN_S
    assert gaps.max() < 0.45


def _ticks() -> NDArray[np.float64]:
    return np.arange(0, SPAN_S, _TICK_S)


def _presses(way: str, seed: int) -> list[Press]:
    chance, at_s, presses = np.random.default_rng(seed), 1.0, list[Press]()
    while at_s < SPAN_S:
        key = _KEYS[chance.integers(2)]
        presses.append(Press(at_s=at_s, event=InputEvent(kind="key_down", key=key)))
        at_s += chance.uniform(*_HOLDS_S[way])
        presses.append(Press(at_s=at_s, event=InputEvent(kind="key_up", key=key)))
        at_s += chance.uniform(0.1, 0.5)
    return presses


def _steered(presses: list[Press]) -> NDArray[np.float64]:
    """Where a paddle is at each tick, px: 400 px/s while a key is down, between two edges."""
    pressed, towards, at_px, places = list(presses), 0, _WIDE_PX / 2, []
    for now in _ticks():
        while pressed and pressed[0].at_s <= now:
            press = pressed.pop(0)
            sign = -1 if press.event.key == "ArrowLeft" else 1
            towards = sign if press.event.kind == "key_down" else 0
        at_px = float(np.clip(at_px + towards * 400 * _TICK_S, 0, _WIDE_PX))
        places.append(at_px)
    return np.array(places)


def _effect(places: NDArray[np.float64], presses: list[Press], seed: int) -> KeyEffect | None:
    """The effect found from stills about 0.25 s apart, places known to a pixel."""
    chance = np.random.default_rng(seed)
    at_s = np.cumsum(chance.choice([0.22, 0.25, 0.3], round(SPAN_S / 0.27)))
    at_s = at_s[at_s < SPAN_S - 0.5]
    seen = places[(at_s / _TICK_S).astype(int)] + chance.normal(0, 1, len(at_s))
    speed = np.diff(seen) / np.diff(at_s)
    return strongest_effect(
        Speeds(begin=at_s[:-1], end=at_s[1:], speed=np.stack([speed, 0 * speed], axis=1)), presses
    )
