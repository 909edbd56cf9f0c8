"""A foreign game with menus is added by command, by doing its start once; then every run leaves them."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.console.new_game import menu_game
from tests.end_to_end import short_game
from tests.end_to_end.command import pitwall
from tests.patience import PATIENT_WORDS

from pitwall.core.paths import DataFolder

pytestmark = [pytest.mark.screen, pytest.mark.timeout(600)]


@dataclass
class Hops:
    """The game: its window, and what it was pressed where."""

    process: subprocess.Popen[str]
    log: Path
    window: str

    def pressed(self) -> Counter[tuple[str, str]]:
        message = [json.loads(line) for line in self.log.read_text().splitlines()]
        return Counter((item["at"], item["key"]) for item in message if "key" in item)


@contextlib.contextmanager
def _open_game(script: str, log: Path, screen: str) -> Iterator[Hops]:
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, str(script)],
            stdout=out,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "DISPLAY": screen},
        )
    while not log.read_text().endswith("\n"):
        assert process.poll() is None
    yield Hops(process, log, hex(json.loads(log.read_text())["window"]))
    process.terminate()
    process.wait(60)


@pytest.fixture
def hops(screen: str, tmp_path: Path) -> Iterator[Hops]:
    with _open_game(menu_game.__file__, tmp_path / "hops.jsonl", screen) as game:
        yield game


@pytest.mark.long
def test_menus_are_recorded_once_and_left_in_every_round(hops: Hops, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    words = ("games", "new", "--window", hops.window, "--id", "hops", "--try", "--json")
    keys = ("--start", "Enter", "--start", "n", "--action", "hop=Space", "--action", "left=ArrowLeft")
    added = pitwall(*words, *keys, "--pause", "Escape", data=data)
    assert added.status == 0, added.err
    tried = {(item["name"], item["press"]): item["changed"] for item in added.answer["tried"]}
    assert tried[("start", "Enter")]
    assert tried[("start", "n")]
    assert tried[("hop", "Space")]
    assert not tried[("left", "ArrowLeft")]
    assert tried[("pause", "Escape")]
    draft = str(data.drafts / "hops.json")
    for _ in range(5):
        subprocess.run(["xdotool", "key", "--window", hops.window, "space"], check=True)
    last = ("games", "new", "--draft", draft, "--window", hops.window, "--replace", "--try", "--json")
    assert pitwall(*last, "--name-entry", "Enter", "--again", "r", data=data).status == 0
    before = hops.pressed()
    played = pitwall(
        *("run", "--game", "hops", "--window", hops.window, "--planner", "random", "--seconds", "12"),
        *("--setting", "broker.actions_per_second=20", *PATIENT_WORDS, "--json"),
        data=data,
    )
    assert played.status == 0, played.err
    after = hops.pressed() - before
    assert after[("title", "return")] >= 1
    assert after[("title", "return")] - after[("level", "n")] in (0, 1), "the run may end between the two"
    assert after[("play", "space")] > 5
    assert not any(key in ("r", "n", "return", "escape") for at, key in after if at == "play")


def test_a_round_that_ends_while_actions_are_tried_is_begun_again(screen: str, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    words = ("games", "new", "--id", "short", "--try", "--json", "--start", "Enter")
    keys = ("--action", "left=ArrowLeft", "--action", "hop=Space")
    with _open_game(short_game.__file__, tmp_path / "short.jsonl", screen) as game:
        added = pitwall(*words, "--window", game.window, *keys, data=data)
    assert added.status == 0, added.err
    tried = [(item["name"], item["changed"]) for item in added.answer["tried"]]
    assert ("start again", True) in tried
    assert tried[-1] == ("hop", True)
    profile = tomllib.loads((data.games / "short" / "plugin.toml").read_text())
    assert profile["passages"][0]["steps"][0]["screen"], "the title is told from play by its picture"
