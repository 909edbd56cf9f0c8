"""The truth keeper as a process: it follows a file that a game writes, and writes what a run saw of it."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.clock import now_ns
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder, put_in_place
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.truth_keeper_process import ROLE, TOLD, EndRun, KeepRun
from pitwall_evaluation.truth.log import true_states, truth_file

PATIENCE_S = 30.0


class Told:
    """A game that writes its state, and the keeper that follows it."""

    def __init__(self, root: Path, game: str = "crafter") -> None:
        self.data = DataFolder(root)
        self.file = root / "truth.json"
        ours, theirs = pair()
        self.child = Child(
            ROLE,
            ["--data", str(root), "--game", game],
            sockets={CHANNEL_OPTION: theirs},
            log=self.data.logs / "truth-keeper.log",
            env={TRUTH_VARIABLE: str(self.file)},
        )
        self.channel: Channel[KeepRun | EndRun, KeepRun | EndRun] = Channel(ours, TOLD, TOLD)

    def write(self, score: int, **raw: Any) -> None:
        """As a game does it: aside, then into its place."""
        state = {
            "gameId": "crafter",
            "timestampMs": time.time() * 1e3,
            "gameTimeMs": 0,
            "status": "playing",
            "game_state": {"score": score},
            "raw": raw,
        }
        aside = self.file.with_suffix(".tmp")
        aside.write_text(json.dumps(state), encoding="utf-8")
        put_in_place(aside, self.file)

    def begin(self, run_id: int = 1) -> int:
        began_ns = now_ns()
        self.channel.send(KeepRun(run_id=run_id, at_ns=began_ns))
        return began_ns

    def end(self) -> None:
        self.channel.send(EndRun())

    def scores(self, run_id: int = 1) -> list[float]:
        return [state["game_state"]["score"] for _, state in true_states(self.data, run_id).states]

    def until(self, scores: list[float], run_id: int = 1) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.scores(run_id) != scores:
            assert time.monotonic() < deadline, (self.scores(run_id), self.child.last_words())
            time.sleep(0.02)

    def close(self) -> int:
        self.channel.close()
        return self.child.end(PATIENCE_S)


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    item = Told(tmp_path)
    yield item
    item.close()


def test_every_state_of_a_run_is_kept_with_its_time(told: Told) -> None:
    told.write(0)
    began_ns = told.begin()
    told.until([0])
    written = []
    for score in (1, 2, 3):
        told.write(score)
        written.append(now_ns() - began_ns)
        told.until(list(range(score + 1)))
    told.write(3)  # only its clock has changed
    told.end()
    assert told.close() == 0
    result = true_states(told.data, 1)
    assert (told.scores(), result.notes) == ([0, 1, 2, 3], ())
    for (at_ns, _), expected_ns in zip(result.states[1:], written, strict=True):
        assert -50_000_000 < at_ns - expected_ns <= 1_000_000, "when it was written, not when it was read"
    assert result.states[0][0] <= 0, "what the run began with was there before it"
    assert result.over_ns >= result.states[-1][0]


def test_a_run_that_nobody_ends_ends_with_its_starter(told: Told) -> None:
    told.begin()
    told.write(7)
    told.until([7])
    told.write(8)
    assert told.close() == 0
    assert told.scores() == [7, 8]
    assert true_states(told.data, 1).notes == ()


def test_runs_of_one_session_have_logs_of_their_own(told: Told) -> None:
    told.begin(1)
    told.write(1)
    told.until([1])
    told.end()
    told.begin(2)
    told.until([1], 2)  # the state that the first one ended with
    told.write(2)
    told.until([1, 2], 2)
    assert told.scores(1) == [1]


def test_what_a_game_half_wrote_is_waited_for(told: Told) -> None:
    told.begin()
    told.write(1)
    told.until([1])
    told.file.write_text('{"gameId": "crafter", "timest', encoding="utf-8")
    time.sleep(0.1)
    told.write(2)
    told.until([1, 2])


@pytest.mark.usefixtures("signals")
def test_ctrl_c_is_not_for_it(told: Told) -> None:
    told.begin()
    told.write(1)
    told.until([1])
    told.child.process.send_signal(signal.SIGINT)
    told.write(2)
    told.until([1, 2])


def test_a_game_without_truth_needs_no_keeper(tmp_path: Path) -> None:
    folder = tmp_path / "silent"
    folder.mkdir()
    manifest = """
        schema = 1
        [game]
        id = "silent"
        name = "Silent"
        [window]
        title = "Silent"
        [screen]
        width = 10
        height = 10
        [controls]
        keys = ["a"]
        [[actions]]
        name = "press"
        keys = ["a"]
    """
    (folder / "plugin.toml").write_text(manifest, encoding="utf-8")
    message = Told(tmp_path, str(folder))
    assert message.child.process.wait(PATIENCE_S) == 0, message.child.last_words()
    message.channel.close()
    assert not truth_file(message.data, 1).exists()
