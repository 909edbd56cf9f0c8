"""Whoever is killed or freezes while keys are held: every key comes up, and committed steps are whole."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.bench.hands import Hands
from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState
from pitwall.store.run_reader import RunReader

from .conftest import MakeGame, MakePit
from .driver import Pit, assert_whole, brokers_of, is_alive, kill, until, until_up

pytestmark = pytest.mark.screen


def test_a_killed_engine_leaves_no_key_down(holding: tuple[Pit, int], hands: Hands) -> None:
    pit, run_id = holding
    brokers = until(lambda: brokers_of(pit.session.pid), "two brokers")
    kill(pit.session.pid)
    until_up(hands)
    pit.until(lambda: pit.death, "the engine's end to be told")
    assert "killed by signal 9" in str(pit.death)
    assert_whole(pit.data, run_id, pit.steps, "crashed")
    until(lambda: not is_alive(brokers.duty) and not is_alive(brokers.standby), "the brokers to end")


def test_after_a_killed_engine_the_next_one_goes_on(holding: tuple[Pit, int], make_pit: MakePit) -> None:
    pit, run_id = holding
    kill(pit.session.pid)
    pit.until(lambda: pit.death, "the engine's end to be told")
    again = make_pit(pit.game)
    assert again.play() == run_id + 1
    again.until(lambda: again.steps, "a step of the next run")
    assert_whole(pit.data, run_id, pit.steps, "crashed")


def test_a_killed_broker_is_stood_in_for(holding: tuple[Pit, int], hands: Hands) -> None:
    pit, run_id = holding
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


def test_both_brokers_killed_leave_no_key_down(holding: tuple[Pit, int], hands: Hands) -> None:
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


def test_a_killed_operator_leaves_no_key_down(make_game: MakeGame, data: DataFolder, hands: Hands) -> None:
    game = make_game("tap", "tap", "hold")
    program = Path(__file__).with_name("operator_process.py")
    operator = subprocess.Popen(
        [sys.executable, str(program), str(data.root), str(game.folder)], stdout=subprocess.PIPE
    )
    assert operator.stdout is not None
    with operator.stdout:
        said = json.loads(operator.stdout.readline())
    reader = RunReader(data)
    until(lambda: "ArrowLeft" in hands.keys_down() and reader.steps(said["run_id"]), "a key to be held")
    kept = reader.steps(said["run_id"])
    reader.close()
    operator.kill()
    operator.wait()
    until_up(hands)
    until(lambda: not is_alive(said["engine"]), "the engine to end by itself")
    assert_whole(data, said["run_id"], kept, "stopped")
    assert "Traceback" not in (data.logs / "engine.log").read_text(encoding="utf-8")


def test_a_frozen_engine_is_let_go_of_by_its_broker(holding: tuple[Pit, int], hands: Hands) -> None:
    pit, run_id = holding
    kill(pit.session.pid, number=signal.SIGSTOP)
    try:
        until_up(hands)
    finally:
        kill(pit.session.pid, number=signal.SIGCONT)
    latched = pit.expect_state(EngineState.LATCHED, "engine_hung")
    assert "released" in latched.text
    pit.resume()
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    assert_whole(pit.data, run_id, pit.steps, "stopped")


def test_the_emergency_stop_needs_no_engine(holding: tuple[Pit, int], hands: Hands) -> None:
    pit, run_id = holding
    kill(pit.session.pid, number=signal.SIGSTOP)
    try:
        pit.session.emergency_stop()
        until_up(hands)
    finally:
        kill(pit.session.pid, number=signal.SIGCONT)
    pit.expect_state(EngineState.LATCHED, "console")
    pit.send(commands.Stop())
    ended = pit.expect(telemetry.RunEnded)
    assert (ended.summary.outcome, ended.keys_down) == ("emergency", 0)
    assert_whole(pit.data, run_id, pit.steps, "emergency")
