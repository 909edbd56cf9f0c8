"""Whoever is killed or freezes while keys are held: every key comes up, and committed steps are whole."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import (
    LONG_HOLDS,
    Pit,
    assert_whole,
    brokers_of,
    children_of,
    is_alive,
    kill,
    until,
    until_up,
)
from tests.patience import patient

from pitwall.cli.play import headless
from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.settings import save_settings
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import EngineState
from pitwall.store.run_reader import RunReader
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen


def test_a_killed_engine_leaves_no_key_down_and_the_next_one_goes_on(
    holding: tuple[Pit, int], make_pit: MakePit, hands: SimulatedPerson
) -> None:
    pit, run_id = holding
    brokers = until(lambda: brokers_of(pit.session.pid), "two brokers")
    kill(pit.session.pid)
    until_up(hands)
    pit.until(lambda: pit.death, "the engine's end to be told")
    assert "killed by signal 9" in str(pit.death)
    assert_whole(pit.data, run_id, pit.steps, "crashed")
    until(lambda: not is_alive(brokers.duty) and not is_alive(brokers.standby), "the brokers to end")
    again = make_pit(pit.game)
    assert again.play() == run_id + 1
    again.until(lambda: again.steps, "a step of the next run")
    assert_whole(pit.data, run_id, pit.steps, "crashed")


def _program(pit: Pit) -> int:
    """The process whose window an engine captures."""
    seen = pit.expect(telemetry.WindowSeen, lambda message: message.window is not None)
    assert seen.window is not None
    return seen.window.pid


def test_a_launched_game_is_gone_on_with_by_its_operators_next_engine_alone(
    make_game: MakeGame, make_pit: MakePit, tmp_path: Path
) -> None:
    game = make_game("tap", window=False)
    pit = make_pit(game, launch=True, trusted=True)
    program = _program(pit)
    kill(pit.session.pid)
    pit.until(lambda: pit.death, "the engine's end to be told")
    again = make_pit(game, launch=True)
    assert "still ran" in again.expect(telemetry.Fault).what
    assert _program(again) == program
    other = make_pit(game, launch=True, trusted=True, data=patient(DataFolder(tmp_path / "other")))
    assert _program(other) != program, "another data folder's engine launches a game of its own"
    again.close()
    until(lambda: not is_alive(program), "the game to end with the engine that quit")


def test_a_killed_broker_is_stood_in_for(holding_again: tuple[Pit, int], hands: SimulatedPerson) -> None:
    pit, run_id = holding_again
    first = until(lambda: brokers_of(pit.session.pid), "two brokers")
    kill(first.duty)
    until_up(hands)
    paused = pit.expect_state(EngineState.PAUSED, "broker")
    assert "broker" in paused.text
    assert "Resume" in paused.fix
    second = pit.until(lambda: brokers_of(pit.session.pid), "a new second broker")
    assert second.duty == first.standby
    pit.resume()
    pit.send(commands.Stop())
    assert pit.expect(telemetry.RunEnded).keys_down == 0
    until_up(hands)
    assert_whole(pit.data, run_id, pit.steps, "stopped")


def test_both_brokers_killed_leave_no_key_down(holding: tuple[Pit, int], hands: SimulatedPerson) -> None:
    pit, run_id = holding
    brokers = until(lambda: brokers_of(pit.session.pid), "two brokers")
    kill(brokers.standby, brokers.duty)
    until_up(hands)
    assert "broker" in pit.expect_state(EngineState.PAUSED, "broker").text
    pit.until(lambda: brokers_of(pit.session.pid), "two new brokers")
    pit.resume()
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    assert_whole(pit.data, run_id, pit.steps, "stopped")


class Operator:
    """A process that has an engine play, and holds its end of the stop line.

    Args:
        command: the program.
        data: where the engine records.
    """

    def __init__(self, command: list[str], data: DataFolder) -> None:
        self._reader = RunReader(data)
        self.process = subprocess.Popen([sys.executable, *command])

    def steps(self) -> list[StepRecord]:
        """Steps committed so far of the only run."""
        return self._reader.steps(1) if self._reader.count() else []

    def engine(self) -> int | None:
        """Process id of its engine."""
        return next(iter(children_of(self.process.pid, "engine")), None)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.close()


@pytest.fixture(params=["stand-in", "console"])
def operator(request: pytest.FixtureRequest, make_game: MakeGame, data: DataFolder) -> Iterator[Operator]:
    """The operator's process, whose engine holds a key: a stand-in for the console, or the console."""
    game = make_game("tap", "tap", "hold")
    save_settings(data.settings, LONG_HOLDS)
    commands_of = {
        "stand-in": [str(Path(__file__).with_name("operator_process.py")), str(data.root), str(game.folder)],
        "console": [
            "-m",
            "pitwall",
            "console",
            "--data",
            str(data.root),
            "--game",
            str(game.folder),
            "--start",
        ],
    }
    operator = Operator(commands_of[request.param], data)
    yield operator
    operator.close()


def test_a_killed_operator_leaves_no_key_down(
    operator: Operator, data: DataFolder, hands: SimulatedPerson
) -> None:
    until(lambda: "ArrowLeft" in hands.keys_down() and operator.steps(), "a key to be held")
    kept, engine = operator.steps(), operator.engine()
    assert engine is not None
    operator.process.kill()
    operator.process.wait()
    until_up(hands)
    until(lambda: not is_alive(engine), "the engine to end by itself")
    assert_whole(data, 1, kept, "stopped")
    assert "Traceback" not in (data.logs / "engine.log").read_text(encoding="utf-8")


def _rests(operator: Operator) -> bool:
    """Whether no step is added for a second; a step of this game takes a tenth of it."""
    before = len(operator.steps())
    time.sleep(1.0)
    return len(operator.steps()) == before


