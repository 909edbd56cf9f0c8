"""Notices a game that cannot be played: frozen, behind its own dialog, or turned by relative mouse."""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor

from pitwall.core import telemetry
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DisplayError
from pitwall.core.runs import UNREAD_SCORE, UNREAD_SCORE_FIX
from pitwall.core.telemetry import EngineState
from pitwall.desktops.window_search import RELATIVE_MOUSE, answers, turns_by_mouse, window_before
from pitwall.engine.loop.held_back import HeldBack
from pitwall.engine.session.game_session import GameSession

_log = logging.getLogger(__name__)

FROZEN, DIALOG = "frozen", "dialog"
"""Causes of a pause that ends by itself."""
_STANDS_NS, _LONG_NS = 12 * NS_PER_S, 30 * NS_PER_S
"""A picture may stand still for so long although keys are pressed; and where its program cannot be asked."""
_UNREAD_NS = 10 * NS_PER_S
"""Time of play without any reading of the score after which the game may still be in a menu."""
_LEAST_PRESSES = 5
"""Fewer sent events may all be without effect (choice)."""
_ANSWER_S = 5.0
"""As long as window managers wait; a busy machine is slow to answer."""
_LOOKS_NS = tuple(seconds * NS_PER_S for seconds in (1, 3, 10, 30))
"""Times of play at which to look whether the game has taken the pointer: it may do so after its menu."""
_DIALOG_EVERY_NS = NS_PER_S


class Standstill:
    """Follows a game's frames and the events that were sent to it."""

    def __init__(self) -> None:
        self._frames = -1
        self._sent = 0
        self._since_ns = 0
        self._noticed = False
        self._asking: Future[bool | None] | None = None

    def notice(self, session: GameSession, sent: int, now: int) -> telemetry.Fault | None:
        """Return a notice for the operator, once for each standstill; else None."""
        seconds = self.follow(session.frames, sent, now)
        window = session.view.window
        if not seconds or window is None:
            return None
        pool = ThreadPoolExecutor(1)
        self._asking = pool.submit(_answers, window.native_id)
        pool.shutdown(wait=False)
        return telemetry.Fault(
            what=_words(session, seconds), fix="It may be frozen: look at it.", error="Notice"
        )

    def frozen(self, session: GameSession, now: int) -> HeldBack | None:
        """Return why the run is held back once the game is known to be frozen; else None."""
        if not self._noticed or self._asking is None or not self._asking.done():
            return None
        answer, took_ns = self._asking.result(), now - self._since_ns
        if answer or (answer is None and took_ns < _LONG_NS):
            return None
        self._asking = None
        known = " It does not react: it is frozen." if answer is False else ""
        fix = "The agent goes on when it moves again. Else end it, and start it again."
        text = f"{_words(session, took_ns // NS_PER_S)}{known}"
        return HeldBack(EngineState.PAUSED, FROZEN, text, fix)

    def moves(self, session: GameSession) -> bool:
        """Return whether the game has shown a new frame since it stood still."""
        return session.frames != self._frames

    def follow(self, frames: int, sent: int, now: int) -> int:
        """Return the seconds that the picture has stood still, once for each standstill; else 0.

        Args:
            frames: frames captured so far. sent: events sent so far. now: monotonic nanoseconds.
        """
        if frames != self._frames:
            self._frames, self._sent, self._since_ns, self._noticed = frames, sent, now, False
        stands = now - self._since_ns >= _STANDS_NS and sent - self._sent >= 2 * _LEAST_PRESSES
        if self._noticed or not stands:
            return 0
        self._noticed = True
        return (now - self._since_ns) // NS_PER_S


def _answers(window_id: int) -> bool | None:
    """Return whether the window's program reacts; None: it cannot be asked."""
    try:
        return answers(window_id, _ANSWER_S)
    except Exception:
        _log.exception("the game's window could not be asked whether it reacts")
        return None


def _words(session: GameSession, seconds: int) -> str:
    return f"{session.game.profile.game.name} stands still for {seconds} s although keys are pressed."


class OwnDialogs:
    """Looks every second whether the game shows a window of its own before the one that is played."""

    def __init__(self) -> None:
        self._look_at_ns = 0
        self.shown = False

    def look(self, session: GameSession, now: int, *, focused: bool) -> HeldBack | None:
        """Return why the run is held back while such a window is there; else None.

        Args:
            focused: the game has the keyboard.
        """
        window = session.view.window
        if window is None or now < self._look_at_ns:
            return None
        self._look_at_ns = now + _DIALOG_EVERY_NS
        try:
            dialog = window_before(window, session.view.launched_pid, focused=focused)
        except DisplayError:
            return None
        self.shown = dialog is not None
        if dialog is None:
            return None
        name, title = session.game.profile.game.name, dialog.title or dialog.wm_class
        text = (
            f"{name} shows another window before its own: {title!r}." if title else f"{name} shows a dialog."
        )
        return HeldBack(EngineState.PAUSED, DIALOG, text, "Answer it; the agent goes on when it is closed.")


