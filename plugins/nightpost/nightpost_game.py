"""Night Post in a window: a deck-building game by turns, for the keyboard and the mouse.

Run: nightpost_game.py [--seed N] [--hero pip|luna] [--ascension 0…10] [--still]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from pathlib import Path

import pygame
from nightpost_rules import layout as at
from nightpost_rules.drawing import Painter
from nightpost_rules.page import Page
from nightpost_rules.session import Session
from nightpost_rules.sight import Sight
from nightpost_rules.tables import TABLES

_FRAMES, _FPS = 9, 30
"""Length of an animation, in frames, and their rate."""
_NAMES = {
    pygame.K_RETURN: "Enter",
    pygame.K_KP_ENTER: "Enter",
    pygame.K_SPACE: "Space",
    pygame.K_TAB: "Tab",
    pygame.K_ESCAPE: "Escape",
    pygame.K_LEFT: "Left",
    pygame.K_RIGHT: "Right",
}
_LETTERS = {
    code: chr(code) for code in (*range(pygame.K_0, pygame.K_9 + 1), *range(pygame.K_a, pygame.K_z + 1))
}
_TRIES, _RETRY_S = 50, 0.002


class TruthFile:
    """Writes the true state for evaluators, as a whole file each time.

    Args:
        path: file; empty: nothing is written.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None

    def write(self, session: Session) -> None:
        """Write the present state."""
        if self._path is None:
            return
        aside = self._path.with_name(self._path.name + ".tmp")
        aside.write_text(json.dumps(session.true_state(int(time.time() * 1000))), encoding="utf-8")
        for _ in range(_TRIES):  # Windows refuses while somebody reads it
            try:
                aside.replace(self._path)
            except PermissionError:
                time.sleep(_RETRY_S)
            else:
                return


class Window:
    """Shows a session and turns events into its keys.

    Args:
        still: no animation.
    """

    def __init__(self, session: Session, truth: TruthFile, *, still: bool) -> None:
        self._session, self._truth, self._still = session, truth, still
        self._surface = pygame.display.set_mode((at.WIDTH, at.HEIGHT))
        pygame.display.set_caption("Night Post")
        pygame.key.set_repeat()
        self._painter = Painter(self._surface)
        self._page = Page()
        self._before: Sight | None = None
        self._left = 0
        """Frames of the animation that are still to come."""

    def run(self) -> None:
        """Play until the window is closed."""
        self._show()
        self._truth.write(self._session)
        while True:
            if self._left:
                events = pygame.event.get()
                pygame.time.wait(1000 // _FPS)
                self._left -= 1
                self._show()
            else:
                events = [pygame.event.wait(250), *pygame.event.get()]
            for event in events:
                if event.type == pygame.QUIT:
                    return
                if event.type == pygame.WINDOWEXPOSED:
                    self._show()
                key = self._key(event)
                if key:
                    self._press(key)

    def _key(self, event: pygame.event.Event) -> str:
        """Return the key that an event means; empty for none. A click means the key of what it hits."""
        if event.type == pygame.KEYDOWN:
            return _NAMES.get(event.key) or _LETTERS.get(event.key, "")
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            for box, key in reversed(self._page.spots):
                if pygame.Rect(box.pixels).collidepoint(event.pos):
                    return key
        return ""

    def _press(self, key: str) -> None:
        before = self._session.sight
        if self._session.press(key):
            self._before, self._left = before, 0 if self._still else _FRAMES
            self._show()
            self._truth.write(self._session)

    def _show(self) -> None:
        sight = self._session.sight
        pending = self._session.pending
        chosen = "" if pending is None else at.KEYS[pending[1]] if pending[0] == "play" else "potion"
        losses = self._losses(sight) if self._left else {}
        shake = {place: (-1) ** self._left * self._left for place, loss in losses.items() if loss}
        self._page = self._painter.draw(sight, chosen, shake)
        for place, loss in losses.items():
            column = 10 if place < 0 else at.foe_box(place).column + 22
            self._painter.number(f"-{loss}", (column * at.CELL_W, 96 + 4 * self._left), (255, 190, 120))
        pygame.display.flip()

    def _losses(self, sight: Sight) -> dict[int, int]:
        """Return who lost how much health with the last move; −1 is the hero."""
        before = self._before
        if (
            before is None
            or before.screen != "fight"
            or sight.screen != "fight"
            or len(before.foes) != len(sight.foes)
        ):
            return {}
        pairs = enumerate(zip(before.foes, sight.foes, strict=True))
        losses = {place: old.health - new.health for place, (old, new) in pairs}
        losses[-1] = before.health - sight.health
        return {place: loss for place, loss in losses.items() if loss > 0}


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(
        description="Night Post: carry the last letter up through the sleeping house."
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the first run")
    parser.add_argument("--hero", choices=sorted(TABLES.heroes), default="pip", help="the character")
    parser.add_argument(
        "--ascension", type=int, default=0, choices=range(len(TABLES.ascension) + 1), help="level"
    )
    parser.add_argument("--still", action="store_true", help="no animation")
    options = parser.parse_args()
    pygame.display.init()
    for number in (signal.SIGTERM, signal.SIGINT):  # a background job inherits an ignored interrupt
        signal.signal(number, lambda *_: pygame.event.post(pygame.event.Event(pygame.QUIT)))
    session = Session(options.seed, options.hero, options.ascension)
    try:
        Window(session, TruthFile(os.environ.get("PITWALL_TRUTH", "")), still=options.still).run()
    finally:
        pygame.display.quit()


if __name__ == "__main__":
    main()
