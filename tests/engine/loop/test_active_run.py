"""A run's life: what pauses it, what resumes it, and which keys are held when it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from tests.engine.loop.player_rig import MANIFEST, Clock, Stage
from tests.engine.loop.steered_game import Steered, until

from pitwall.core import commands, injection, telemetry
from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.injection import StopCause
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.inference.module_manager import ModuleManager
from pitwall.engine.loop.active_run import ActiveRun
from pitwall.engine.loop.engine_state import may_play
from pitwall.engine.loop.held_back import HeldBack, held_back_by
from pitwall.engine.loop.resuming import StopListener
from pitwall.engine.loop.trial_press import TrialPress
from pitwall.engine.recording.operator_reports import OperatorReports
from pitwall.engine.recording.recorder import Recorder
from pitwall.engine.session.game_clock import GameClock
from pitwall.link.channel import Channel, pair
from pitwall.link.engine_session import COMMANDS, TELEMETRY

PAUSED = HeldBack(EngineState.PAUSED, "operator", "Paused.")
GONE = HeldBack(EngineState.PAUSED, "window_gone", "The game's window was closed.", "")


class Orders:
    """The broker's end of the engine: keeps the orders, and answers as the test sets it up."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.focus = injection.FocusHolder.GAME
        self.held: tuple[str, ...] = ()
        self.says: list[list[Any]] = []
        self.batches = 0

    @property
    def reaches_game(self) -> bool:
        return self.focus is injection.FocusHolder.GAME

    def armed(self) -> bool:
        return [order for order in self.given if order in ("rearm", "disarm")][-1] == "rearm"

    def inject(self, events: tuple[InputEvent, ...], observed_ns: int = 0) -> int:  # noqa: ARG002
        self.batches += 1
        return self.batches

    def rearm(self) -> None:
        self.given.append("rearm")

    def disarm(self) -> None:
        self.given.append("disarm")

    def focus_target(self) -> None:
        self.given.append("focus")

    def heartbeat(self) -> None:
        """Do nothing: this end never counts a silence."""

    def wait(self, timeout_s: float) -> None:
        time.sleep(timeout_s)

    def poll(self) -> list[Any]:
        messages = self.says.pop(0) if self.says else [injection.Receipt(batch=self.batches, events=())]
        for message in messages:
            if isinstance(message, injection.Held):
                self.held = message.keys
        return messages


class Pit:
    def __init__(
        self,
        folder: Path,
        manifest: str = MANIFEST,
        start: commands.Start | None = None,
        game_clock: GameClock | None = None,
    ) -> None:
        (folder / "plugin.toml").write_text(manifest)
        ours, theirs = pair()
        self.channel: Channel[Any, Any] = Channel(theirs, COMMANDS, TELEMETRY)
        self._out: Channel[Any, Any] = Channel(ours, TELEMETRY, COMMANDS)
        self.broker = Orders()
        self.recorder = Recorder(DataFolder(folder / "data"))
        self.clock = Clock()
        self.stage = Stage(folder, self.clock, game_clock=game_clock)
        self.data = DataFolder(folder / "data")
        session = self.session = self.stage.session
        reports = OperatorReports(self._out)
        models = ModelManager(DataFolder(folder / "data"), session.host.mailbox(), reports.tell)
        driving = ModuleManager(
            session.game,
            DataFolder(folder / "data"),
            session.host.mailbox(),
            pins={},
            tell=reports.tell,
            on_fault=reports.fault,
        )
        broker = cast(BrokerLink, self.broker)
        self.run = ActiveRun(
            session,
            broker,
            self.recorder,
            reports,
            models,
            start or commands.Start(),
            driving,
            None,
            DataFolder(folder / "data"),
        )

    def events(self) -> list[str]:
        messages = [message for message, _ in self.channel.receive()]
        return [note.event.kind for note in messages if isinstance(note, telemetry.EventNote)]

    def latched(self, cause: StopCause) -> None:
        self.run.latched(injection.Latched(cause=cause, detail="", heard_ns=1, up_ns=2))

    def close(self) -> None:
        self.recorder.close()
        self.channel.close()
        self._out.close()


