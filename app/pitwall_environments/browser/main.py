"""`pitwall browser-game`: hosts a game that is a web page, until it is asked to end.

It starts a Chromium for the game, controls the page's chance and time, serves the clients that steer it, and
writes the true state for an evaluator. An error is printed as a sentence; the program then ends, and its
parent sees that.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.errors import LaunchFailed, PitwallError, unexpected
from pitwall.core.paths import TRUTH_VARIABLE
from pitwall.games.launcher import CONTROL_VARIABLE, VALUES_VARIABLE, search_path
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile
from pitwall_environments.browser.cdp import BrowserGone, Cdp
from pitwall_environments.browser.chromium import start_chromium
from pitwall_environments.browser.guard import Guard
from pitwall_environments.browser.incidents import PageLog
from pitwall_environments.browser.page import GamePage, Playing
from pitwall_environments.browser.scenario import address, configuration
from pitwall_environments.browser.tab import Tab
from pitwall_environments.hosting import TruthFile, end_request, named_path
from pitwall_environments.steering import Steering

ROLE = "browser-game"
_PROGRAM = "chromium"
_PROFILE = "chromium-"
_FIRST_WINDOW_S = 60.0
_FIRST_PAGE = "<!doctype html><title>Pitwall</title>"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Order:
    """The request of the command line and the environment.

    Attributes:
        own: folder the browser may write into. truth, control, values: None: not wanted.
    """

    folder: Path
    profile: Profile
    seed: int
    own: Path
    words: tuple[str, ...]
    truth: Path | None
    control: Path | None
    values: Path | None


def main(argv: Sequence[str]) -> int:
    """Host the game until the end; return 0 if asked to end, else 1."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    try:
        if sys.platform == "win32":
            raise LaunchFailed("games that are web pages are supported only on Linux so far.")
        order = _order(argv)
        with _folders(order.own) as (profile, temporary):
            guard = Guard((profile, temporary, *([order.control] if order.control else [])))
            try:
                return asyncio.run(_played(order, profile, temporary, guard))
            finally:
                guard.dismiss()
    except PitwallError as error:
        _log.error("%s", error)
        return 1
    except Exception as error:
        _log.exception("the page's process failed")
        _log.error("%s", unexpected("the page's process", error))
        return 1


def _order(argv: Sequence[str]) -> Order:
    parser = argparse.ArgumentParser(prog=f"pitwall {ROLE}", description=__doc__)
    parser.add_argument("--game", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", type=Path, required=True, metavar="DIR")
    parser.add_argument("words", nargs="*", metavar="WORD", help="words of the scenario: level=2")
    options = parser.parse_args(argv)
    profile = load_profile(options.game)
    if profile.browser is None:
        raise LaunchFailed(f"{options.game} is not a web page: its plugin.toml has no [browser].")
    return Order(
        folder=options.game,
        profile=profile,
        seed=options.seed,
        own=options.profile,
        words=tuple(options.words),
        truth=named_path(TRUTH_VARIABLE),
        control=named_path(CONTROL_VARIABLE),
        values=named_path(VALUES_VARIABLE),
    )


@contextlib.contextmanager
def _folders(own: Path) -> Iterator[tuple[Path, Path]]:
    """Create the browser's profile, and a folder for its sockets (their names must be short).

    Raises:
        LaunchFailed: they cannot be created.
    """
    profile = own / f"{_PROFILE}{os.getpid()}"
    temporary = Path(tempfile.mkdtemp(prefix="pitwall-browser-"))
    try:
        own.mkdir(parents=True, exist_ok=True)
        for old in own.glob(f"{_PROFILE}*"):
            if not _lives(old.name.removeprefix(_PROFILE)):
                shutil.rmtree(old, ignore_errors=True)
        profile.mkdir()
    except OSError as error:
        temporary.rmdir()
        raise LaunchFailed(
            f"the browser's profile cannot be made in {own}: {error.strerror}.",
            "Make this folder writable, or choose another data folder.",
        ) from None
    yield profile, temporary


def _lives(pid: str) -> bool:
    """Return whether another process of this number runs; its profile is then still in use."""
    return pid.isdigit() and int(pid) != os.getpid() and Path(f"/proc/{pid}").exists()


async def _played(order: Order, profile: Path, temporary: Path, guard: Guard) -> int:
    ended = end_request()
    if ended.done():
        return 0
    browser = order.profile.browser
    assert browser is not None
    program = shutil.which(_PROGRAM, path=search_path())
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        raise LaunchFailed("there is no screen to play on: DISPLAY is not set.", "Start it on a screen.")
    if program is None:
        raise LaunchFailed(f"{_PROGRAM} is not installed.", "Install it: installer/extra browser")
    first = profile / "first.html"
    first.write_text(_FIRST_PAGE, encoding="utf-8")
    screen = order.profile.screen
    url = address(browser, order.folder, order.words)
    chromium = start_chromium(program, profile, temporary, (first, url), (screen.width, screen.height))
    guard.watch(chromium.pid)
    cdp = await Cdp.over(chromium.read_fd, chromium.write_fd)
    try:
        tab = await Tab.first(cdp, max(_FIRST_WINDOW_S, browser.ready_timeout_s))
        return await _hosted(order, GamePage(tab, _playing(order, url), PageLog()), cdp, ended)
    finally:
        cdp.close()
        chromium.end()


def _playing(order: Order, url: str) -> Playing:
    return Playing(
        profile=order.profile,
        url=url,
        config=configuration(order.seed, order.words),
        seed=order.seed,
        truth=TruthFile(order.truth) if order.truth is not None else None,
    )


async def _hosted(order: Order, page: GamePage, cdp: Cdp, ended: asyncio.Future[None]) -> int:
    steering = Steering(page)
    opening = asyncio.ensure_future(page.open())
    alive: asyncio.Future[Any] = opening
    try:
        if order.control is not None:
            await steering.open(order.control)
        ends: set[asyncio.Future[Any]] = {ended, cdp.ended, page.ended}
        await asyncio.wait({opening, *ends}, return_when=asyncio.FIRST_COMPLETED)
        if opening.done() and not ended.done():
            opening.result()
            alive = asyncio.gather(
                page.watch_over(), *([page.write_values(order.values)] if order.values else [])
            )
            await asyncio.wait({alive, *ends}, return_when=asyncio.FIRST_COMPLETED)
            if alive.done() and not ended.done():
                alive.result()
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            return 0
        raise PitwallError(page.ended.result() if page.ended.done() else "the browser ended unexpectedly.")
    except BrowserGone:
        raise PitwallError("the browser ended unexpectedly.") from None
    finally:
        opening.cancel()
        alive.cancel()
        await asyncio.gather(opening, alive, return_exceptions=True)  # what failed beside the end is no news
        steering.close()
        if order.control is not None:
            order.control.unlink(missing_ok=True)
