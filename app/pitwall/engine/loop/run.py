"""The loop. It alone knows the order of the stages and their timing; the stages do not know each other."""

from __future__ import annotations

import logging
import os
import select
import socket
from dataclasses import replace
from typing import Any

from pitwall import __version__
from pitwall.core import commands, errors, injection, telemetry
from pitwall.core.clock import NS_PER_MS, NS_PER_S, ms_between, now_ns
from pitwall.core.injection import FocusHolder, StopCause
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunOutcome
from pitwall.core.telemetry import EngineState, StateChanged
from pitwall.desktops.here import lost_display
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.loop.active_run import ActiveRun
from pitwall.engine.loop.aimed_broker import AimedBroker
from pitwall.engine.loop.engine_state import may_play, phase
from pitwall.engine.loop.open_game import OpenGame
from pitwall.engine.loop.preflight import run_preflight_check
from pitwall.engine.loop.resuming import StopListener, resume
from pitwall.engine.loop.seat_check import check_before_run
from pitwall.engine.recall.agent_memory import refused_edit
from pitwall.engine.recording.operator_reports import OperatorReports
from pitwall.engine.recording.recorder import Recorder, Unlogged
from pitwall.engine.session.game_session import GameSession
from pitwall.link.channel import Channel

_log = logging.getLogger(__name__)

_IDLE_WAIT_NS = 50 * NS_PER_MS


