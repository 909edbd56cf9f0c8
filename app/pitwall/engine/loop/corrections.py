"""Keeps what a person does after they took over from the agent, to be learnt from (Ross et al., 2011).

Each takeover is a demonstration of its own: the seconds before it, outside of play; what the person did until
they gave control back; and beside each press what the agent would have had down then. The agent decides on,
beside the person, and sends nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.injection import PersonActed
from pitwall.core.paths import DataFolder
from pitwall.engine.loop.shadow import Shadow
from pitwall.engine.loop.teaching import begin_recording
from pitwall.engine.recording.demonstration_recorder import DemonstrationRecorder
from pitwall.engine.recording.recent_frames import RecentFrames
from pitwall.engine.session.game_session import GameSession

_BEFORE_S = 3.0
_CLOSE_S = 20.0


class Corrections:
    """Keeps the corrections of one run.

    Args:
        run_id: of the run. beside: makes the agent that decides beside the person.
        on_event: records an event: kind, text.
    """

    def __init__(
        self,
        session: GameSession,
        data: DataFolder,
        run_id: int,
        *,
        beside: Callable[[], Shadow],
        on_event: Callable[[str, str], None],
    ) -> None:
        self._session, self._data, self._run_id = session, data, run_id
        self._beside, self._on_event = beside, on_event
        self._recent = RecentFrames(seconds=_BEFORE_S)
        self._recorder: DemonstrationRecorder | None = None
        self._shadow: Shadow | None = None
        self._would = ""
        self._pressed = 0
        self._closing: threading.Thread | None = None

    def watch(self, *, focused: bool) -> None:
        """Keep the newest frame: for the seconds before a takeover, or as a part of one."""
        seen, recorder = self._session.seen, self._recorder
        if seen is None:
            return
        if recorder is None:
            self._recent.add(seen)
            return
        if not focused:
            self._unwatched(recorder)
            return
        recorder.picture(seen, now_ns())
        if self._shadow is not None:
            self._shadow.turn(fresh=True)
        if (fault := recorder.fault()) is not None or recorder.full:
            why = fault or "It is as large as teach.most_mib allows."
            self._on_event("note", f"The correction ends here. {why}")
            self.end()

    def begin(self, would: str) -> None:
        """A person took over. `would`: what the agent had down, or did last."""
        self.end()
        self._wait()
        try:
            recorder = begin_recording(self._session, self._data, kind="correction", run=self._run_id)
            recorder.before(self._recent.take())
            self._shadow = self._beside()
        except PitwallError as error:
            self._on_event("note", f"This takeover is not kept as a correction: {error}")
            return
        self._recorder, self._would, self._pressed = recorder, would, 0

    def acted(self, deed: PersonActed) -> None:
        """Take what the person did since they took over."""
        if self._recorder is None or self._shadow is None:
            return
        self._recorder.press(deed, would=", ".join(self._shadow.held) or self._would)
        self._shadow.person_acted(deed)
        self._pressed += deed.event.kind in ("key_down", "mouse_down", "scroll")
        self._would = ""

    def end(self) -> None:
        """Control was given back, or the run ends. Harmless twice; what is to be written is written aside."""
        recorder, self._recorder = self._recorder, None
        shadow, self._shadow = self._shadow, None
        if shadow is not None:
            shadow.close()
        if recorder is None:
            return
        pressed = self._pressed
        if pressed:
            self._on_event("note", f"What you did is kept as correction {recorder.begun.id}.")
        self._closing = threading.Thread(target=lambda: recorder.close(keep=bool(pressed)), name="correction")
        self._closing.start()

    def close(self) -> None:
        """End, and wait until everything is written."""
        self.end()
        self._wait()

    def _wait(self) -> None:
        if self._closing is not None:
            self._closing.join(_CLOSE_S)
            self._closing = None

    def _unwatched(self, recorder: DemonstrationRecorder) -> None:
        recorder.unwatched()
        if self._shadow is not None:
            self._shadow.rest()