@pytest.fixture
def pit(tmp_path: Path) -> Iterator[Pit]:
    pit = Pit(tmp_path)
    yield pit
    pit.close()


def test_a_run_begins_armed_and_whatever_holds_it_back_disarms(pit: Pit) -> None:
    assert pit.broker.given == ["focus", "rearm"]
    pit.run.pause(PAUSED)
    assert not pit.broker.armed()
    pit.run.resume()
    assert pit.broker.armed()
    pit.latched(StopCause.HOTKEY)
    assert not pit.broker.armed()
    pit.run.resume()
    pit.run.steer(commands.EmergencyStop())
    assert not pit.broker.armed()


def test_a_stop_key_pressed_while_a_run_begins_stops_it_and_a_start_key_begins_no_other(pit: Pit) -> None:
    handled: list[Any] = []
    listener = StopListener(handled.append)
    pause = injection.HotkeyPressed(name="pause", at_ns=1)
    stops = [
        injection.Latched(cause=cause, detail="", heard_ns=1, up_ns=2)
        for cause in (StopCause.CONSOLE, StopCause.TAKEOVER, StopCause.HOTKEY)
    ]
    for message in (injection.HotkeyPressed(name="start", at_ns=1), pause, *stops):
        listener.hear(message)
    assert handled == [pause, *stops]
    assert listener.stops == stops[1:], "a stop by the console comes as a command, too"
    listener.stop(pit.run)
    assert pit.run.held_back is not None and pit.run.held_back.cause == "hotkey"
    assert not pit.broker.armed()


def test_a_stop_that_comes_with_the_answer_to_a_trial_press_is_heard(pit: Pit) -> None:
    handled: list[Any] = []
    trial = TrialPress(pit.session, cast(BrokerLink, pit.broker), handled.append)
    receipt = injection.Receipt(batch=pit.broker.batches + 1, events=())
    stop = injection.Latched(cause=StopCause.HOTKEY, detail="", heard_ns=1, up_ns=2)
    pit.broker.says = [[receipt, stop]]
    assert trial.press("key_down") == receipt
    assert handled == [receipt, stop]


@pytest.mark.parametrize("hold", [GONE, PAUSED])
def test_a_hang_that_is_told_late_changes_no_hold(pit: Pit, hold: HeldBack) -> None:
    pit.run.pause(hold)
    before = pit.run.held_back
    pit.latched(StopCause.ENGINE_HUNG)
    assert pit.run.held_back == before


def test_an_emergency_stop_outranks_a_pause_and_no_pause_outranks_it(pit: Pit) -> None:
    pit.run.pause(PAUSED)
    pit.latched(StopCause.HOTKEY)
    pit.run.pause(GONE)
    assert pit.run.held_back is not None
    assert (pit.run.held_back.state, pit.run.held_back.cause) == (EngineState.LATCHED, "hotkey")
    assert pit.events() == ["resumed", "paused", "stopped"]


def test_one_emergency_stop_heard_three_times_is_one_event(pit: Pit) -> None:
    pit.run.steer(commands.EmergencyStop())  # the command; then the stop line's latch and the command's latch
    pit.latched(StopCause.CONSOLE)
    pit.latched(StopCause.CONSOLE)
    assert pit.events() == ["resumed", "stopped"]


def test_the_pause_key_resumes_a_pause_but_not_an_emergency_stop(pit: Pit) -> None:
    pit.run.toggle_pause()
    assert not pit.broker.armed()
    pit.run.toggle_pause()
    assert pit.broker.armed()
    pit.run.steer(commands.EmergencyStop())
    pit.run.toggle_pause()
    assert not pit.broker.armed()
    assert pit.events() == ["resumed", "paused", "resumed", "stopped"]


