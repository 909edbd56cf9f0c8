"""The loop. It alone knows the order of the stages and their timing; the stages do not know each other."""

from __future__ import annotations

import logging
import os
import select
import socket
from typing import Any

from pitwall import __version__
from pitwall.core import commands, injection, telemetry
from pitwall.core.clock import NS_PER_MS, NS_PER_S, ms_between, now_ns
from pitwall.core.errors import (
    ChannelClosed,
    ChildDied,
    DisplayError,
    LaunchFailed,
    PitwallError,
    WindowLost,
)
from pitwall.core.frames import Frame
from pitwall.core.injection import FocusHolder, StopCause
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunOutcome
from pitwall.core.telemetry import EngineState, StateChanged
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.capture.display_check import check_display
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.inference.module_manager import ModuleManager
from pitwall.engine.loop.active_run import ActiveRun, HeldBack
from pitwall.engine.loop.engine_state import may_play, phase
from pitwall.engine.loop.preflight import run_preflight_check
from pitwall.engine.loop.window_watch import WindowWatch
from pitwall.engine.recall.agent_memory import AgentMemory, refused_edit
from pitwall.engine.recall.embedder import Embedder
from pitwall.engine.recording.operator_reports import OperatorReports
from pitwall.engine.recording.recorder import Recorder, Unrecorded
from pitwall.engine.session.game_session import GameSession
from pitwall.link.channel import Channel
from pitwall.models.shipped import with_shipped

_log = logging.getLogger(__name__)

_IDLE_WAIT_NS = 50 * NS_PER_MS
_HEARTBEAT_NS = 50 * NS_PER_MS


