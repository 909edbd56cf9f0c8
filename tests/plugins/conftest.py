"""The bundled games' own modules, importable as their programs import them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser

_PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
_NAMES = (
    "flappy",
    "crafter",
    "arena",
    "shooting",
    "tiles",
    "mines",
    "blocks",
    "shop",
    "dino",
    "snake",
    "dodge",
    "story",
    "nightpost",
)
sys.path[:0] = [str(_PLUGINS / name) for name in _NAMES]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeadlessBrowser]:
    """A Chromium without a window, for the games that are web pages."""
    if sys.platform == "win32":
        pytest.skip("games that are web pages are played on Linux alone so far")
    headless = HeadlessBrowser(tmp_path_factory.mktemp("chromium"))
    yield headless
    headless.close()
