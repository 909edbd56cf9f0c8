"""The game in view: launched or found, captured, followed through moves, resizes and restarts."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.commands import Open
from pitwall.core.errors import GuardedGame, LaunchFailed, NeverShown, WindowLost
from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.desktops.contract import CaptureSource
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import find_window, screen_size, window_by_id
from pitwall.engine.session.fair_play import FairPlay
from pitwall.games.game_process import Launched, of_supervisors
from pitwall.games.launcher import adopt, launch, launching_of
from pitwall.games.schema.profile import Game

_MODE_WORDS = re.compile(
    r"full.?screen|(video|display|screen) ?mode|SetVideoMode|resolution|RandR|VidMode", re.IGNORECASE
)
"""Words of programs that did not get the screen mode they wanted."""
_SMALL_FIX = "Let it play in a window (its own settings or options), or give it a larger screen."


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedWindow:
    """Describes why a game's window closed or never came.

    Attributes:
        name: the game's. screen: its size; None if unknown. window: its last place; None: never seen.
        runs: whether the program runs; None if it was not started here. words: its last output.
        ending: how it ended, in words; empty: not known.
    """

    name: str
    screen: tuple[int, int] | None = None
    window: Rect | None = None
    runs: bool | None = None
    words: str = ""
    ending: str = ""

    @property
    def why(self) -> str:
        """Return a sentence that says why it closed."""
        message = f"the window of {self.name} was closed"
        if self.runs is None:
            return f"{message}; its program was not started here, so no more is known."
        if self.runs:
            return f"{message}, and its program runs on."
        words = f" Its last words: {self.words}" if self.words else ""
        ending = f" {self.ending}" if self.ending else ""
        return f"{message}, as its program ended{ending}.{self.about_the_screen}{words}"

    @property
    def about_the_screen(self) -> str:
        """Return a sentence on the screen's part in it, to follow others; empty for none."""
        if self.screen is None or self.runs is not False:
            return ""
        size = "{} × {} px".format(*self.screen)
        if _MODE_WORDS.search(self.words):
            return f" It speaks of a screen mode that this screen of {size} may not have."
        whole = self.window is not None and (self.window.width, self.window.height) == self.screen
        return f" It filled the whole screen of {size}, which may be too small for it." if whole else ""

    def fix(self, usual: str) -> str:
        """Return what to do: about the screen if that may be the cause, else the usual."""
        return f"{_SMALL_FIX} {usual}" if self.about_the_screen else usual


_LOOK_EVERY_NS = NS_PER_S // 10
_FIRST_WINDOW_NS = 2 * NS_PER_S
"""A window that goes away so soon after it came is replaced by the game as it starts (choice)."""
_LOADING_NS = 12 * NS_PER_S
"""A game may be loading for so long after its window came (choice)."""
_DEFAULT_TIMEOUT_S = 20.0
_OTHERS_START_S = 300.0
"""A side that starts no game waits longer: who plays beside it starts the game, maybe on a busy machine."""


