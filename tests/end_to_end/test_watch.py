"""A play that another program watches: it sees steps and picture, and its emergency stop brings keys up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.patience import LIGHT, patient

from pitwall.core.paths import DataFolder
from pitwall.link.frame_ring import FrameRingReader
from pitwall.link.watch_point import Ask, Seen, look

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a play cannot be watched there")


@pytest.mark.long
@pytest.mark.usefixtures("screen")
@pytest.mark.timeout(240)
def test_a_watcher_sees_a_real_play_and_stops_it(tmp_path: Path) -> None:
    data = patient(DataFolder(tmp_path), LIGHT)
    words = ["run", "--game", "flappy", "--planner", "skills", "--seconds", "200", "--json"]
    play = subprocess.Popen(
        [sys.executable, "-m", "pitwall", *words],
        env={**os.environ, "PITWALL_DATA": str(data.root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    seen = _watched(data)
    assert seen.game is not None and seen.game.name == "Flappy" and seen.steps[-1].step.why
    ring = FrameRingReader(seen.ring)
    frame = ring.newest()
    assert frame is not None and frame.pixels.std() > 10
    ring.close()
    look(data, Ask(do="stop"))
    assert play.stdout is not None
    result = json.loads(play.stdout.read().splitlines()[-1])
    play.wait(60)
    play.stdout.close()
    assert result["keys_down_at_end"] == 0 and result["summary"]["seconds"] < 150
    assert look(data) is None


def _watched(data: DataFolder) -> Seen:
    """Wait until the play has decided something."""
    for _ in range(1_200):
        seen = look(data)
        if seen is not None and seen.steps:
            return seen
        time.sleep(0.1)
    raise AssertionError("nothing was played")
