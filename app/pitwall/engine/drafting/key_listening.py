"""Hears what a person presses in a game that is being added, through a broker that sends nothing."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.clock import now_ns
from pitwall.core.geometry import WindowRef
from pitwall.core.injection import Configure, HotkeyPressed, Latched, PersonActed
from pitwall.core.settings import Settings
from pitwall.engine.action.broker_link import BrokerLink

_BEAT_NS = 100_000_000


class KeyListener:
    """Listens to one window at a time; `poll` it at 10 Hz or faster."""

    def __init__(self, settings: Settings, logs: Path) -> None:
        self._settings = settings
        self._link = BrokerLink(stop_line=None, logs=logs)
        self._window: WindowRef | None = None
        self._beat_ns = 0

    def poll(self, window: WindowRef | None) -> list[PersonActed | HotkeyPressed]:
        """Return what was pressed in the window, and the hotkey that keeps a picture; never waits.

        Raises:
            ChildDied: brokers cannot be started.
        """
        if window is not None and (self._window is None or window.native_id != self._window.native_id):
            self._window = window
            self._link.configure(
                Configure(
                    limits=self._settings.broker,
                    hotkeys=self._settings.hotkeys,
                    target=window,
                    person=True,
                    listened=("keep",),
                )
            )
            self._link.rearm()
        if now_ns() - self._beat_ns >= _BEAT_NS:
            self._beat_ns = now_ns()
            self._link.heartbeat()
        said = self._link.poll()
        if any(isinstance(one, Latched) for one in said):  # reading text takes longer than a beat
            self._link.rearm()
        return [one for one in said if isinstance(one, PersonActed | HotkeyPressed)]

    def close(self) -> None:
        self._link.close()
