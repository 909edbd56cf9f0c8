"""`pitwall teach`, as a person and a program run it, on made demonstrations."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.console.scripted_play import TAUGHT
from tests.demonstrations.made import demonstrated

from pitwall.cli.main import main
from pitwall.cli.teach.record import kept_lines
from pitwall.core.paths import DataFolder

Teach = Callable[..., tuple[int, Any]]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def teach(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Teach:
    """Runs `pitwall teach … --json`; gives its status and its last line's value."""

    def run(*arguments: str, plain: bool = False) -> tuple[int, Any]:
        ends = [] if plain else ["--json"]
        monkeypatch.setattr(sys, "argv", ["pitwall", "teach", *arguments, "--data", str(data.root), *ends])
        status = main()
        printed = capsys.readouterr().out.strip()
        return status, printed if plain else json.loads(printed.splitlines()[-1])

    return run


def test_demonstrations_are_listed_changed_and_deleted(teach: Teach, data: DataFolder) -> None:
    assert "pitwall teach record" in teach("list", plain=True)[1]
    name = demonstrated(data).name
    (data.demonstrations / "broken").mkdir()
    status, body = teach("list")
    assert status == 0
    assert [entry["id"] for entry in body["demonstrations"]] == ["broken", name]
    assert body["demonstrations"][1]["actions"] == {"flap": 12}
    assert "12 s, " in teach("list", plain=True)[1]
    assert teach("list", "--game", "snake")[1]["demonstrations"] == []
    assert "has no manifest.json" in teach("list", plain=True)[1]

    status, body = teach("trim", "2026", "--from", "1", "--to", "11")
    assert (status, len(body["demonstration"]["trims"])) == (0, 2)
    status, body = teach("trim", "2026", "--clear", "--from", "2", "--to", "4", "--cut", "--purge")
    assert (status, body["demonstration"]["pictures"]) == (0, 100)
    assert "Left out: 2 to 4 s" in teach("show", "2026", plain=True)[1]

    assert teach("tag", "2026", "good", "--note", "Calm.")[1]["demonstration"]["tags"] == ["good"]
    status, body = teach("trim", "2026", "--from", "9", "--to", "3")
    assert (status, body["error"]) == (1, "BadTrim")
    demonstrated(data, "20261123-200000-flappy", seconds=1)
    status, body = teach("merge", name, "20261123-20")
    assert status == 0 and body["demonstration"]["id"].endswith("flappy-merged")
    assert teach("delete", name)[1] == {"deleted": name}
    assert teach("show", name)[1]["error"] == "UnknownDemonstration"


def test_a_check_names_the_damaged_file(teach: Teach, data: DataFolder) -> None:
    folder = demonstrated(data)
    status, body = teach("show", folder.name, "--check")
    assert (status, body["faults"]) == (0, [])
    (folder / "events-0000.parquet").write_bytes(b"nothing")
    status, body = teach("show", folder.name, "--check")
    assert status == 1 and "events-0000.parquet" in body["faults"][0]


def test_after_a_window_that_no_game_describes_it_says_how_to_go_on() -> None:
    assert "pitwall games new --window" in list(kept_lines(TAUGHT, bare=True))[-1]
    assert not any("games new" in line for line in kept_lines(TAUGHT, bare=False))
