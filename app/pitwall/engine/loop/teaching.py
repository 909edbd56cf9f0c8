"""Teaching: what a person sees and does is recorded as a demonstration, and nothing is sent."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from datetime import UTC, datetime

from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.commands import Start
from pitwall.core.errors import PitwallError, unexpected
from pitwall.core.injection import PersonActed
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import Fault
from pitwall.demonstrations.manifest import PRESSES, Demonstration, Kind
from pitwall.engine.loop.run_player import RunPlayer
from pitwall.engine.loop.shadow import Shadow
from pitwall.engine.recording.demonstration_recorder import DemonstrationRecorder, RecentFrames
from pitwall.engine.recording.operator_reports import RunOutlets
from pitwall.engine.recording.run_figures import RunFigures
from pitwall.engine.session.game_session import GameSession
from pitwall.games.actions.press_reading import PressReader
from pitwall.games.schema.profile import BARE_WINDOW, Profile
from pitwall.store.components import absence

_log = logging.getLogger(__name__)

_REPORT_NS = 500 * NS_PER_MS
_MOST_SIDE = 256
"""Longest side of a kept picture without a setting; the window's size is divided by a whole number."""
_FASTEST_FPS, _SLOWEST_FPS = 30.0, 5.0


class Teaching(RunPlayer):
    """Records a person's play as a demonstration.

    Args:
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
        out: RunOutlets,
        *,
        shadow: Shadow | None = None,
    ) -> None:
        self.figures = RunFigures()
        self.dropped_before = session.view.dropped
        self.run_id: int | None = None
        self._session, self._out = session, out
        self._shadow = shadow
        self._most_ns = int(start.seconds * NS_PER_S) if start.seconds is not None else None
        self._watched_ns = self._reported_ns = 0
        self._since_ns: int | None = None
        self._look = True
        self._recorder = begin_recording(session, data, who=start.who, instruction=start.instruction)
        self._size = self._recorder.begun.window_size
        if self._recorder.leaves_out_typing:
            out.tell(
                Fault(
                    what="This game is played by typing, and a demonstration leaves typing out.",
                    fix="Record with --keep-typing, or switch teach.keep_typing on, to keep it.",
                    error="Notice",
                )
            )

    def turn(self, *, fresh: bool) -> None:
        now = now_ns()
        if self._look:
            if not self._session.look_afresh():
                return
            self._look, fresh = False, True
        self._since_ns = self._since_ns or now
        seen = self._session.seen
        if seen is not None:
            size = (seen.frame.width, seen.frame.height)
            if size != self._size:
                self._size = size
                kept = "×".join(map(str, self._recorder.begun.picture_size))
                text = f"The window is {size[0]}×{size[1]} px now; kept pictures stay {kept} px."
                self._out.on_event("window", text)
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
            self._out.tell(Fault.of(fault))
        self._out.tell(self._recorder.progress(self.seconds, complete=True))
        message = (
            f"Kept as demonstration {self._recorder.begun.id}."
            if kept
            else "Nothing was seen, so none is kept."
        )
        self._out.on_event("note", message)

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

    @property
    def seconds(self) -> float:
        """Return how long the person has been watched."""
        since = now_ns() - self._since_ns if self._since_ns is not None else 0
        return (self._watched_ns + since) / NS_PER_S

    def _follow(self, now: int) -> None:
        if (fault := self._recorder.fault()) is not None:
            self._out.on_stuck(fault)
        if now - self._reported_ns >= _REPORT_NS:
            self._reported_ns = now
            self._out.tell(self._recorder.progress(self.seconds))


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


_BEFORE_S = 3.0
_CLOSE_S = 20.0


class Corrections:
    """Keeps the corrections of one run.

    Args:
        beside: makes the agent that decides beside the person.
    """

    def __init__(
        self,
        session: GameSession,
        data: DataFolder,
        run_id: int,
        out: RunOutlets,
        *,
        beside: Callable[[], Shadow],
    ) -> None:
        self._session, self._data, self._run_id = session, data, run_id
        self._beside, self._out = beside, out
        self._recent = RecentFrames(seconds=_BEFORE_S)
        self._recorder: DemonstrationRecorder | None = None
        self._shadow: Shadow | None = None
        self._would = ""
        self._pressed = 0
        self._closing: threading.Thread | None = None
        self._lost: PitwallError | None = None

    def watch(self, *, focused: bool) -> None:
        """Keep the newest frame: for the seconds before a takeover, or as part of a correction."""
        seen, recorder = self._session.seen, self._recorder
        if seen is None:
            return
        if recorder is None:
            self._recent.add(seen)
            return
        if not focused:
            recorder.unwatched()
            if self._shadow is not None:
                self._shadow.rest()
            return
        recorder.picture(seen, now_ns())
        if self._shadow is not None:
            self._shadow.turn(fresh=True)
        if (fault := recorder.fault()) is not None or recorder.full:
            why = fault or "It is as large as teach.most_mib allows."
            self._out.on_event("note", f"The correction ends here. {why}")
            self.end()

    def begin(self, would: str) -> None:
        """Begin a correction as a person takes over. `would`: the keys the agent held, or its last action."""
        self.end()
        self._wait()
        try:
            recorder = begin_recording(self._session, self._data, kind="correction", run=self._run_id)
            recorder.before(self._recent.take())
            self._shadow = self._beside()
        except PitwallError as error:
            self._out.on_event("note", f"This takeover is not kept as a correction: {error}")
            return
        self._recorder, self._would, self._pressed = recorder, would, 0

    def acted(self, deed: PersonActed) -> None:
        """Record a press of the person, with what the agent would have held."""
        if self._recorder is None or self._shadow is None:
            return
        self._recorder.press(deed, would=", ".join(self._shadow.held) or self._would)
        self._shadow.person_acted(deed)
        self._pressed += deed.event.kind in PRESSES
        self._would = ""

    def end(self) -> None:
        """End the correction, and write it on a thread. Harmless twice."""
        recorder, self._recorder = self._recorder, None
        shadow, self._shadow = self._shadow, None
        if shadow is not None:
            shadow.close()
        if recorder is None:
            return
        pressed = self._pressed
        if pressed:
            kept = f"Your play is kept as correction {recorder.begun.id}."
            waits = filter(None, absence("recordings", meanwhile=False))
            self._out.on_event("note", " ".join((kept, *waits)))
        self._closing = threading.Thread(
            target=self._write, args=(recorder, bool(pressed)), name="correction"
        )
        self._closing.start()

    def _write(self, recorder: DemonstrationRecorder, keep: bool) -> None:
        try:
            recorder.close(keep=keep)
        except Exception as error:
            _log.exception("a correction could not be written")
            self._lost = unexpected("the correction", error)

    def close(self) -> None:
        """End the correction, and wait until everything is written."""
        self.end()
        self._wait()

    def _wait(self) -> None:
        if self._closing is not None:
            self._closing.join(_CLOSE_S)
            self._closing = None
        if self._lost is not None:
            self._out.on_event("note", f"This takeover is not kept as a correction: {self._lost}")
            self._lost = None
