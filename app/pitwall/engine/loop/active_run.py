"""One run in progress: its player, its record, and why it is paused or stopped."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from pitwall.core import commands, injection, telemetry
from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.commands import PlayMode
from pitwall.core.frames import Frame, Pixels
from pitwall.core.injection import StopCause
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunOutcome
from pitwall.core.steps import ReflexRecord, RunEvent, StepRecord
from pitwall.core.telemetry import EngineState
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.control.budget import Budget
from pitwall.engine.decision.controllers import ControllerResources
from pitwall.engine.decision.effective_settings import check_agent, remembers
from pitwall.engine.inference.model_calls import SettledCall
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.inference.module_manager import ModuleManager
from pitwall.engine.loop.held_back import (
    ENDED_BY,
    HeldBack,
    Hiccups,
    held_back_by,
    wait_for_release,
    window_gone,
)
from pitwall.engine.loop.own_pause import LastingPause
from pitwall.engine.loop.person_player import PersonPlayer
from pitwall.engine.loop.player import Player
from pitwall.engine.loop.run_player import RunPlayer
from pitwall.engine.loop.run_review import RunLessons, RunReview
from pitwall.engine.loop.shadow import Shadow
from pitwall.engine.loop.standstill import GameTroubles
from pitwall.engine.loop.teaching import Corrections, Teaching
from pitwall.engine.recall.agent_memory import AgentMemory
from pitwall.engine.recording.clip_jobs import ClipJobs
from pitwall.engine.recording.operator_reports import OperatorReports, RunOutlets
from pitwall.engine.recording.recorder import NO_RUN, Recorder, Unlogged
from pitwall.engine.recording.run_figures import run_manifest
from pitwall.engine.recording.sound import sound_absence
from pitwall.engine.session.game_session import GameSession
from pitwall.gsm.policy_module import Decision

_REVIEWED: frozenset[RunOutcome] = frozenset({"finished", "stopped"})


class ActiveRun:
    """Holds one run, from its first commit to its last.

    Args:
        driving: the game sense modules, and which version of each drives.
        memory: None if it cannot be opened.
        data: where demonstrations are kept.

    Attributes:
        mode: who plays. player: plays, or follows the person who does.
        held_back: why the run does not play; None while it may.
        keyboard_lent: while the operator types in the console: whether the game stands still, in words.
        lasting_pause: the game's own pause, where the agent cannot lift it.
        review: what models add once the run is over; None if they add nothing.

    Raises:
        DataFolderError: the manifest could not be written; there is no run then.
        PitwallError: the chosen agent cannot play this game; says why.
    """

    def __init__(
        self,
        session: GameSession,
        broker: BrokerLink,
        recorder: Recorder | Unlogged,
        reports: OperatorReports,
        models: ModelManager,
        start: commands.Start,
        driving: ModuleManager,
        memory: AgentMemory | None,
        data: DataFolder,
    ) -> None:
        check_agent(session.settings)
        session.choose_interface()
        driving.load_policies()
        self.mode = session.mode
        if not remembers(session.settings) or self.mode is PlayMode.TEACH:
            memory = None
        self._session, self._broker = session, broker
        self._recorder, self._reports = recorder, reports
        self.held_back: HeldBack | None = None
        self._hiccups, self._troubles = Hiccups(), GameTroubles(session)
        self.keyboard_lent, self.lasting_pause = "", LastingPause(broker)
        self.review: RunReview | None = None
        self._lessons = RunLessons(session, start.instruction)
        stuck_by = "recording" if self.mode.is_demonstration else "steering"
        self._out = RunOutlets(
            tell=reports.tell,
            on_event=self.record_event,
            on_step=self._record_step,
            on_stuck=lambda error: self.hold_back(stuck_by, error.what, error.fix),
        )
        resources = self._resources(models, start, driving, memory)
        self.player: RunPlayer = self._player(start, resources, data)
        self._models, self._memory, self._driving = models, memory, driving
        manifest = run_manifest(
            session,
            session.settings,
            memory=memory.snapshot() if memory is not None else "",
            modules=driving.versions,
        )
        run_id = recorder.begin(manifest, session.settings.recording)
        self.player.run_id = self._run_id = run_id
        self._corrections: Corrections | None = None
        if not self.mode.by_person and session.settings.teach.corrections:
            beside = partial(Shadow, session, resources, self._out)
            self._corrections = Corrections(session, data, run_id, self._out, beside=beside)
        timed = start.seconds is not None and not self.mode.is_demonstration
        self._ends_at_ns = now_ns() + int((start.seconds or 0.0) * NS_PER_S) if timed else None
        self._recording_ns, self._clips = 0, ClipJobs(data)
        if run_id != NO_RUN:
            began_ns = self.player.figures.began_ns
            reports.tell(telemetry.RunBegan(run_id=run_id, manifest=manifest, at_ns=began_ns))
            self._note_silence()
        gc.collect()
        gc.freeze()  # a collection in mid-play need not search what lives on, so it takes next to no time
        self.resume()

    def _note_silence(self) -> None:
        """Record why the film has no sound, where sound is wanted."""
        recording = self._session.settings.recording
        if recording.video and recording.sound and (absence := sound_absence()):
            self.record_event("film", absence)

    def _resources(
        self, models: ModelManager, start: commands.Start, driving: ModuleManager, memory: AgentMemory | None
    ) -> ControllerResources:
        return ControllerResources(
            models=models,
            host=self._session.host.mailbox(),
            record=self._record_call,
            tell=lambda record, lossy: self._reports.tell(record, lossy=lossy),
            modules=driving.modules,
            memory=memory,
            on_recall=self._recorder.retrieval,
            instruction=start.instruction,
        )

    def _player(self, start: commands.Start, resources: ControllerResources, data: DataFolder) -> RunPlayer:
        session, settings, out = self._session, self._session.settings, self._out
        shadow = Shadow(session, resources, out) if self.mode.has_shadow else None
        budget = Budget(
            session.game.profile.game.difficulty,
            steps_cap=start.steps,
            calls_cap=start.calls,
            tokens_cap=start.tokens,
            until_over=start.until_over,
        )
        if self.mode.is_demonstration:
            return Teaching(session, data, start, out, shadow=shadow)
        if self.mode.by_person:
            return PersonPlayer(session, settings, out, budget=budget, shadow=shadow)
        inject = self._broker.inject
        return Player(session, settings, resources, out, inject=inject, budget=budget, repeat=start.repeat)

    def person_acted(self, deed: injection.PersonActed) -> None:
        """Keep a press of the person: as a correction after a takeover, else as their own play.

        In a game whose view turns with the mouse, how far the mouse moves counts, not where the pointer is.
        """
        event = deed.event
        if event.kind == "mouse_move" and self._session.game.profile.mouse_look is not None:
            if not (event.dx or event.dy):
                return
            deed = replace(deed, event=InputEvent(kind="mouse_look", dx=event.dx, dy=event.dy))
        if self._corrections is not None:
            self._corrections.acted(deed)
        elif self.held_back is None:
            self.player.acted(deed)

    @property
    def focus(self) -> injection.FocusHolder:
        """Return who has the keyboard."""
        return self._broker.focus

    @property
    def kept_waiting(self) -> str:
        """Return why the broker does not hear the person yet, or lets no press pass; empty if it does."""
        return self._broker.kept_waiting(person=self.mode.by_person)

    @property
    def over(self) -> bool:
        if self._ends_at_ns is not None and now_ns() >= self._ends_at_ns and not self.player.budget_spent:
            self.player.figures.ended_by = "seconds"
            return True
        return self.player.budget_spent

    @property
    def outcome_when_stopped(self) -> RunOutcome:
        return ENDED_BY.get(self.held_back.cause, "stopped") if self.held_back is not None else "stopped"

    def rest(self) -> None:
        """Spend a turn in which nothing may be played; the plan survives a pause by the operator."""
        self.player.rest(plan_stays=self.held_back is None or self.held_back.cause == "operator")

    def resume(self) -> None:
        """Hand the focus to the game and arm the broker; the player takes a fresh look before it acts."""
        self.held_back, self.keyboard_lent = None, ""
        self._troubles.begin_again()
        self._end_correction()
        if not self.mode.by_person:
            self._driving.listener = self._record_reflex
        self.player.look_afresh()
        self._broker.focus_target()
        self._broker.rearm()
        self.record_event("resumed", "You play." if self.mode.by_person else "The agent plays.")
        self._recorder.retry()

    def pause(self, held_back: HeldBack) -> None:
        """Release every key and decide nothing until `resume`. An emergency stop outranks a pause."""
        before, stop = self.held_back, held_back.state is EngineState.LATCHED
        yields = before is None or before.ends_by_itself
        self.player.interrupt(plan_stays=(by_operator := held_back.cause == "operator"))
        if by_operator and yields:
            held_back = replace(held_back, text=f"{held_back.text} {self._hold_game()}".rstrip())
        elif not by_operator:
            self.player.release_game()
        self._broker.disarm()
        self.keyboard_lent = ""
        same = before is not None and (before.state, before.cause) == (held_back.state, held_back.cause)
        if same or not (yields or stop):
            return
        self.held_back = held_back
        self._end_correction()
        self.player.figures.takeovers += held_back.event == "takeover"
        self.record_event(held_back.event, held_back.text)

    def hold_back(self, cause: str, message: str, fix: str) -> None:
        """Pause because of a fault, either "recording" or "steering" (the game cannot be held still)."""
        self.pause(HeldBack(EngineState.PAUSED, cause, message, fix))

    def window_gone(self) -> None:
        self.pause(window_gone(opens=self._session.view.starts))

    def toggle_pause(self) -> None:
        """Handle the operator's pause key: pause or resume. It does not undo an emergency stop."""
        if self.held_back is None or self.held_back.cause == telemetry.HICCUP:  # too short to be noticed
            self.pause(HeldBack(EngineState.PAUSED, "operator", "Paused by its key."))
        elif self.held_back.state is EngineState.PAUSED and self.held_back.cause != "window_gone":
            self.resume()

    def _hold_game(self) -> str:
        pressed = self.held_back is None and self.focus is injection.FocusHolder.GAME
        return self.player.hold_game(by_keys=pressed)

    def _end_correction(self) -> None:
        if self._corrections is not None:
            self._corrections.end()

    def steer(self, command: commands.Command) -> None:
        """Carry out an operator's command; after an emergency stop nothing is decided."""
        match command:
            case commands.Pause():
                self.pause(HeldBack(EngineState.PAUSED, "operator", "Paused."))
            case commands.BorrowKeyboard() if self.held_back is None and not self.mode.by_person:
                self.player.interrupt(plan_stays=command.hold)
                held = self._hold_game() if command.hold else ""
                self.keyboard_lent = held or "The game goes on."
            case commands.ReturnKeyboard() if self.held_back is None:
                self.keyboard_lent = ""
                self._broker.focus_target()
            case commands.KeepLast():
                self._keep_last()
            case commands.EmergencyStop():
                self.pause(held_back_by(StopCause.CONSOLE))

    def _keep_last(self) -> None:
        """Write the last seconds of the film as a clip, beside the loop."""
        if self._run_id == NO_RUN or not self._session.settings.recording.video:
            self.record_event(
                "clip", "There is no film to keep: Settings, Recording, Keep a film of each run."
            )
            return
        end_s = (now_ns() - self.player.figures.began_ns) / NS_PER_S
        self.record_event("clip", self._clips.start(self._run_id, end_s))

    def window_back(self) -> None:
        """Wait for the operator to resume: the game was restarted and is captured again."""
        self._broker.disarm()
        if self.held_back is None or self.held_back.cause == "window_gone":
            self.held_back = HeldBack(EngineState.PAUSED, "window_back", "The game is back.")

    def latched(self, latched: injection.Latched) -> None:
        """Pause because the broker has released every key on its own."""
        shown, before = self.player.shown(), self.held_back
        would = ", ".join(latched.released) or (shown.last_action if shown is not None else "")
        if before is None:
            self.pause(self._hiccups.held_back_by(latched, now_ns()))
        elif before.gives_way(latched.cause):
            self.pause(held_back_by(latched.cause, latched.detail))
        taken = latched.cause is StopCause.TAKEOVER and self.held_back is not before
        if taken and self._corrections is not None:
            self._driving.stop_listening()  # the agent decides on, but nobody acts on it
            self._corrections.begin(would)

    def go_on(self, now: int) -> None:
        """Resume after a hiccup or trouble if the game has the focus; report clips and troubles."""
        for sentence in self._clips.finished():
            self.record_event("clip", sentence)
        playing = self.held_back is None and not self.keyboard_lent
        self._follow_troubles(now, playing=playing)
        self.lasting_pause.follow(self.player, now, free=playing)
        over = self._hiccups.over(self.held_back, now) or self._troubles.over(self.held_back)
        if over and self._broker.reaches_game:
            self.resume()

    def _follow_troubles(self, now: int, *, playing: bool) -> None:
        focused, sent = self.focus is injection.FocusHolder.GAME, self.player.figures.events_sent
        for notice in self._troubles.notices(sent, now, focused=playing and focused):
            self.record_event("note", notice.what)
            self._reports.tell(notice)
        held = None if self.mode.by_person else self._troubles.hold(self.held_back, now, focused=focused)
        if playing and held is not None:
            self.pause(held)

    def end(self, outcome: RunOutcome, on_message: Callable[[Any], None]) -> None:
        """Release everything, record what is open, and write the summary.

        Args:
            on_message: takes the broker's last messages.
        """
        self.player.interrupt()
        self.player.release_game(by_keys=self.held_back is None)
        self._driving.stop_listening()
        if self._corrections is not None:
            self._corrections.close()
        keys_down = wait_for_release(self._broker, on_message)
        self.player.close()
        figures = self.player.figures
        figures.dropped = self._session.view.dropped - self.player.dropped_before
        figures.recording_ms = self._recording_ns / 1e6
        summary = replace(figures.summary(outcome), score_unread=self._session.scores.unreliable)
        self._recorder.finish(summary, keys_down)
        controllers = self.player.controllers
        if self._memory is not None and controllers is not None:
            self._memory.learn_from_run(self._lessons.of(summary, self._run_id))
            if outcome in _REVIEWED:
                self.review = self._lessons.review(
                    summary, self._run_id, controllers, self._memory, self._models
                )

    def film(self, frame: Frame) -> None:
        """Keep a frame for the video and for corrections, if either is wanted."""
        if self._corrections is not None:
            self._corrections.watch(focused=self.focus is injection.FocusHolder.GAME)
        if self._recorder.wants_picture(frame.captured_ns):
            began = now_ns()
            self._recorder.video(frame.captured_ns, frame.pixels.copy())
            self._recording_ns += now_ns() - began

    def count(self, loop_ms: float, age_ms: float) -> None:
        """Count a frame: the loop's work for it, and its age once it was acted on."""
        figures = self.player.figures
        figures.frames += 1
        figures.loop_ms.append(loop_ms)
        figures.frame_age_ms.append(age_ms)

    def record_event(self, kind: str, text: str, step: int = 0) -> None:
        event = RunEvent(at_ns=now_ns() - self.player.figures.began_ns, kind=kind, text=text, step=step)
        self._recorder.event(event)
        self._reports.event(event)

    def _record_step(self, step: StepRecord, pixels: Pixels) -> None:
        began = now_ns()
        self._lessons.add(step)
        self._recorder.step(step, pixels)
        self._recording_ns += now_ns() - began

    def _record_reflex(self, module: str, version: str, decision: Decision) -> None:
        began = now_ns()
        record = ReflexRecord(
            step=self.player.step,
            at_ns=began - self.player.figures.began_ns,
            module=module,
            version=version,
            start=decision.start,
            action=decision.action,
            values=dict(decision.values),
        )
        self._recorder.reflex(record, decision.seen)
        self._recording_ns += now_ns() - began

    def _record_call(self, settled: SettledCall) -> None:
        self.player.figures.count_call(settled.record)
        self._recorder.call(settled)
