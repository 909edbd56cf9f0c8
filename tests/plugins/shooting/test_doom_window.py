"""Freedoom in chocolate-doom, launched as the engine launches it: what the state reader sees of it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus, Value
from pitwall.core.paths import DataFolder
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.game_process import Launched
from pitwall.games.launcher import launch, search_path
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game

WAIT_S = 40.0
pytestmark = pytest.mark.skipif(
    shutil.which("chocolate-doom", path=search_path()) is None, reason="chocolate-doom is not installed"
)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def game(data: DataFolder) -> Game:
    return Registry(data).load("doom")


@pytest.fixture
def doom(screen: str, game: Game, data: DataFolder, tmp_path: Path) -> Iterator[Launched]:
    assert screen
    home = tmp_path / "home"
    home.mkdir()
    launched = launch(game, seed=None, data=data.root, env={"HOME": str(home), "XDG_DATA_HOME": str(home)})
    yield launched
    launched.close()


@pytest.fixture
def window(doom: Launched) -> str:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        tree = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True, check=False)
        for line in tree.stdout.splitlines():
            if "chocolate-doom" in line and "640x480" in line:
                return line.split()[0]
        assert doom.alive, doom.last_words()
        time.sleep(0.1)
    raise AssertionError("no window")


def shown(window: str, file: Path) -> Pixels:
    subprocess.run(["import", "-window", window, str(file)], check=True, timeout=30)
    colours = cv2.imread(str(file), cv2.IMREAD_COLOR)
    assert colours is not None
    pixels = np.zeros((*colours.shape[:2], 4), np.uint8)
    pixels[..., :3] = colours
    return pixels


def fields(game: Game, pixels: Pixels, before: Pixels | None) -> dict[str, Value]:
    reader = StateReader(game.profile, game.folder)
    frame = Frame(frame_id=1, captured_ns=0, ready_ns=0, pixels=pixels, window=Rect(0, 0, 640, 480))
    return {name: reading.value for name, reading in reader.read(frame, before).items()}


def wait_for(
    game: Game, window: str, file: Path, wanted: Callable[[dict[str, Value]], bool]
) -> tuple[dict[str, Value], Pixels]:
    until = time.monotonic() + WAIT_S
    values: dict[str, Value] = {}
    while time.monotonic() < until:
        pixels = shown(window, file)
        values = fields(game, pixels, None)
        if wanted(values):
            return values, pixels
        time.sleep(0.1)
    raise AssertionError(f"the fields stayed {values}")


def test_it_starts_in_the_level_and_the_status_bar_is_read(
    game: Game, doom: Launched, window: str, tmp_path: Path
) -> None:
    def begun(now: dict[str, Value]) -> bool:
        return (now["health"], now["ammo"], now["armour"]) == (100, 50, 0)

    values, before = wait_for(game, window, tmp_path / "a.png", begun)
    assert values["hurt"] is False
    assert status(game.profile.status, values) is GameStatus.PLAYING
    subprocess.run(["xdotool", "windowfocus", window], check=True, timeout=10)
    subprocess.run(["xdotool", "keydown", "Left"], check=True, timeout=10)
    time.sleep(0.5)
    subprocess.run(["xdotool", "keyup", "Left"], check=True, timeout=10)
    change = fields(game, shown(window, tmp_path / "b.png"), before)["view_change"]
    assert isinstance(change, float)
    assert change > 2.5
    subprocess.run(["xdotool", "keydown", "Control_L"], check=True, timeout=10)
    time.sleep(0.4)
    subprocess.run(["xdotool", "keyup", "Control_L"], check=True, timeout=10)
    wait_for(game, window, tmp_path / "c.png", lambda now: now["ammo"] in (47, 48, 49))
    assert doom.alive


def test_it_writes_nothing_into_its_folder_or_the_users(
    game: Game, doom: Launched, window: str, data: DataFolder, tmp_path: Path
) -> None:
    assert window
    config = game.folder / "chocolate.cfg"
    before = hashlib.sha256(config.read_bytes()).hexdigest()
    doom.close()
    assert not doom.alive
    assert hashlib.sha256(config.read_bytes()).hexdigest() == before
    assert (data.root / "game-data" / "doom" / "chocolate.cfg").is_file()
    assert [path for path in (tmp_path / "home").rglob("*.cfg") if path.is_file()] == []


def test_no_field_reads_the_title_or_a_black_screen_as_play(game: Game) -> None:
    black = np.zeros((480, 640, 4), np.uint8)
    assert status(game.profile.status, fields(game, black, None)) is GameStatus.MENU
