"""Drives one tab of a browser through its session of the debugging protocol."""

from __future__ import annotations

import asyncio
from typing import Any

from pitwall.core.errors import LaunchFailed
from pitwall_environments.browser.cdp import Cdp, CdpError, Listener

_LOOK_EVERY_S = 0.03
_SIZE_TRIES = 3
_RESIZED_S = 0.2


class Tab:
    """A tab with a session.

    Args:
        target, session: their ids in the protocol.
    """

    def __init__(self, cdp: Cdp, target: str, session: str) -> None:
        self.browser = cdp
        self.target = target
        self._session = session

    @classmethod
    async def first(cls, cdp: Cdp, timeout_s: float) -> Tab:
        """Return the tab of the browser's first window.

        Raises:
            LaunchFailed: no window opened in time.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout_s
        while loop.time() < until:
            targets = (await cdp.call("Target.getTargets", timeout_s=timeout_s))["targetInfos"]
            for info in targets:
                if info["type"] == "page":
                    target = info["targetId"]
                    attached = await cdp.call("Target.attachToTarget", targetId=target, flatten=True)
                    return cls(cdp, target, attached["sessionId"])
            await asyncio.sleep(_LOOK_EVERY_S)
        raise LaunchFailed("the browser opened no window.")

    def on(self, event: str, listener: Listener) -> None:
        """Call `listener` with each such event of this tab."""
        self.browser.on(event, listener, self._session)

    async def call(self, method: str, *, timeout_s: float | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command to the tab (see Cdp.call)."""
        if timeout_s is None:
            return await self.browser.call(method, self._session, **parameters)
        return await self.browser.call(method, self._session, timeout_s=timeout_s, **parameters)

    def notify(self, method: str, **parameters: Any) -> None:
        """Send a command without waiting for its answer."""
        self.browser.notify(method, self._session, **parameters)

    async def evaluate(self, expression: str, *, waits: bool = False) -> Any:
        """Return the value of an expression in the page; wait for a promise.

        Raises:
            CdpError: it throws, or the page does not answer.
        """
        answer = await self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=waits
        )
        if fault := answer.get("exceptionDetails"):
            raise CdpError(f"{expression.strip()[:80]} failed in the page: {exception_text(fault)}.")
        return answer["result"].get("value")

    async def names(self) -> list[str]:
        """List the top-level names that the page's scripts declare by `let` and `const`."""
        scope = await self.call("Runtime.globalLexicalScopeNames")
        return list(scope["names"])

    async def syntax_fault(self, key: str, source: str) -> str:
        """Describe why a text is not JavaScript; empty if it is."""
        compiled = await self.call(
            "Runtime.compileScript", expression=source, sourceURL=key, persistScript=False
        )
        fault = compiled.get("exceptionDetails")
        return exception_text(fault) if fault else ""

    async def fit(self, width: int, height: int) -> tuple[int, int]:
        """Give the page this size in pixels, as far as the screen allows; return its size."""
        window = await self.browser.call("Browser.getWindowForTarget", targetId=self.target)
        for _ in range(_SIZE_TRIES):
            found_width, found_height = await self.evaluate("[innerWidth, innerHeight]")
            if (found_width, found_height) == (width, height):
                break
            bounds = window["bounds"]
            size = {
                "width": bounds["width"] + width - found_width,
                "height": bounds["height"] + height - found_height,
            }
            await self.browser.call("Browser.setWindowBounds", windowId=window["windowId"], bounds=size)
            await asyncio.sleep(_RESIZED_S)
            window = await self.browser.call("Browser.getWindowForTarget", targetId=self.target)
        found_width, found_height = await self.evaluate("[innerWidth, innerHeight]")
        return found_width, found_height


def exception_text(details: dict[str, Any]) -> str:
    """Describe an exception of the page in a line, with where it was thrown."""
    thrown = details.get("exception", {})
    text = str(thrown.get("description") or thrown.get("value") or details.get("text", "")).splitlines()
    place = str(details.get("url", "")).rpartition("/")[2]
    where = f" ({place}:{details.get('lineNumber', 0) + 1})" if place else ""
    return f"{text[0] if text else 'unknown'}{where}"