def test_a_takeover_is_counted_once(pit: Pit) -> None:
    pit.latched(StopCause.TAKEOVER)
    pit.latched(StopCause.TAKEOVER)
    assert pit.run.player.figures.takeovers == 1
    assert pit.events() == ["resumed", "takeover"]


def test_play_resumes_after_a_hiccup_unless_hiccups_come_too_often(pit: Pit) -> None:
    for _ in range(5):
        pit.latched(StopCause.ENGINE_HUNG)
        assert pit.run.held_back is not None
        assert (pit.run.held_back.state, pit.run.held_back.cause) == (EngineState.PAUSED, telemetry.HICCUP)
        pit.run.go_on(now_ns())
        assert not pit.broker.armed(), "it rests for a second first"
        pit.broker.focus = injection.FocusHolder.OTHER
        pit.run.go_on(now_ns() + NS_PER_S)
        assert not pit.broker.armed(), "the keyboard is elsewhere by now"
        pit.broker.focus = injection.FocusHolder.GAME
        pit.run.go_on(now_ns() + NS_PER_S)
        assert pit.broker.armed()
    pit.latched(StopCause.ENGINE_HUNG)
    pit.run.go_on(now_ns() + NS_PER_S)
    assert pit.run.held_back is not None
    assert pit.run.held_back.state is EngineState.LATCHED


def test_an_emergency_stop_within_a_hiccup_stays(pit: Pit) -> None:
    pit.latched(StopCause.ENGINE_HUNG)
    pit.run.steer(commands.EmergencyStop())
    pit.run.go_on(now_ns() + NS_PER_S)
    assert pit.run.held_back is not None
    assert pit.run.held_back.cause == "console"


FROZEN = HeldBack(EngineState.PAUSED, "frozen", "It stands still.")
DIALOG = HeldBack(EngineState.PAUSED, "dialog", "It shows a dialog.")


@pytest.mark.parametrize("ends_by_itself", [StopCause.ENGINE_HUNG, FROZEN, DIALOG])
@pytest.mark.parametrize("lasting", [commands.Pause(), StopCause.TAKEOVER, StopCause.STAND_IN, GONE])
def test_a_pause_that_ends_by_itself_gives_way_to_a_lasting_pause(
    pit: Pit, ends_by_itself: StopCause | HeldBack, lasting: commands.Pause | StopCause | HeldBack
) -> None:
    for hold in (ends_by_itself, lasting):
        if isinstance(hold, StopCause):
            pit.latched(hold)
        elif isinstance(hold, HeldBack):
            pit.run.pause(hold)
        else:
            pit.run.steer(hold)
    pit.stage.window.draw(ball=20)  # the game moves again, and shows no dialog
    pit.run.go_on(now_ns() + 2 * NS_PER_S)
    assert not pit.broker.armed(), "nobody resumed it"


def test_a_takeover_that_is_told_after_a_pause_leaves_the_game_held(
    tmp_path: Path, steered: tuple[Steered, GameClock]
) -> None:
    game, game_clock = steered
    pit = Pit(tmp_path, game_clock=game_clock)
    try:
        pit.latched(StopCause.ENGINE_HUNG)  # the broker hears a person from then on, also while it is paused
        pit.run.steer(commands.Pause())
        pit.latched(StopCause.TAKEOVER)
        assert pit.run.held_back is not None and pit.run.held_back.cause == "operator"
        until(lambda: game_clock.settled)
        assert game.words == [("pause", None)]
    finally:
        pit.close()


def test_the_pause_key_within_a_hiccup_pauses(pit: Pit) -> None:
    pit.latched(StopCause.ENGINE_HUNG)
    pit.run.toggle_pause()
    pit.run.go_on(now_ns() + 2 * NS_PER_S)
    assert not pit.broker.armed()
    pit.run.toggle_pause()
    assert pit.broker.armed()


