"""While a game is watched: whose presses are noted, and when it is pressed by itself."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from pitwall.core.actions import InputEvent
from pitwall.core.errors import PitwallError
from pitwall.core.injection import PersonActed
from pitwall.engine.drafting.field_reading import still_frame
from pitwall.engine.drafting.filmstrip import Filmstrip
from pitwall.engine.drafting.window_sampling import Presses

FRAME = still_frame(np.zeros((40, 60, 3), np.uint8))
PRESS = InputEvent(kind="key_down", key="ArrowRight")


class Player:
    """Presses once each turn until a person takes over."""

    def __init__(self) -> None:
        self.taken_over = self.closed = False

    def turn(self, _at_s: float, _frame: Any) -> list[InputEvent]:
        if self.taken_over:
            raise PitwallError("It was stopped: takeover.")
        return [PRESS]

    def close(self) -> None:
        self.closed = True


def test_it_presses_by_itself_once_nobody_has_for_a_while_and_ends_when_a_person_does() -> None:
    player, strip = Player(), Filmstrip()
    presses = Presses(lambda: cast(Any, player), began_s=100.0)
    presses.turn((), 101.0, FRAME, strip)
    assert not strip.presses
    for at_s in (103.5, 104.0, 104.5):
        presses.turn((), at_s, FRAME, strip)
    assert [press.at_s for press in strip.presses] == [104.0, 104.5]
    player.taken_over = True
    presses.turn((), 105.0, FRAME, strip)
    assert player.closed
    presses.turn((PersonActed(at_ns=1, event=PRESS),), 106.0, FRAME, strip)
    assert len(strip.presses) == 3


def test_where_a_person_plays_it_never_presses() -> None:
    strip = Filmstrip()
    presses = Presses(lambda: cast(Any, Player()), began_s=100.0)
    presses.turn((PersonActed(at_ns=1, event=PRESS),), 101.0, FRAME, strip)
    for at_s in (104.0, 105.0, 106.0):
        presses.turn((), at_s, FRAME, strip)
    assert [press.at_s for press in strip.presses] == [101.0]
