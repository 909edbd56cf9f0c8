"""The console's only door: engine, settings, games, and slow commands. Pages touch nothing else.

Telemetry wakes the console through a socket notifier and goes into the view state at once; what it
changed is told to the pages together, at most `live_fps` times a second. The engine never waits for
any of this. Slow work is a `pitwall` command in a process of its own.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Protocol

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer, Signal

from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase, ViewState
from pitwall.core import commands
from pitwall.core.clock import now_ns
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings, save_settings
from pitwall.core.signals import Thresholds
from pitwall.core.telemetry import Fault, GameOpened, OverlayToggled, ProbeResult, RunEnded, StateChanged
from pitwall.games.registry import GameEntry
from pitwall.link.frame_ring import RingFrame
from pitwall.models.registry import ModelRegistry

log = logging.getLogger(__name__)

_IDLE_FPS = 5


class Session(Protocol):
    """Declares what the bridge asks of an engine: `link.engine_session.EngineSession`."""

    @property
    def pid(self) -> int: ...

    @property
    def alive(self) -> bool: ...

    def fileno(self) -> int: ...

    def poll(self) -> list[Any]: ...

    def send(self, command: Any) -> None: ...

    def flush(self) -> None: ...

    def emergency_stop(self) -> None: ...

    def frame(self) -> RingFrame | None: ...

    def close(self) -> object: ...


Opener = Callable[[DataFolder, commands.Open], Session]


class Bridge(QObject):
    """Holds the engine's session and the view state.

    Args:
        data: the operator's data folder.
        opener: makes a session: `EngineSession`.
        games: reads the known games anew.
        trust: trusts a game's folder (by id or path) as it is now.

    Attributes:
        checks_first: asked at a start: runs what is to be checked before it; whether that starts it.

    Signals:
        changed: `Part`s of the state to redraw, at most `live_fps` times a second.
        frame: the newest `RingFrame`.
        received: every telemetry record, in order.
        probe_done: a `ProbeResult`. run_ended: a `RunEnded`. overlay_toggled: the overlay key.
        settings_changed: the `Settings` now in force.
    """

    changed = Signal(object)
    frame = Signal(object)
    received = Signal(object)
    probe_done = Signal(object)
    run_ended = Signal(object)
    overlay_toggled = Signal()
    settings_changed = Signal(object)

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
        self._ask_way: Callable[[], Future[None] | None] = lambda: None
        self._way: Future[None] | None = None
        self._closing: threading.Thread | None = None
        self._ending: list[threading.Thread] = []
        self._pending = Part.NONE
        self._tick = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._tick.timeout.connect(self._on_tick)
        self.checks_first: Callable[[], bool] = lambda: False
        self._watched = True
        self._pace()
        self._tick.start()
        if self.settings_fault is not None:
            self.report(self.settings_fault)

    def games(self) -> Sequence[GameEntry]:
        """List the known games, read once for all who ask within one turn of Qt's loop."""
        if self._games is None:
            self._games = self._read_games()
            QTimer.singleShot(0, self, self._forget_games)
        return self._games

    def _forget_games(self) -> None:
        self._games = None

    # ---- the engine's life

    @property
    def engine_pid(self) -> int | None:
        return self._session.pid if self._session is not None else None

    def open_game(self, game: str, *, window_id: int | None = None, seed: int | None = None) -> None:
        """Stand beside a game; an engine that is open is ended first, without blocking."""
        self.open(commands.Open(game=game, window_id=window_id, seed=seed))

    def open(self, opening: commands.Open) -> None:
        """As `open_game`, with everything said; settings and console_pids are filled in here."""
        if self._session is not None or self._closing is not None:
            self._next = opening
            self._begin_close()
            return
        if self._way is None:
            self._way = self._ask_way()
        if self._way is not None and not self._way.done():
            self._next = opening
            self._note(self.state.opening(opening.game))
            return
        self._way = None
        self._opening = replace(opening, settings=self.settings, console_pids=(os.getpid(),))
        self._note(self.state.opening(opening.game))
        try:
            self._session = self._opener(self.data, self._opening)
        except (PitwallError, OSError) as error:
            message = error.what if isinstance(error, PitwallError) else str(error)
            fix = error.fix if isinstance(error, PitwallError) else ""
            self._note(self.state.lost(message, fix, ""))
            return
        self._notifier = QSocketNotifier(self._session.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_ready)

    def make_way_by(self, ask: Callable[[], Future[None] | None]) -> None:
        """Have something end before an engine opens, without blocking: what holds the memory meanwhile.

        Args:
            ask: asks it to end; returns what is done once it has, None where nothing is in the way.
        """
        self._ask_way = ask

    def restart(self) -> None:
        """Open the last game again, after a failure or a lost engine."""
        if self._opening is not None:
            self.open(self._opening)

    def trust_and_restart(self) -> None:
        """The operator trusts the folder of the game that was asked for: open it again."""
        if self._opening is not None:
            try:
                self._trust(self._opening.game)
            except PitwallError as error:
                self.report(Fault(what=error.what, fix=error.fix))
                return
            self.open(self._opening)

    def close_game(self) -> None:
        """End the engine (and the game, where it was launched), without blocking."""
        self._next = None
        self._begin_close()

    def forget(self) -> None:
        """After a lost engine: back to choosing a game."""
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
        """Ending an engine may take seconds: not here."""
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

    # ---- what the operator asks

    @property
    def connected(self) -> bool:
        """Whether there is an engine to ask."""
        return self._session is not None

    def send(self, command: commands.Command) -> None:
        """Send any command; nothing happens without an engine."""
        if self._session is not None:
            self._session.send(command)

    def start(self) -> None:
        """Begin a run; after a pause, a takeover or an emergency stop, go on with it."""
        halted = self.state.phase in HALTED
        if not halted and self.checks_first():
            return
        self.send(commands.Resume() if halted else commands.Start())

    def teach(self) -> None:
        """Record how the person at the screen plays; nothing is sent to the game."""
        self.send(commands.Start(mode=commands.PlayMode.chosen_in(self.settings).as_demonstration))

    def pause(self) -> None:
        self.send(commands.Pause())

    def stop(self) -> None:
        self.send(commands.Stop())

    def emergency_stop(self) -> None:
        """Every key up, now: by the stop line, which needs no engine."""
        if self._session is not None:
            self._session.emergency_stop()

    def toggle_pause(self) -> None:
        if self.state.phase in RUNNING:
            self.pause()
        else:
            self.start()

    def set_thresholds(self, thresholds: Thresholds) -> None:
        """In force from the next step; the engine's echo comes as `Part.THRESHOLDS`."""
        self.send(commands.SetThresholds(thresholds=thresholds))

    def choose_window(self, window_id: int) -> None:
        """Play another window (X11 id) with the game that is open."""
        self.send(commands.ChooseWindow(window_id=window_id))

    def probe(self, name: str, **options: Any) -> None:
        """Run a preflight check: capture, leak, input or stop; its result comes as `probe_done`."""
        self.send(commands.Probe(name=name, options=options))  # type: ignore[arg-type]

    def save_settings(self, settings: Settings) -> None:
        """Put settings in force, here and in the engine, and keep them.

        Raises:
            SettingsError: they are in force, but cannot be written.
        """
        self.settings = settings
        self._pace()
        self.send(commands.SetSettings(settings=settings))
        self.settings_changed.emit(settings)
        save_settings(self.data.settings, settings)

    def has_models(self) -> bool:
        """Whether a model is known that a tier could use; so also where that cannot be read."""
        try:
            return bool(ModelRegistry(self.data).all())
        except PitwallError:
            return True

    def report(self, fault: Fault) -> None:
        """Show an error of the console's own as a fault card, and log it."""
        log.error("%s %s\n%s", fault.what, fault.fix, fault.traceback)
        self._note(self.state.apply(fault, now_ns()))

    def watch(self, watched: bool) -> None:
        """Whether anybody can see the window: unseen, it is redrawn a few times a second."""
        if watched != self._watched:
            self._watched = watched
            self._pace()

    # ---- what the engine tells

    def _go_on_opening(self) -> None:
        following, self._next = self._next, None
        if following is not None:
            self.open(following)
        else:  # called off meanwhile
            self._way = None
            self._note(self.state.closed())

    def _pace(self) -> None:
        fps = self.settings.console.live_fps if self._watched else _IDLE_FPS
        self._tick.setInterval(max(1, 1000 // fps))

    def _on_ready(self, *_: object) -> None:
        if self._session is None:
            return
        try:
            records = self._session.poll()
        except ChildDied as death:
            self._on_death(death)
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
        """Keep something of the console's own; where it cannot be kept, another save will say so."""
        if self.settings_fault is not None or value == getattr(self.settings.console, name):
            return  # a file that could not be read is its owner's to mend
        self.settings = self.settings.with_value("console", name, value)
        with contextlib.suppress(PitwallError):
            save_settings(self.data.settings, self.settings)

    def _on_death(self, death: ChildDied) -> None:
        log.error("%s\n%s", death.what, death.traceback)
        session = self._release()
        self._note(self.state.lost(death.what, death.fix, death.traceback))
        if session is not None:
            self._end_aside(session)
        self.flush()

    def _note(self, changed: Part) -> None:
        self._pending |= changed

    def flush(self) -> None:
        """Tell the pages now what changed."""
        if self._pending:
            changed, self._pending = self._pending, Part.NONE
            self.changed.emit(changed)

    def _on_tick(self) -> None:
        if self._way is not None and self._way.done() and self._closing is None:
            self._go_on_opening()
        if self._closing is not None and not self._closing.is_alive():
            self._closing = None
            self._note(self.state.closed())
            if self._next is not None:
                following, self._next = self._next, None
                self.open(following)
        if self.state.phase is Phase.OPENING:
            self._on_ready()  # Windows tells nobody of an engine that ended before Qt asked it to
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
