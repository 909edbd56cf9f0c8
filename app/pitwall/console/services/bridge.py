"""The pages' only way to the engine, the settings and the games.

Telemetry wakes the console through a socket notifier and goes into the view state at once. Pages hear of the
changes together, at most `live_fps` times a second. The engine never waits for any of this.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer, Signal

from pitwall.console.services.session import Opener, Session
from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase, ViewState
from pitwall.core import commands
from pitwall.core.clock import now_ns
from pitwall.core.errors import ChildDied, PitwallError, unexpected
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings, save_settings
from pitwall.core.signals import Thresholds
from pitwall.core.telemetry import Fault, GameOpened, OverlayToggled, ProbeResult, RunEnded, StateChanged
from pitwall.games.registry import GameEntry
from pitwall.link.frame_ring import RingFrame
from pitwall.models.registry import ModelRegistry

log = logging.getLogger(__name__)

_IDLE_FPS = 5


class Bridge(QObject):
    """Holds the engine's session and the view state.

    Args:
        data: the operator's data folder.
        opener: makes a session: `EngineSession`.
        games: reads the known games.
        trust: trusts a game's folder (by id or path) as it is now.

    Attributes:
        checks_first: called before a start; runs the pending checks and returns whether they start the run.

    Signals:
        changed: `Part`s of the state to redraw, at most `live_fps` times a second.
        frame: the newest `RingFrame`.
        received: every telemetry record, in order.
        probe_done: a `ProbeResult`. run_ended: a `RunEnded`. overlay_toggled: the overlay key.
        settings_changed: the `Settings` now in force.
        subject_changed: the `Subject`: another game or another run is shown from now on.
    """

    changed = Signal(object)
    frame = Signal(object)
    received = Signal(object)
    probe_done = Signal(object)
    run_ended = Signal(object)
    overlay_toggled = Signal()
    settings_changed = Signal(object)
    subject_changed = Signal(object)

    def __init__(
        self,
        data: DataFolder,
        opener: Opener,
        games: Callable[[], Sequence[GameEntry]],
        trust: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self.data = data
        self.state = ViewState()
        self.last_frame: RingFrame | None = None
        self.settings, self.settings_fault = _read_settings(data)
        self._opener = opener
        self._read_games = games
        self._games: Sequence[GameEntry] | None = None
        self._trust = trust
        self._session: Session | None = None
        self._notifier: QSocketNotifier | None = None
        self._opening: commands.Open | None = None
        self._next: commands.Open | None = None
        self._release_memory: Callable[[], Future[None] | None] = lambda: None
        self._released: Future[None] | None = None
        self._closing: threading.Thread | None = None
        self._ending: list[threading.Thread] = []
        self._pending = Part.NONE
        self._subject = self.state.subject
        self._tick = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._tick.timeout.connect(self._on_tick)
        self.checks_first: Callable[[], bool] = lambda: False
        self._watched = True
        self._pace()
        self._tick.start()
        if self.settings_fault is not None:
            self.report(self.settings_fault)

    def games(self) -> Sequence[GameEntry]:
        """List the known games, read once for all callers within one turn of Qt's loop."""
        if self._games is None:
            self._games = self._read_games()
            QTimer.singleShot(0, self, lambda: setattr(self, "_games", None))
        return self._games

    # ---- the engine's life

    @property
    def engine_pid(self) -> int | None:
        return self._session.pid if self._session is not None else None

    def open_game(self, game: str, *, window_id: int | None = None, seed: int | None = None) -> None:
        """Open a game; an open engine is ended first, without blocking."""
        self.open(commands.Open(game=game, window_id=window_id, seed=seed))

    def open(self, opening: commands.Open) -> None:
        """Open a game with every option of `Open`; settings and console_pids are filled in here."""
        if self._session is not None or self._closing is not None:
            self._next = opening
            self._begin_close()
            return
        if self._released is None:
            self._released = self._release_memory()
        if self._released is not None and not self._released.done():
            self._next = opening
            self._note(self.state.opening(opening.game))
            return
        self._released = None
        self._opening = replace(opening, settings=self.settings, console_pids=(os.getpid(),))
        self._note(self.state.opening(opening.game))
        try:
            self._session = self._opener(self.data, self._opening)
        except Exception as error:
            log.exception("an engine could not be started")
            known = unexpected("the engine's start", error)
            self._note(self.state.lost(known.what, known.fix, ""))
            return
        self._notifier = QSocketNotifier(self._session.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_ready)

    def before_opening(self, release: Callable[[], Future[None] | None]) -> None:
        """Register a callback that releases the memory's lock before an engine opens, without blocking.

        Args:
            release: returns a future that is done once the lock is free; None if nothing holds it.
        """
        self._release_memory = release

    def restart(self) -> None:
        """Open the last game again, after a failure or a lost engine."""
        if self._opening is not None:
            self.open(self._opening)

    def trust_and_restart(self) -> None:
        """Trust the folder of the last game, and open it again."""
        if self._opening is not None:
            try:
                self._trust(self._opening.game)
            except PitwallError as error:
                self.report(Fault(what=error.what, fix=error.fix))
                return
            self.open(self._opening)

    def close_game(self) -> None:
        """End the engine (and the game if it was launched), without blocking."""
        self._next = None
        self._begin_close()

    def forget(self) -> None:
        """Return to choosing a game after a lost engine."""
        if self._session is None and self._closing is None:
            self._note(self.state.closed())

    def shutdown(self) -> None:
        """End the engine and wait for it; for the end of the program."""
        self._tick.stop()
        session = self._release()
        if session is not None:
            session.close()
        for thread in self._ending:
            thread.join(10.0)

    def _begin_close(self) -> None:
        session = self._release()
        if session is None:
            return
        self._note(self.state.closing())
        self._closing = self._end_aside(session)

    def _end_aside(self, session: Session) -> threading.Thread:
        """End an engine on a thread: it may take seconds."""
        thread = threading.Thread(target=session.close, name="ending an engine", daemon=True)
        thread.start()
        self._ending = [each for each in self._ending if each.is_alive()] + [thread]
        return thread

    def _release(self) -> Session | None:
        session, self._session = self._session, None
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        return session

    # ---- the operator's commands

    @property
    def connected(self) -> bool:
        """Return whether there is an engine to ask."""
        return self._session is not None

    def send(self, command: commands.Command) -> None:
        """Send any command; without an engine nothing happens."""
        if self._session is not None:
            self._session.send(command)

    def start(self) -> None:
        """Begin a run, or resume it after a pause, a takeover or an emergency stop."""
        halted = self.state.phase in HALTED
        if not halted and self.checks_first():
            return
        self.send(commands.Resume() if halted else commands.Start())

    def use_stop_key(self, key: str) -> None:
        """Make a key the stop key, and start or resume the agent, which had none."""
        self.save_settings(self.settings.with_value("hotkeys", "stop", key))
        self.start()

    def teach(self) -> None:
        """Record how the person at the screen plays; nothing is sent to the game."""
        self.send(commands.Start(mode=commands.PlayMode.chosen_in(self.settings).as_demonstration))

    def pause(self) -> None:
        self.send(commands.Pause())

    def keep_last(self) -> None:
        """Keep the last 30 s of the run's film as a clip."""
        self.send(commands.KeepLast())

    def stop(self) -> None:
        self.send(commands.Stop())

    def emergency_stop(self) -> None:
        """Release every key now, by the stop line, which needs no engine."""
        if self._session is not None:
            self._session.emergency_stop()

    def toggle_pause(self) -> None:
        if self.state.phase in RUNNING:
            self.pause()
        else:
            self.start()

    def set_thresholds(self, thresholds: Thresholds) -> None:
        """Change thresholds from the next step on; the engine's echo comes as `Part.THRESHOLDS`."""
        self.send(commands.SetThresholds(thresholds=thresholds))

    def choose_window(self, window_id: int) -> None:
        """Play another window (X11 id) with the open game."""
        self.send(commands.ChooseWindow(window_id=window_id))

    def probe(self, name: str, **options: Any) -> None:
        """Run a preflight check: capture, leak, input or stop; its result comes as `probe_done`."""
        self.send(commands.Probe(name=name, options=options))  # type: ignore[arg-type]

    def save_settings(self, settings: Settings) -> None:
        """Put settings in force, here and in the engine, and save them.

        Raises:
            SettingsError: they are in force, but cannot be written.
        """
        self.settings = settings
        self._pace()
        self.send(commands.SetSettings(settings=settings))
        self.settings_changed.emit(settings)
        save_settings(self.data.settings, settings)

    def has_models(self) -> bool:
        """Return whether a model is known that a tier could use; True if the registry cannot be read."""
        try:
            return bool(ModelRegistry(self.data).all())
        except PitwallError:
            return True

    def report(self, fault: Fault) -> None:
        """Show an error of the console's own as a fault card, and log it."""
        log.error("%s %s\n%s", fault.what, fault.fix, fault.traceback)
        self._note(self.state.apply(fault, now_ns()))

    def watch(self, watched: bool) -> None:
        """Note whether the window can be seen: unseen, it is redrawn only a few times a second."""
        if watched != self._watched:
            self._watched = watched
            self._pace()

    # ---- the engine's telemetry

    def _pace(self) -> None:
        fps = self.settings.console.live_fps if self._watched else _IDLE_FPS
        self._tick.setInterval(max(1, 1000 // fps))

    def _on_ready(self, *_: object) -> None:
        if self._session is None:
            return
        try:
            records = self._session.poll()
        except Exception as error:
            self._on_death(unexpected("the connection to the engine", error, "Restart it."))
            return
        for record in records:
            self._take(record)

    def _take(self, record: Any) -> None:
        self._note(self.state.apply(record, now_ns()))
        self.received.emit(record)
        if isinstance(record, ProbeResult):
            self.probe_done.emit(record)
        elif isinstance(record, RunEnded):
            self.run_ended.emit(record)
        elif isinstance(record, OverlayToggled):
            self.overlay_toggled.emit()
        elif isinstance(record, Fault):
            log.error("engine: %s %s\n%s", record.what, record.fix, record.traceback)
        elif isinstance(record, StateChanged):
            self.flush()
        elif isinstance(record, GameOpened):
            self.remember("last_game", record.game_id)

    def remember(self, name: str, value: str | bool) -> None:
        """Save a setting of the console's own; a failure shows at another save."""
        if self.settings_fault is not None or value == getattr(self.settings.console, name):
            return  # a file that could not be read is left for its owner to mend
        self.settings = self.settings.with_value("console", name, value)
        with contextlib.suppress(PitwallError):
            save_settings(self.data.settings, self.settings)

    def _on_death(self, death: PitwallError) -> None:
        words = death.traceback if isinstance(death, ChildDied) else traceback.format_exc()
        log.error("%s\n%s", death.what, words)
        session = self._release()
        self._note(self.state.lost(death.what, death.fix, words))
        if session is not None:
            self._end_aside(session)
        self.flush()

    def withdraw(self, fault: Fault) -> None:
        """Take away a fault or notice that no longer holds."""
        if fault in self.state.faults:
            self.state.faults.remove(fault)
            self._note(Part.FAULT)

    def _note(self, changed: Part) -> None:
        self._pending |= changed
        subject = self.state.subject
        if subject != self._subject:
            self._subject = subject
            if not subject.game_id:
                self.last_frame = None
            self.subject_changed.emit(subject)

    def flush(self) -> None:
        """Send the pages the changes now."""
        if self._pending:
            changed, self._pending = self._pending, Part.NONE
            self.changed.emit(changed)

    def _on_tick(self) -> None:
        if self._released is not None and self._released.done() and self._closing is None:
            following, self._next = self._next, None
            if following is not None:
                self.open(following)
            else:  # cancelled meanwhile
                self._released = None
                self._note(self.state.closed())
        if self._closing is not None and not self._closing.is_alive():
            self._closing = None
            self._note(self.state.closed())
            if self._next is not None:
                following, self._next = self._next, None
                self.open(following)
        if self.state.phase is Phase.OPENING:
            self._on_ready()  # on Windows the notifier misses an engine that ended before it was enabled
        if self._session is not None:
            self._session.flush()
            if self.state.phase is not Phase.OPENING and (frame := self._session.frame()) is not None:
                self.last_frame = frame
                self.frame.emit(frame)
        self.flush()


def _read_settings(data: DataFolder) -> tuple[Settings, Fault | None]:
    try:
        return load_settings(data.settings), None
    except PitwallError as error:
        return Settings(), Fault(what=error.what, fix=f"{error.fix} Until then the defaults are in force.")
