"""The whole round beside a real game: a player is recorded, learned from, shadowed, and corrects."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.end_to_end.command import pitwall

from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder

pytestmark = [pytest.mark.screen, pytest.mark.timeout(600)]

_RECORDED_MIN, _BESIDE_MIN = "0.17", "0.1"
_RECIPE = ("--set", "epochs=4")


@contextmanager
def _player(data: DataFolder) -> Iterator[None]:
    """The independent demonstrator: its own eyes on Flappy's window, its own hands on the keyboard."""
    command = [sys.executable, "-m", "workshop.demonstrator.player", "flappy", "--data", str(data.root)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _said(data: DataFolder, *words: str) -> dict[str, Any]:
    ran = pitwall(*words, "--json", data=data)
    assert ran.status == 0, ran.err
    answer: dict[str, Any] = ran.answer
    return answer


def test_a_player_is_recorded_learned_from_shadowed_relieved_and_corrects(
    screen: str, data: DataFolder
) -> None:
    assert screen
    with _player(data):
        taught = _said(data, "teach", "record", "--game", "flappy", "--minutes", _RECORDED_MIN)
    assert taught["complete"]
    assert taught["presses"]["flap"] >= 3
    assert taught["dropped"] == 0
    first = taught["demonstration"]

    learned = _said(data, "gsm", "train", "flappy/fly", "--from", first, "--fields", *_RECIPE)
    version = learned["about"]["version"]

    agent = ("--agent", f"fly@{version}")
    offline = _said(data, "shadow", "--demo", first, *agent)["agreement"]
    assert offline["decisions"] > 0
    assert offline["low"] <= offline["share"] <= offline["high"]

    with _player(data):
        live = _said(data, "shadow", "--game", "flappy", *agent, "--minutes", _BESIDE_MIN, "--grant-at", "0")
    assert live["granted"]["summary"]["takeovers"] == 1
    assert live["keys_down_at_end"] == 0

    kept = DemonstrationFolder(data).all()
    corrections = [
        item.id for item in kept if item.manifest is not None and item.manifest.kind == "correction"
    ]
    assert len(corrections) == 1

    again = f"{first},{corrections[0]}"
    retrained = _said(data, "gsm", "train", "flappy/fly", "--from", again, "--start-from", version, *_RECIPE)
    assert retrained["about"]["parent"] == version
    assert 0.0 <= retrained["cloned"]["before"] <= 1.0