class RelativeMouse:
    """Looks a few times whether the game reads only the motion of the mouse."""

    def __init__(self) -> None:
        self._began_ns = 0
        self._looks = 0

    def notice(self, session: GameSession, now: int, *, focused: bool) -> telemetry.Fault | None:
        """Return a notice for the operator, once; else None.

        Args:
            focused: the game has the keyboard: without it, no game holds the pointer.
        """
        window, known = session.view.window, session.game.profile.mouse_look is not None
        if window is None or known or not focused or self._looks == len(_LOOKS_NS):
            return None
        self._began_ns = self._began_ns or now
        if now - self._began_ns < _LOOKS_NS[self._looks]:
            return None
        self._looks += 1
        if not turns_by_mouse(window.native_id):
            return None
        self._looks = len(_LOOKS_NS)
        return telemetry.Fault(what=RELATIVE_MOUSE, error="Notice")


class UnreadScore:
    """Notices a score whose readings cannot be relied on."""

    def __init__(self) -> None:
        self._noticed = False

    def notice(self, session: GameSession) -> telemetry.Fault | None:
        """Return a notice for the operator, once; else None."""
        unread = session.scores.unreliable
        if self._noticed or not unread:
            return None
        self._noticed = True
        return telemetry.Fault(what=UNREAD_SCORE.format(field=unread), fix=UNREAD_SCORE_FIX, error="Notice")


class UnreadScreen:
    """Notices a game of which nothing is read although keys are pressed: it may still be in a menu."""

    def __init__(self) -> None:
        self._since_ns: int | None = None
        self._sent = 0
        self._noticed = False

    def notice(self, session: GameSession, sent: int, now: int) -> telemetry.Fault | None:
        """Return a notice for the operator, once for each stay on such a screen; else None."""
        scores = session.scores
        if self._since_ns is None or not scores.any or not scores.playing or scores.shown:
            self._since_ns, self._sent, self._noticed = now, sent, False
            return None
        long = now - self._since_ns >= _UNREAD_NS and sent - self._sent >= 2 * _LEAST_PRESSES
        if self._noticed or not long:
            return None
        self._noticed = True
        name = session.game.profile.game.name
        what = f"Nothing has been read of {name} for 10 s although keys are pressed: is it still in a menu?"
        return telemetry.Fault(
            what=what,
            fix="Record how to leave the menu: Add a game, Edit, Actions.",
            error="Notice",
        )


class GameTroubles:
    """Follows everything of a game that keeps an agent from playing it."""

    def __init__(self, session: GameSession) -> None:
        self._session = session
        self._standstill, self._dialogs, self._relative = Standstill(), OwnDialogs(), RelativeMouse()
        self._score, self._screen = UnreadScore(), UnreadScreen()

    def begin_again(self) -> None:
        """Count a standstill from now on: the run was resumed."""
        self._standstill = Standstill()

    def notices(self, sent: int, now: int, *, focused: bool) -> list[telemetry.Fault]:
        """Return what the operator should know now, each once.

        Args:
            sent: events sent so far. focused: the agent plays, and the game has the keyboard.
        """
        stands = self._standstill.notice(self._session, sent, now)
        turns = self._relative.notice(self._session, now, focused=focused)
        unread = self._score.notice(self._session)
        menu = self._screen.notice(self._session, sent, now)
        return [notice for notice in (stands, turns, unread, menu) if notice is not None]

    def hold(self, held_back: HeldBack | None, now: int, *, focused: bool) -> HeldBack | None:
        """Return why a run must be held back now; None where it need not."""
        if held_back is None and (frozen := self._standstill.frozen(self._session, now)):
            return frozen
        if held_back is None or held_back.cause == DIALOG:
            return self._dialogs.look(self._session, now, focused=focused)
        return None

    def over(self, held_back: HeldBack | None) -> bool:
        """Return whether a frozen game moves again, or its dialog is closed."""
        cause = held_back.cause if held_back is not None else ""
        moves = cause == FROZEN and self._standstill.moves(self._session)
        return moves or (cause == DIALOG and not self._dialogs.shown)
