"""Corrections: what a person does after taking over from the agent, kept for learning (Ross et al., 2011).

Each takeover becomes a demonstration: the seconds before it, what the person did until they gave control
back, and beside each press the keys that the agent would have held. The agent goes on deciding beside the
person and sends nothing.
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
from pitwall.engine.recording.demonstration_recorder import DemonstrationRecorder, RecentFrames
from pitwall.engine.session.game_session import GameSession

_BEFORE_S = 3.0
_CLOSE_S = 20.0


class Corrections:
    """Keeps the corrections of one run.

    Args:
        beside: makes the agent that decides beside the person.
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
            self._on_event("note", f"The correction ends here. {why}")
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
            self._on_event("note", f"This takeover is not kept as a correction: {error}")
            return
        self._recorder, self._would, self._pressed = recorder, would, 0

    def acted(self, deed: PersonActed) -> None:
        """Record a press of the person, with what the agent would have held."""
        if self._recorder is None or self._shadow is None:
            return
        self._recorder.press(deed, would=", ".join(self._shadow.held) or self._would)
        self._shadow.person_acted(deed)
        self._pressed += deed.event.kind in ("key_down", "mouse_down", "scroll")
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
            self._on_event("note", f"Your play is kept as correction {recorder.begun.id}.")
        self._closing = threading.Thread(target=lambda: recorder.close(keep=bool(pressed)), name="correction")
        self._closing.start()

    def close(self) -> None:
        """End the correction, and wait until everything is written."""
        self.end()
        self._wait()

    def _wait(self) -> None:
        if self._closing is not None:
            self._closing.join(_CLOSE_S)
            self._closing = None
