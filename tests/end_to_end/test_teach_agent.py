"""`pitwall teach agent`: one command from kept play to a module that plays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from tests.demonstrations.made import BEGAN_NS, begun, picture
from tests.end_to_end.command import pitwall
from tests.patience import LIGHT, patient

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.writer import DemonstrationWriter

_HZ, _SECONDS, _EPISODES = 20, 60, 6


def _flown(data: DataFolder) -> str:
    """Keep made play of Flappy: a flap whenever the bird is below the gap's middle."""
    chance = np.random.default_rng(1)
    start = begun()
    with DemonstrationWriter(data.demonstrations / start.id, start) as writer:
        bird, gap, down = 250.0, 250.0, False
        for at in range(_HZ * _SECONDS):
            now = BEGAN_NS + at * NS_PER_S // _HZ
            gap = float(chance.integers(120, 380)) if at % 30 == 0 else gap
            read = {"bird_x": 60.0, "bird_y": bird, "gap_top": gap - 50, "gap_bottom": gap + 50}
            read |= {"gap_offset": bird - gap, "score": float(at // 30)}
            writer.picture(now, picture(at))
            writer.moment(now, at * _EPISODES // (_HZ * _SECONDS), "playing", read)
            if down:
                writer.event(now + 1, InputEvent(kind="key_up", key="Space"), "flap")
            elif bird > gap:
                writer.event(now + 1, InputEvent(kind="key_down", key="Space"), "flap")
            down = not down and bird > gap
            bird += -30.0 if down else 7.0
    return start.id


def test_an_agent_is_taught_from_kept_play_with_one_command(screen: str, tmp_path: Path) -> None:
    assert screen
    data = patient(DataFolder(tmp_path / "data"), LIGHT)
    words = ("--game", "flappy", "--from", _flown(data), "--learning-minutes", "0.2", "--set", "epochs=2")
    beside = ("--beside-minutes", "0.5", "--grant-at", "0", "--json")
    player = [sys.executable, "-m", "workshop.demonstrator.player", "flappy", "--data", str(data.root)]
    with subprocess.Popen(player, stdout=subprocess.DEVNULL) as person:
        try:
            ran = pitwall("teach", "agent", *words, *beside, data=data)
        finally:
            person.terminate()
    assert ran.status == 0, ran.err
    answer = ran.answer
    assert (answer["version"], answer["recorded"], answer["drives"]) == ("v1", {}, False)
    assert answer["trained"]["module"] == "fly"
    assert 0 <= answer["trained"]["cloned"]["agreement"] <= 1
    assert answer["beside"]["sentence"]