def test_a_window_that_is_back_is_not_played_until_resumed(pit: Pit) -> None:
    pit.run.pause(GONE)
    pit.run.resume()  # too early: nothing is there yet
    pit.run.window_back()
    assert pit.run.held_back is not None
    assert pit.run.held_back.cause == "window_back"
    assert not pit.broker.armed()


@pytest.mark.parametrize(
    ("hold", "outcome"),
    [
        (None, "stopped"),
        (PAUSED, "stopped"),
        (GONE, "lost_window"),
        (StopCause.HOTKEY, "emergency"),
        (StopCause.CONSOLE, "emergency"),
        (StopCause.ENGINE_HUNG, "stopped"),
        (held_back_by(StopCause.ENGINE_HUNG), "hung"),
        (StopCause.DISPLAY, "lost_window"),
        (StopCause.TAKEOVER, "stopped"),
        (StopCause.CONSOLE_GONE, "stopped"),
    ],
)
def test_how_a_run_counts_that_its_operator_ends(
    pit: Pit, hold: HeldBack | StopCause | None, outcome: str
) -> None:
    if isinstance(hold, HeldBack):
        pit.run.pause(hold)
    elif hold is not None:
        pit.latched(hold)
    assert pit.run.outcome_when_stopped == outcome


def test_a_run_whose_time_is_over_says_so(tmp_path: Path) -> None:
    pit = Pit(tmp_path, start=commands.Start(seconds=1e-6))
    assert pit.run.over
    pit.run.end("finished", lambda _: None)
    pit.recorder.close()
    ended = [note for note in pit.recorder.committed() if isinstance(note, telemetry.RunEnded)]
    assert [note.summary.ended_by for note in ended] == ["seconds"]
    pit.close()


def test_a_run_ends_when_the_broker_has_answered_everything(pit: Pit) -> None:
    focus = injection.FocusChanged(holder=injection.FocusHolder.GAME, at_ns=1)
    pit.broker.says = [[], [focus, injection.Held(keys=("Space",))], [], [injection.Held(keys=())]]
    heard: list[Any] = []
    pit.run.end("finished", heard.append)
    assert not pit.broker.armed()
    assert focus in heard  # what else the broker says listener is not lost
    pit.recorder.close()
    ended = [note for note in pit.recorder.committed() if isinstance(note, telemetry.RunEnded)]
    assert [(note.keys_down, note.summary.outcome) for note in ended] == [(0, "finished")]


def test_a_broker_that_does_not_answer_is_not_waited_for_long(pit: Pit) -> None:
    pit.broker.says = [[injection.Held(keys=("Space",))], *([[]] * 1_000)]
    pit.run.end("stopped", lambda _: None)
    pit.recorder.close()
    ended = [note for note in pit.recorder.committed() if isinstance(note, telemetry.RunEnded)]
    assert [note.keys_down for note in ended] == [1]


def test_while_the_keyboard_is_lent_the_agent_rests_and_only_its_return_asks_for_the_focus(pit: Pit) -> None:
    given = len(pit.broker.given)
    pit.run.steer(commands.BorrowKeyboard())
    assert "goes on" in pit.run.keyboard_lent  # this game has no pause, and that is said
    assert not may_play(pit.session, pit.run)
    assert pit.broker.given[given:] == []
    pit.run.steer(commands.ReturnKeyboard())
    assert (pit.run.keyboard_lent, pit.broker.given[given:]) == ("", ["focus"])
    pit.run.pause(PAUSED)
    pit.run.steer(commands.ReturnKeyboard())
    assert pit.broker.given[given:] == ["focus", "disarm"]  # a paused run takes nobody's focus
    assert pit.run.held_back is not None
    assert "goes on" in pit.run.held_back.text


