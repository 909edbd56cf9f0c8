"""Look at the Demonstrations page on made data, and keep a picture of the screen:

python -m tests.console.demonstrations.look --theme light --size 1280x720 --see trim --shot out.png
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from tests.console.scripted_session import GAMES, ScriptedOpener
from tests.demonstrations.made import BEGAN_NS, begun

from pitwall.console.shell.application import Console
from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.demonstrations.folder import DemonstrationFolder, tagged, trimmed
from pitwall.demonstrations.writer import DemonstrationWriter

SEEN = ("film", "trim", "train", "export", "delete", "damaged", "empty")
_SIZE = (160, 120)


def main() -> int:
    """Show the real window with the page, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--size", default="1600x1000")
    options.add_argument("--seconds", type=float, default=4.0)
    options.add_argument("--see", default="film", choices=SEEN)
    options.add_argument("--data", type=Path)
    options.add_argument("--shot", type=Path)
    arguments = options.parse_args()
    app = QApplication(sys.argv[:1])
    data = DataFolder(arguments.data or Path(tempfile.mkdtemp(prefix="pitwall-demonstrations-")))
    save_settings(data.settings, Settings().with_value("console", "theme", arguments.theme))
    if arguments.data is None and arguments.see != "empty":
        fill(data)
    console = Console(app, data, ScriptedOpener(), lambda: GAMES, preflight=False)
    width, height = (int(part) for part in arguments.size.split("x"))
    console.window.resize(width, height)
    console.window.show()
    console.window.show_page("demonstrations")
    QTimer.singleShot(1_500, lambda: _see(console, arguments.see))
    QTimer.singleShot(int(arguments.seconds * 1000), lambda: _finish(app, arguments.shot))
    app.exec()
    console.close()
    return 0


def fill(data: DataFolder) -> None:
    """Make five sessions: long and short ones, one trimmed, one broken off, one damaged."""
    for number, (game, seconds) in enumerate(
        (("flappy", 24.0), ("snake", 12.0), ("dino", 6.0), ("flappy", 40.0))
    ):
        played(data, f"2026112{number}-192{number}00-{game}", game, seconds)
    (data.demonstrations / "20261119-080000-snake").mkdir()
    kept = DemonstrationFolder(data)
    kept.change("20261123", lambda manifest: tagged(trimmed(manifest, 30, 36, cut=True), ["calm", "long"]))
    kept.change("20261122", lambda manifest: manifest.model_copy(update={"complete": False}))


def played(data: DataFolder, name: str, game: str, seconds: float) -> None:
    """A made game of catching a ball: two keys, the mouse, a game over now and then."""
    start = begun(name, size=_SIZE).model_copy(
        update={"game": game, "started_at": f"{name[:4]}-{name[4:6]}-{name[6:8]}T19:20:00+00:00"}
    )
    down = ""
    with DemonstrationWriter(data.demonstrations / name, start) as writer:
        for at in range(int(seconds * 10)):
            now = BEGAN_NS + at * NS_PER_S // 10
            phase = at % 130
            episode = -1 if phase > 118 else at // 130
            x = 0.5 + 0.42 * math.sin(at / 9)
            writer.picture(now, _scene(x, at))
            fields = {"score": phase // 8, "ball_x": round(x, 3), "lives": 3 - at // 130}
            writer.moment(now, episode, "playing" if episode >= 0 else "terminal", fields)
            wanted = "" if episode < 0 else "ArrowRight" if math.cos(at / 9) > 0.3 else "ArrowLeft"
            wanted = wanted if abs(math.cos(at / 9)) > 0.3 else ""
            if wanted != down:
                for kind, key in (("key_up", down), ("key_down", wanted)):
                    if key:
                        action = key.removeprefix("Arrow").lower()
                        writer.event(now, InputEvent(kind=kind, key=key), action)  # type: ignore[arg-type]
                down = wanted
            if phase % 40 == 7:
                writer.event(now, InputEvent(kind="mouse_down", x=int(x * 160), y=100))
                writer.event(now + NS_PER_S // 10, InputEvent(kind="mouse_up", x=int(x * 160), y=100))


def _scene(x: float, at: int) -> Pixels:
    width, height = _SIZE
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[..., 0] = np.linspace(90, 40, height, dtype=np.uint8)[:, None]
    pixels[..., 1] = 40
    ball, row = int(x * (width - 12)), at * 3 % (height - 20)
    pixels[row : row + 12, ball : ball + 12, :3] = (60, 200, 240)
    pixels[height - 10 : height - 4, max(0, ball - 12) : ball + 24, :3] = (220, 220, 220)
    return pixels


def _see(console: Console, see: str) -> None:
    page = console.demonstrations
    match see:
        case "film" | "trim":
            page.detail.go_to(17.3)
            if see == "trim":
                page.detail.lanes.part = (5.0, 22.0)
                page.detail._show_choice()
        case "train":
            page.ask_training()
        case "export":
            page._ask_export()
        case "delete":
            page._ask_delete()
        case "damaged":
            page.table.choose("20261119-080000-snake")


def _finish(app: QApplication, shot: Path | None) -> None:
    if shot is not None:
        subprocess.run(["import", "-window", "root", str(shot)], timeout=60, check=True)
    app.exit()


if __name__ == "__main__":
    sys.exit(main())
