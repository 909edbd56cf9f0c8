"""Task seats as suites use them: real games on screens of their own, each end a result, nothing left."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest
from tests.patience import LIGHT, patient
from tests.pitwall_evaluation.desk import Scratch

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import trust
from pitwall.memory.transfer.files import snapshot_file
from pitwall.store.run_reader import RunReader
from pitwall_bench.suites.memories import EMPTY
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import AgentSpec, Limits
from pitwall_bench.tasks.messages import LentMemory, PlayTask, TaskDone, TaskFault, TaskProgress, TaskWorker

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = pytest.mark.screen

_MANIFEST = """
schema = 1
[game]
id = "printing"
name = "Printing"
[launch]
command = {command}
programs = {programs}
ready_timeout_s = {ready_s}
[window]
title = "^pitwall-printing-game$"
[screen]
width = 200
height = 150
[controls]
keys = ["Space"]
[[actions]]
name = "tap"
keys = ["Space"]
hold_ms = 30
duration_ms = 100
[[fields]]
name = "moved"
kind = "change"
[trigger]
scene_change = 2.0
[[skills]]
name = "tap"
when = "status == 'playing'"
subgoal = "tap"
actions = ["tap"]
[truth]
kind = "output"
score = "metrics.points"
unit = "points"
patterns = {{ "metrics.points" = 'round of (\\d+)', "terminal.is_terminal" = '(round over)|round of [0-4]' }}
[[tasks]]
id = "more_than_there_is"
instruction = "Get 8 points."
score = "metrics.points"
target = 8
steps = 14
[[tasks]]
id = "three_points"
instruction = "Get 3 points."
score = "metrics.points"
target = 3
steps = 14
"""


_TOGETHER = Cell(game="dodge", task="together_home", agent="a", seed=1)
_PATIENT = Limits(opening_s=600)
"""A loaded machine takes its time."""
_AGAIN = 3


class Table(Scratch):
    """Orders seats."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder, self.data = folder, patient(DataFolder(folder / "data"), LIGHT)

    def game(self, *options: str, programs: str = "[]", ready_s: float = 250.0, trusted: bool = True) -> Path:
        folder = self.folder / f"game-{len(list(self.folder.glob('game-*')))}"
        folder.mkdir()
        program = Path(__file__).with_name("printing_game.py").read_text(encoding="utf-8")
        (folder / "printing_game.py").write_text(program, encoding="utf-8")
        command = json.dumps(["{python}", "{folder}/printing_game.py", *options])
        (folder / "plugin.toml").write_text(
            _MANIFEST.format(command=command, programs=programs, ready_s=ready_s), encoding="utf-8"
        )
        if trusted:
            trust(self.data, Registry(self.data).load(str(folder)))
        return folder

    def order(self, game: str | Path, task: str, name: str = "", **more: Any) -> PlayTask:
        cell = Cell(game=Path(game).name, task=task, agent=name or "skills", seed=1)
        given = {
            "cell": cell,
            "game": str(game),
            "agent": AgentSpec(name=cell.agent),
            "protocol": "real-time",
            "limits": _PATIENT,
            "data": self.data.root,
            "session": self.folder / "sessions" / cell.key,
            **more,
        }
        return PlayTask.model_validate(given)

    def seat(self, order: PlayTask) -> TaskWorker:
        return TaskWorker(order, self.folder / "seat.log")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    made = Table(tmp_path)
    monkeypatch.setenv("TMPDIR", str(made.scratch))
    yield made
    assert made.left_behind() == []


def _ends(seats: list[TaskWorker]) -> tuple[list[TaskRun], list[TaskProgress]]:
    """Hear all of them to their ends."""
    runs: dict[TaskWorker, TaskRun] = {}
    messages: list[TaskProgress] = []
    while len(runs) < len(seats):
        for seat in seats:
            if seat in runs:
                continue
            for message in seat.answers(0.05):
                assert not isinstance(message, TaskFault), message
                if isinstance(message, TaskDone):
                    runs[seat] = message.run
                else:
                    messages.append(message)
    for seat in seats:
        seat.close()
    return [runs[seat] for seat in seats], messages


def _played(table: Table, orders: list[PlayTask]) -> tuple[list[TaskRun], list[TaskProgress]]:
    """Side by side; what the machine's load ended is played again by itself, as a suite does."""
    runs, message = _ends([table.seat(item) for item in orders])
    for at, order in enumerate(orders):
        for _ in range(_AGAIN):
            if runs[at].ended == "outside":
                (runs[at],), _more = _ends([table.seat(order)])
    return runs, message


def _until(seat: TaskWorker, holds: Callable[[TaskProgress], bool]) -> TaskProgress:
    while True:
        for message in seat.answers(0.5):
            assert isinstance(message, TaskProgress), message
            if holds(message):
                return message


