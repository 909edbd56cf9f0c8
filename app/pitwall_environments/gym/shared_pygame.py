"""Lets an environment use pygame in the process that shows it, without taking the game's window away.

Many environments draw with pygame, and share the process's one pygame with the game's window: they choose the
driver "dummy" for it, open a window of their own with each picture, or close all of pygame in their reset.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import pygame

from pitwall.core.errors import LaunchFailed

_WITHOUT_WINDOWS = ("dummy", "offscreen", "evdev")
_DRIVER = "SDL_VIDEODRIVER"


@contextlib.contextmanager
def shared_display() -> Iterator[None]:
    """Open the display before the environment chooses its own driver, and keep it from closing this display.

    Raises:
        LaunchFailed: there is no display, or the driver shows no windows.
    """
    try:
        pygame.display.init()
    except pygame.error as error:
        raise LaunchFailed(f"no window can be opened: {error}.", "Start it in a desktop session.") from None
    if (driver := pygame.display.get_driver()) in _WITHOUT_WINDOWS:
        raise LaunchFailed(
            f"{_DRIVER}={os.environ.get(_DRIVER, driver)} shows no windows.", f"Start it without {_DRIVER}."
        )
    make, close, close_all = pygame.display.set_mode, pygame.display.quit, pygame.quit

    def set_mode(size: Any = (0, 0), flags: int = 0, *rest: Any, **named: Any) -> pygame.Surface:
        """Give the environment a surface of its own whose window stays hidden."""
        kept = flags & ~(pygame.FULLSCREEN | pygame.SHOWN)
        return make(size, kept | pygame.HIDDEN, *rest, **named)

    def keep_open() -> None:
        """Leave the display open: the game's window needs it."""

    pygame.display.set_mode = set_mode
    pygame.display.quit = pygame.quit = keep_open
    try:
        yield
    finally:
        pygame.display.set_mode, pygame.display.quit, pygame.quit = make, close, close_all
        close()
