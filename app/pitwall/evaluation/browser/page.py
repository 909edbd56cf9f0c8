"""The game's page: opened, made ready, steered; what it tells goes on, what happens to it is said."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from pitwall.core.errors import LaunchFailed, PitwallError
from pitwall.evaluation.browser.cdp import BrowserGone, Cdp, CdpError
from pitwall.evaluation.browser.contract import StateFault, TruthFile, true_state
from pitwall.evaluation.browser.page_script import AGENT, REPORT, expressions, page_script
from pitwall.evaluation.browser.scenario import Value
from pitwall.evaluation.browser.teller import Teller
from pitwall.games.profile import Profile

_LOOK_EVERY_S = 0.03
_READY = frozenset({"ready", "playing", "menu"})
_AWAY_MOST = 5
"""A page that goes away so often will not stay."""
_SIZE_TRIES = 3


@dataclass(frozen=True, slots=True)
class Playing:
    """What one page is started as.

    Attributes:
        url: with the scenario's query. config: for `gameAPI.init`. truth: None: no state is read.
    """

    profile: Profile
    url: str
    config: dict[str, Value]
    seed: int
    truth: TruthFile | None


class GamePage:
    """One page in one browser.

    Args:
        cdp: its browser. playing: what is played. teller: takes what happens.

    Attributes:
        ready: it can be played. ended: done when the page cannot go on; its value says why.
    """

    def __init__(self, cdp: Cdp, playing: Playing, teller: Teller) -> None:
        self._cdp = cdp
        self._playing = playing
        self._browser = playing.profile.browser
        assert self._browser is not None
        self._teller = teller
        self._seed = playing.seed
        self._session = self._target = self._home = ""
        self._going = False
        self._away = 0
        self._came = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.ready = False
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    # ---- opening

    async def open(self) -> None:
        """Put it into the browser's first window and wait until it can be played.

        Raises:
            LaunchFailed: it does not load, or never becomes ready. StateFault: its state is none.
        """
        await self._attach()
        await self._check_expressions()
        source = page_script(self._browser, seed=self._seed, watch=self._playing.truth is not None)
        await self._call("Page.addScriptToEvaluateOnNewDocument", source=source)
        await self._go()
        await self._size()
        await self._become_ready()

    async def _attach(self) -> None:
        self._target = await self._first_target()
        attached = await self._cdp.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = attached["sessionId"]
        for event, listener in {
            "Page.frameNavigated": self._navigated,
            "Page.javascriptDialogOpening": self._dialog,
            "Runtime.exceptionThrown": self._exception,
            "Runtime.bindingCalled": self._reported,
            "Inspector.targetCrashed": lambda _: self._end("the page crashed."),
        }.items():
            self._cdp.on(event, listener, self._session)
        self._cdp.on("Target.targetCreated", self._created)
        self._cdp.on("Target.targetDestroyed", self._destroyed)
        self._cdp.on("Browser.downloadWillBegin", self._download)
        for method in ("Page.enable", "Runtime.enable", "Inspector.enable"):
            await self._call(method)
        await self._call("Runtime.addBinding", name=REPORT)
        await self._cdp.call("Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True)
        await self._cdp.call("Target.setDiscoverTargets", discover=True)

    async def _first_target(self) -> str:
        until = asyncio.get_running_loop().time() + self._browser.ready_timeout_s
        while asyncio.get_running_loop().time() < until:
            found = (await self._cdp.call("Target.getTargets"))["targetInfos"]
            pages = [info["targetId"] for info in found if info["type"] == "page"]
            if pages:
                return str(pages[0])
            await asyncio.sleep(_LOOK_EVERY_S)
        raise LaunchFailed("the browser opened no window.")

    async def _check_expressions(self) -> None:
        for key, text in expressions(self._browser).items():
            source = text if key == "browser.init" else f"(\n{text}\n)"
            compiled = await self._call(
                "Runtime.compileScript", expression=source, sourceURL=key, persistScript=False
            )
            if fault := compiled.get("exceptionDetails"):
                raise LaunchFailed(f"{key} is no JavaScript: {_what(fault)}.", "Mend it in plugin.toml.")

    async def _go(self) -> None:
        """Load the page, and wait until it is there."""
        self._came.clear()
        self._going = True
        answer = await self._call("Page.navigate", url=self._playing.url)
        own_error = self._playing.url.startswith("chrome://")  # the dinosaur lives on an error's page
        if answer.get("errorText") and not own_error:
            raise LaunchFailed(f"{self._playing.url} cannot be loaded: {answer['errorText']}.")
        try:
            await asyncio.wait_for(self._came.wait(), self._browser.ready_timeout_s)
        except TimeoutError:
            raise LaunchFailed(f"{self._playing.url} did not load.") from None

    async def _size(self) -> None:
        """Make the page exactly as large as the profile's boxes were drawn on."""
        screen = self._playing.profile.screen
        window = await self._cdp.call("Browser.getWindowForTarget", targetId=self._target)
        for _ in range(_SIZE_TRIES):
            width, height = await self._evaluate("[innerWidth, innerHeight]")
            if (width, height) == (screen.width, screen.height):
                return
            bounds = window["bounds"]
            size = {
                "width": bounds["width"] + screen.width - width,
                "height": bounds["height"] + screen.height - height,
            }
            await self._cdp.call("Browser.setWindowBounds", windowId=window["windowId"], bounds=size)
            await asyncio.sleep(0.2)
            window = await self._cdp.call("Browser.getWindowForTarget", targetId=self._target)
        wanted = f"{screen.width}×{screen.height}"
        self._teller.say(f"the page is {width}×{height} instead of {wanted}: the screen is too small.")

    # ---- readiness

    async def _become_ready(self) -> None:
        """The readiness gate: loaded, initialised with the seed, and ready by its own word."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._browser.ready_timeout_s
        begun = False
        while loop.time() < until:
            game = await self._evaluate(f"{AGENT}.game()")
            if game["loaded"] and not begun:
                begun = await self._begin(game)
            if begun and await self._is_ready(game):
                self.ready = True
                if self._playing.truth is not None:
                    await self._evaluate(f"{AGENT}.watch()")
                return
            await asyncio.sleep(_LOOK_EVERY_S)
        raise LaunchFailed(
            f"the page was not ready within {self._browser.ready_timeout_s:g} s.",
            "Look at browser.ready, or at the status that getState() tells.",
        )

    async def _begin(self, game: dict[str, Any]) -> bool:
        """Initialise it; False while it has yet to offer what it is initialised by."""
        browser = self._browser
        if game["init"]:
            config = json.dumps({**self._playing.config, "seed": self._seed})
            await self._evaluate(f"{AGENT}.init({config})", waits=True)
        elif not (browser.state or browser.ready or browser.init):
            return False
        if browser.init:
            await self._evaluate(browser.init)
        return True

    async def _is_ready(self, game: dict[str, Any]) -> bool:
        browser = self._browser
        if browser.ready:
            with contextlib.suppress(CdpError):  # it may name what is not there yet
                return bool(await self._evaluate(f"Boolean(\n{browser.ready}\n)"))
            return False
        if game["init"] or "status" in browser.state:
            return (await self._evaluate(f"{AGENT}.game()"))["status"] in _READY
        return True

    # ---- steering

    async def pause(self) -> None:
        """Let its time stand still."""
        await self._steer("pause()")

    async def resume(self, ms: float | None) -> None:
        """Let it go on, for so much of its time."""
        await self._steer(f"resume({json.dumps(ms)})")

    async def speed(self, factor: float) -> None:
        """Let it pass so many times as fast."""
        await self._steer(f"speed({json.dumps(factor)})")

    async def reset(self, seed: int | None) -> None:
        """Begin the game anew; returns when it can be played. Its time stands or runs as before."""
        self._seed = self._playing.seed if seed is None else seed
        stood = (await self.status())["paused"]
        await self._evaluate(f"{AGENT}.reseed({self._seed})")
        game = await self._evaluate(f"{AGENT}.game()")
        if self._browser.reset:
            await self._evaluate(self._browser.reset)
        elif game["reset"]:
            await self._evaluate(f"{AGENT}.reset({self._seed})", waits=True)
        else:
            await self._go()
            await self._become_ready()
        if not await self._is_ready(game):
            await self.resume(None)
            await self._wait_ready(game)
        if stood:
            await self.pause()
        if self._playing.truth is not None:
            await self._evaluate(f"{AGENT}.look()")

    async def status(self) -> dict[str, Any]:
        """paused, speed, game_ms of its clock."""
        told: dict[str, Any] = await self._evaluate(f"{AGENT}.status()")
        return told

    async def _wait_ready(self, game: dict[str, Any]) -> None:
        until = asyncio.get_running_loop().time() + self._browser.ready_timeout_s
        while not await self._is_ready(game):
            if asyncio.get_running_loop().time() > until:
                raise PitwallError("the page was not ready again after its reset.")
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _steer(self, words: str) -> None:
        if refusal := await self._evaluate(f"{AGENT}.{words}"):
            raise PitwallError(f"{refusal}.")

    # ---- what happens to it

    def _navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        url = frame.get("unreachableUrl") or frame["url"]
        if frame.get("parentId") or not (self._going or self._home):
            return
        if self._going:
            self._going, self._home = False, url
            self._came.set()
        elif _page_of(url) != _page_of(self._home):
            self._went_away(url, blocked=False)
            if self._away <= _AWAY_MOST:
                self.ready = False
                self._run(self._put_back())
        elif self.ready:  # it loaded itself anew
            self.ready = False
            self._run(self._become_ready())

    async def _put_back(self) -> None:
        await self._go()
        await self._become_ready()

    def _went_away(self, url: str, *, blocked: bool) -> None:
        how = "it was kept" if blocked else "it was put back"
        self._teller.say(f"the page wanted to go to {url}: {how}.")
        self._away += not blocked
        if self._away > _AWAY_MOST:
            self._end(f"the page went away {self._away} times, last to {url}.")

    def _dialog(self, event: dict[str, Any]) -> None:
        leaving = event["type"] == "beforeunload"
        self._cdp.tell("Page.handleJavaScriptDialog", self._session, accept=leaving)
        self._teller.say(f"a dialog of the page was closed: {event['type']}: {event['message']}")

    def _exception(self, event: dict[str, Any]) -> None:
        self._teller.say(f"the page's script failed: {_what(event['exceptionDetails'])}")

    def _download(self, event: dict[str, Any]) -> None:
        self._teller.say(f"a download was denied: {event.get('url', '')}")

    def _created(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if info["type"] in ("page", "tab") and info["targetId"] != self._target and info.get("openerId"):
            self._teller.say(f"a window that the page opened was closed: {info['url']}")
            self._cdp.tell("Target.closeTarget", targetId=info["targetId"])

    def _destroyed(self, event: dict[str, Any]) -> None:
        if event["targetId"] == self._target:
            self._end("the game's window was closed.")

    def _reported(self, event: dict[str, Any]) -> None:
        if event["name"] != REPORT:
            return
        said = json.loads(event["payload"])
        kind, value = said["kind"], said.get("value")
        if kind == "state":
            self._take(value)
        elif kind == "navigation":
            self._went_away(value, blocked=True)
        elif kind == "dialog":
            self._teller.say(f"a dialog of the page was closed: {value}")
        elif kind == "window":
            self._teller.say(f"a window that the page wanted was not opened: {value}")
        elif kind == "download":
            self._teller.say(f"a download was denied: {value}")
        else:
            self._teller.say(f"the page's state cannot be read: {value}")

    def _take(self, told: dict[str, Any]) -> None:
        if self._playing.truth is None:
            return
        try:
            state = true_state(told["state"], game_id=self._playing.profile.game.id, seed=self._seed)
            self._playing.truth.write(state)
        except StateFault as fault:
            self._teller.say(str(fault))
            return
        except PitwallError as fault:
            self._end(str(fault))
            return
        if state.status in ("playing", "terminal"):
            for path, error in told["errors"].items():
                self._teller.say(f"browser.state.{path} tells nothing: {error}")

    # ---- small things

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

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return await self._cdp.call(method, self._session, **parameters)

    async def _evaluate(self, expression: str, *, waits: bool = False) -> Any:
        answer = await self._call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=waits
        )
        if fault := answer.get("exceptionDetails"):
            raise CdpError(f"{expression.strip()[:80]} failed in the page: {_what(fault)}.")
        return answer["result"].get("value")


def _page_of(url: str) -> str:
    """An address without its fragment, and without the slash Chromium puts behind a host."""
    return url.partition("#")[0].rstrip("/")


def _what(details: dict[str, Any]) -> str:
    """An exception of the page in a line, with where it was thrown."""
    thrown = details.get("exception", {})
    text = str(thrown.get("description") or thrown.get("value") or details.get("text", "")).splitlines()
    place = str(details.get("url", "")).rpartition("/")[2]
    where = f" ({place}:{details.get('lineNumber', 0) + 1})" if place else ""
    return f"{text[0] if text else 'unknown'}{where}"