def test_runs_side_by_side_each_come_to_their_own_end(table: Table) -> None:
    flappy = table.order("flappy", "first_pipe", limits=_PATIENT.model_copy(update={"steps": 6}))
    game = table.game()
    orders = [
        flappy,
        table.order(game, "three_points", memory=LentMemory(content_hash=EMPTY, kept=True)),
        table.order(game, "more_than_there_is"),
        table.order(table.game("--crash-at", "2"), "more_than_there_is"),
    ]
    runs, message = _played(table, orders)
    flown, scored, printed, crashed = runs

    assert flown.ended in ("target", "steps"), flown.why
    assert flown.score is not None
    assert flown.success is (flown.ended == "target") is (flown.score >= 1), "how well it flies is not asked"
    assert flown.progress == min(flown.score, 1)
    assert (flown.genre, flown.level, flown.unit, flown.verified) == ("runner", 1, "pipes", True)
    assert 0 < flown.steps <= 6
    assert flown.summary is not None
    assert flown.seconds > 0
    assert flown.unopened_s > 0
    kept = RunReader(DataFolder(flappy.session))
    assert flown.run_id is not None
    assert len(kept.steps(flown.run_id)) == flown.summary.steps
    kept.close()
    assert not (flappy.session / "frames").exists()

    assert (scored.ended, scored.success, scored.progress) == ("target", True, 1), scored.why
    assert scored.score in (3, 4), "a press that was on its way as the target was seen may count"
    assert scored.steps < 14
    assert scored.summary is not None
    assert scored.summary.outcome == "stopped", "its end is no emergency"

    assert scored.memory is not None and scored.memory.before == EMPTY
    learnt = snapshot_file(orders[1].session / "memory.jsonl")
    assert learnt[0] == scored.memory.after != EMPTY, "what it learned goes on with the session"

    assert (printed.ended, printed.success) == ("steps", False), printed.why
    assert (printed.score, printed.progress) == (5, 5 / 8), "the best of all rounds"
    assert printed.resets >= 1, "a round that is over is begun anew by the next tap"
    assert printed.steps == 14

    assert (crashed.ended, crashed.score) == ("crashed", 2), crashed.why
    assert "it fell over" in crashed.why

    pictures = {item.picture for item in message} - {""}
    assert pictures == {"picture.png"}
    picture = cv2.imread(str(flappy.session / "picture.png"))
    assert picture is not None
    assert picture.shape[1] <= 320
    assert picture.std() > 5, "something is to be seen in it"
    assert any(element.budget == 6 and element.steps for element in message)


def test_what_cannot_be_played_is_a_result_with_its_cause(table: Table, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "letter.txt").write_text("mine", encoding="utf-8")
    wall = tmp_path / "wall"
    wall.write_text("a file", encoding="utf-8")
    orders = [
        table.order(table.game(programs='["no-such-program"]'), "three_points"),
        table.order(table.game(trusted=False), "three_points"),
        table.order(table.game("--hidden", ready_s=1.0), "three_points"),
        table.order("flappy", "first_pipe", "taken", session=taken),
        table.order("flappy", "first_pipe", "walled", session=wall / "session"),
    ]
    runs, _ = _ends([table.seat(order) for order in orders])
    assert [run.ended for run in runs] == ["launch", "launch", "not_ready", "launch", "launch"]
    for run, message in zip(
        runs,
        [
            "no-such-program, not found",
            "trust",
            "shows no window",
            "in use for something other",
            "cannot be",
        ],
        strict=True,
    ):
        assert message in run.why
        assert (run.success, run.progress, run.summary) == (False, None, None)
    assert (taken / "letter.txt").read_text(encoding="utf-8") == "mine"


def test_an_order_that_makes_no_sense_is_a_fault(table: Table) -> None:
    changes: list[tuple[dict[str, Any], str]] = [
        ({"cell": Cell(game="flappy", task="first_pip", agent="a", seed=1)}, "Did you mean 'first_pipe"),
        ({"game": "flapy"}, "Did you mean 'flappy'?"),
        ({"agent": AgentSpec(name="me", kind="person")}, "needs the screen that is here"),
        ({"game": "dodge", "cell": _TOGETHER, "protocol": "paused"}, "real-time"),
        ({"game": "dodge", "cell": _TOGETHER, "agent": AgentSpec(name="a", other="person")}, "here"),
    ]
    order = table.order("flappy", "first_pipe")
    seats = [table.seat(order.model_copy(update=change)) for change, _ in changes]
    for seat, (_, message) in zip(seats, changes, strict=True):
        fault: object = None
        while fault is None:
            fault = next(iter(seat.answers(1.0)), None)
        seat.close()
        assert isinstance(fault, TaskFault)
        assert message in f"{fault.what} {fault.fix}"


def test_given_up_killed_or_hung_up_on_nothing_stays(table: Table) -> None:
    """The fixture looks for what is left behind."""
    game = table.game()
    seats = [
        table.seat(table.order(game, "more_than_there_is", name)) for name in ("asked", "killed", "hung-up")
    ]
    asked, killed, hung_up = seats
    for seat in seats:
        _until(seat, lambda progress: progress.state != "opening")
    asked.give_up()
    os.kill(killed.pid, signal.SIGKILL)
    hung_up.close()
    run = next(m.run for _ in range(2000) for m in asked.answers(0.1) if isinstance(m, TaskDone))
    asked.close()
    killed.close()
    assert run.ended in ("stopped", "steps"), run.why
