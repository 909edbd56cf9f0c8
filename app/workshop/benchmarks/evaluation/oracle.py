"""SPIKE's grid played by the scripted oracle: does each cell move as it should when the reader is able?

The reader is a program that plays well by the prompt's text and errs in a share of the states
(`workshop/fixtures/oracle_endpoint.py`), so differences between cells come from the cells alone.
"""

from __future__ import annotations

from typing import Any

import yaml

from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.models.registry import ModelRegistry
from pitwall_bench.playing.play import play_suite
from pitwall_bench.study.report import write_study
from pitwall_bench.study.results import CellResult, StudyResult, result_of
from pitwall_bench.study.spike_grid import CELLS, suite_of
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.summary import summary_of
from workshop.benchmarks.report import check, figure, load_average, report
from workshop.fixtures.oracle_endpoint import MODEL, oracle_endpoint

GAMES = ("maze/first_key", "mines/open_40")
ERROR, SEED = 0.25, 44
AIM_TOKENS = 0.45
"""Share of an always deliberating agent's tokens: the paper saves 54.9 % against CRADLE."""
_PLAYED = (
    "spike",
    "react",
    "transcript",
    "reflexion",
    "stardojo",
    "cradle",
    "strategic",
    "reactive",
    "global",
)
_SEEDS, _QUICK_SEEDS = 10, 1


def run(*, quick: bool) -> dict[str, Any]:
    """Play the cells that are missing, and report over all."""
    name = "oracle-quick" if quick else "oracle"
    data = DataFolder(default_data_dir() / "benches" / name)
    data.suites.mkdir(parents=True, exist_ok=True)
    with oracle_endpoint(seed=SEED, error=ERROR) as url:
        result = _played(data, url, name, _QUICK_SEEDS if quick else _SEEDS)
    files = write_study(result, data.suites / name / "report")
    cells = {cell.cell: cell for cell in result.cells}
    return report(
        "oracle",
        [*_cheaper(cells, "cradle"), *_cheaper(cells, "stardojo"), _grows(cells), _memory(cells)],
        error=ERROR,
        seeds=result.seeds,
        games=result.games,
        report=str(files[0]),
        cells={cell.cell: cell.model_dump(mode="json", exclude={"paper"}) for cell in result.cells},
        load_average=load_average(),
    )


def _played(data: DataFolder, url: str, name: str, seeds: int) -> StudyResult:
    registry = ModelRegistry(data)
    if any(entry.name == MODEL for entry in registry.all()):
        registry.remove(MODEL)
    registry.add_remote(MODEL, url, MODEL)
    cells = [cell for cell in CELLS if cell.name in _PLAYED]
    suite = suite_of(MODEL, cells, name=name, games=GAMES, seeds=seeds)
    file = data.suites / f"{name}.yaml"
    body = suite.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    file.write_text(yaml.safe_dump({"schema": 1, **body}, sort_keys=False), encoding="utf-8")
    played = play_suite(read_suite(file, data), data, failed_again=True)
    return result_of(MODEL, cells, summary_of(played.folder))


def _success(cell: CellResult) -> float:
    return cell.success.share if cell.success is not None else 0.0


def _tokens(cell: CellResult) -> float:
    return cell.tokens.mean if cell.tokens is not None else 0.0


def _cheaper(cells: dict[str, CellResult], other: str) -> list[dict[str, Any]]:
    """Compare SPIKE's own cell with an agent that deliberates at each step: tokens, and success."""
    spike, peer = cells["spike"], cells[other]
    share = _tokens(spike) / _tokens(peer) if _tokens(peer) else 0.0
    points = 100 * (_success(spike) - _success(peer))
    return [
        check(
            f"tokens a run against {other}",
            "share",
            figure(share),
            aim=f"≤ {AIM_TOKENS:g}",
            met=0 < share <= AIM_TOKENS,
        ),
        check(f"success against {other}", "points", figure(points), aim="≥ 0", met=points >= 0),
    ]


def _grows(cells: dict[str, CellResult]) -> dict[str, Any]:
    """Compare the tokens a step of an unbounded transcript with those of a bounded window."""
    steps = {name: cells[name].tokens_step for name in ("transcript", "react")}
    transcript, react = steps["transcript"], steps["react"]
    ratio = transcript.mean / react.mean if transcript and react and react.mean else 0.0
    return check("tokens a step, transcript over ReAct", "×", figure(ratio), aim="> 1.5", met=ratio > 1.5)


def _memory(cells: dict[str, CellResult]) -> dict[str, Any]:
    """Compare success with its memories and with global memory only."""
    points = 100 * (_success(cells["spike"]) - _success(cells["global"]))
    return check(
        "success, own memories over global only", "points", figure(points), aim="≥ 0", met=points >= 0
    )
