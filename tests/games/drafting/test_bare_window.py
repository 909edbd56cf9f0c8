"""A window that nobody has described can be opened as a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.paths import DataFolder
from pitwall.games.drafting.folder import lay_out_window
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import BARE_WINDOW


@pytest.mark.parametrize("title", ["", "Tetris (level 3) [x]", 'A "quoted"\ttitle \\ \n' + "x" * 200])
def test_it_has_the_windows_size_and_name_and_nothing_to_press(tmp_path: Path, title: str) -> None:
    window = WindowRef(native_id=7, pid=1, title=title, wm_class="", rect=Rect(0, 0, 320, 240))
    lay_out_window(window, tmp_path)
    profile = Registry(DataFolder(tmp_path / "data")).load(str(tmp_path)).profile
    assert (profile.game.id, profile.screen.width, profile.screen.height) == (BARE_WINDOW, 320, 240)
    assert [action.name for action in profile.actions if not action.wait] == []
    assert profile.fields == []