class Engine:
    """One engine process.

    Args:
        channel: telemetry out, commands in.
        stop_line: handed on to the brokers; its other end is the operator's.
        data: the data folder.
    """

    def __init__(self, channel: Channel[Any, Any], stop_line: socket.socket, data: DataFolder) -> None:
        self._channel = channel
        self._stop_line = stop_line
        self._data = data
        self._reports = OperatorReports(channel)
        self._opening: commands.Open | None = None
        self._session: GameSession | None = None
        self._broker: BrokerLink | None = None
        self._configured: injection.Configure | None = None
        self._recorder: Recorder | None = None
        self._run: ActiveRun | None = None
        self._focus = FocusHolder.OTHER
        self._failed = False
        self._window = WindowWatch(self._reports)
        self._models: ModelManager | None = None
        self._memory: AgentMemory | None = None
        self._driving: ModuleManager | None = None
        self._heartbeat_at_ns = 0
        self._quitting = False

    # ---- the loop

    def run(self) -> None:
        """Run until told to quit.

        Raises:
            ChannelClosed: the operator is gone; everything was released and recorded.
        """
        self._reports.tell(telemetry.Hello(pid=os.getpid(), version=__version__))
        while not self._quitting:
            ready = self._sleep()
            self._receive(ready)
            self._turn()
            if self._reports.unheard:
                raise ChannelClosed("the operator is gone.")

    def _turn(self) -> None:
        """Capture, perceive, trigger, decide, act, record; then show."""
        session = self._session
        if session is None:
            return
        began = now_ns()
        waited_ns = self._waited_ns
        try:
            frame = session.capture()
            if frame is not None:
                session.perceive(frame)
            if self._run is not None and may_play(session, self._run, self._focus):
                self._run.player.turn(fresh=frame is not None or session.renewed)
            elif self._run is not None:
                self._run.player.rest()
            if frame is not None:
                acted = now_ns()
                self._show(session, frame, ms_between(began, acted))
                worked_ms = ms_between(began + self._waited_ns - waited_ns, now_ns())
                self._count(frame, worked_ms, ms_between(frame.captured_ns, acted))
            elif session.renewed:
                self._note(session, ms_between(began, now_ns()))
        except DisplayError as error:
            self._fail(error)
        self._keep_time(now_ns())

    def _show(self, session: GameSession, frame: Frame, loop_ms: float) -> None:
        """After the acting is done: the frame into the ring, its note to the console."""
        if self._run is not None:
            self._run.film(frame)
        self._reports.frame(frame)
        self._note(session, loop_ms)

    def _note(self, session: GameSession, loop_ms: float) -> None:
        """What the loop made of the newest frame; once more where boxes came for it later."""
        assert session.seen is not None
        shown = self._run.player.shown() if self._run is not None else None
        held = self._broker.held if self._broker is not None else ()
        self._reports.note(session.note(session.seen.frame, shown, held, loop_ms))

    def _count(self, frame: Frame, worked_ms: float, age_ms: float) -> None:
        """A frame's figures: the loop's work for it, from capturing to showing; its age once acted on."""
        self._reports.rates.frame(frame.captured_ns, worked_ms, age_ms)
        if self._run is not None:
            self._run.count(worked_ms, age_ms)

    @property
    def _waited_ns(self) -> int:
        """Time that the loop has given to the broker so far: it did no work then."""
        return self._broker.waited_ns if self._broker is not None else 0

    def _keep_time(self, now: int) -> None:
        """What happens by the clock: heartbeats, the window, the run's end, figures."""
        if self._broker is not None and self._beat_due(now):
            self._heartbeat_at_ns = now
            self._broker.heartbeat()
        self._follow_window(now)
        if self._session is not None and self._models is not None:
            self._models.follow(self._session.settings, now)
        if self._memory is not None:
            self._memory.pump()
        if self._driving is not None:
            self._drive(self._driving, now)
        for fault in self._session.faults() if self._session is not None else []:
            self._reports.fault(fault)
        if self._run is not None and self._run.over:
            self._end_run("finished")
        self._report_state()
        if self._session is not None:
            figures = self._run.player.figures if self._run is not None else None
            self._reports.stats(now, figures, self._session.frames, self._session.view.dropped)

    def _beat_due(self, now: int) -> bool:
        return now - self._heartbeat_at_ns >= _HEARTBEAT_NS

    def _sleep(self) -> set[int]:
        """Wait for a frame, a command, the broker, a commit, text, or the next deadline: what is readable."""
        readers: list[int] = [self._channel.fileno()]
        due = now_ns() + _IDLE_WAIT_NS
        if self._session is not None:
            readers += self._session.filenos()
        if self._broker is not None:
            readers += self._broker.filenos()
        if self._recorder is not None:
            readers.append(self._recorder.fileno())
        if self._memory is not None:
            readers.append(self._memory.fileno())
        if self._run is not None:
            due = min(due, self._run.player.next_due_ns() or due)
        writers = [self._channel.fileno()] if self._channel.wants_write else []
        writers += self._session.unsent() if self._session is not None else []
        timeout_s = max(0.0, (due - now_ns()) / NS_PER_S)
        readable, writable, _ = select.select(readers, writers, [], timeout_s)
        if self._channel.fileno() in writable:
            self._channel.flush()
        return set(readable)

    # ---- hearing

    def _receive(self, ready: set[int]) -> None:
        """Hear whoever has something to say; the broker also by the clock, because it may have died."""
        if self._channel.fileno() in ready:
            self._read_commands()
        broker = self._broker
        if broker is not None and (self._beat_due(now_ns()) or not ready.isdisjoint(broker.filenos())):
            self._read_broker()
        if self._recorder is not None and self._recorder.fileno() in ready:
            self._read_recorder()

    def _read_commands(self) -> None:
        for message, _ in self._channel.receive():
            try:
                self._handle(message)
            except PitwallError as error:
                self._reports.fault(error)

    def _handle(self, command: Any) -> None:
        match command:
            case commands.Open():
                self._open(command)
            case commands.Start():
                self._start(command)
            case commands.EditMemory():
                self._edit(command)
            case commands.Quit():
                self._end_run()
                self._quitting = True
            case commands.Pause() | commands.Resume() | commands.Stop() | commands.EmergencyStop():
                self._steer_run(command)
            case _:
                self._change_session(command, self._need_session())

    def _edit(self, command: commands.EditMemory) -> None:
        if self._memory is not None:
            self._memory.edit(command)
        else:
            self._reports.tell(refused_edit(command, "no game is open.", "Choose a game first."))

    def _steer_run(self, command: Any) -> None:
        """Commands for the run that is on; without one they change nothing."""
        if isinstance(command, commands.EmergencyStop) and self._broker is not None:
            self._broker.latch(StopCause.CONSOLE)
        run = self._run
        if run is None:
            return
        match command:
            case commands.Pause():
                run.pause(HeldBack(EngineState.PAUSED, "operator", "Paused."))
            case commands.Resume():
                run.resume()
            case commands.EmergencyStop():
                run.emergency_stop()
            case commands.Stop():
                self._end_run()

    def _change_session(self, command: Any, session: GameSession) -> None:
        match command:
            case commands.SetThresholds(thresholds=thresholds):
                session.thresholds = thresholds
                self._reports.tell(telemetry.ThresholdsInForce(thresholds=thresholds))
            case commands.SetSettings(settings=settings):
                session.settings = with_shipped(settings)
            case commands.LoadModel(name=name):
                self._need_models().load(name)
            case commands.UnloadModel(name=name):
                self._need_models().unload(name)
            case commands.ChooseWindow(window_id=window_id):
                self._end_run()
                session.view.choose(window_id)
                self._failed = False
                self._window.forget()
            case commands.Probe(name=name):
                if self._run is not None:
                    raise PitwallError("a run is on.", "Stop it, then check again.")
                self._reports.tell(run_preflight_check(name, session, self._broker))

    def _read_broker(self) -> None:
        if self._broker is None:
            return
        try:
            for message in self._broker.poll():
                self._handle_broker(message)
        except ChildDied as error:
            self._fail(_cause_of(error))
            self._broker = self._configured = None

    def _handle_broker(self, message: Any) -> None:
        run = self._run
        match message:
            case injection.Receipt() | injection.PersonActed() if run is not None:
                run.hear(message)
            case injection.Latched() if run is not None:
                run.latched(message)
            case injection.FocusChanged(holder=holder):
                self._focus = holder
            case injection.HotkeyPressed(name="pause") if run is not None:
                run.toggle_pause()
            case injection.HotkeyPressed(name="overlay"):
                self._reports.tell(telemetry.OverlayToggled())
            case injection.BrokerFault(what=what, fix=fix):
                self._reports.tell(telemetry.Fault(what=what, fix=fix, error="BrokerFault"))

    def _read_recorder(self) -> None:
        if self._recorder is None:
            return
        for fault in self._tell_committed(self._recorder):
            self._unrecorded(fault)

    def _tell_committed(self, recorder: Recorder) -> list[telemetry.Fault]:
        """Tell what the recorder has done; returns the faults that cost a part of the run."""
        lost: list[telemetry.Fault] = []
        for note in recorder.committed():
            if isinstance(note, Unrecorded):
                lost.append(note.fault)
            self._reports.tell(note.fault if isinstance(note, Unrecorded) else note)
        return lost

    def _unrecorded(self, fault: telemetry.Fault) -> None:
        """The disk did not take something: play pauses; a run's end that is missing is a failure."""
        if self._run is not None:
            self._run.pause(HeldBack(EngineState.PAUSED, "recording", fault.what, fault.fix))
        else:
            self._report_failure("recording", fault.what, fault.fix)

    # ---- the game

    def _remember(self, session: GameSession, models: ModelManager) -> AgentMemory:
        """Open the game's memory; it says itself where it cannot be opened."""
        embedder = Embedder(session.host.mailbox(), lambda: session.settings.memory, models)
        return AgentMemory(self._data, session.game, embedder, lambda: session.settings, self._reports.tell)

    def _modules(self, opening: commands.Open, session: GameSession) -> ModuleManager:
        """The game's modules, each under the version that should drive it."""
        return ModuleManager(
            session.game,
            self._data,
            session.host.mailbox(),
            pins=opening.modules,
            explore=opening.explore,
            seed=opening.seed or 0,
            tell=self._reports.tell,
            on_fault=self._reports.fault,
            on_detectors=session.adopt,
        )

    def _drive(self, driving: ModuleManager, now: int) -> None:
        """Follow what was promoted; without a version that was asked for by name nothing is played."""
        driving.follow(now)
        if driving.failure is not None and not self._failed:
            self._fail(driving.failure)

    def _open(self, opening: commands.Open) -> None:
        if self._session is not None and opening is not self._opening:
            raise PitwallError("a game is open here already.", "Start another engine for another game.")
        self._opening = opening
        self._failed = False
        self._window.forget()
        try:
            if self._session is None:
                self._session = GameSession(opening, self._data)
                self._models = ModelManager(self._data, self._session.host.mailbox(), self._reports.tell)
                self._memory = self._remember(self._session, self._models)
            self._reports.tell(self._session.opened())
            self._driving = self._driving or self._modules(opening, self._session)
            self._session.view.begin()
            if self._broker is None:
                self._broker = BrokerLink(
                    stop_line=self._stop_line, logs=self._data.logs, console_pids=opening.console_pids
                )
        except PitwallError as error:
            self._fail(error)

    def _follow_window(self, now: int) -> None:
        """Where the window is, and what that means for the run and for the broker."""
        session, run = self._session, self._run
        if session is None or self._failed:
            return
        try:
            happened = self._window.follow(session, now)
        except PitwallError as error:
            self._fail(error)
            return
        if happened == "gone" and run is not None:
            run.pause(HeldBack(EngineState.PAUSED, "window_gone", "The game's window was closed.", ""))
        elif happened == "back" and run is not None:
            run.window_back()
        if happened == "gone" or session.view.source is None or self._broker is None:
            return
        wanted = session.broker_configuration(session.view.window)
        if wanted != self._configured:
            self._configured = wanted
            self._broker.configure(wanted)

    def _fail(self, error: PitwallError) -> None:
        """Nothing can be played: say why. What follows from the first failure is only logged."""
        _log.error("%s", error)
        if isinstance(error, DisplayError) and self._session is not None:
            self._session.view.close_source()
        if self._failed:
            return
        lost = isinstance(error, WindowLost | LaunchFailed | DisplayError)
        self._end_run("lost_window" if lost else "crashed")
        self._report_failure(type(error).__name__, error.what, error.fix)

    def _report_state(self) -> None:
        if self._session is not None and not self._failed:
            loading = self._driving is not None and not self._driving.ready
            self._reports.state(phase(self._session, self._run, self._focus, loading=loading))

    def _report_failure(self, cause: str, what: str, fix: str) -> None:
        self._failed = True
        self._reports.state(StateChanged(state=EngineState.FAILED, cause=cause, text=what, fix=fix))

    # ---- the run

    def _start(self, start: commands.Start) -> None:
        if self._run is not None:
            return
        session = self._need_session()
        driving = self._driving
        if self._failed or self._broker is None or session.view.source is None or driving is None:
            assert self._opening is not None
            self._open(self._opening)
            return
        try:
            self._recorder = self._recorder or Recorder(self._data)
            for notice in self._recorder.notices:
                self._reports.tell(telemetry.Fault(what=notice, error="Notice"))
            self._recorder.notices.clear()
            self._run = ActiveRun(
                session,
                self._broker,
                self._recorder,
                self._reports,
                self._need_models(),
                start,
                driving,
                self._memory,
            )
        except PitwallError as error:
            self._fail(error)

    def _end_run(self, outcome: RunOutcome | None = None) -> None:
        """End the run if there is one; without an outcome it is one that the operator ended."""
        run, self._run = self._run, None
        if run is None:
            return

        def hear(message: Any) -> None:
            if isinstance(message, injection.Receipt):
                run.player.receipt(message)
            else:
                self._handle_broker(message)

        run.end(outcome or run.outcome_when_stopped, hear)

    def _need_models(self) -> ModelManager:
        self._need_session()
        assert self._models is not None
        return self._models

    def _need_session(self) -> GameSession:
        if self._session is None:
            raise PitwallError("no game is open.", "Choose a game first.")
        return self._session

    def quit(self) -> None:
        """Leave the loop at its next turn."""
        self._quitting = True

    def shut(self, *, crashed: bool = False) -> None:
        """Release, write what was handed over, close everything. Safe to call twice.

        A game that we launched is left open where its operator is gone without a word.
        """
        self._end_run("crashed" if crashed else None)
        if self._memory is not None:
            self._memory.close()
            self._memory = None
        if self._recorder is not None:
            self._recorder.close()
            self._tell_committed(self._recorder)
            self._recorder = None
        if self._broker is not None:
            self._broker.close()
            self._broker = None
        if self._session is not None:
            close_game = self._opening is not None and self._opening.close_game and self._quitting
            self._session.close(close_game=close_game)
            self._session = None
        self._reports.close()


def _cause_of(death: ChildDied) -> PitwallError:
    """Why no broker is left: brokers end by themselves where the display is lost."""
    try:
        check_display()
    except DisplayError as lost:
        return lost
    return death
