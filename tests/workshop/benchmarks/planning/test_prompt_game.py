"""The prompt benchmark composes with the real parts; how long that took is its own affair."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.calls import Purpose
from pitwall.core.prompts import PROMPT_LAYERS, Layer
from workshop.benchmarks.catalogue import run_one
from workshop.benchmarks.planning.prompt_game import Play, filled_book


@pytest.fixture
def count() -> Callable[[str], int]:
    return lambda text: len(text.split()) + text.count("\n")


@pytest.mark.long
def test_prompts_are_bounded_and_a_transcript_is_not() -> None:
    text = run_one("prompt", quick=True)
    size, took, fullest = text["checks"]
    assert size["ratio"] <= 1.02 and size["met"]
    assert size["peer"]["p50"] > 100 * text["conditions"]["decision_50"]["tokens"]["p50"]
    assert size["peer"]["p50"] > 50 * text["conditions"]["decision_50"]["transcript_tokens"]
    assert took["ours"]["n"] >= 200
    assert 0.95 < fullest["ours"]["p50"] <= 1.0
    filled = text["conditions"]["filled"]
    assert set(filled) == {layer.value for layer in PROMPT_LAYERS}
    assert min(filled.values()) > 0.75, "a layer that is not full shows nothing"


def test_its_game_has_more_than_may_enter(tmp_path: Path, count: Callable[[str], int]) -> None:
    book, layers = filled_book(tmp_path / "game", count)
    play = Play(book, seed=1)
    values = play.values
    for layer, most in ((Layer.KNOWLEDGE, layers.l3_items), (Layer.EPISODES, layers.l4_items)):
        assert len(book.items(layer, purpose=Purpose.PLAN, values=values)) == 3 * most
    assert len(book.items(Layer.SKILLS, purpose=Purpose.PLAN, values=values)) == 3 * layers.l5_items
    states = [play.state()]
    play.go_on()
    states.append(play.state())
    assert states[0] != states[1]
