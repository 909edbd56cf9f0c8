"""A game's page in a real Chromium without a window: seeded, its time in hand, its picture as it is captured.

The page gets the script that `pitwall browser-game` puts into it; keys and clicks are real input events.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.games.manifest import load_profile
from pitwall_environments.browser.cdp import Cdp
from pitwall_environments.browser.page_script import page_script
from pitwall_evaluation.truth.state import TrueState

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
_Result = TypeVar("_Result")
_KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Space": 32}


_DRAWN_S = 0.06
"""What a page draws last is in its picture a moment later."""


class HeadlessBrowser:
    """One Chromium; shows one page after another."""

    def __init__(self, profile: Path) -> None:
        program = shutil.which("chromium")
        assert program is not None, "chromium is not installed: installer/extra browser"
        to_read, self._write = os.pipe()
        self._read, from_write = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        options += [
            "--force-device-scale-factor=1",
            "--force-color-profile=srgb",
            f"--user-data-dir={profile}",
        ]
        shell = f'exec 3<&{to_read} 4>&{from_write}; exec "$0" "$@" --remote-debugging-pipe'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, program, *options],
            pass_fds=(to_read, from_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self._loop = asyncio.new_event_loop()
        self._cdp = self._do(Cdp.over(self._read, self._write))
        self._session = ""
        self._target = ""

    def open(self, game: str, query: str = "", *, seed: int = 1) -> None:
        """Load a game's page, as a launch with this seed does. Its time stands still at once."""
        profile = load_profile(PLUGINS / game)
        assert profile.browser is not None
        self._new_tab(profile.screen.width, profile.screen.height)
        script = page_script(profile.browser, seed=seed, watch=False)
        self._call("Page.addScriptToEvaluateOnNewDocument", source=script)
        page = quote(str(PLUGINS / game / profile.browser.page))
        self._call("Page.navigate", url=f"file://{page}?{query}")
        self.wait_for(
            'document.readyState === "complete" && location.protocol === "file:" && !!window.gameAPI'
        )
        self.run(60)
        self.evaluate(f"__pitwall.init({{ seed: {seed} }})")

    def visit(self, address: str, *, language: str, scheme: str) -> None:
        """Load any page at a phone's size, in a language and a colour scheme (dark, light)."""
        self._new_tab(390, 844, mobile=True)
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._call("Network.setUserAgentOverride", userAgent="Mozilla/5.0", acceptLanguage=language)
        self._call("Page.navigate", url=address)
        self.wait_for('document.readyState === "complete" && location.protocol === "http:"')

    def show(self, page: Path) -> None:
        """Load a page that is no game from its file."""
        self._new_tab(640, 480)
        self._call("Page.navigate", url=page.as_uri())
        self.wait_for('document.readyState === "complete" && location.protocol === "file:"')

    def _new_tab(self, width: int, height: int, *, mobile: bool = False) -> None:
        if self._target:
            self._call("Target.closeTarget", session="", targetId=self._target)
        self._target = self._call("Target.createTarget", session="", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", session="", targetId=self._target, flatten=True)
        self._session = attached["sessionId"]
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )
        self._call("Page.enable")

    def evaluate(self, expression: str) -> Any:
        """What an expression is, as JSON has it."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def run(self, ms: float) -> None:
        """Let the page's time go on for so long, a long time fast; it stands still then."""
        self.evaluate(f"__pitwall.speed({1 if ms < 500 else 8}), __pitwall.resume({ms})")
        self.wait_for("__pitwall.status().paused")
        time.sleep(_DRAWN_S)

    def press(self, code: str, ms: float = 200) -> None:
        """Tap a key, and let time go on."""
        for kind in ("rawKeyDown", "keyUp"):
            number = _KEYS.get(code, ord(code[-1]))
            self._call("Input.dispatchKeyEvent", type=kind, code=code, windowsVirtualKeyCode=number)
        self.run(ms)

    def click(self, x: int, y: int, button: str = "left", ms: float = 200) -> None:
        """Click there, and let time go on."""
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)
        self.run(ms)

    def reset(self, seed: int) -> None:
        """Begin anew, as an evaluator does."""
        self.evaluate(f"__pitwall.reseed({seed}), __pitwall.reset({seed})")
        self.run(60)

    def state(self) -> TrueState:
        """What the game says of itself; it has to fit the contract."""
        return TrueState.model_validate_json(json.dumps(self.evaluate("gameAPI.getState()")))

    def picture(self) -> Pixels:
        """What is seen, as frames are captured: BGRX."""
        data = self._call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"]
        image = cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2BGRA), np.uint8)

    def close(self) -> None:
        self._cdp.close()
        self._process.kill()
        self._process.wait(60)
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        for _ in range(2000):
            if self.evaluate(expression) is True:
                return
            self._do(asyncio.sleep(0.005))
        raise AssertionError(f"it never was true: {expression}")

    def _call(self, method: str, *, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        session = self._session if session is None else session
        return self._do(self._cdp.call(method, session, timeout_s=60.0, **parameters))

    def _do(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return self._loop.run_until_complete(work)
