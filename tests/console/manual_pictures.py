"""Makes the pictures of manual and README: games are really played, and the real console is looked at.

python -m tests.console.manual_pictures [--data DIR] [--only memory lab]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QTabBar, QWidget
from tests.pitwall_memory_editor.editor_page import memory_page

from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.language.change import Language
from pitwall.console.shell.application import Console
from pitwall.console.state.view_state import Phase
from pitwall.core.clock import NS_PER_S
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.core.settings import load_settings
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession
from pitwall.link.virtual_screen import virtual_screen
from pitwall.models.shipped import SWITCH
from pitwall_lab.console.view_model import ModuleKey

if TYPE_CHECKING:
    from pitwall_lab.console.page import LabPage

_SCREEN = "1920x1000x24"
_SIZE = 1280, 800
_COLOURS = 256
_READ_MS, _LAID_OUT_MS, _PLAYED_MS = 4_000, 9_000, 45_000
_SUITE = """\
schema: 1
name: skills-and-chance
description: Skills beside chance and nobody, on five small games.
games:
  - {game: flappy, tasks: [first_pipe, ten_at_once]}
  - {game: crafter, tasks: [some_wood]}
  - {game: tiles, tasks: [score_200, tile_64]}
  - {game: mines, tasks: all}
  - {game: snake, tasks: all}
agents:
  - {name: skills, kind: skills}
  - {name: random, kind: random}
  - {name: idle, kind: idle}
