"""An engine reduced to its brokers: holds keys in a window until somebody kills it.

Run as `python -m pitwall.bench.key_holder WINDOW_ID`; says on one JSON line which processes it has
once the keys are down.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

from pitwall.core.actions import InputEvent
from pitwall.core.errors import PitwallError
from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.injection import Configure, FocusChanged, FocusHolder, Held, Ready
from pitwall.core.settings import BrokerSettings, HotkeySettings
from pitwall.engine.broker_link import BrokerLink

KEYS = ("w", "a", "Shift")
_EVENTS = (
    *(InputEvent(kind="key_down", key=key) for key in KEYS),
    InputEvent(kind="mouse_down", x=5, y=5),
)
_LONGEST_S = 60.0


def main() -> int:
    """Hold until killed, or for a minute."""
    window = WindowRef(native_id=int(sys.argv[1]), pid=0, title="", wm_class="", rect=Rect(0, 0, 320, 240))
    with tempfile.TemporaryDirectory(prefix="pitwall-holder-") as folder:
        link = BrokerLink(stop_line=None, logs=Path(folder))
        link.configure(
            Configure(
                limits=BrokerSettings(hold_ms=30_000),
                hotkeys=HotkeySettings(),
                target=window,
                allowed_keys=KEYS,
                allow_mouse=True,
            )
        )
        link.focus_target()
        link.rearm()
        _hold(link)
        link.close()
    return 0


def _hold(link: BrokerLink) -> None:
    end = time.monotonic() + _LONGEST_S
    pids: set[int] = set()
    waiting, told = True, False
    while time.monotonic() < end:
        link.heartbeat()
        for message in link.poll():
            if isinstance(message, Ready):
                pids.add(message.pid)
            elif isinstance(message, FocusChanged) and message.holder is FocusHolder.GAME and waiting:
                link.inject(_EVENTS)
                waiting = False
            elif isinstance(message, Held) and len(message.keys) < len(_EVENTS):
                return
        if not told and len(link.held) == len(_EVENTS) and len(pids) > 1:
            told = True
            sys.stdout.write(json.dumps({"duty": link.pid, "brokers": sorted(pids)}) + "\n")
            sys.stdout.flush()
        time.sleep(0.005)


class KeyHolder:
    """Such a process. When this returns, its keys are down.

    Attributes:
        duty: process id of its broker on duty. brokers: of both.

    Raises:
        PitwallError: the keys did not go down.
    """

    def __init__(self, window_id: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pitwall.bench.key_holder", str(window_id)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        self._out: IO[bytes] = self.process.stdout
        line = self._out.readline()
        if not line:
            self.close()
            raise PitwallError("the engine to be killed could not press its keys.")
        said = json.loads(line)
        self.duty: int = said["duty"]
        self.brokers: list[int] = said["brokers"]

    def close(self) -> None:
        """End it, if it still lives."""
        self.process.kill()
        self.process.wait()
        self._out.close()


if __name__ == "__main__":
    sys.exit(main())
