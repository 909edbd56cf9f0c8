"""SPIKE's grid as a suite, and its report beside the paper's figures."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.pitwall_bench.playing.quick_worker import PLAYED, SCRIPT, QuickChild
from tests.pitwall_bench.suites.made_runs import run

from pitwall.cli.reporter import table
from pitwall.console.kit.language.catalogue import ENGLISH, catalogue_for
from pitwall.core.errors import PitwallError, UnknownModel
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.core.settings import Settings
from pitwall.core.signals import Thresholds
from pitwall.models.registry import ModelRegistry
from pitwall_bench.cli.study import spike
from pitwall_bench.study.paper import PAPER
from pitwall_bench.study.report import html_of, sheet_of, text_lines
from pitwall_bench.study.results import StudyResult, result_of
from pitwall_bench.study.spike_grid import CELLS, GAMES, cells_of, suite_of
from pitwall_bench.suites.bounds import Bounds
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.results import Cell, SuiteProgress
from pitwall_bench.suites.summary import summarise
from pitwall_bench.tasks.command import command_of
from pitwall_bench.tasks.messages import PlayTask
from pitwall_evaluation.html_report import write_study


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """The whole grid with an endpoint's model, written as a file and read as any suite."""
    data = DataFolder(tmp_path / "data")
    ModelRegistry(data).add_remote("reader", "http://127.0.0.1:9/v1", "reader")
    suite = suite_of("reader", CELLS, name="study-spike-reader", games=GAMES, seeds=2)
    file = tmp_path / "suite.yaml"
    body = suite.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    file.write_text(yaml.safe_dump({"schema": 1, **body}), encoding="utf-8")
    return read_suite(file, data)


def test_the_grid_is_a_suite_in_which_the_model_alone_plays(plan: Plan) -> None:
    assert len(plan.cells(0)) == len(CELLS) * len(GAMES) * 2
    for cell in CELLS:
        agent = plan.agents[cell.name]
        assert agent.model == agent.fast_model == "reader" and "L5=disable" in agent.layer
        settings = Settings()
        for name, value in agent.settings.items():
            section, _, field = name.partition(".")
            settings = settings.with_value(section, field, value)
        assert (settings.control.trust, settings.control.stand_in) == ("model", "hold")
        assert not settings.layers.modules, "a game's module would play in the model's place"
        assert not settings.memory.global_only or settings.layers.l3 == "on", "the game's rules stay"
        assert agent.thresholds.keys() == Thresholds.model_fields.keys(), "no game's own calibration"
    assert plan.spec.limits.calls and plan.spec.limits.calls > 100_000, "steps bound it, no budget of calls"
    spike, later = (plan.agents[name].thresholds for name in ("spike", "later"))
    assert {name: (spike[name], value) for name, value in later.items() if value != spike[name]} == {
        "refresh_steps": (4, 6),
        "scene_change": (0.35, 0.4),
        "stall_steps": (4, 6),
    }
    assert {cell.paper for cell in CELLS} - {""} == set(PAPER), "each row of the paper has its cell"


def test_no_language_has_another_word_for_a_cell_s_name() -> None:
    for file in (resources_dir() / "languages").glob("*.toml"):
        texts = tomllib.loads(file.read_text(encoding="utf-8"))["texts"]
        assert not {cell.name for cell in CELLS} & texts.keys(), file.name
    player = catalogue_for(ENGLISH, advanced=False)
    assert player is not None
    names = [row[0] for table in sheet_of(_result(), "").tables for row in table.rows]
    assert names and [player.translated(name) for name in names] == names


def test_a_cell_of_the_trigger_plays_under_its_thresholds(plan: Plan) -> None:
    task = plan.task("maze", "first_key")
    order = PlayTask(
        cell=Cell(game="maze", task="first_key", agent="earlier", seed=1),
        game="maze",
        agent=plan.agents["earlier"],
        protocol="paused",
        limits=plan.spec.limits,
        data=Path("/operator"),
        session=Path("/session"),
        screen="own",
    )
    words = command_of(order, task, DataFolder(Path("/s")), bounds=Bounds(40, None, None), seconds=None)
    set_values = {words[at + 1] for at, word in enumerate(words) if word == "--set"}
    assert {"refresh_steps=3", "scene_change=0.3", "stall_steps=3", "failure_level=2"} <= set_values


def test_suites_that_change_no_threshold_keep_their_identity(plan: Plan) -> None:
    plain = plan.agents["spike"].model_copy(update={"thresholds": {}})
    spec = plan.spec.model_copy(update={"agents": [plain, plan.agents["earlier"]]})
    before, changed = replace(plan, spec=spec).identity()["agents"]
    assert "thresholds" not in before and changed["thresholds"]["refresh_steps"] == 3


