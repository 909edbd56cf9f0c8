"""Games on the stage of this project's pages, played step by step: what is pressed at which step is exact."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from tests.plugins.pages.rendered_page import PLUGINS, HeadlessBrowser

from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall_evaluation.truth.state import TrueState

STAGED = tuple(
    sorted(
        page.parents[1].name
        for page in PLUGINS.glob("*/page/index.html")
        if "shared/stage.js" in page.read_text(encoding="utf-8")
    )
)
"""Every game on the stage."""


def game_of(name: str) -> Game:
    """A bundled game, checked."""
    return Registry(DataFolder(PLUGINS / "nowhere")).load(name)


class StagePage:
    """One game's page. Its time stands still; steps of the game are taken by hand."""

    def __init__(self, browser: HeadlessBrowser, name: str, query: str = "", *, seed: int = 1) -> None:
        browser.open(name, query, seed=seed)
        self._browser = browser
        self._game = game_of(name)
        self._reader = StateReader(self._game.profile, self._game.folder, plugin_fields(self._game))
        self.js = browser.evaluate

    def begin(self) -> None:
        """From the menu into the game."""
        self.js("stage.pressed(' ')")

    def tap(self, *names: str, then: int = 1) -> None:
        """Press and let go of each, then take so many steps."""
        for name in names:
            self.js(f"stage.pressed('{name}'); stage.keys.release('{name}')")
        self.step(then)

    def step(self, steps: int = 1, hold: Sequence[str] = ()) -> None:
        """Take steps, some keys down all the while."""
        names = json.dumps(list(hold))
        self.js(
            f"{names}.forEach((name) => stage.pressed(name));"
            f"for (let step = 0; step < {steps}; step += 1) stage.step();"
            f"{names}.forEach((name) => stage.keys.release(name))"
        )

    def seen(self) -> dict[str, Value]:
        """Every field of the profile, and the status, as read from the pixels."""
        self.js("stage.draw()")
        frame: Any = SimpleNamespace(pixels=self._browser.picture())
        values = {name: reading.value for name, reading in self._reader.read(frame, None).items()}
        assert not self._reader.faults()
        return {**values, "status": status(self._game.profile.status, values).value}

    def state(self) -> TrueState:
        """What the game says of itself."""
        return self._browser.state()

    def reset(self, seed: int) -> None:
        """Begin anew, as an evaluator does."""
        self._browser.reset(seed)
