"""Two agents at once in one window, judged by one evaluator: each presses its own side's keys."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import LIGHT, patient
from tests.pitwall_evaluation.desk import Scratch

from pitwall.core.paths import DataFolder
from pitwall.store.run_reader import RunReader
from pitwall_bench.cli.task import result_lines
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import AgentSpec, Limits
from pitwall_bench.tasks.messages import PlayTask, TaskDone, TaskWorker
from pitwall_bench.tasks.other_side import side_folder

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = pytest.mark.screen
_AGAIN = 3


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scratch]:
    with tempfile.TemporaryDirectory() as short:  # Chromium keeps a socket below it
        made = Scratch(Path(short))
        monkeypatch.setenv("TMPDIR", str(made.scratch))
        yield made
        assert made.left_behind() == []


def _played(folder: Path, game: str, task: str, agent: AgentSpec) -> tuple[TaskRun, Path]:
    """The run, played again where the machine's load ended it, and its session's folder."""
    data = patient(DataFolder(folder / "data"), LIGHT)
    order = PlayTask(
        cell=Cell(game=game, task=task, agent=agent.name, seed=3),
        game=game,
        agent=agent,
        protocol="real-time",
        limits=Limits(opening_s=600, steps=40),
        data=data.root,
        session=folder / "session",
    )
    for _ in range(_AGAIN):
        seat, run = TaskWorker(order, folder / "seat.log"), None
        while run is None:
            run = next((item.run for item in seat.answers(1.0) if isinstance(item, TaskDone)), None)
        seat.close()
        if run is not None and run.ended != "outside":
            break
    assert run is not None
    return run, order.session


def _actions(folder: Path, run_id: int | None) -> set[str]:
    """Names of everything that a side did."""
    assert run_id is not None
    reader = RunReader(DataFolder(folder))
    try:
        return {step.action.name for step in reader.steps(run_id) if step.action is not None}
    finally:
        reader.close()


@pytest.mark.usefixtures("scratch")
@pytest.mark.parametrize(
    ("game", "task", "agent"),
    [
        ("dodge", "together_home", AgentSpec(name="skills")),
        ("carball", "duel_blue", AgentSpec(name="skills", other="random")),
    ],
)
def test_two_agents_play_one_window_and_each_side_has_its_figures(
    tmp_path: Path, game: str, task: str, agent: AgentSpec
) -> None:
    run, session = _played(tmp_path, game, task, agent)
    assert run.played, run.why  # how well they play beside others' work is not asked
    judged, other = run.sides
    assert (judged.agent, other.agent) == ("skills", agent.other_side.name)
    for side, folder in ((judged, session), (other, side_folder(session, other.role))):
        assert side.steps > 5 and side.score is not None
        assert side.summary is not None and side.summary.takeovers == 0, "the other's keys are no takeover"
        done = {name.split("_")[0] for name in _actions(folder, side.run_id)}
        assert side.role in done and done <= {side.role, "begin", "hold"}
    assert any(line.startswith(f"  {other.role}, by {other.agent}") for line in result_lines(run, session))
