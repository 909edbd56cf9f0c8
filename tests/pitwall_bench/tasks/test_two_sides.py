"""Two agents at once in one window, judged by one evaluator: each presses its own side's keys."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.evaluation.desk import Scratch
from tests.patience import LIGHT, patient

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
        limits=Limits(opening_s=600),
        data=data.root,
        session=folder / "session",
    )
    for _ in range(_AGAIN):
        seat, run = TaskWorker(order, folder / "seat.log"), None
        while run is None:
            run = next((item.run for item in seat.answers(1.0) if isinstance(item, TaskDone)), None)
        seat.close()
        if run.ended != "outside":
            break
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
def test_two_agents_bring_both_figures_home(tmp_path: Path) -> None:
    run, session = _played(tmp_path, "dodge", "together_home", AgentSpec(name="skills"))
    assert (run.ended, run.success) == ("target", True), run.why
    ember, frost = run.sides
    assert (ember.role, frost.role, ember.agent, frost.agent) == ("ember", "frost", "skills", "skills")
    assert (ember.score, frost.score) == (5, 5), "three gems and a home each"
    assert ember.steps > 8 and frost.steps > 8
    for side in run.sides:
        assert side.summary is not None and side.summary.takeovers == 0, "the other's keys are no takeover"
    assert {name.split("_")[0] for name in _actions(session, ember.run_id)} <= {"ember", "begin", "hold"}
    other = side_folder(session, "frost")
    assert {name.split("_")[0] for name in _actions(other, frost.run_id)} <= {"frost", "begin", "hold"}
    assert any("frost, by skills: score 5" in line for line in result_lines(run, session))


@pytest.mark.usefixtures("scratch")
def test_a_rule_beats_chance_in_one_match_and_each_side_has_its_figures(tmp_path: Path) -> None:
    run, session = _played(tmp_path, "carball", "duel_blue", AgentSpec(name="skills", other="random"))
    assert (run.ended, run.success) == ("target", True), run.why
    blue, red = run.sides
    assert (blue.role, blue.agent, red.role, red.agent) == ("blue", "skills", "red", "random")
    assert blue.score == 2 == run.score
    assert red.score is not None and red.steps > 8
    assert {name.split("_")[0] for name in _actions(side_folder(session, "red"), red.run_id)} <= {
        "red",
        "begin",
        "hold",
    }
