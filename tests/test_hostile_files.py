"""Each reader of a file that its operator can write: whatever stands there, it says so or does without."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.games.drafting.store import read_draft, saved_drafts
from pitwall.games.invented_modules import read_invention
from pitwall.games.registry import Registry
from pitwall.games.trust import is_trusted
from pitwall.gsm.versions import ModuleFolder
from pitwall.memory.reader import MemoryReader
from pitwall.models.registry import ModelRegistry
from pitwall.store.export import verify_export
from pitwall.store.query import saved_queries
from pitwall.store.run_reader import RunReader
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.yaml_text import keys_of, text_of
from pitwall_evaluation.truth.log import true_states
from pitwall_evaluation.truth.state import TruthReader
from pitwall_exam.compat.json_lines import objects_of
from pitwall_exam.questions.folder import read_exam
from pitwall_exchange.demonstrations.lerobot_reader import LerobotDataset
from pitwall_exchange.demonstrations.lerobot_tables import table_rows
from pitwall_exchange.demonstrations.mcap_recording import read_mcap
from pitwall_exchange.sharing.opening import unpack_bundle
from pitwall_lab.improvement.changes import read_change
from pitwall_lab.modules.screen_measurement import read_measured
from pitwall_lab.training_log import read_control
from pitwall_memory_editor.console.graph.layout.positions import StatePositions, load_positions

CONTENTS: dict[str, Callable[[Path], object]] = {
    "deep": lambda file: _write(file, "[" * 100_000),
    "deep table": lambda file: _write(file, '{"a":' * 100_000),
    "digits": lambda file: _write(file, "9" * 5000),
    "no text": lambda file: file.write_bytes(bytes(range(256))),
    "cut off": lambda file: _write(file, '{"v": 1, "history": [{"ver'),
    "nothing": lambda file: _write(file, ""),
    "word": lambda file: _write(file, "null"),
    "pipe": os.mkfifo,
    "endless": lambda file: file.symlink_to("/dev/zero"),
    "loop": lambda file: file.symlink_to(file),
    "folder": Path.mkdir,
}
pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of a POSIX system")


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _never(*_: object) -> NoReturn:
    raise AssertionError("nothing of a hostile recording is kept")


def _flappy(data: DataFolder) -> ModuleFolder:
    game = Registry(data).load("flappy")
    return ModuleFolder(data, game, game.profile.modules[0].name)


RAISES: dict[str, tuple[str, Callable[[DataFolder, Path], object]]] = {
    "settings": ("settings.json", lambda data, _: load_settings(data.settings)),
    "models": ("models.json", lambda data, _: ModelRegistry(data).all()),
    "queries": ("queries.json", lambda data, _: saved_queries(data)),
    "draft": ("drafts/x.json", lambda _, file: read_draft(file)),
    "invention": ("modules/x/y/invented.json", lambda _, file: read_invention(file)),
    "promotions": ("modules/flappy/fly/promoted.json", lambda data, _: _flappy(data).promoted()),
    "version": ("modules/flappy/fly/v1/about.json", lambda data, _: _flappy(data).about("v1")),
    "measurement": ("modules/flappy/fly/measured.json", lambda _, file: read_measured(file.parent)),
    "suite": ("suites/mine.yaml", lambda data, file: read_suite(file, data)),
    "suite that ran": ("suites/mine/suite.yaml", lambda data, _: SuiteFolder(data, "mine").spec()),
    "exam": ("exams/1/exam.json", lambda _, file: read_exam(file)),
    "published log": ("log.jsonl", lambda _, file: list(objects_of(file))),
    "demonstration": ("demonstrations/x/manifest.json", lambda data, _: DemonstrationFolder(data).open("x")),
    "dataset": ("set/meta/info.json", lambda _, file: LerobotDataset(file.parents[1])),
    "dataset's table": ("t.parquet", lambda _, file: list(table_rows(file, ["episode_index"]))),
    "recording": ("r.mcap", lambda _, file: read_mcap(file, _never)),
    "bundle": ("sent.pitwall", lambda data, file: unpack_bundle(file, data.root / "there")),
    "change": ("change.json", lambda _, file: read_change(file)),
    "run log": ("runs.sqlite", lambda data, _: RunReader.open(data).count()),
    "memory": ("memory.sqlite", lambda data, _: MemoryReader(data).games()),
}
AS_IF_EMPTY = {(reader, content) for reader in ("memory", "run log") for content in ("nothing", "loop")} | {
    ("published log", "nothing")
}
DOES_WITHOUT: dict[str, tuple[str, Callable[[DataFolder, Path], object], object]] = {
    "trust": ("trust.json", lambda data, file: is_trusted(data, file.parent), False),
    "drafts": ("drafts/x.json", lambda data, _: saved_drafts(data), []),
    "control": ("control.json", lambda _, file: read_control(file.parent), "run"),
    "truth log": ("runs/000001/truth.jsonl", lambda data, _: list(true_states(data, 1).states), []),
    "truth": ("truth.json", lambda _, file: TruthReader(file).read(), None),
    "positions": ("graph/x.json", lambda _, file: load_positions(file), StatePositions()),
    "suite's text": ("suites/mine.yaml", lambda _, file: keys_of(text_of(file)), None),
    "export": ("manifest.json", lambda _, file: bool(verify_export(file.parent)), True),
}


def _made(tmp_path: Path, name: str, content: str) -> tuple[DataFolder, Path]:
    data = DataFolder(tmp_path / "data")
    file = data.root / name
    file.parent.mkdir(parents=True)
    CONTENTS[content](file)
    return data, file


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("reader", RAISES)
def test_a_hostile_file_is_an_error_that_names_it(tmp_path: Path, reader: str, content: str) -> None:
    name, read = RAISES[reader]
    data, file = _made(tmp_path, name, content)
    if (reader, content) in AS_IF_EMPTY:
        assert not read(data, file)
        return
    with pytest.raises(PitwallError) as caught:
        read(data, file)
    assert file.name in str(caught.value)
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("reader", DOES_WITHOUT)
def test_a_hostile_file_that_can_be_done_without_is_none(tmp_path: Path, reader: str, content: str) -> None:
    name, read, expected = DOES_WITHOUT[reader]
    assert read(*_made(tmp_path, name, content)) == expected