def test_a_part_plays_beside_spike_s_own_cell() -> None:
    assert {cell.part for cell in cells_of(["memory"], quick=False)} == {"baselines", "memory"}
    assert len(cells_of([], quick=True)) < len(cells_of([], quick=False)) == len(CELLS)
    chosen = cells_of([], names=["global", "react"], quick=False)
    assert [cell.name for cell in chosen] == ["spike", "react", "global"]
    with pytest.raises(PitwallError, match="no cell 'globl'"):
        cells_of([], names=["globl"], quick=False)
    with pytest.raises(PitwallError, match="no part"):
        cells_of(["memori"], quick=False)


def _played(agent: str, seed: int, *, success: bool, tokens: int, steps: int = 10) -> Any:
    tiers = {"strategic": {"calls": steps, "prompt_tokens": tokens - 50, "output_tokens": 50}}
    summary = {"steps": steps, "stuck": 4, "recovered": 3, "tiers": tiers, "deciders": {"model": steps}}
    return run(agent, seed=seed, progress=float(success), steps=steps, seconds=5.0, summary=summary)


def _result() -> StudyResult:
    cells = [cell for cell in CELLS if cell.name in ("spike", "react", "later")]
    spec = suite_of("reader", cells, name="study", games=["flappy/first_pipe"], seeds=2)
    runs = [_played("spike", seed, success=True, tokens=1000) for seed in (1, 2)]
    runs += [_played("react", seed, success=seed == 1, tokens=3000) for seed in (1, 2)]
    runs += [run("later", ended="launch")]
    board = SuiteProgress(state="done", done=5, of=5)
    return result_of("reader", cells, summarise("study", spec, runs, board=board))


def test_each_figure_has_its_interval_and_stands_beside_the_paper_s(tmp_path: Path) -> None:
    result = _result()
    spike, react, later = result.cells
    assert spike.success is not None and react.success is not None
    assert (spike.success.share, react.success.share) == (1.0, 0.5)
    assert react.progress is not None and react.progress.mean == 0.5
    assert react.success.exact_low < 0.5 < react.success.exact_high
    assert spike.tokens_step is not None and spike.tokens_step.mean == 100.0
    assert spike.strategic_step is not None and spike.strategic_step.mean == 1.0
    assert spike.ratio is not None and spike.ratio.mean == pytest.approx(0.75 / 0.4)
    assert (later.runs, later.unplayed, later.success) == (0, 1, None)
    assert any("flappy/first_pipe with later, seed 1, was not played" in each for each in result.warnings)
    files = write_study(html_of(result), result, tmp_path)
    assert json.loads(files[1].read_text(encoding="utf-8"))["cells"][1]["paper"]["success"] == 6.7
    page = files[0].read_text(encoding="utf-8")
    HTMLParser().feed(page)
    assert '50 % (1/2)<br><span class="dim">1.3 … 99 %</span>' in page, "an interval stands below its figure"
    assert "ReAct-like, Table 2" in page and "Different from the paper" in page
    lines = list(text_lines(result, table))
    assert any("(1/2)" in line and line.startswith("react") for line in lines)
    assert any("6.7 %" in line and "9.6 %" in line and "102.6k" in line for line in lines)


def _study(data: DataFolder, capsys: pytest.CaptureFixture[str], **options: Any) -> dict[str, Any]:
    """Runs `pitwall study spike` on two cells' seats that play nothing; gives its JSON."""
    spike(games="mines/open_40", seeds=1, parts="routing", data=data.root, json=True, **options)
    body: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return body


def test_a_study_plays_its_suites_writes_its_report_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pitwall_evaluation.worker_client.Child", QuickChild)
    cells = [cell for cell in CELLS if cell.name in ("spike", "reactive-only")]
    monkeypatch.setattr("pitwall_bench.cli.study.cells_of", lambda *_parts, **_named: cells)
    data = DataFolder(tmp_path / "data")
    ModelRegistry(data).add_remote("reader", "http://127.0.0.1:9/v1", "reader")
    key = "mines~open_40~spike~1~0"
    (tmp_path / SCRIPT).write_text(json.dumps({key: ["win"]}), encoding="utf-8")
    body = _study(data, capsys, agent="reader")
    assert body["suites"] == ["study-spike-reader", "study-spike-reader-calls"] and body["state"] == "done"
    [won, lost] = body["cells"]
    assert (won["success"]["wins"], won["budgeted"]["wins"], lost["success"]["wins"]) == (1, 1, 0)
    assert all(Path(file).is_file() for file in body["files"])
    tries = (tmp_path / PLAYED / key).read_text(encoding="utf-8")
    _study(data, capsys, agent="reader")
    assert (tmp_path / PLAYED / key).read_text(encoding="utf-8") == tries, "nothing is played again"
    short = _study(data, capsys, agent="reader", steps=5, as_="short")
    assert "at most 5 steps a run" in short["about"]
    assert short["suites"] == ["short"], "no second suite under the calls where runs are cut short"
    with pytest.raises(UnknownModel):
        _study(data, capsys, agent="none-such")