class GameView:
    """Follows one game and its window.

    Args:
        data: folder that a launched game may write into.

    Attributes:
        adopted: the game was launched by an earlier engine of the same operator.
    """

    def __init__(self, game: Game, opening: Open, data: Path) -> None:
        self.game = game
        self._opening = opening
        self._data = data
        self._launched: Launched | None = None
        self._look_at_ns = 0
        self._give_up_ns: int | None = None
        self._settled_ns: int | None = None
        self._candidate: WindowRef | None = None
        self._was_shown = False
        self._shown_ns = 0
        self._last_rect: Rect | None = None
        self._last_frame_id = 0
        self._fair_play = FairPlay(data)
        self.adopted = False
        self.source: CaptureSource | None = None

    @property
    def window(self) -> WindowRef | None:
        return self.source.window if self.source is not None else None

    @property
    def starts(self) -> bool:
        """Return whether the game's program can be started here."""
        by_us = self._opening.launch and self._opening.window_id is None
        return by_us and launching_of(self.game) is not None

    @property
    def health(self) -> WindowHealth:
        return self.source.health if self.source is not None else WindowHealth.GONE

    @property
    def dropped(self) -> int:
        return self.source.dropped if self.source is not None else 0

    def begin(self) -> None:
        """Start looking for the window; launch the game if it is not there yet.

        Raises:
            DisplayError, GuardedGame, LaunchFailed, UntrustedPlugin, WindowLost: with what to do about it.
        """
        this_desktop().check()
        self.close_source()
        profile_launch = launching_of(self.game)
        timeout_s = profile_launch.ready_timeout_s if profile_launch else _DEFAULT_TIMEOUT_S
        if self._opening.beside and not self._opening.launch:
            timeout_s += _OTHERS_START_S
        self._give_up_ns = now_ns() + int(timeout_s * NS_PER_S)
        self._look_at_ns = 0
        self._candidate = self._settled_ns = None
        was_shown, self._was_shown = self._was_shown, False
        if self._opening.window_id is not None:
            return
        if self._launched is None and self._opening.launch and not self._opening.game_env:
            self._launched = adopt(self.game, data=self._data, owner=self._opening.owner)
            self.adopted = self._launched is not None
        self._candidate = self._find()
        if self._candidate is not None or not self._opening.launch:
            return
        if self._launched is not None and (was_shown or not self._launched.alive):
            self._launched.close()
            self._launched = None
        if self._launched is None:
            self._launch()

    def _launch(self) -> None:
        starting = launching_of(self.game)
        if starting is not None:
            self._fair_play.require_startable(starting.command, self.game.folder)
        self._launched = launch(
            self.game,
            seed=self._opening.seed,
            data=self._data,
            env=self._opening.game_env,
            scenario=self._opening.scenario,
            owner=self._opening.owner,
        )
        self.adopted = False

    def look(self, now: int) -> bool:
        """Go on looking for the window; return True once it is captured. Cheap; call it every turn.

        Raises:
            GuardedGame: an anti-cheat service guards it, or appeared while it was captured.
            LaunchFailed: the program ended, or no window came in time.
            WindowLost: the chosen window is not there.
        """
        if self.source is not None:
            self._stay_fair()
            return True
        if now < self._look_at_ns:
            return False
        self._look_at_ns = now + _LOOK_EVERY_NS
        self._candidate = self._candidate or self._find()
        if self._candidate is None:
            self._check_hope(now)
            return False
        if self._settled_ns is None:
            starting = launching_of(self.game)
            settle_s = starting.settle_s if self._launched and starting else 0
            self._settled_ns = now + int(settle_s * NS_PER_S)
        if now < self._settled_ns:
            return False
        window = window_by_id(self._candidate.native_id)
        if window is None:
            self._candidate = self._settled_ns = None
            return False
        self._fair_play.require_playable(window.pid)
        try:
            capture = self._opening.settings.capture
            self.source = this_desktop().capture(window, capture, after_frame=self._last_frame_id)
        except WindowLost:
            if window_by_id(window.native_id) is not None:
                raise
            self._candidate = self._settled_ns = None  # games replace their first window as they start
            return False
        self._fair_play.watch(window.pid)
        self._give_up_ns = None
        self._was_shown = True
        self._shown_ns = now
        self._last_rect = window.rect
        return True

    @property
    def closed(self) -> ClosedWindow:
        """Return what is known of the window that is no longer there."""
        launched = self._launched
        return ClosedWindow(
            name=self.game.profile.game.name,
            screen=screen_size(),
            window=self._last_rect,
            runs=launched.alive if launched is not None else None,
            words=launched.last_words() if launched is not None else "",
            ending=launched.ending if launched is not None else "",
        )

    def just_shown(self, now: int) -> bool:
        """Return whether our program showed its window a moment ago: games replace their first window."""
        return self._launch_alive() and now - self._shown_ns < _FIRST_WINDOW_NS

    def may_load(self, now: int) -> bool:
        """Return whether our program showed its window so lately that it may still be loading."""
        return self._launch_alive() and not self.adopted and now - self._shown_ns < _LOADING_NS

    def look_again(self) -> None:
        """Wait for the game to show a window again (no launch, no giving up)."""
        self._last_rect = self.window.rect if self.window is not None else self._last_rect
        self.close_source()
        self._candidate = self._settled_ns = self._give_up_ns = None
        self._look_at_ns = 0

    def choose(self, window_id: int) -> None:
        """Capture another window from the next `look` on."""
        self._opening = dataclasses.replace(self._opening, window_id=window_id, launch=False)
        self.look_again()
        self._give_up_ns = now_ns() + NS_PER_S

    def take(self) -> Frame | None:
        return self._numbered(self.source.take()) if self.source is not None else None

    def fresh(self) -> Frame | None:
        self._stay_fair()
        return self._numbered(self.source.fresh()) if self.source is not None else None

    def fileno(self) -> int | None:
        return self.source.fileno() if self.source is not None else None

    @property
    def control(self) -> Path | None:
        """Return the control socket's path of a game that we launched; None if it has none."""
        return self._launched.control if self._launched is not None else None

    @property
    def launched_pid(self) -> int:
        """Return the process that was started as the game; 0: the game was found."""
        return self._launched.pid if self._launched is not None else 0

    @property
    def program_ended(self) -> bool:
        return self._launched is not None and not self._launched.alive

    def close_source(self) -> None:
        self._fair_play.stop()
        if self.source is not None:
            with contextlib.suppress(Exception):
                self.source.close()
            self.source = None

    def close(self, *, close_game: bool) -> None:
        """Stop capturing; end a game that we launched, if asked."""
        self.close_source()
        if close_game and self._launched is not None:
            self._launched.close()
            self._launched = None

    def _stay_fair(self) -> None:
        try:
            self._fair_play.require_still()
        except GuardedGame:
            self.close_source()  # nothing more is captured
            raise

    def _numbered(self, frame: Frame | None) -> Frame | None:
        """Remember the frame's number, so that another source goes on from there."""
        if frame is not None:
            self._last_frame_id = frame.frame_id
        return frame

    def _launch_alive(self) -> bool:
        return self._launched is not None and self._launched.alive

    def _find(self) -> WindowRef | None:
        if self._opening.window_id is not None:
            return window_by_id(self._opening.window_id)
        if self._launch_alive():
            assert self._launched is not None
            return find_window(pid=self._launched.pid)
        match = self.game.profile.window
        if not (match.title or match.wm_class) or self._opening.game_env:
            return None  # an evaluation launches a game of its own, never joins one
        exclude = {os.getpid(), os.getppid(), *self._opening.console_pids}
        if self._opening.launch:
            exclude |= of_supervisors()  # another Pitwall's game has an agent already
        return find_window(title=match.title, wm_class=match.wm_class, exclude_pids=exclude)

    def _check_hope(self, now: int) -> None:
        name = self.game.profile.game.name
        if self.program_ended and not self._was_shown:
            assert self._launched is not None
            if self.adopted:  # it was ending when we adopted it
                self._launch()
                return
            closed = self.closed
            words = f": {closed.words}" if closed.words else "."
            raise LaunchFailed(
                f"{name} ended before it showed a window{words}{closed.about_the_screen}",
                closed.fix("Start it by hand to see why, then press Retry."),
            )
        if self._give_up_ns is None or now < self._give_up_ns:
            return
        if self._opening.window_id is not None:
            raise WindowLost(
                f"there is no window {self._opening.window_id:#x} on this screen.",
                "Choose the game's window again.",
            )
        if self._launched is not None:
            raise NeverShown(f"{name} runs but shows no window.", "Look at its own messages.")
        raise WindowLost(f"no window of {name} is open.", "Start the game, or choose its window.")