class Engine:
    """Runs one engine process.

    Args:
        stop_line: passed on to the brokers; the operator holds its other end.
    """

    def __init__(self, channel: Channel[Any, Any], stop_line: socket.socket, data: DataFolder) -> None:
        self._channel = channel
        self._stop_line = stop_line
        self._data = data
        self._reports = OperatorReports(channel)
        self._game: OpenGame | None = None
        self._broker: AimedBroker | None = None
        self._recorder: Recorder | None = None
        self._run: ActiveRun | None = None
        self._failed = False
        self._quitting = False

    # ---- the loop

    def run(self) -> None:
        """Run until a command ends the engine.

        Raises:
            ChannelClosed: the operator is gone; everything was released and recorded.
        """
        self._reports.tell(telemetry.Hello(pid=os.getpid(), version=__version__))
        while not self._quitting:
            ready = self._sleep()
            self._receive(ready)
            if self._game is not None:
                self._turn(self._game)
            if self._reports.unheard:
                raise errors.ChannelClosed("the operator is gone.")

    def _turn(self, game: OpenGame) -> None:
        """Capture, perceive, trigger, decide, act, record; then show."""
        session, began, waited_ns = game.session, now_ns(), self._waited_ns
        try:
            frame = session.capture()
            if frame is not None:
                session.perceive(frame)
            if self._run is not None and may_play(session, self._run):
                self._run.player.turn(fresh=frame is not None or session.renewed)
            elif self._run is not None:
                self._run.rest()
            if frame is not None:
                acted = now_ns()
                if self._run is not None:
                    self._run.film(frame)
                self._reports.frame(frame)
                self._note(session, ms_between(began, acted))
                worked_ms = ms_between(began + self._waited_ns - waited_ns, now_ns())
                age_ms = ms_between(frame.captured_ns, acted)
                self._reports.rates.frame(frame.captured_ns, worked_ms, age_ms)
                if self._run is not None:
                    self._run.count(worked_ms, age_ms)
            elif session.renewed:
                self._note(session, ms_between(began, now_ns()))
        except (errors.DisplayError, errors.GuardedGame) as error:
            self._fail(error)
        self._keep_time(game, now_ns())

    def _note(self, session: GameSession, loop_ms: float) -> None:
        """Report the loop's view of the newest frame; again if boxes for it came later."""
        assert session.seen is not None
        shown = self._run.player.shown() if self._run is not None else None
        held = self._broker.link.held if self._broker is not None else ()
        self._reports.tell(session.note(session.seen.frame, shown, held, loop_ms), lossy=True)

    @property
    def _waited_ns(self) -> int:
        """Return the time that the loop has given to the broker so far; it did no work then."""
        return self._broker.link.waited_ns if self._broker is not None else 0

    def _keep_time(self, game: OpenGame, now: int) -> None:
        """Do the work that is due by the clock: heartbeats, the window, the run's end, figures."""
        if self._broker is not None:
            self._broker.beat(now)
        self._follow_window(game, now)
        if self._run is None:
            game.join_watched(now)
        game.follow(now)
        if game.modules is not None and game.modules.failure is not None and not self._failed:
            self._fail(game.modules.failure)  # a version that the operator named cannot drive
        if self._run is not None:
            self._run.go_on(now)
            obstacle = self._broker.link.obstacle if self._broker is not None else None
            if obstacle is not None and self._run.held_back is None and not self._run.mode.by_person:
                self._run.hold_back(telemetry.UNSAFE, obstacle.what, obstacle.fix)
        if self._run is not None and self._run.over:
            lost = self._run.outcome_when_stopped == "lost_window"
            self._end_run("lost_window" if lost else "finished")
        if not self._failed:
            self._tell_state(game)
        figures = self._run.player.figures if self._run is not None else None
        self._reports.stats(now, figures, game.session.frames, game.session.view.dropped)

    def _tell_state(self, game: OpenGame) -> None:
        loading = game.modules is not None and not game.modules.ready
        link = self._broker.link if self._broker is not None else None
        state = phase(game.session, self._run, link, loading=loading, review=game.review)
        self._reports.state(replace(state, own_seat=link is not None and link.own_seat))

    def _sleep(self) -> set[int]:
        """Wait for the next message or deadline; return the file descriptors that are readable."""
        readers: list[int] = [self._channel.fileno()]
        writers = [self._channel.fileno()] if self._channel.wants_write else []
        due = now_ns() + _IDLE_WAIT_NS
        if self._game is not None:
            readers += [*self._game.session.filenos(), self._game.memory.fileno()]
            writers += self._game.session.unsent()
        if self._broker is not None:
            readers += self._broker.link.filenos()
        if self._recorder is not None:
            readers.append(self._recorder.fileno())
        if self._run is not None:
            due = min(due, self._run.player.next_due_ns() or due)
        timeout_s = max(0.0, (due - now_ns()) / NS_PER_S)
        readable, writable, _ = select.select(readers, writers, [], timeout_s)
        if self._channel.fileno() in writable:
            self._channel.flush()
        return set(readable)

    # ---- messages

    def _receive(self, ready: set[int]) -> None:
        """Read every message; poll the broker by the clock as well, because it may have died."""
        if self._channel.fileno() in ready:
            for message, _ in self._channel.receive():
                try:
                    self._handle(message)
                except errors.PitwallError as error:
                    self._reports.fault(error)
        if self._broker is not None:
            try:
                for message in self._broker.poll(ready):
                    self._handle_broker(message)
            except errors.ChildDied as error:
                self._fail(lost_display() or error)
                self._broker = None
        if self._recorder is not None and self._recorder.fileno() in ready:
            for fault in self._reports.committed(self._recorder.committed()):
                if self._run is not None:
                    self._run.hold_back("recording", fault.what, fault.fix)
                else:  # the run's end could not be written
                    self._report_failure("recording", fault.what, fault.fix)

    def _handle(self, command: Any) -> None:
        match command:
            case commands.Open():
                self._open(command)
            case commands.Start():
                self._start(command)
            case commands.EditMemory() if self._game is None:
                self._reports.tell(refused_edit(command, "no game is open.", "Choose a game first."))
            case commands.Quit():
                self._end_run()
                self._quitting = True
            case commands.Stop() | commands.EmergencyStop() | commands.Pause() | commands.Resume():
                self._steer_run(command)
            case commands.BorrowKeyboard() | commands.ReturnKeyboard() | commands.KeepLast():
                self._steer_run(command)
            case _:
                self._change_game(command, self._need_game())

    def _steer_run(self, command: Any) -> None:
        """Pass a command to the run; without a run it changes nothing."""
        if isinstance(command, commands.EmergencyStop) and self._broker is not None:
            self._broker.link.latch(StopCause.CONSOLE)
        if isinstance(command, commands.Stop):
            if self._run is None and self._game is not None:
                self._game.drop_review()
            self._end_run()
        elif self._run is not None and isinstance(command, commands.Resume):
            resume(self._run, self._need_game(), self._broker, self._handle_broker)
        elif self._run is not None:
            self._run.steer(command)

    def _change_game(self, command: Any, game: OpenGame) -> None:
        match command:
            case commands.ChooseWindow(window_id=window_id):
                self._end_run()
                game.choose_window(window_id)
                self._failed = False
            case commands.Probe(name=name):
                if self._run is not None:
                    raise errors.PitwallError("a run is on.", "Stop it, then check again.")
                check = run_preflight_check(name, game.session, self._broker, self._data, self._handle_broker)
                self._reports.tell(check)
            case _:
                game.change(command)

    def _handle_broker(self, message: Any) -> None:
        run = self._run
        match message:
            case injection.Receipt() if run is not None:
                run.player.receipt(message)
            case injection.PersonActed() if run is not None:
                run.person_acted(message)
            case injection.FocusChanged() if run is not None and message.holder is not FocusHolder.GAME:
                run.rest()  # its keys are up, even if the focus is back by now
            case injection.Latched() if run is not None:
                run.latched(message)
            case injection.HotkeyPressed(name="pause") if run is not None:
                run.toggle_pause()
            case injection.HotkeyPressed(name="start") if run is None or run.held_back is not None:
                try:
                    self._handle(commands.Start() if run is None else commands.Resume())
                except errors.UnsafeStart as error:
                    self._reports.fault(error)
            case injection.HotkeyPressed(name="clip") if run is not None:
                self._steer_run(commands.KeepLast())
            case injection.HotkeyPressed(name="overlay"):
                self._reports.tell(telemetry.OverlayToggled())
            case injection.BrokerFault():
                self._reports.tell(telemetry.Fault(what=message.what, fix=message.fix, error="BrokerFault"))

    # ---- the game

    def _open(self, opening: commands.Open) -> None:
        if self._game is not None and opening is not self._game.opening:
            raise errors.PitwallError(
                "a game is open here already.", "Start another engine for another game."
            )
        self._failed = False
        try:
            if self._game is None:
                self._game = OpenGame(opening, self._data, self._reports)
            self._game.look_for_window()
            if self._broker is None:
                link = BrokerLink(
                    stop_line=self._stop_line, logs=self._data.logs, console_pids=opening.console_pids
                )
                self._broker = AimedBroker(link)
        except errors.PitwallError as error:
            self._fail(error)

    def _need_game(self) -> OpenGame:
        if self._game is None:
            raise errors.PitwallError("no game is open.", "Choose a game first.")
        return self._game

    def _follow_window(self, game: OpenGame, now: int) -> None:
        """Follow the game's window, and pass its position to the run and the broker."""
        if self._failed:
            return
        try:
            event = game.follow_window(now)
        except errors.PitwallError as error:
            self._fail(error)
            return
        if event == "gone" and self._run is not None:
            self._run.window_gone()
        elif event == "back" and self._run is not None:
            self._run.window_back()
        elif event == "anew" and self._run is not None:
            self._run.record_event("window", telemetry.BEGAN_ANEW)
        if event != "gone" and self._broker is not None:
            self._broker.aim(game.session)

    def _fail(self, error: errors.PitwallError) -> None:
        """Report a failure that ends the play. Failures that follow from the first are only logged."""
        if isinstance(error, errors.DisplayError) and self._game is not None:
            self._game.session.view.close_source()
        _log.error("%s", error)
        if self._failed:
            return
        lost = isinstance(error, errors.WindowLost | errors.LaunchFailed | errors.DisplayError)
        if self._run is not None:
            self._run.record_event("window" if lost else "fault", error.what)
        self._end_run(
            "lost_window" if lost else "stopped" if isinstance(error, errors.GuardedGame) else "crashed"
        )
        self._report_failure(type(error).__name__, error.what, error.fix)

    def _report_failure(self, cause: str, message: str, fix: str) -> None:
        self._failed = True
        self._reports.state(StateChanged(state=EngineState.FAILED, cause=cause, text=message, fix=fix))

    # ---- the run

    def _start(self, start: commands.Start) -> None:
        if self._run is not None:
            return
        game, broker = self._need_game(), self._broker
        if self._failed or broker is None or game.session.view.source is None or game.modules is None:
            self._open(game.opening)
            return
        game.drop_review()
        game.session.begin_run(start.mode)
        broker.aim(game.session)  # before it is armed: a person's press is no takeover then
        listener = StopListener(self._handle_broker)
        if not game.session.mode.by_person:
            self._reports.notice(check_before_run(game.session, broker, self._data, listener.hear))
        try:
            self._run = ActiveRun(
                game.session,
                broker.link,
                Unlogged() if game.session.mode.is_demonstration else self._open_recorder(),
                self._reports,
                game.models,
                start,
                game.modules,
                game.memory,
                self._data,
            )
            listener.stop(self._run)
        except errors.PitwallError as error:
            game.session.end_run()
            self._fail(error)

    def _open_recorder(self) -> Recorder:
        self._recorder = recorder = self._recorder or Recorder(self._data)
        while recorder.notices:
            self._reports.notice(recorder.notices.pop(0))
        return recorder

    def _end_run(self, outcome: RunOutcome | None = None) -> None:
        """End the run if there is one; without an outcome, the operator ended it."""
        run, self._run = self._run, None
        if run is None:
            return

        def handle(message: Any) -> None:
            if isinstance(message, injection.Receipt):
                run.player.receipt(message)
            elif isinstance(message, injection.PersonActed):
                run.person_acted(message)  # it waited in the channel
            elif not (isinstance(message, injection.HotkeyPressed) and message.name == "start"):  # too early
                self._handle_broker(message)

        run.end(outcome or run.outcome_when_stopped, handle)
        if self._game is not None:
            self._game.session.end_run()
        if run.review is not None and self._game is not None:
            self._game.review = run.review
            self._tell_state(self._game)  # first, so that who waits for the run's end sees it

    def quit(self) -> None:
        """Leave the loop at its next turn."""
        self._quitting = True

    def shut(self, *, crashed: bool = False) -> None:
        """Release everything, write what was handed over, and close. Safe to call twice.

        After a crash a game that we launched stays: the operator's next engine goes on with it.
        """
        self._end_run("crashed" if crashed else None)
        if self._recorder is not None:
            self._recorder.close()
            self._reports.committed(self._recorder.committed())
            self._recorder = None
        if self._broker is not None:
            self._broker.link.close()
            self._broker = None
        if self._game is not None:
            self._game.close(close_game=not crashed)
            self._game = None
        self._reports.close()
