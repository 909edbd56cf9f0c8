"""A night with a real game that crashes: evidence, a restart, a message to a program, and the digest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.driver import until
from tests.patience import LIGHT, patient

from pitwall.core.paths import DataFolder
from pitwall.store.lease import FileLock, write_lock_file
from pitwall.store.run_reader import RunReader
from pitwall_night.record import night_of
from workshop.fixtures.bad_endings.adding import GAME, add_ending_game

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="its signals and its windows are others"),
    pytest.mark.usefixtures("screen"),
    pytest.mark.timeout(300),
]


@pytest.mark.long
def test_a_crashing_game_is_started_again_until_a_person_must_look(tmp_path: Path) -> None:
    told = tmp_path / "told"
    told.write_text('#!/bin/sh\n(cat; echo) >> "$0.jsonl"\n', encoding="utf-8")
    told.chmod(0o755)
    data = patient(DataFolder(tmp_path / "data"), LIGHT)
    variables = {**os.environ, "PITWALL_DATA": str(data.root)}

    def pitwall(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pitwall", *words]
        return subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=240, check=False
        )

    add_ending_game(data, tmp_path / "how")
    (tmp_path / "how").write_text("exit", encoding="utf-8")

    ends = ("--runs", "9", "--failures", "2", "--backoff", "0.1")
    words = ("night", "play", "--game", GAME, "--planner", "random", *ends, "--command", str(told), "--json")
    done = pitwall(*words)
    assert done.returncode == 1, done.stderr
    sums: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert (sums["state"], sums["crashes"], sums["restarts"]) == ("needs-you", 2, 1), done.stdout
    messages = [json.loads(line) for line in Path(f"{told}.jsonl").read_text().splitlines()]
    kinds = [message["event"] for message in messages]
    assert kinds == ["started", "crashed", "restarted", "crashed", "needs-you"]
    assert "with status 7" in messages[1]["text"]
    folder = Path(sums["file"]).parent
    assert len(list(folder.glob("crash-*.webm"))) == 2
    assert "the level has no floor" in Path(sums["file"]).read_text(encoding="utf-8")


@contextmanager
def _night(data: DataFolder, *ends: str) -> Iterator[subprocess.Popen[str]]:
    """Play Flappy on a screen of its own; the command is ended at the latest with the block."""
    words = ("night", "play", "--game", "flappy", "--planner", "random", *ends, "--json")
    variables = {**os.environ, "PITWALL_DATA": str(data.root), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    command = [sys.executable, "-m", "pitwall", *words]
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as night:
        try:
            yield night
        finally:
            if night.poll() is None:
                night.kill()


def _kinds(data: DataFolder) -> list[str]:
    return [event.kind for event in night_of(data, None).events()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_a_run_ends_the_night(number: signal.Signals, tmp_path: Path) -> None:
    data = patient(DataFolder(tmp_path / "data"), LIGHT)

    ends = ("--runs", "2", "--run-minutes", "0.5")
    with _night(data, *ends) as night, closing(RunReader(data)) as log:
        until(lambda: log.runs() and any(log.steps(1)), "a step of the run", 120)
        night.send_signal(number)
        night.communicate(timeout=100)
        assert len(log.runs()) == 1
    assert night.returncode == 0
    assert _kinds(data) == ["started", "person"]
    stopped = night_of(data, None).events()[-1]
    assert stopped.text == "You stopped it."
    assert stopped.run_id == 1


def test_a_signal_between_runs_ends_the_night_with_its_digest(tmp_path: Path) -> None:
    data = patient(DataFolder(tmp_path / "data"), LIGHT)
    in_use = FileLock(write_lock_file(data), role="test", subject="the run log")  # no run can begin
    with in_use, _night(data, "--runs", "9", "--backoff", "300") as night:
        assert night.stdout is not None
        assert any('"crashed"' in line for line in night.stdout)
        night.send_signal(signal.SIGTERM)
        *_, last = night.stdout
    assert night.returncode == 130
    assert json.loads(last)["state"] == "stopped"
    assert Path(json.loads(last)["file"]).is_file()
    assert _kinds(data) == ["started", "crashed", "stopped"]
