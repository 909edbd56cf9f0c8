"""A small action space for control's tests."""

from __future__ import annotations

import pytest

from pitwall.core.actions import SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.engine.control.legality import ActionSpace


class NamedActions:
    """Legal is what is in the list."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def parse(self, text: str) -> SemanticAction:
        if text not in self.names:
            raise IllegalAction(f"{text!r} is no action.")
        return SemanticAction(name=text)


@pytest.fixture
def space() -> ActionSpace:
    return NamedActions("forward", "turn_left", "turn_right", "use", "wait")