def _watch(pit: Pit, *, frames: int) -> None:
    """Let the loop show some frames, 120 ms apart, of a game that has the focus."""
    for column in range(frames):
        pit.clock.pass_ms(120)
        pit.stage.window.draw(20 + column)
        frame = pit.stage.session.capture()
        assert frame is not None
        pit.stage.session.perceive(frame)
        pit.run.film(frame)


def _person(pit: Pit, kind: str, key: str) -> None:
    event = InputEvent(kind=kind, key=key)  # type: ignore[arg-type]
    pit.run.person_acted(injection.PersonActed(event=event, at_ns=pit.clock()))


def test_a_persons_play_after_a_takeover_is_kept_until_they_give_control_back(pit: Pit) -> None:
    _watch(pit, frames=5)
    pit.run.latched(
        injection.Latched(
            cause=StopCause.TAKEOVER, detail="", heard_ns=1, up_ns=2, released=("Space", "ArrowLeft")
        )
    )
    _person(pit, "key_down", "ArrowLeft")
    _watch(pit, frames=3)
    _person(pit, "key_up", "ArrowLeft")
    _watch(pit, frames=3)
    pit.run.resume()
    _person(pit, "key_down", "Space")  # control is given back: this is a takeover again, or nothing
    pit.run.end("stopped", lambda _: None)
    (kept,) = DemonstrationFolder(pit.data).all()
    assert kept.manifest is not None and kept.manifest.complete
    assert (kept.manifest.kind, kept.manifest.run) == ("correction", 1)
    reader = DemonstrationReader(pit.data.demonstrations / kept.id)
    episodes = [moment.episode for moment in reader.all_moments]
    assert episodes[:5] == [-1] * 5, "before they took over nobody demonstrated anything"
    assert set(episodes[5:]) == {0}
    assert [(all_event.kind, all_event.key) for all_event in reader.all_events] == [
        ("key_down", "ArrowLeft"),
        ("key_up", "ArrowLeft"),
    ]
    assert reader.all_events[0].would == "Space, ArrowLeft"


TURNS = """
[mouse_look]
units_per_degree = 8.0
[[actions]]
name = "turn"
turn = "$degrees"
[actions.parameters.degrees]
type = "float"
minimum = -180
maximum = 180
"""


def test_a_persons_motion_is_kept_as_turns_in_a_game_whose_view_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pit = Pit(tmp_path, MANIFEST.replace("[controls]", "[controls]\nmouse = true") + TURNS)
    monkeypatch.setattr("pitwall.engine.recording.demonstration_recorder.now_ns", pit.clock)
    _watch(pit, frames=3)
    pit.latched(StopCause.TAKEOVER)
    for turn_units in (120, -240):
        for _ in range(10):
            event = InputEvent(kind="mouse_move", x=32, y=24, dx=turn_units // 10)
            pit.run.person_acted(injection.PersonActed(event=event, at_ns=pit.clock()))
            pit.clock.pass_ms(8)
        still = InputEvent(kind="mouse_move", x=40, y=24)  # the game put the pointer back
        pit.run.person_acted(injection.PersonActed(event=still, at_ns=pit.clock()))
        _watch(pit, frames=3)
    pit.run.resume()
    pit.run.end("stopped", lambda _: None)
    pit.close()
    (kept,) = DemonstrationFolder(pit.data).all()
    reader = DemonstrationReader(pit.data.demonstrations / kept.id)
    assert [(event.kind, event.dx, event.action) for event in reader.all_events] == [
        ("mouse_look", 120, "turn(degrees=15)"),
        ("mouse_look", -240, "turn(degrees=-30)"),
    ]


def test_a_takeover_in_which_nothing_was_pressed_is_no_correction(pit: Pit) -> None:
    _watch(pit, frames=3)
    pit.latched(StopCause.TAKEOVER)
    _watch(pit, frames=3)
    pit.run.end("stopped", lambda _: None)
    assert DemonstrationFolder(pit.data).all() == []
