"""Play a short run, and print where the signal that `test_signals.py` adds to a copy of the tree arrives.

Arguments: a data folder, and the signal's name. Where the signal does not exist, only the run is recorded.
"""

from __future__ import annotations

import contextlib
import csv
import json
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from pitwall.console.kit.theme import Look
from pitwall.console.live.signals.step_table import StepTable
from pitwall.console.live.signals.strips import Strips
from pitwall.console.replay.timeline import Timeline
from pitwall.console.services.bridge import Bridge
from pitwall.core.actions import SemanticAction
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.core.signals import WEIGHED, Failure, Route, Thresholds, TriggerDecision
from pitwall.core.steps import StepRecord
from pitwall.engine.decision.route_decision import reasons_in_words
from pitwall.engine.trigger.event_trigger import EventTrigger, replay
from pitwall.memory.prompt.state_parts import Scene, head_lines
from pitwall.store.clip_overlay import BAND_PX, ClipBand
from pitwall.store.export import export_run
from pitwall.store.run_log import RunLog
from pitwall.store.run_reader import RunReader
from pitwall.store.run_track import read_track

LIMIT = 3


def main() -> None:
    """Print, as JSON, what decision, run log, exports and screens show of the signal."""
    data, name = DataFolder(Path(sys.argv[1])), sys.argv[2]
    signal = WEIGHED.get(name)
    limits: dict[str, object] = {"refresh_steps": 1000, "stall_steps": 1000}
    if signal is not None:
        limits[signal.setting] = LIMIT
    thresholds = Thresholds.model_validate(limits)
    trigger = EventTrigger(thresholds)
    records = []
    for step in range(1, 6):
        decision = trigger.step(change=0.0, progress=step, failure=Failure.NONE, requested=False)
        trigger.acted(f"step {step}")
        records.append(_record(step, decision))
    with RunLog.open(data) as log:
        run_id = log.begin(_manifest(thresholds))
        for record in records:
            log.add_step(run_id, record)
    if signal is None:
        return
    with contextlib.closing(RunReader.open(data)) as reader:
        earlier, steps = reader.steps(run_id - 1), reader.steps(run_id)
        exported = export_run(data, run_id, ("jsonl", "csv", "sqlite"), data.root / "export")
        track = read_track(data, reader, run_id)
    lines = (exported.folder / "run.jsonl").read_text(encoding="utf-8").splitlines()
    with (exported.folder / "steps.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    reached = next(record for record in records if record.reasons)
    app = QApplication([])
    look = Look(app)
    bridge = Bridge(data, None, lambda: ())  # type: ignore[arg-type]
    strips, table, timeline = Strips(bridge, look), StepTable(bridge, look), Timeline(look)
    timeline.show_track(track, track.seconds)
    report = {
        "decided": [[str(reason) for reason in record.reasons] for record in records],
        "why": reasons_in_words(reached.signals, reached.reasons),
        "prompt": head_lines(
            Scene(status=GameStatus.PLAYING, values={}, signals=reached.signals), reached.reasons
        ),
        "earlier": [getattr(record.signals, name) for record in earlier],
        "logged": [getattr(record.signals, name) for record in steps],
        "jsonl": [record["signals"][name] for record in map(json.loads, lines) if record["type"] == "step"],
        "csv": [row[f"{name}_{signal.unit}"] for row in rows],
        "replayed": [decision.escalate for decision in replay(steps, thresholds)],
        "strips": strips.chart._as_csv().splitlines()[0].split(","),
        "table": [column.title for column in table.rows.columns],
        "timeline": timeline.words_at(timeline._x(4.5), timeline._tops[name] + 2),
        "clip": list(ClipBand(track, steps, 640).at(track.seconds).shape) == [BAND_PX, 640, 3],
    }
    print(json.dumps(report))  # noqa: T201


def _record(step: int, decision: TriggerDecision) -> StepRecord:
    return StepRecord(
        step=step,
        at_ns=step * 10**9,
        frame_id=step,
        status=GameStatus.PLAYING,
        route=Route.STRATEGIC if decision.escalate else Route.REACTIVE,
        reasons=decision.reasons,
        why="",
        signals=decision.signals,
        action=SemanticAction(name=f"step {step}"),
    )


def _manifest(thresholds: Thresholds) -> RunManifest:
    return RunManifest(
        game_id="still",
        game_name="Still",
        game_version="1",
        profile_hash="",
        role="player",
        planner="skills",
        seed=None,
        started_at="2026-01-02T03:04:05Z",
        settings={},
        thresholds=thresholds.model_dump(),
        versions={},
        screen=(64, 64),
    )


if __name__ == "__main__":
    main()
