"""The console as a program: display, data folder, log, signals, and an unattended run."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from pitwall.console.kit.language.change import Language
from pitwall.console.services.bridge import Bridge
from pitwall.console.services.garbage import GarbageCollector
from pitwall.console.services.session import Opener, Session
from pitwall.console.shell.application import Console
from pitwall.console.shell.beginning import EarlyEngine
from pitwall.console.shell.bundle_view import ShownBundle
from pitwall.console.shell.fault_bar import faults_shown
from pitwall.console.shell.placement import Placement
from pitwall.console.state.view_state import Part, Phase
from pitwall.core import commands
from pitwall.core.clock import BEGAN, since_start_s
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.core.telemetry import Fault, RunBegan, RunEnded, StepNote
from pitwall.games.registry import Registry
from pitwall.link.autoplay import AutoPlay, PlayResult
from pitwall.link.engine_session import EngineSession


class StartTimes(QObject):
    """Follows one start.

    Args:
        painted: returns how many live pictures were painted so far.
        first_action: called once the agent has acted for the first time.

    Attributes:
        seconds: seconds until "window", "first frame" and "first action".
    """

    def __init__(
        self,
        window: QWidget,
        bridge: Bridge,
        painted: Callable[[], int],
        first_action: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self.seconds: dict[str, float] = {}
        self._window, self._bridge = window, bridge
        self._painted, self._first_action = painted, first_action
        window.installEventFilter(self)
        bridge.frame.connect(self._frame)
        bridge.received.connect(self._receive)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            QTimer.singleShot(0, self, lambda: self._reached("window"))
        return super().eventFilter(watched, event)

    def _frame(self, _frame: object) -> None:
        if self._painted():
            self._bridge.frame.disconnect(self._frame)
            self._reached("first frame")

    def _receive(self, record: Any) -> None:
        if isinstance(record, StepNote):
            self._bridge.received.disconnect(self._receive)
            self._reached("first action")
            self._first_action()

    def _reached(self, milestone: str) -> None:
        self.seconds[milestone] = seconds = since_start_s()
        if BEGAN in os.environ:
            sys.stderr.write(f"pitwall: {seconds:6.1f} s in all  {_WORDS[milestone]}\n")


_WORDS = {
    "window": "the console's window",
    "first frame": "the game's first picture in it",
    "first action": "the agent plays",
}


log = logging.getLogger(__name__)

_PICTURE_AT = 0.7
"""A wanted screenshot is taken after this share of the run."""
_PICTURE_AFTER_S = 5.0
_NICE = 5
_LATER_MS = 3_000
"""Delay until a console without an unattended run looks for missing parts."""


def run_console(
    data: DataFolder,
    early: EarlyEngine,
    *,
    opening: commands.Open | None = None,
    autostart: commands.Start | None = None,
    screenshot: Path | None = None,
    bundle: ShownBundle | None = None,
    install: bool = False,
) -> PlayResult | None:
    """Open the console; return when it is closed.

    Args:
        early: the engine that was started before it, see `beginning.begun`.
        opening: game to open at once; its settings are read from the data folder.
        autostart: start this run once the game is in view. Where the run has an end (`seconds` or
            `steps`), the console closes after it.
        screenshot: file for a picture of the window during that run.
        bundle: the bundle behind the data folder; it is shown, and nothing is played.
        install: install the missing components, once the first step was played.

    Returns:
        The result of the unattended run; None where none was asked for.
    """
    with _logging_to(data.logs):
        app = QApplication.instance() or QApplication(["pitwall"])
        assert isinstance(app, QApplication)
        GarbageCollector(app)
        app.setApplicationName("Pitwall")
        app.setDesktopFileName("pitwall")
        language = Language(load_settings(data.settings))
        start = _behind_the_engine()

        def opener(folder: DataFolder, opened: commands.Open) -> Session:
            return early.take(opened) or start(folder, opened)

        with _signals_quit(app) as signals:
            games = Registry(data).games if bundle is None else tuple
            first = autostart is None and bundle is None
            console = Console(app, data, opener, games, preflight=first, bundle=bundle)
            console.bridge.settings_changed.connect(language.follow)
            with faults_shown(console.bridge.report):
                times = StartTimes(
                    console.window,
                    console.bridge,
                    lambda: console.live.view.painted,
                    lambda: console.components.offer(begin=install),
                )
                if autostart is None:
                    QTimer.singleShot(_LATER_MS, app, lambda: console.components.offer(begin=install))
                unattended = prepare(app, console, opening, autostart, screenshot)
                console.window.closed.connect(app.quit)
                console.window.show()
                QTimer.singleShot(0, app, lambda: app.exit() if signals else None)
                app.exec()
                console.close()
        language.end()
        if unattended is not None:
            unattended.play.result.started_s = times.seconds
        return unattended.play.result if unattended is not None else None


def prepare(
    app: QApplication,
    console: Console,
    opening: commands.Open | None,
    autostart: commands.Start | None,
    screenshot: Path | None,
) -> UnattendedRun | None:
    """Prepare a console that is not shown yet: its place, the game to open, and a run that starts by itself.

    Returns:
        The run that starts by itself, for the caller to keep; None where none was asked for.
    """
    Placement(console.bridge, console.window)
    unattended = None
    if autostart is not None:
        console.window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        unattended = UnattendedRun(app, console, autostart, screenshot)
    if opening is not None:
        QTimer.singleShot(0, console.bridge, lambda: console.bridge.open(opening))
    elif not console.bridge.settings.console.tour_done:
        QTimer.singleShot(0, console.window, console.window.show_tour)
    return unattended


class UnattendedRun:
    """A run that starts by itself; where it has an end, it then closes the console.

    The caller must keep a reference: Qt holds none to the object behind a slot.

    Args:
        screenshot: file for a picture of the window, None for none.
    """

    def __init__(
        self, app: QApplication, console: Console, start: commands.Start, screenshot: Path | None
    ) -> None:
        self._app = app
        self._console = console
        self._start = start
        self._screenshot = screenshot
        self._ends = start.seconds is not None or start.steps is not None
        self._painted_before = 0
        self.play = AutoPlay(start, probe_leak=self._ends, stop_on_takeover=False)
        console.bridge.received.connect(self._receive)
        console.bridge.changed.connect(self._engine_lost)

    def _engine_lost(self, changed: Part) -> None:
        """End the play, and a console that closes after it, where its engine is gone: nobody restarts it."""
        loss = self._console.bridge.state.loss
        if not changed & Part.PHASE or self._console.bridge.state.phase is not Phase.LOST or loss is None:
            return
        if self._ends and not self.play.done:
            self.play.give_up(Fault(what=loss.message, fix=loss.fix))
            self._app.exit()

    def _receive(self, record: Any) -> None:
        for command in self.play.react(record):
            self._console.bridge.send(command)
        if isinstance(record, RunBegan) and self._screenshot is not None:
            seconds = self._start.seconds
            after_s = seconds * _PICTURE_AT if seconds is not None else _PICTURE_AFTER_S
            QTimer.singleShot(int(after_s * 1000), self._console.window, self._take_picture)
        painted = self._console.live.view.painted
        if isinstance(record, RunBegan):
            self._painted_before = painted
        elif isinstance(record, RunEnded):
            self.play.result.live_frames = painted - self._painted_before
        if self.play.done and self._ends:
            self._take_picture()
            self._app.exit()

    def _take_picture(self) -> None:
        path, self._screenshot = self._screenshot, None
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if not self._console.window.grab().save(str(path)):
            log.error("the screenshot could not be written to %s", path)


def _behind_the_engine() -> Opener:
    """Lower this thread's priority below the engine's; return a function that starts engines.

    On Linux a child inherits the priority of the thread that starts it and cannot raise it again. So the
    function starts engines from a thread with the usual priority.
    """
    if sys.platform != "linux":
        return EngineSession
    starter = ThreadPoolExecutor(1, thread_name_prefix="starter")
    starter.submit(os.getpid).result()  # the thread must exist before the priority is lowered
    os.setpriority(os.PRIO_PROCESS, 0, _NICE)
    return lambda data, opening: starter.submit(EngineSession, data, opening).result()


@contextlib.contextmanager
def _logging_to(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(folder / "console.log", encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("pitwall")
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


@contextlib.contextmanager
def _signals_quit(app: QApplication) -> Iterator[list[int]]:
    """Let Ctrl+C and SIGTERM end the console without asking a page.

    Python receives the signals at the ticks of the bridge's timer.

    Yields:
        The signals received: one that comes before the window's loop starts cannot end the loop.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    received: list[int] = []

    def receive(number: int, _frame: object) -> None:
        received.append(number)
        app.exit()

    before = [signal.signal(number, receive) for number in numbers]
    try:
        yield received
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
