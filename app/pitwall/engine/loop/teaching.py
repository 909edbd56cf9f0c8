"""Teaching: what a person sees and does is recorded as a demonstration, and nothing is sent."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.commands import Start
from pitwall.core.errors import PitwallError
from pitwall.core.injection import PersonActed
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import Fault
from pitwall.demonstrations.manifest import Demonstration, Kind
from pitwall.engine.loop.run_player import RunPlayer
from pitwall.engine.loop.shadow import Shadow
from pitwall.engine.recording.demonstration_recorder import DemonstrationRecorder
from pitwall.engine.recording.run_figures import RunFigures
from pitwall.engine.session.game_session import GameSession
from pitwall.games.actions.press_reading import PressReader
from pitwall.games.drafting.folder import BARE_WINDOW
from pitwall.games.schema.profile import Profile

_REPORT_NS = 500 * NS_PER_MS
_MOST_SIDE = 256
"""Longest side of a kept picture without a setting; the window's size is divided by a whole number."""
_FASTEST_FPS, _SLOWEST_FPS = 30.0, 5.0


class Teaching(RunPlayer):
    """Records a person's play as a demonstration.

    Args:
        on_event: takes the kind and the text of an event.
        on_stuck: takes the error that stops the recording.
        shadow: the agent that decides beside them; None for none.

    Raises:
        PitwallError: the same game is being recorded already, or the folder cannot be written.
    """

    step = 0

    def __init__(
        self,
        session: GameSession,
        data: DataFolder,
        start: Start,
        *,
        tell: Callable[[Any], None],
        on_event: Callable[[str, str], None],
        on_stuck: Callable[[PitwallError], None],
        shadow: Shadow | None = None,
    ) -> None:
        self.figures = RunFigures()
        self.dropped_before = session.view.dropped
        self.run_id: int | None = None
        self._session, self._tell = session, tell
        self._on_event, self._on_stuck = on_event, on_stuck
        self._shadow = shadow
        self._most_ns = int(start.seconds * NS_PER_S) if start.seconds is not None else None
        self._watched_ns = self._reported_ns = 0
        self._since_ns: int | None = None
        self._look = True
        self._recorder = begin_recording(session, data, who=start.who, instruction=start.instruction)
        self._size = self._recorder.begun.window_size
        if self._recorder.leaves_out_typing:
            tell(
                Fault(
                    what="This game is played by typing, and a demonstration leaves typing out.",
                    fix="Record with --keep-typing, or switch teach.keep_typing on, to keep it.",
                    error="Notice",
                )
            )

    # ---- what the loop calls

    def turn(self, *, fresh: bool) -> None:
        now = now_ns()
        if self._look:
            if not self._session.look_afresh():
                return
            self._look, fresh = False, True
        self._since_ns = self._since_ns or now
        seen = self._session.seen
        if seen is not None:
            self._follow_size((seen.frame.width, seen.frame.height))
            self._recorder.picture(seen, now)
        if self._shadow is not None:
            self._shadow.turn(fresh=fresh)
        self._follow(now)

    def rest(self, *, plan_stays: bool = False) -> None:  # noqa: ARG002
        self.interrupt()
        self._follow(now_ns())

    def next_due_ns(self) -> int | None:
        return self._shadow.next_due_ns() if self._shadow is not None else None

    def look_afresh(self) -> None:
        self._look = True
        self._session.forget_steps()
        self._recorder.retry()

    def interrupt(self, *, plan_stays: bool = False) -> None:  # noqa: ARG002
        """Stop watching the person."""
        if self._since_ns is not None:
            self._watched_ns += now_ns() - self._since_ns
            self._since_ns = None
            self._recorder.unwatched()
            if self._shadow is not None:
                self._shadow.rest()

    def close(self) -> None:
        """Write everything, and report what was kept."""
        if self._shadow is not None:
            self._shadow.close()
        kept = self._recorder.close()
        while (fault := self._recorder.fault()) is not None:
            self._tell(Fault.of(fault))
        self._tell(self._recorder.progress(self.seconds, complete=True))
        message = (
            f"Kept as demonstration {self._recorder.begun.id}."
            if kept
            else "Nothing was seen, so none is kept."
        )
        self._on_event("note", message)

    def shown(self) -> None:
        return None

    @property
    def state_text(self) -> str:
        return "You play, and it is recorded. Nothing is sent to the game."

    @property
    def budget_spent(self) -> bool:
        return self._recorder.full or (self._most_ns is not None and self.seconds * NS_PER_S >= self._most_ns)

    def acted(self, deed: PersonActed) -> None:
        self._recorder.press(deed)
        if self._shadow is not None:
            self._shadow.person_acted(deed)

    # ---- for itself

    @property
    def seconds(self) -> float:
        """Return how long the person has been watched."""
        since = now_ns() - self._since_ns if self._since_ns is not None else 0
        return (self._watched_ns + since) / NS_PER_S

    def _follow(self, now: int) -> None:
        if (fault := self._recorder.fault()) is not None:
            self._on_stuck(fault)
        if now - self._reported_ns >= _REPORT_NS:
            self._reported_ns = now
            self._tell(self._recorder.progress(self.seconds))

    def _follow_size(self, size: tuple[int, int]) -> None:
        if size != self._size:
            self._size = size
            kept = "×".join(map(str, self._recorder.begun.picture_size))
            self._on_event(
                "window", f"The window is {size[0]}×{size[1]} px now; kept pictures stay {kept} px."
            )


def begin_recording(
    session: GameSession,
    data: DataFolder,
    *,
    kind: Kind = "play",
    run: int | None = None,
    who: str = "person",
    instruction: str = "",
) -> DemonstrationRecorder:
    """Begin to record what a person does in the open game.

    Raises:
        PitwallError: the same game is being recorded already, or the folder cannot be written.
    """
    profile, settings = session.game.profile, session.settings.teach
    described = None if profile.game.id == BARE_WINDOW else profile
    window = session.view.window
    shown = window.rect if window is not None else profile.screen
    size = (shown.width, shown.height)
    begun = Demonstration(
        id="new",
        game=profile.game.id if described is not None else "",
        window=window.title[:200] if window is not None else "",
        profile_hash=session.game.profile_hash if described is not None else "",
        profile_version=profile.game.version if described is not None else "",
        kind=kind,
        run=run,
        who=who,
        instruction=instruction,
        picture_size=_picture_size(size, settings.picture_px),
        window_size=size,
        rate_fps=settings.pictures_fps or _guessed_fps(described),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    reader = PressReader(described, session.role if profile.roles else "", keep_typing=settings.keep_typing)
    return DemonstrationRecorder(data, begun, reader, settings)


def _picture_size(size: tuple[int, int], most_px: int) -> tuple[int, int]:
    """Return width and height of kept pictures; without a setting the window's, divided by a whole number."""
    longest = max(size)
    if not most_px:
        parts = math.ceil(longest / _MOST_SIDE)
        return max(1, size[0] // parts), max(1, size[1] // parts)
    scale = min(1.0, most_px / longest)
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _guessed_fps(profile: Profile | None) -> float:
    """Return pictures a second: a module's rate, or by turns two for each of the game's fastest action."""
    if profile is None or not profile.game.by_turns:
        return _FASTEST_FPS
    fastest_ms = min((action.duration_ms for action in profile.actions if not action.wait), default=100)
    return min(_FASTEST_FPS, max(_SLOWEST_FPS, 2_000 / fastest_ms))
