"""Watches a window for a while: fitting thresholds, how often each field was read, what the game shows."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError, WindowLost
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.injection import Configure, HotkeyPressed, Latched, PersonActed
from pitwall.core.observations import Value
from pitwall.core.settings import Settings
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.drafting.evidence import MOST_STILLS, FieldEvidence, evidence_of, read_stills
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser
from pitwall.engine.drafting.filmstrip import Filmstrip
from pitwall.engine.drafting.finding.proposal import Proposal
from pitwall.engine.drafting.finding.search import find_all, finished
from pitwall.engine.drafting.self_playing import SelfPlayer
from pitwall.engine.drafting.threshold_suggestions import Suggestion, ThresholdWatcher
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.fields import BarField, BlobField, DigitsField, SpriteField, TextField

_FRAME_S = 1 / 30
_TELL_S = 0.5
_ALONE_S = 3.0
"""Time without a press after which nobody seems to play (choice)."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The result of watching: thresholds, evidence for each field, and proposals of fields and screens."""

    suggestion: Suggestion
    fields: tuple[FieldEvidence, ...]
    proposals: tuple[Proposal, ...]


def counted_fields(draft: Draft) -> tuple[str, ...]:
    """Return the fields whose change is progress: numbers, and the scores of tasks."""
    wanted = {task.score for task in draft.tasks}
    return tuple(
        field.name
        for field in draft.fields
        if isinstance(field, DigitsField)
        or (isinstance(field, TextField) and field.number)
        or (field.name in wanted and isinstance(field, BarField | BlobField | SpriteField))
    )


def watch(
    view: GameView,
    draft: Draft,
    seconds: float,
    *,
    recogniser: Recogniser | None,
    progress: Callable[[float, float], None],
    keys: KeyListener | None = None,
    find: bool = True,
    plays: Callable[[], SelfPlayer] | None = None,
) -> Watched:
    """Watch for this many seconds from the first picture on, and evaluate the pictures.

    Args:
        progress: called with the seconds watched and their total.
        keys: hears the presses meanwhile; None: effects of keys stay unknown.
        find: also find fields and screens in the last minute.
        plays: opens a player that presses the actions once nobody has pressed anything for a while.

    Raises:
        WindowLost: the window went away meanwhile.
        PitwallError: the game never came into view.
    """
    counted = counted_fields(draft)
    watcher, reader, strip = ThresholdWatcher(counted), DraftReader(draft, recogniser), Filmstrip()
    if view.source is None:
        view.begin()
    while not view.look(now_ns()):
        time.sleep(0.02)
    frame = _fresh(view)
    began_s = tell_s = time.monotonic()
    alone = Presses(plays, began_s)
    while (at_s := time.monotonic()) - began_s < seconds:
        values: Mapping[str, Value] = {}
        if counted:
            values = {name: reading.value for name, reading in reader.read(frame).items()}
        watcher.take(at_s, frame.pixels, values)
        strip.take(at_s, frame.pixels)
        alone.turn(keys.poll(view.window) if keys is not None else (), at_s, frame, strip)
        if at_s >= tell_s:
            tell_s = at_s + _TELL_S
            progress(at_s - began_s, seconds)
        time.sleep(max(0.0, _FRAME_S - (time.monotonic() - at_s)))
        frame = _fresh(view)
    alone.close()
    if keys is not None:
        keys.poll(None)
    stills = strip.spread(MOST_STILLS)
    read = list(read_stills(stills, draft, recogniser)) if draft.fields else []
    evidence = evidence_of(draft, stills, read) if draft.fields else []
    proposals = finished(find_all(strip, draft.screen, recogniser)) if find else []
    return Watched(watcher.suggest(draft.thresholds), tuple(evidence), tuple(proposals))


class Presses:
    """Notes a person's presses on the strip, and lets a player press where nobody does."""

    def __init__(self, plays: Callable[[], SelfPlayer] | None, began_s: float) -> None:
        self._plays, self._began_s = plays, began_s
        self._player: SelfPlayer | None = None

    def turn(
        self, heard: Sequence[PersonActed | HotkeyPressed], at_s: float, frame: Frame, strip: Filmstrip
    ) -> None:
        """Note what was pressed since the last turn."""
        if self._player is not None:
            try:
                for event in self._player.turn(at_s, frame):
                    if event.kind != "mouse_move":
                        strip.press(at_s, event)
            except PitwallError:  # a person plays from here on
                self.close()
            return
        for press in heard:
            note(strip, press, at_s, frame.pixels)
            if isinstance(press, PersonActed) and press.event.kind != "mouse_move":
                self._plays = None
        if self._plays is not None and at_s - self._began_s >= _ALONE_S:
            with contextlib.suppress(PitwallError):  # the game takes no focus: it is only watched
                self._player = self._plays()
            self._plays = None

    def close(self) -> None:
        """Release every key."""
        if self._player is not None:
            self._player.close()
        self._player = None


def note(strip: Filmstrip, heard: PersonActed | HotkeyPressed, at_s: float, pixels: Pixels) -> bool:
    """Add a press to the strip; return whether it is the hotkey that keeps this picture."""
    if isinstance(heard, HotkeyPressed):
        return strip.take(at_s, pixels, keep=True)
    if heard.event.kind != "mouse_move":
        strip.press(at_s, heard.event)
    return False


def _fresh(view: GameView) -> Frame:
    frame = view.fresh()
    until = time.monotonic() + 5.0
    while frame is None:  # minimised: wait for it to come back
        if view.health is WindowHealth.GONE or time.monotonic() > until:
            raise WindowLost("The window shows no picture any more.", "Bring it back, then watch again.")
        time.sleep(0.05)
        view.take()
        frame = view.fresh()
    return frame


_BEAT_NS = 100_000_000


class KeyListener:
    """Listens to presses in one window at a time; `poll` it at 10 Hz or faster."""

    def __init__(self, settings: Settings, logs: Path) -> None:
        self._settings = settings
        self._link = BrokerLink(stop_line=None, logs=logs)
        self._window: WindowRef | None = None
        self._beat_ns = 0

    def poll(self, window: WindowRef | None) -> list[PersonActed | HotkeyPressed]:
        """Return the presses in the window, and the hotkey that keeps a picture; never waits.

        Raises:
            ChildDied: brokers cannot be started.
        """
        if window is not None and (self._window is None or window.native_id != self._window.native_id):
            self._window = window
            self._link.configure(
                Configure(
                    limits=self._settings.broker.as_limits(),
                    hotkeys=self._settings.hotkeys.as_chords(),
                    target=window,
                    person=True,
                    listened=("keep",),
                )
            )
            self._link.rearm()
        if now_ns() - self._beat_ns >= _BEAT_NS:
            self._beat_ns = now_ns()
            self._link.heartbeat()
        messages = self._link.poll()
        if any(isinstance(message, Latched) for message in messages):  # reading text outlasts a heartbeat
            self._link.rearm()
        return [message for message in messages if isinstance(message, PersonActed | HotkeyPressed)]

    def close(self) -> None:
        self._link.close()
