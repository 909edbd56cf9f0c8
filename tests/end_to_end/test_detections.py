"""A detector by model in a real game: late boxes move a reflex on a screen that stands still."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import Pit, children_of
from tests.end_to_end.game import SmallGame

from pitwall.core import telemetry
from workshop.fixtures.tiny_detectors import LABELS, tiny_detector

pytestmark = pytest.mark.screen

_PROGRAM = Path(__file__).with_name("target_window.py")
_TABLES = f"""
[[detectors]]
name = "eyes"
kind = "onnx"
model = "eyes.onnx"
labels = {json.dumps(LABELS)}
confidence = 0.85

[[fields]]
name = "targets"
kind = "detected"
detector = "eyes"
label = "red"
value = "count"

[[modules]]
name = "shoot"
ends = "status == 'terminal'"

[[modules.rules]]
when = "targets > 0"
action = "tap"
cooldown_ms = 100

[[skills]]
name = "shoot them"
when = "status == 'playing'"
subgoal = "shoot"
module = "shoot"
priority = 9
"""


@pytest.fixture
def game(make_game: MakeGame) -> SmallGame:
    """A game of targets, open."""
    game = make_game("tap", window=False)
    file = game.folder / "plugin.toml"
    manifest = file.read_text(encoding="utf-8").replace("height = 240", "height = 256")
    file.write_text(manifest + _TABLES, encoding="utf-8")
    tiny_detector(game.folder / "eyes.onnx", width=320, height=256)
    game.command = [sys.executable, str(_PROGRAM), "--title", game.title, "--log", str(game.log)]
    game.open()
    game.window_id()
    return game


def _until_hits(pit: Pit, game: SmallGame, more: int) -> None:
    wanted = len(game.inputs("hit")) + more
    pit.until(lambda: len(game.inputs("hit")) >= wanted, f"{wanted} hits")


def test_late_boxes_move_a_reflex_and_a_dead_host_only_interrupts_it(
    game: SmallGame, make_pit: MakePit
) -> None:
    pit = make_pit(game)
    pit.play()
    _until_hits(pit, game, 6)
    notes = pit.all_heard(telemetry.FrameNote)
    (box,) = next(note.detections for note in notes if note.detections)
    assert (box.label, box.detector, box.box.width, box.box.height) == ("red", "eyes", 32, 32)
    assert pit.session.pid is not None
    (host,) = children_of(pit.session.pid, "host")
    os.kill(host, signal.SIGKILL)
    _until_hits(pit, game, 3)
    message = [fault.what for fault in pit.all_heard(telemetry.Fault)]
    assert len(message) == 1 and "host" in message[0], message
