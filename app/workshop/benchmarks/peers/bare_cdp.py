"""The peer of `suite`: the same page driven as a plain script does, over the debugging protocol alone.

No capture of a window, no broker, no log: a key is sent by `Input.dispatchKeyEvent`, the action's time
passes, a screenshot of the page is taken, and the next key is random.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from pitwall.core.errors import LaunchFailed
from pitwall.games.launcher import search_path
from pitwall.games.schema.profile import Game
from pitwall_environments.browser.cdp import Cdp
from pitwall_environments.browser.chromium import start_chromium
from pitwall_environments.browser.scenario import address
from pitwall_environments.browser.tab import Tab

_OPENING_S = 60.0
_ARROWS = ("left", "up", "right", "down")
_FIRST_CODE = 37


def bare_steps_ms(game: Game, steps: int, seed: int) -> list[float]:
    """Return the milliseconds of each step, from one choice to the next.

    Args:
        game: a browser game that is played with the arrow keys. seed: of page and choices.

    Raises:
        LaunchFailed: there is no Chromium here, or it opened no window.
    """
    program = shutil.which("chromium", path=search_path())
    if program is None:
        raise LaunchFailed("chromium is not installed.", "Install it: installer/extra browser")
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-", ignore_cleanup_errors=True) as scratch:
        return asyncio.run(_played(program, game, Path(scratch), steps, seed))


async def _played(program: str, game: Game, scratch: Path, steps: int, seed: int) -> list[float]:
    browser, screen = game.profile.browser, game.profile.screen
    assert browser is not None
    first, profile, temporary = scratch / "first.html", scratch / "profile", scratch / "tmp"
    first.write_text("<!doctype html><title>first</title>", encoding="utf-8")
    profile.mkdir()
    temporary.mkdir()
    url = address(browser, game.folder, ())
    chromium = start_chromium(program, profile, temporary, (first, url), (screen.width, screen.height))
    cdp = await Cdp.over(chromium.read_fd, chromium.write_fd)
    try:
        tab = await Tab.first(cdp, _OPENING_S)
        await tab.call("Page.enable")
        await tab.call("Page.navigate", url=url)
        await _until_ready(tab, seed)
        return await _driven(tab, game, steps, random.Random(seed))
    finally:
        cdp.close()
        chromium.end()


async def _until_ready(tab: Tab, seed: int) -> None:
    until_s = time.monotonic() + _OPENING_S
    while not await tab.evaluate("typeof gameAPI === 'object' && document.readyState === 'complete'"):
        if time.monotonic() > until_s:
            raise LaunchFailed("the page was never ready.")
        await asyncio.sleep(0.05)
    await tab.evaluate(f"gameAPI.init({{seed: {seed}}}), gameAPI.reset({{seed: {seed}}}), 1")


async def _driven(tab: Tab, game: Game, steps: int, chance: random.Random) -> list[float]:
    moves = [action for action in game.profile.actions if len(action.keys) == 1 and action.keys[0] in _ARROWS]
    begins = []
    for _ in range(steps + 1):
        begins.append(time.perf_counter())
        move = chance.choice(moves)
        key, code = f"Arrow{move.keys[0].capitalize()}", _FIRST_CODE + _ARROWS.index(move.keys[0])
        pressed: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        await tab.call("Input.dispatchKeyEvent", type="rawKeyDown", **pressed)
        await asyncio.sleep(float(move.hold_ms) / 1e3)
        await tab.call("Input.dispatchKeyEvent", type="keyUp", **pressed)
        await asyncio.sleep(max(0.0, begins[-1] + move.duration_ms / 1e3 - time.perf_counter()))
        await tab.call("Page.captureScreenshot", format="jpeg", quality=80, optimizeForSpeed=True)
    return [(after - before) * 1e3 for before, after in itertools.pairwise(begins)]