parallel: 2
limits: {steps: 30, seconds: 30}
"""
_PLAYS = (
    "run --game crafter --seed 3 --steps 80 --planner skills",
    "run --game flappy --seed 1 --seconds 20",
    "run --game crafter --seed 4 --steps 60",
    "exam make 1",
    "exam answer {exam} --answerer recall",
    "gsm train flappy/fly --set steps=100000 --set evaluate_every=10000",
    "suite run {suite}",
)


def main() -> int:
    """Play where nothing was played yet, look at every page, and write the pictures."""
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, help="data folder to look at, played into where it is empty")
    options.add_argument("--only", nargs="*", default=[], help="names of pictures")
    options.add_argument("--out", type=Path, default=resources_dir())
    arguments = options.parse_args()
    os.environ.pop(SWITCH, None)  # the shipped model is seen, also where tests go without it
    with virtual_screen(_SCREEN) as display:
        os.environ["DISPLAY"] = display
        data = arguments.data or Path(tempfile.mkdtemp(prefix="pitwall-pictures-"))
        if not (data / "suites").is_dir() and arguments.only != ["demonstrations"]:
            _play(data)
        if not (data / "demonstrations").is_dir():
            _teach(data)
        _look(DataFolder(data), arguments.out, arguments.only)
    return 0


def _play(data: Path) -> None:
    suite = data / "skills-and-chance.yaml"
    data.mkdir(parents=True, exist_ok=True)
    suite.write_text(_SUITE, encoding="utf-8")
    for line in _PLAYS:
        exam = next((path.name for path in (data / "exams").glob("*")), "")
        words = line.format(suite=suite, exam=exam).split()
        subprocess.run([sys.executable, "-m", "pitwall", *words, "--data", str(data)], check=True)


def _teach(data: Path) -> None:
    """A person of its own process plays flappy, and is recorded."""
    player = subprocess.Popen([sys.executable, "-m", "workshop.demonstrator.player", "flappy"])
    try:
        words = f"teach record --game flappy --minutes 1 --data {data}".split()
        subprocess.run([sys.executable, "-m", "pitwall", *words], check=True)
    finally:
        player.terminate()
        player.wait()


def _look(data: DataFolder, out: Path, only: list[str]) -> None:
    app = QApplication.instance() or QApplication(["pictures"])
    assert isinstance(app, QApplication)
    language = Language(load_settings(data.settings))  # the words that a player reads
    console = Console(app, data, EngineSession, Registry(data).games, preflight=False)
    console.window.resize(*_SIZE)
    console.window.show()
    pages: dict[str, Callable[[], object]] = {
        "memory": lambda: _show(console, "memory", tab="Actions"),
        "memory-graph": lambda: _show_graph(console),
        "lab": lambda: _show_module(console),
        "runs": lambda: _show(console, "runs"),
        "inspector": lambda: _press(console.window, "Inspect the decision"),
        "query": lambda: _ask(console),
        "evaluate": lambda: _show(console, "evaluate", tab="At a glance"),
        "exam": lambda: _show(console, "exam"),
        "demonstrations": lambda: _show_demonstration(console),
        "models": lambda: _show(console, "models"),
        "settings": lambda: _show(console, "settings"),
        "new-game": lambda: _show(console, "new-game"),
    }
    for name, show in pages.items():
        if not only or name in only:
            show()
            QTest.qWait(500)
            _keep(console.window.grab(), out / "manual" / "pictures" / f"{name}.png")
    if not only or "live" in only:
        _play_live(console, out)
    console.close()
    language.end()


def _show(console: Console, key: str, *, tab: str = "", ms: int = _READ_MS) -> None:
    console.window.show_page(key)
    QTest.qWait(_READ_MS)
    if tab:
        _press(console.window, tab)
        QTest.qWait(ms)
    focused = QApplication.focusWidget()
    if focused is not None:
        focused.clearFocus()


def _ask(console: Console) -> None:
    _show(console, "runs", tab="Query")
    _press(console.window, "Run the query")
    QTest.qWait(_READ_MS)


def _show_graph(console: Console) -> None:
    """The graph around one state: near enough that states are cards with their frames."""
    _show(console, "memory", tab="Graph")
    memory_page(console).graph.use_hops(1)
    QTest.qWait(_LAID_OUT_MS)


def _show_demonstration(console: Console) -> None:
    """The middle of its longest episode."""
    _show(console, "demonstrations")
    manifest = next(console.bridge.data.demonstrations.glob("*/manifest.json"))
    reader = DemonstrationReader(manifest.parent)
    longest = max(reader.episodes(), key=lambda episode: episode.end_ns - episode.start_ns)
    middle_ns = (longest.start_ns + longest.end_ns) // 2 - reader.manifest.began_ns
    console.demonstrations.detail.go_to(middle_ns / NS_PER_S)
    QTest.qWait(_READ_MS)


def _show_module(console: Console) -> None:
    console.window.show_page("lab")
    QTest.qWait(_READ_MS)
    lab = cast("LabPage", console.page("lab"))
    lab.choose_module(ModuleKey("flappy", "fly"))
    QTest.qWait(_READ_MS)
    lab.choose_version("v1")
    QTest.qWait(_READ_MS)


def _play_live(console: Console, out: Path) -> None:
    """Flappy beside the console, for some time; the whole screen is the README's picture."""
    console.window.show_page("live")
    console.bridge.open_game("flappy", seed=1)
    _wait(lambda: console.bridge.state.phase is Phase.READY)
    console.window.setGeometry(360, 40, 1540, 940)
    console.bridge.start()
    _wait(lambda: console.bridge.state.phase is Phase.PLAYING)
    QTest.qWait(_PLAYED_MS)
    _keep(console.window.screen().grabWindow(0), out / "screenshots" / "live.png")
    console.window.resize(*_SIZE)
    QTest.qWait(3_000)
    _keep(console.window.grab(), out / "manual" / "pictures" / "live.png")
    console.bridge.stop()
    QTest.qWait(1_500)
    console.bridge.close_game()
    QTest.qWait(1_500)


def _wait(holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
    until = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError("the console did not come so far")
        QTest.qWait(50)


def _press(window: QWidget, name: str) -> None:
    """Press the tab or the button that is called so, once it is in view."""
    _wait(lambda: _pressed(window, name))


def _pressed(window: QWidget, name: str) -> bool:
    name = spoken(name)
    for bar in window.findChildren(QTabBar):
        for index in range(bar.count()):
            if bar.isVisible() and bar.tabText(index).startswith(name):
                bar.setCurrentIndex(index)
                return True
    for button in window.findChildren(QAbstractButton):
        if button.isVisible() and name in (button.text(), button.accessibleName()[: len(name)]):
            button.click()
            return True
    return False


def _keep(picture: QPixmap, file: Path) -> None:
    """Write a picture with few colours: a third of the bytes, and no difference that one sees."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    image = Image.open(BytesIO(buffer.data().data())).convert("RGB")
    few = image.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE)
    file.parent.mkdir(parents=True, exist_ok=True)
    few.save(file, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