def test_a_frozen_operator_stops_nobody(
    make_game: MakeGame, data: DataFolder, hands: SimulatedPerson
) -> None:
    program = Path(__file__).with_name("operator_process.py")
    operator = Operator([str(program), str(data.root), str(make_game("tap").folder)], data)
    try:
        until(lambda: len(operator.steps()) >= 2, "the agent to play")
        operator.process.send_signal(signal.SIGSTOP)
        before = len(operator.steps())
        until(lambda: len(operator.steps()) >= before + 10, "the agent to play on")
        hands.key("ScrollLock", down=True)
        hands.key("ScrollLock", down=False)
        until_up(hands)
        until(lambda: _rests(operator), "the agent to stand still")
    finally:
        operator.close()


def test_a_frozen_broker_is_replaced(make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson) -> None:
    pit = make_pit(make_game("tap"))
    pit.play()
    pit.until(lambda: pit.steps, "a step")
    brokers = until(lambda: brokers_of(pit.session.pid), "two brokers")
    kill(brokers.duty, number=signal.SIGSTOP)
    pit.expect_state(EngineState.PAUSED, "broker")
    until_up(hands)
    pit.until(
        lambda: (two := brokers_of(pit.session.pid)) and two.duty == brokers.standby, "the second's turn"
    )
    pit.resume()


def test_a_broker_that_freezes_while_a_key_is_held_is_replaced_long_before_the_hold_is_over(
    holding: tuple[Pit, int], hands: SimulatedPerson
) -> None:
    pit, _ = holding
    brokers = until(lambda: brokers_of(pit.session.pid), "two brokers")
    kill(brokers.duty, number=signal.SIGSTOP)
    pit.expect_state(EngineState.PAUSED, "broker")
    until_up(hands)
    assert not any(step.action.name == "hold" for step in pit.steps), "the hold was cut off"


def test_a_frozen_engine_is_let_go_of_by_its_broker(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson
) -> None:
    watchful = LONG_HOLDS.with_value("broker", "heartbeat_ms", 1_000)
    pit = make_pit(make_game("tap", "tap", "hold"), settings=watchful)
    run_id = pit.play()
    pit.until(lambda: pit.steps and "ArrowLeft" in hands.keys_down(), "a key to be held")
    kill(pit.session.pid, number=signal.SIGSTOP)
    try:
        until_up(hands)
    finally:
        kill(pit.session.pid, number=signal.SIGCONT)
    hiccup = pit.expect_state(EngineState.PAUSED, telemetry.HICCUP)
    assert "released" in hiccup.text
    pit.expect_state(EngineState.PLAYING)
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    assert_whole(pit.data, run_id, pit.steps, "stopped")


def test_an_unattended_play_whose_engine_freezes_for_good_ends(
    make_game: MakeGame, data: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headless, "_SILENCE_S", 3.0)
    opening = commands.Open(game=str(make_game("tap").folder), launch=False, settings=LONG_HOLDS)
    engine = 0

    def freeze(record: object) -> None:
        nonlocal engine
        if isinstance(record, telemetry.Hello):
            engine = record.pid
        elif isinstance(record, telemetry.StepNote):
            kill(engine, number=signal.SIGSTOP)

    with pytest.raises(headless.PlayFailed, match="the engine said nothing"):
        headless.play(data, opening, commands.Start(), on_record=freeze)
    assert not is_alive(engine)


def test_the_emergency_stop_needs_no_engine(holding_again: tuple[Pit, int], hands: SimulatedPerson) -> None:
    pit, run_id = holding_again
    kill(pit.session.pid, number=signal.SIGSTOP)
    try:
        pit.session.emergency_stop()
        until_up(hands, 3.0)
    finally:
        kill(pit.session.pid, number=signal.SIGCONT)
    pit.expect_state(EngineState.LATCHED, "console")
    pit.send(commands.Stop())
    ended = pit.expect(telemetry.RunEnded)
    assert (ended.summary.outcome, ended.keys_down) == ("emergency", 0)
    assert_whole(pit.data, run_id, pit.steps, "emergency")


def _resumed_while_its_broker_froze(pit: Pit, meanwhile: Callable[[], None]) -> None:
    """Press the console's emergency stop and Resume while the broker on duty is frozen; thaw it."""
    pit.play()
    pit.until(lambda: pit.steps, "a step")
    duty = until(lambda: brokers_of(pit.session.pid), "two brokers").duty
    kill(duty, number=signal.SIGSTOP)
    try:
        pit.session.emergency_stop()
        pit.expect_state(EngineState.LATCHED, "console")
        pit.send(commands.Resume())
        meanwhile()
        time.sleep(0.3)
    finally:
        kill(duty, number=signal.SIGCONT)


def test_a_resume_soon_after_an_emergency_stop_is_not_lost_where_the_broker_is_late(
    make_game: MakeGame, make_pit: MakePit
) -> None:
    pit = make_pit(make_game("tap"))
    _resumed_while_its_broker_froze(pit, lambda: None)
    pit.expect_state(EngineState.PLAYING)
    for _ in range(10):
        pit.expect(telemetry.StepNote)
    assert pit.state is EngineState.PLAYING


def test_a_stop_key_pressed_after_a_resume_holds_where_the_broker_is_late(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson
) -> None:
    pit = make_pit(make_game("tap"))

    def press_stop() -> None:
        hands.key("ScrollLock", down=True)
        hands.key("ScrollLock", down=False)

    _resumed_while_its_broker_froze(pit, press_stop)
    stop = pit.expect(telemetry.EventNote, lambda note: "ScrollLock was pressed" in note.event.text)
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        pit.pump()
    assert pit.state is EngineState.LATCHED
    assert all(step.at_ns < stop.event.at_ns for step in pit.steps)
