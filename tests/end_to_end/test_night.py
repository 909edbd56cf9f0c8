"""A night with a real game that crashes: evidence, a restart, a message to a program, and the digest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.patience import LIGHT, patient

from pitwall.core.paths import DataFolder
from workshop.fixtures.bad_endings.adding import GAME, add_ending_game

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="its signals and its windows are others"),
    pytest.mark.usefixtures("screen"),
    pytest.mark.timeout(300),
]


@pytest.mark.long
def test_a_crashing_game_is_started_again_until_a_person_must_look(tmp_path: Path) -> None:
    told = tmp_path / "told"
    told.write_text('#!/bin/sh\n(cat; echo) >> "$0.jsonl"\n', encoding="utf-8")
    told.chmod(0o755)
    data = patient(DataFolder(tmp_path / "data"), LIGHT)
    variables = {**os.environ, "PITWALL_DATA": str(data.root)}

    def pitwall(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pitwall", *words]
        return subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=240, check=False
        )

    add_ending_game(data, tmp_path / "how")
    (tmp_path / "how").write_text("exit", encoding="utf-8")

    ends = ("--runs", "9", "--failures", "2", "--backoff", "0.1")
    words = ("night", "play", "--game", GAME, "--planner", "random", *ends, "--command", str(told), "--json")
    done = pitwall(*words)
    assert done.returncode == 1, done.stderr
    sums: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert (sums["state"], sums["crashes"], sums["restarts"]) == ("needs-you", 2, 1), done.stdout
    messages = [json.loads(line) for line in Path(f"{told}.jsonl").read_text().splitlines()]
    kinds = [message["event"] for message in messages]
    assert kinds == ["started", "crashed", "restarted", "crashed", "needs-you"]
    assert "with status 7" in messages[1]["text"]
    folder = Path(sums["file"]).parent
    assert len(list(folder.glob("crash-*.webm"))) == 2
    assert "the level has no floor" in Path(sums["file"]).read_text(encoding="utf-8")
