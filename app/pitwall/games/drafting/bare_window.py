"""Makes a game of a window that nobody has described: no fields, no actions but resting."""

from __future__ import annotations

import re
from pathlib import Path

from pitwall.core.geometry import WindowRef
from pitwall.games.drafting.draft import Draft, DraftAction
from pitwall.games.drafting.folder import lay_out
from pitwall.games.schema.profile import Screen, WindowMatch

BARE_WINDOW = "bare-window"
"""Id of such a game."""
_LONGEST_NAME = 80


def lay_out_window(window: WindowRef, folder: Path) -> None:
    """Write the folder of a window's game into an empty folder."""
    name = "".join(letter if letter.isprintable() else " " for letter in window.title).strip()
    draft = Draft(
        game_id=BARE_WINDOW,
        name=name[:_LONGEST_NAME] or "A window",
        window=WindowMatch(title=f"^{re.escape(window.title)}$"),
        screen=Screen(width=window.rect.width, height=window.rect.height),
        actions=[DraftAction(name="rest")],
    )
    lay_out(draft, folder)
