"""Says in words why a game's window closed or never came, as far as its program and the screen tell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pitwall.core.geometry import Rect

_MODE_WORDS = re.compile(
    r"full.?screen|(video|display|screen) ?mode|SetVideoMode|resolution|RandR|VidMode", re.IGNORECASE
)
"""What programs say that did not get the screen they wanted."""
_SMALL_FIX = "Let it play in a window (its own settings or options), or give it a larger screen."


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedWindow:
    """Holds what is known of a window that is no longer there.

    Attributes:
        name: the game's. screen: its size, None where unknown. window: where it was last, None: never seen.
        runs: whether its program does; None where it was not started here. words: the program's last ones.
    """

    name: str
    screen: tuple[int, int] | None = None
    window: Rect | None = None
    runs: bool | None = None
    words: str = ""

    @property
    def why(self) -> str:
        """Why it closed, as a sentence."""
        said = f"the window of {self.name} was closed"
        if self.runs is None:
            return f"{said}; its program was not started here, so no more is known."
        if self.runs:
            return f"{said}, and its program runs on."
        words = f" Its last words: {self.words}" if self.words else ""
        return f"{said}, as its program ended.{self.about_the_screen}{words}"

    @property
    def about_the_screen(self) -> str:
        """What the screen may have to do with it, as a sentence after others; empty for nothing."""
        if self.screen is None or self.runs is not False:
            return ""
        size = "{} × {} px".format(*self.screen)
        if _MODE_WORDS.search(self.words):
            return f" It speaks of a screen mode that this screen of {size} may not have."
        whole = self.window is not None and (self.window.width, self.window.height) == self.screen
        return f" It filled the whole screen of {size}, which may be too small for it." if whole else ""

    def fix(self, usual: str) -> str:
        """What to do: about the screen where that is the matter, else the usual."""
        return f"{_SMALL_FIX} {usual}" if self.about_the_screen else usual
