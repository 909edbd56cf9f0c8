"""Three tasks of a newcomer, walked by pointer and keys in real windows, with a picture of each step:

python -m tests.walks.newcomer play --size 1280x720 --scale 2 --theme light --language de --out DIR

`play`: play a game and look at its replay. `teach`: add an own game and teach it. `memory`: edit the memory
in play. It prints the clicks so far with each picture, cut texts, and tables that scroll sideways.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from PIL import ImageGrab
from tests.walks.walker import Walker

from pitwall.console.kit.language.catalogue import catalogue_for
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.desktops.window_search import find_window
from pitwall.link.virtual_screen import virtual_screen

_CATCH = Path(__file__).parents[1] / "console" / "new_game" / "catch_game.py"
_CATCH_SIZE = 480, 360
_COIN, _PADDLE = (246, 200, 40), (90, 170, 240)
_TAUGHT_S, _BESIDE_S, _TRAINING_S = 60.0, 15.0, 900.0
_PICTURE = "Live picture of the game; draw a box with the mouse"


def main() -> int:
    """Walk one task and keep its pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("task", choices=list(_TASKS))
    options.add_argument("--size", default="1600x1000", help="of the screen, in Qt's units")
    options.add_argument("--scale", type=int, default=1, help="QT_SCALE_FACTOR; the screen grows with it")
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--language", default="en", help="en, de")
    options.add_argument("--display", default="", help="a screen that is there; else one of its own")
    options.add_argument("--out", type=Path, required=True)
    asked = options.parse_args()
    width, height = (asked.scale * int(side) for side in asked.size.split("x"))
    asked.out.mkdir(parents=True, exist_ok=True)
    screen = nullcontext(asked.display) if asked.display else virtual_screen(f"{width}x{height}x24")
    with screen as display, tempfile.TemporaryDirectory(prefix="pitwall-walk-") as folder:
        os.environ["DISPLAY"] = display
        data = DataFolder(Path(folder))
        settings = Settings().with_value("console", "theme", asked.theme)
        save_settings(data.settings, settings.with_value("console", "language", asked.language))
        walker = Walker(
            display,
            data.root,
            asked.out,
            {"QT_SCALE_FACTOR": str(asked.scale)},
            spoken=_spoken(asked.language),
        )
        try:
            _TASKS[asked.task](walker)
        finally:
            walker.close()
    return 0


def _spoken(language: str) -> Callable[[str], str]:
    catalogue = catalogue_for(language, advanced=False)
    return str if catalogue is None else catalogue.translated


def _phase(*names: str) -> Callable[[dict[str, Any]], bool]:
    return lambda seen: seen.get("phase") in names


def _play_flappy(walker: Walker) -> None:
    """Open the first game and start the agent, as the tour says."""
    walker.click("Play Flappy", kind="button")
    walker.until(_phase("ready"), "the game")
    walker.picture("the-game-is-open")
    walker.click("Start (F5)")
    walker.until(_phase("playing"), "the agent to play")


def _finish_tour(walker: Walker) -> None:
    for _ in range(3):
        walker.picture("tour")
        walker.click("Next in the tour")
        time.sleep(1.0)


def play(walker: Walker) -> None:
    """Play a game, and look at the replay."""
    walker.part("Play Flappy")
    walker.picture("first-look")
    _play_flappy(walker)
    _finish_tour(walker)
    time.sleep(15)
    walker.picture("it-plays")
    walker.click("Pause (Pause/Break)")
    walker.until(_phase("paused"), "the pause")
    walker.picture("paused")
    walker.click("Resume")
    walker.until(_phase("playing"), "play to go on")
    time.sleep(5)
    walker.click("Stop (Shift+F5)")
    walker.until(_phase("ready"), "the run to end")
    walker.picture("stopped")
    walker.click("Runs page")
    walker.part("Replay this run")
    walker.until(lambda _: walker.sees("row: 1 "), "the steps to be read")
    walker.picture("runs")
    walker.click("Replay this run")
    walker.part("Timeline of the run")
    time.sleep(4)
    walker.picture("replay-plays")
    walker.click("Timeline of the run", at=(0.6, 0.3))
    time.sleep(1)
    walker.picture("replay-further")
    walker.click("Events", kind="tab")
    walker.picture("events")
    walker.click("All figures", kind="tab")
    walker.picture("all-figures")
    walker.click("Steps", kind="tab")
    walker.click("row: 2 ")
    walker.picture("a-step")
    walker.click("Inspect")
    walker.part("Back to the page")
    walker.picture("inspector")
    walker.press("Escape")
    walker.click("Export this run")
    walker.part("Write")
    walker.picture("export")
    walker.press("Escape")
    walker.picture("back")


def memory(walker: Walker) -> None:
    """Edit the memory while the agent plays."""
    _play_flappy(walker)
    walker.click("Skip the tour")
    time.sleep(12)
    walker.click("Memory page")
    walker.click("Skills", kind="button")
    time.sleep(1)
    walker.picture("skills-in-play")
    walker.click("Actions", kind="button")
    walker.click(f"row: {walker.spoken('menu')}")
    if walker.sees("Entry", kind="tab"):
        walker.click("Entry", kind="tab")
    time.sleep(1)
    walker.picture("an-action")
    walker.click("Source tag", kind="line")
    walker.press("ctrl+a")
    walker.write("my own words")
    walker.picture("typed")
    walker.click("Save the entry")
    time.sleep(2)
    walker.picture("saved")
    walker.click("Undo", kind="button")
    time.sleep(1)
    walker.picture("undone")
    for name in ("Knowledge", "Graph", "Inbox", "Why", "Layers", "Snapshots"):
        if walker.sees(name, kind="button"):
            walker.click(name, kind="button")
        else:
            walker.click("More:", kind="list")
            walker.click(f"row: {walker.spoken(name)}")
        time.sleep(2)
        walker.picture(name.lower())
    walker.click("Live page")
    time.sleep(1)
    walker.picture("plays-on")
    walker.click("Stop (Shift+F5)")
    walker.until(_phase("ready"), "the run to end")


