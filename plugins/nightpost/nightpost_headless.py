"""Night Post without a window: the program's own session and pictures, for lessons and examinations."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame  # its greeting is switched off first
from nightpost_rules import layout as at
from nightpost_rules.drawing import Painter
from nightpost_rules.eyes import Value, fields_of
from nightpost_rules.rules_player import RulesPlayer
from nightpost_rules.session import Session

_NAMES = {"ArrowLeft": "Left", "ArrowRight": "Right"}


class NightPostWorld:
    """The game as keys and pictures; it stands still between presses."""

    def __init__(self, seed: int, hero: str, ascension: int) -> None:
        self.session = Session(seed, hero, ascension)
        self._surface = pygame.Surface((at.WIDTH, at.HEIGHT))
        self._painter, self._player = Painter(self._surface), RulesPlayer()

    def down(self, key: str) -> None:
        """Press a key."""
        self.session.press(_NAMES.get(key, key))

    def up(self, key: str) -> None:
        """Release a key: nothing follows from it."""

    def frame(self) -> None:
        """Advance by a frame: nothing moves."""

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture that the window would show, BGRX."""
        self._painter.draw(self.session.sight)
        picture = pygame.surfarray.array3d(self._surface).transpose(1, 0, 2)
        return np.dstack([picture[..., ::-1], np.zeros(picture.shape[:2], np.uint8)])

    @property
    def fields(self) -> Mapping[str, Value]:
        """Return the fields that the eyes read from the picture, without drawing it."""
        return fields_of(self.session.sight, self._player)

    @property
    def score(self) -> float:
        """Return the best score of its runs."""
        return self.session.best


def make_world(*, seed: int, scenario: str) -> NightPostWorld:
    """See games.plugin_loader.load_world; a scenario is a character, then its level: luna_5."""
    hero, _, level = (scenario or "pip").partition("_")
    return NightPostWorld(seed, hero, int(level or 0))
