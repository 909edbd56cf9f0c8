"""The whole game folder of the manifest's tests, for the tests of [exam]."""

from __future__ import annotations

from tests.games.conftest import damaged, game_folder

__all__ = ["damaged", "game_folder"]
