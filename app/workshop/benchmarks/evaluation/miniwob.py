"""`miniwob`: which of the suite's web pages two simple baselines solve, by mouse and keys in the page itself.

*chance* clicks one of the sixteen spots of the page's vocabulary, as often as the task has steps; *script*
(`miniwob_script.js`) knows each page and reads its elements. Neither sees the reward. The results are written
to `resources/gym/miniwob/baselines.toml`, from which `add-gym` copies them into each page's task.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import tempfile
import tomllib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from pitwall.core.errors import PitwallError
from pitwall.store.folder_errors import write_file
from pitwall_bench.suites.reading import suite_file
from pitwall_environments.browser.cdp import Cdp, CdpError
from pitwall_environments.browser.chromium import start_chromium
from pitwall_environments.browser.tab import Tab
from pitwall_environments.gym.miniwob import CLICKS, FULL_REWARD, INIT, WINDOW, baselines_file, page_file
from workshop.benchmarks.report import check, report

PLAYERS = ("script", "chance")
_CLICKS, _TURNS = 60, 700
"""Random clicks per episode, as many as the task has steps; turns of the script."""
_SETTLE_S, _OPEN_S, _EPISODE_S = 0.02, 20.0, 20.0
_KEYS = {"Backspace": 8, "ArrowLeft": 37, "ArrowRight": 39}
_HEAD = "# Which baseline solved a page in how many of its episodes. Written by `pitwall bench miniwob`.\n"
Stroke = list[Any]
"""An input, with its position or text: see `miniwob_script.js`."""


def run(*, quick: bool, games: Sequence[str] = (), runs: int | None = None) -> dict[str, Any]:
    """Play the pages of the suite `miniwob` and write the results (quick: without writing).

    Args:
        games: pages like click-button; empty: all sixty. runs: episodes per player; None: ten, quick two.

    Raises:
        PitwallError: there is no such page; its package, Chromium or a screen is missing.
    """
    pages, most = list(games) or suite_pages(), runs or (2 if quick else 10)
    marks = asyncio.run(_marks(pages, most))
    if not quick:
        file = baselines_file()
        marks = {**(tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}), **marks}
        write_file(file, _HEAD + "".join(f'{page} = "{text}"\n' for page, text in sorted(marks.items())))
    solved = sum(not marks[page].startswith("none") for page in pages)
    solved_check = check(
        f"pages of {len(pages)} that a baseline solves",
        "pages",
        {"p50": solved, "p95": None, "p99": None, "n": most},
        aim="each page is marked",
        met=all(page in marks for page in pages),
    )
    return report("miniwob", [solved_check | {"marks": {page: marks[page] for page in pages}}], runs=most)


def suite_pages() -> list[str]:
    """Return the pages of the suite `miniwob`, like click-button."""
    suite = yaml.safe_load(suite_file("miniwob").read_text(encoding="utf-8"))
    return [table["game"].removeprefix("miniwob-") for table in suite["games"]]


async def _marks(pages: Sequence[str], runs: int) -> dict[str, str]:
    marks = {}
    async with _browser() as tab:
        for page in pages:
            solved = {
                player: sum([await _solves(tab, page, player, seed) for seed in range(1, runs + 1)])
                for player in PLAYERS
            }
            baselines = [f"{player} {count} of {runs}" for player, count in solved.items()]
            some = [text for text, count in zip(baselines, solved.values(), strict=True) if count]
            marks[page] = ", ".join(some) or f"none: {', '.join(baselines)}"
    return marks


@asynccontextmanager
async def _browser() -> AsyncIterator[Tab]:
    program = shutil.which("chromium")
    if program is None or not os.environ.get("DISPLAY"):
        raise PitwallError(
            "there is no Chromium, or no screen for it.",
            "Run: installer/extra browser; without a screen: xvfb-run -a pitwall bench miniwob",
        )
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder:
        profile, temporary = Path(folder) / "profile", Path(folder) / "t"
        profile.mkdir()
        temporary.mkdir()
        first = profile / "first.html"
        first.write_text("<!doctype html><title>Pitwall</title>", encoding="utf-8")
        chromium = start_chromium(program, profile, temporary, (first, first.as_uri()), WINDOW)
        cdp = await Cdp.over(chromium.read_fd, chromium.write_fd)
        try:
            tab = await Tab.first(cdp, _OPEN_S)
            await tab.call("Page.enable")
            yield tab
        finally:
            cdp.close()
            chromium.end()


async def _solves(tab: Tab, page: str, player: str, seed: int) -> bool:
    """Play one episode. Returns whether the page's reward was full, as the task asks for."""
    await tab.call("Page.navigate", url=page_file(page).as_uri())
    loop = asyncio.get_running_loop()
    until_s = loop.time() + _OPEN_S
    while not await _says(tab, "document.readyState === 'complete' && core.cover_div !== null"):
        if loop.time() > until_s:
            raise PitwallError(f"MiniWoB's page {page} did not open.")
        await asyncio.sleep(_SETTLE_S)
    script = Path(__file__).with_name("miniwob_script.js").read_text(encoding="utf-8")
    await tab.evaluate(f"Math.seedrandom('{seed}'); {INIT}\n{script}")
    spots, chance = list(CLICKS.values()), random.Random(seed)
    until_s = loop.time() + _EPISODE_S
    for turn in range(_TURNS if player == "script" else _CLICKS):
        if loop.time() > until_s or await tab.evaluate("WOB_DONE_GLOBAL"):
            break
        strokes: list[Stroke] | None = [["click", *chance.choice(spots)]]
        if player == "script":
            strokes = await _strokes_of_script(tab, page, turn)
        if strokes is None:
            break
        for stroke in strokes:
            await _do(tab, stroke)
        await asyncio.sleep(_SETTLE_S)
    await asyncio.sleep(_SETTLE_S)
    return bool(await tab.evaluate(f"WOB_DONE_GLOBAL && WOB_RAW_REWARD_GLOBAL >= {FULL_REWARD}"))


