"""The action space of control's tests: a real vocabulary of five actions."""

from __future__ import annotations

import pytest

from pitwall.engine.control.legality import ActionSpace
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile

WALKER = {
    "game": {"id": "walker", "name": "Walker"},
    "screen": {"width": 320, "height": 200},
    "controls": {"keys": ["ArrowUp", "ArrowLeft", "ArrowRight", "Space"]},
    "actions": [
        {"name": "forward", "keys": ["ArrowUp"], "aliases": ["ahead"]},
        {"name": "turn_left", "keys": ["ArrowLeft"]},
        {"name": "turn_right", "keys": ["ArrowRight"]},
        {"name": "use", "keys": ["Space"]},
        {"name": "wait", "wait": True},
        {
            "name": "strafe",
            "keys": ["$side"],
            "hold_ms": "$ms",
            "parameters": {
                "side": {"type": "choice", "choices": ["ArrowLeft", "ArrowRight"]},
                "ms": {"type": "int", "minimum": 50, "maximum": 500, "default": 100},
            },
        },
    ],
}


@pytest.fixture
def space() -> ActionSpace:
    return Vocabulary(Profile.model_validate(WALKER))
