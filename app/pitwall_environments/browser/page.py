"""The game's page: opens it, makes it ready, steers it, forwards its states and logs its events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.bounded_reading import valid_values
from pitwall.core.errors import LaunchFailed, PitwallError
from pitwall.games.schema.profile import Profile
from pitwall.store.folder_errors import write_file
from pitwall_environments.browser.cdp import BrowserGone, CdpError
from pitwall_environments.browser.contract import StateFault, true_state
from pitwall_environments.browser.incidents import Incidents, PageLog
from pitwall_environments.browser.page_script import AGENT, REPORT, expressions, page_script
from pitwall_environments.browser.scenario import Value
from pitwall_environments.browser.tab import Tab
from pitwall_environments.hosting import TruthFile

_LOOK_EVERY_S = 0.03
_READY = frozenset({"ready", "playing", "menu"})
_AWAY_MOST = 5
"""Most times that a page may navigate away before it is given up."""
_ALIVE_EVERY_S = 10.0
_SILENT_S = 30.0
_LEAST_PX = 120
_TELL_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Playing:
    """How one page is started.

    Attributes:
        url: with the scenario's query. config: for `gameAPI.init`. truth: None: no state is read.
    """

    profile: Profile
    url: str
    config: dict[str, Value]
    seed: int
    truth: TruthFile | None


class GamePage:
    """Runs one page in one tab.

    Args:
        tab: the page's tab. playing: how it is started. log: prints its events.

    Attributes:
        ready: it can be played. ended: done when the page cannot continue; its value says why.
    """

    def __init__(self, tab: Tab, playing: Playing, log: PageLog) -> None:
        self._tab = tab
        self._incidents = Incidents(tab, log)
        self._playing = playing
        browser = playing.profile.browser
        assert browser is not None
        self._browser = browser
        self._log = log
        self._seed = playing.seed
        self._home = self._script = ""
        self._going = self._held = False
        self._factor = 1.0
        self._fitted_state = False
        self._away = self._lives = 0
        self._came = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.ready = False
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    # ---- opening

    async def watch_over(self) -> None:
        """Check regularly whether the page still answers; a page in an endless loop does not."""
        silent = 0
        while not self.ended.done():
            await asyncio.sleep(_ALIVE_EVERY_S)
            try:
                await self._tab.call("Runtime.evaluate", timeout_s=_SILENT_S, expression="1")
                silent = 0
            except CdpError:
                silent += 1  # a single silence may be a machine that slept
            except BrowserGone:
                return
            if silent > 1:
                self._end(f"the page has not answered for {silent * _SILENT_S:g} s.")

    async def open(self) -> None:
        """Load it in the browser's first window and wait until it can be played.

        Raises:
            LaunchFailed: it does not load, or never becomes ready. StateFault: its state is invalid.
        """
        await self._attend()
        await self._check_expressions()
        await self._prepare()
        await self._go()
        await self._fit()
        await self._become_ready()

    async def _attend(self) -> None:
        """Listen to events, beginning before the page is loaded."""
        self._tab.on("Page.frameNavigated", self._navigated)
        self._tab.on("Runtime.bindingCalled", self._reported)
        self._tab.on("Inspector.targetCrashed", lambda _: self._end("the page crashed."))
        self._tab.browser.on("Target.targetDestroyed", self._destroyed)
        for method in ("Page.enable", "Runtime.enable", "Inspector.enable"):
            await self._tab.call(method)
        await self._tab.call("Runtime.addBinding", name=REPORT)
        await self._incidents.attend()

    async def _check_expressions(self) -> None:
        for key, text in expressions(self._browser).items():
            source = text if key == "browser.init" else f"(\n{text}\n)"
            if fault := await self._tab.syntax_fault(key, source):
                raise LaunchFailed(f"{key} is not JavaScript: {fault}.", "Mend it in plugin.toml.")

    async def _prepare(self) -> None:
        """Install the script that runs before the page's own scripts, with the present seed."""
        if self._script:
            await self._tab.call("Page.removeScriptToEvaluateOnNewDocument", identifier=self._script)
        source = page_script(self._browser, seed=self._seed, watch=self._playing.truth is not None)
        added = await self._tab.call("Page.addScriptToEvaluateOnNewDocument", source=source)
        self._script = added["identifier"]

    async def _go(self) -> None:
        """Navigate to the page, and wait until it is loaded."""
        self.ready = False
        self._came.clear()
        self._going = True
        answer = await self._tab.call("Page.navigate", url=self._playing.url)
        own_error = self._playing.url.startswith("chrome://")  # chrome://dino is itself an error page
        if answer.get("errorText") and not own_error:
            raise LaunchFailed(f"{self._playing.url} cannot be loaded: {answer['errorText']}.")
        try:
            await asyncio.wait_for(self._came.wait(), self._browser.ready_timeout_s)
        except TimeoutError:
            raise LaunchFailed(f"{self._playing.url} did not load.") from None

    async def _fit(self) -> None:
        """Give the page exactly the size in which the profile's boxes were drawn."""
        screen = self._playing.profile.screen
        wanted = (screen.width, screen.height)
        size = await self._tab.fit(*wanted)
        if self._browser.fit == "page":
            wanted = await self._own_size()
            size = await self._tab.fit(*wanted)
        if size != wanted:
            sizes = f"{size[0]}×{size[1]} instead of {wanted[0]}×{wanted[1]}"
            self._log.say(f"the page is {sizes}: the screen is too small.")

    async def _own_size(self) -> tuple[int, int]:
        """Return the page's natural size, once all of it is loaded."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._browser.ready_timeout_s):
                while not (await self._tab.evaluate(f"{AGENT}.game()"))["loaded"]:
                    await asyncio.sleep(_LOOK_EVERY_S)
        width, height = await self._tab.evaluate(f"{AGENT}.size()")
        return max(width, _LEAST_PX), max(height, _LEAST_PX)

    async def write_values(self, file: Path) -> None:
        """Write the page's values into a file repeatedly, for an operator who adds it as a game."""
        while not self.ended.done():
            with contextlib.suppress(CdpError, BrowserGone):
                names = (await self._tab.names()) if self.ready else []
                values = await self._tab.evaluate(f"{AGENT}.values({json.dumps(names)})")
                write_file(file, json.dumps(values))
            await asyncio.sleep(_TELL_EVERY_S)

    # ---- readiness

    async def _become_ready(self) -> None:
        """Pass the readiness gate: loaded, initialised with the seed, and ready by its own status."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._browser.ready_timeout_s
        life, begun, trouble = self._lives, False, ""
        while loop.time() < until:
            if life != self._lives:  # it reloaded itself
                life, begun = self._lives, False
            try:
                game = await self._tab.evaluate(f"{AGENT}.game()")
            except CdpError as error:  # it is still loading
                trouble = str(error)
                await asyncio.sleep(_LOOK_EVERY_S)
                continue
            if game["loaded"] and not begun:
                begun = await self._begin(game)
            if begun and await self._is_ready():
                await self._as_before()
                return
            await asyncio.sleep(_LOOK_EVERY_S)
        raise LaunchFailed(
            f"the page was not ready within {self._browser.ready_timeout_s:g} s.",
            trouble or "Check browser.ready, or the status that getState() returns.",
        )

    async def _as_before(self) -> None:
        """Mark it ready; a reloaded page is paused and runs at the speed as before."""
        if self._factor != 1.0:
            await self._steer(f"speed({self._factor})")
        if self._held:
            await self._steer("pause()")
        self.ready = True
        if self._playing.truth is not None:
            await self._tab.evaluate(f"{AGENT}.watch()")

    async def _begin(self, game: dict[str, Any]) -> bool:
        """Initialise it; return False while its initialiser does not exist yet."""
        browser = self._browser
        if game["init"]:
            config = json.dumps({**self._playing.config, "seed": self._seed})
            await self._tab.evaluate(f"{AGENT}.init({config})", waits=True)
        elif not (browser.state or browser.ready or browser.init):
            return False
        if browser.init:
            await self._tab.evaluate(browser.init)
        return True

    async def _is_ready(self) -> bool:
        browser = self._browser
        if browser.ready:
            with contextlib.suppress(CdpError):  # it may name something that does not exist yet
                return bool(await self._tab.evaluate(f"Boolean(\n{browser.ready}\n)"))
            return False
        game = await self._tab.evaluate(f"{AGENT}.game()")
        if game["status"] is None:
            return not game["init"] and "status" not in browser.state
        return game["status"] in _READY

    # ---- steering

    async def pause(self) -> None:
        """Stop its time."""
        await self._steer("pause()")
        self._held = True

    async def resume(self, ms: float | None) -> None:
        """Let its time pass, for so many milliseconds of it if they are given."""
        await self._steer(f"resume({json.dumps(ms)})")
        self._held = False

    async def speed(self, factor: float) -> None:
        """Set how many times as fast its time passes."""
        await self._steer(f"speed({json.dumps(factor)})")
        self._factor = factor

    async def reset(self, seed: int | None) -> None:
        """Restart the game; return when it can be played. Its time stays paused or running as before."""
        self._seed = self._playing.seed if seed is None else seed
        stood = self._held = (await self.status())["paused"]
        await self._prepare()
        await self._tab.evaluate(f"{AGENT}.reseed({self._seed})")
        game = await self._tab.evaluate(f"{AGENT}.game()")
        if self._browser.reset:
            await self._tab.evaluate(self._browser.reset)
        elif game["reset"]:
            await self._tab.evaluate(f"{AGENT}.reset({self._seed})", waits=True)
        else:
            await self._go()
            await self._become_ready()
            return
        if not await self._is_ready():
            await self.resume(None)
            await self._wait_ready()
            if stood:
                await self.pause()
        if self._playing.truth is not None:
            await self._tab.evaluate(f"{AGENT}.look()")

    async def status(self) -> dict[str, Any]:
        """Return `paused`, `speed`, and `game_ms` of its clock."""
        status: dict[str, Any] = await self._tab.evaluate(f"{AGENT}.status()")
        return status

    async def _wait_ready(self) -> None:
        until = asyncio.get_running_loop().time() + self._browser.ready_timeout_s
        while not await self._is_ready():
            if asyncio.get_running_loop().time() > until:
                raise PitwallError("the page was not ready again after its reset.")
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _steer(self, words: str) -> None:
        if refusal := await self._tab.evaluate(f"{AGENT}.{words}"):
            raise PitwallError(f"{refusal}.")

    # ---- events

    def _navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        url = frame.get("unreachableUrl") or frame["url"]
        if frame.get("parentId") or not (self._going or self._home):
            return
        self._lives += 1
        if self._going:
            self._going, self._home = False, url
            self._came.set()
        elif _page_of(url) != _page_of(self._home):
            self._went_away(url, blocked=False)
            if self._away <= _AWAY_MOST:
                self.ready = False
                self._run(self._put_back())
        elif self.ready:  # it reloaded itself, and begins again
            self.ready = False
            self._run(self._become_ready())

    async def _put_back(self) -> None:
        await self._go()
        await self._become_ready()

    def _went_away(self, url: str, *, blocked: bool) -> None:
        how = "it was kept" if blocked else "it was put back"
        self._log.say(f"the page wanted to go to {url}: {how}.")
        self._away += not blocked
        if self._away > _AWAY_MOST:
            self._end(f"the page went away {self._away} times, last to {url}.")

    def _destroyed(self, event: dict[str, Any]) -> None:
        if event["targetId"] == self._tab.target:
            self._end("the game's window was closed.")

    def _reported(self, event: dict[str, Any]) -> None:
        if event["name"] != REPORT:
            return
        report = valid_values(json.loads(event["payload"]))
        kind, value = report["kind"], report.get("value")
        if kind == "state":
            self._take(value)
            self._tab.notify("Runtime.evaluate", expression=f"{AGENT}.taken()")
        elif kind == "navigation":
            self._went_away(value, blocked=True)
        else:
            self._incidents.reported(kind, value)

    def _take(self, report: dict[str, Any]) -> None:
        if self._playing.truth is None:
            return
        try:
            state = true_state(report["state"], game_id=self._playing.profile.game.id, seed=self._seed)
            self._playing.truth.write(state)
            self._fitted_state = True
        except StateFault as fault:
            if not self._fitted_state:  # none of its states was ever valid, so nobody can judge this game
                self._end(str(fault))
            self._log.say(str(fault))
            return
        except PitwallError as fault:
            self._end(str(fault))
            return
        if state.status in ("playing", "terminal"):
            for path, error in report["errors"].items():
                self._log.say(f"browser.state.{path} cannot be read: {error}")

    # ---- ending

    def _end(self, why: str) -> None:
        if not self.ended.done():
            self.ended.set_result(why)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(self._or_end(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _or_end(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except BrowserGone:
            return
        except (PitwallError, TimeoutError) as error:
            self._end(str(error) or "the page did not come back in time.")
        except Exception as error:  # nobody awaits the task
            self._log.say(f"{type(error).__name__}: {error}")
            self._end("the page cannot be followed any more.")


def _page_of(url: str) -> str:
    """Strip an address of its fragment, and of the slash that Chromium adds after a host."""
    return url.partition("#")[0].rstrip("/")