async def _says(tab: Tab, expression: str) -> bool:
    with suppress(CdpError):  # it is not there yet
        return bool(await tab.evaluate(f"typeof core !== 'undefined' && {expression}"))
    return False


async def _strokes_of_script(tab: Tab, page: str, turn: int) -> list[Stroke] | None:
    try:
        strokes: list[Stroke] | None = await tab.evaluate(f"script({json.dumps(page)}, {turn})")
    except CdpError:  # the page is not as the script knows it
        return None
    return strokes


async def _do(tab: Tab, stroke: Stroke) -> None:
    kind, *rest = stroke
    if kind == "wait":
        await asyncio.sleep(rest[0] / 1000)
    elif kind == "type":
        for letter in rest[0]:
            await tab.call("Input.dispatchKeyEvent", type="char", text=letter)
    elif kind == "key":
        for event in ("keyDown", "keyUp"):
            key = {"type": event, "key": rest[0], "code": rest[0], "windowsVirtualKeyCode": _KEYS[rest[0]]}
            tab.notify("Input.dispatchKeyEvent", **key)
    else:
        await _mouse(tab, "mouseMoved", rest[0], rest[1], buttons=0)
        if kind != "move":
            await _mouse(tab, "mousePressed", rest[0], rest[1])
            if kind == "drag":
                for share in (0.25, 0.5, 0.75, 1.0):
                    x, y = (a + share * (b - a) for a, b in zip(rest[:2], rest[2:], strict=True))
                    await _mouse(tab, "mouseMoved", x, y)
            await _mouse(tab, "mouseReleased", rest[-2], rest[-1])


async def _mouse(tab: Tab, kind: str, x: float, y: float, *, buttons: int = 1) -> None:
    pressed: dict[str, Any] = {"button": "left", "clickCount": 1} if buttons else {}
    await tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, buttons=buttons, **pressed)
