"""Controls the game's own clock: holds it still and releases it, where the game listens.

The socket of `link.game_control` may be slow or gone; the loop never waits for it. A thread asks, the loop
reads what came of it.
"""

from __future__ import annotations

import queue
import threading
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.link.game_control import AskStatus, GameControl, Hold, Release

_ASK_S = 2.0
_LOOK_EVERY_S = 0.1
_FAREWELL_S = 0.3
"""How long the end of a run may wait for the game to be let go; the thread goes on by itself then."""
_Word = Hold | Release


class GameClock:
    """Steers one game's clock.

    Args:
        path: where the game listens, if it does; need not be there yet.

    Attributes:
        ready: it listens, and can be played.
        problem: why the last thing asked was not done; None where it was.
    """

    def __init__(self, path: Path) -> None:
        self._control = GameControl(path)
        self._words: queue.SimpleQueue[_Word | None] = queue.SimpleQueue()
        self._asked = self._done = 0
        self.ready = False
        self.problem: PitwallError | None = None
        self._thread = threading.Thread(target=self._serve, name="steering", daemon=True)
        self._thread.start()

    @property
    def listening(self) -> bool:
        return self._control.listening

    @property
    def settled(self) -> bool:
        """Whether everything asked so far is done (or has failed, see `problem`)."""
        return self._done == self._asked

    def hold(self) -> None:
        """Let the game stand still."""
        self._ask(Hold())

    def release(self, ms: float | None = None) -> None:
        """Let it go on: for so long of its own time, or until told otherwise."""
        self._ask(Release(ms=ms))

    def close(self) -> None:
        """Ask nothing more; what was asked is still carried out, for a moment."""
        self._words.put(None)
        self._thread.join(_FAREWELL_S)

    def _ask(self, word: _Word) -> None:
        self._asked += 1
        self._words.put(word)

    def _serve(self) -> None:
        while True:
            try:
                word = self._words.get(timeout=None if self.ready else _LOOK_EVERY_S)
            except queue.Empty:
                self._look()
                continue
            if word is None:
                break
            self._carry_out(word)
        self._control.close()

    def _look(self) -> None:
        if not self._control.listening:
            return
        try:
            self.ready = self._control.ask(AskStatus(), _ASK_S).ready
        except PitwallError:
            self.ready = False

    def _carry_out(self, word: _Word) -> None:
        try:
            self._control.ask(word, _ASK_S)
            self.problem = None
        except PitwallError as error:
            self.problem = error
        self._done += 1
