"""The fight's time is held and let go through the control socket."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from shooting_hold import HeldTime

from pitwall.core.errors import PitwallError
from pitwall.link.game_control import AskStatus, GameControl, Hold, Release, Reset


@pytest.mark.skipif(sys.platform == "win32", reason="Windows' Python knows no socket that is a file")
def test_time_is_held_let_go_for_a_while_and_let_go(tmp_path: Path) -> None:
    held = HeldTime(str(tmp_path / "c.sock"))
    control = GameControl(tmp_path / "c.sock")
    assert held.passes(30)
    assert control.ask(Hold()).paused
    assert not held.passes(30)
    control.ask(Release(ms=50))
    assert [held.passes(30) for _ in range(3)] == [True, True, False]
    assert control.ask(AskStatus()).game_ms == 90
    control.ask(Release())
    assert all(held.passes(30) for _ in range(5))
    with pytest.raises(PitwallError, match="cannot reset"):
        control.ask(Reset())
    control.close()


def test_without_a_socket_time_passes_as_ever() -> None:
    assert HeldTime("").passes(30)