def teach(walker: Walker) -> None:
    """Add an own game, teach it, and let the taught module drive."""
    walker.click("Skip the tour")
    walker.click("Add a game…", kind="button")
    walker.part("Command that starts the game")
    walker.picture("add-a-game")
    walker.click("Command that starts the game", kind="line")
    walker.write(shlex.join([sys.executable, str(_CATCH), "--catch"]))
    walker.press("Return")
    walker.part("Press the game's keys here", timeout_s=60)
    walker.until(lambda _: not walker.sees("Looking for the game"), "the game's picture")
    time.sleep(2)
    walker.press("Left", "Right")
    time.sleep(1)
    walker.picture("keys")
    walker.click("Step 3: Readings")
    walker.part(_PICTURE)
    time.sleep(1)
    for box in ((0, 322, 478, 354), (0, 50, 478, 318)):
        _draw(walker, box)
        time.sleep(2)
    walker.picture("readings")
    for number, step in enumerate(("Thresholds", "Task", "Play", "Save"), start=4):
        walker.click(f"Step {number}: {step}")
        time.sleep(1)
        walker.picture(f"step-{step.lower()}")
    walker.click("Save and check")
    walker.part("Play it now")
    walker.picture("game-saved")
    walker.click("Play it now")
    walker.until(_phase("playing", "ready"), "the game")
    time.sleep(4)
    walker.picture("own-game")
    walker.click("Stop (Shift+F5)")
    walker.until(_phase("ready"), "the run to end")
    if walker.sees("Plan · Teach", kind="tab"):
        walker.click("Plan · Teach", kind="tab")
    before = walker.clicks
    walker.click("Teach: record how you play")
    walker.until(lambda seen: seen["recorded_s"] > 0, "the recording")
    _catch(walker, _TAUGHT_S, "teaching")
    walker.click("Stop recording")
    walker.part("Train now")
    walker.picture("recorded")
    walker.click("Train now")
    time.sleep(8)
    walker.picture("training")
    walker.part("Play beside it", timeout_s=_TRAINING_S)
    walker.picture("trained")
    walker.click("Play beside it")
    walker.until(_phase("playing"), "the run beside the agent")
    _catch(walker, _BESIDE_S, "beside")
    walker.click("Give it control")
    walker.until(lambda seen: seen["route"] == "reflex", "the module to drive")
    time.sleep(6)
    walker.picture(f"it-drives-after-{walker.clicks - before}-clicks")
    walker.click("Stop (Shift+F5)")
    walker.until(_phase("ready"), "the run to end")
    walker.picture("done")


def _draw(walker: Walker, box: tuple[int, int, int, int]) -> None:
    """Draw a box of the game's pixels on its picture, which is fitted into its view."""
    left, top, right, bottom = walker.part(_PICTURE)["box"]
    width, height = _CATCH_SIZE
    scale = min((right - left) / width, (bottom - top) / height)
    free = 1 - scale * width / (right - left), 1 - scale * height / (bottom - top)
    shares = [
        (free[0] / 2 + x / width * (1 - free[0]), free[1] / 2 + y / height * (1 - free[1]))
        for x, y in (box[:2], box[2:])
    ]
    walker.drag(_PICTURE, shares[0], shares[1])


def _catch(walker: Walker, seconds: float, name: str) -> None:
    """Play Catch by what is seen on the screen: hold the arrow towards the coin."""
    while (window := find_window(title="^Catch$")) is None:
        time.sleep(0.2)
    walker.xdotool("windowactivate", str(window.native_id))
    left, top = window.rect.x, window.rect.y
    held, until_s = "", time.monotonic() + seconds
    half = time.monotonic() + seconds / 2
    while time.monotonic() < until_s:
        box = left, top, left + _CATCH_SIZE[0], top + _CATCH_SIZE[1]
        seen = np.asarray(ImageGrab.grab(box, xdisplay=walker.display).convert("RGB"), int)
        coin, paddle = (_middle(seen, colour) for colour in (_COIN, _PADDLE))
        wanted = (
            ""
            if coin is None or paddle is None or abs(coin - paddle) < 14
            else ("Left", "Right")[coin > paddle]
        )
        if wanted != held:
            walker.xdotool(*(("keyup", held) if held else ()), *(("keydown", wanted) if wanted else ()))
            held = wanted
        if half and time.monotonic() > half:
            half = 0.0
            walker.picture(name)
    if held:
        walker.xdotool("keyup", held)


def _middle(picture: np.ndarray[Any, Any], colour: tuple[int, int, int]) -> float | None:
    columns = np.nonzero((np.abs(picture - np.array(colour)).sum(axis=2) < 30).any(axis=0))[0]
    return float(columns.mean()) if len(columns) else None


_TASKS: dict[str, Callable[[Walker], None]] = {"play": play, "teach": teach, "memory": memory}

if __name__ == "__main__":
    sys.exit(main())
