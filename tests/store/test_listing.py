"""`pitwall runs` on real logs: times with their zone, the number of all runs, a log copied in mid-play."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pitwall.cli.main import main
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.store.run_log import RunLog


def _runs(data: DataFolder, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["pitwall", "runs", *words, "--data", str(data.root)])
    return main()


def test_runs_say_their_zone_and_how_many_are_not_listed(
    log: RunLog,
    data: DataFolder,
    manifest: RunManifest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(7):
        log.begin(manifest)
    assert _runs(data, monkeypatch, "--limit", "3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and lines[3] == "3 of 7 runs. All: --limit 7"
    assert all("2026-01-02T03:04:05 UTC  flappy" in line for line in lines[:3])
    assert _runs(data, monkeypatch) == 0
    assert "All:" not in capsys.readouterr().out
    assert _runs(data, monkeypatch, "--limit", "3", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 3
    assert _runs(data, monkeypatch, "--search", "snake") == 0
    assert capsys.readouterr().out == "No run matches 'snake'.\n"


@pytest.mark.parametrize("tails", [("",), ("", "-wal", "-shm")])
def test_a_log_that_was_copied_in_mid_play_names_the_file_that_is_missing(
    log: RunLog,
    data: DataFolder,
    manifest: RunManifest,
    tmp_path: Path,
    tails: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log.begin(manifest)
    copied = DataFolder(tmp_path / "copied")
    copied.root.mkdir()
    for tail in tails:
        name = f"{data.database.name}{tail}"
        shutil.copyfile(data.root / name, copied.root / name)
    assert _runs(copied, monkeypatch) == 0
    message = capsys.readouterr().out
    assert ("the run stands in runs.sqlite-wal: copy that file" in message) == (len(tails) == 1)
    assert ("flappy" in message) == (len(tails) == 3)


def test_a_new_data_folder_has_no_runs_and_nothing_else(
    data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _runs(data, monkeypatch) == 0
    assert capsys.readouterr().out == "No runs yet. Make one: pitwall demo\n"
