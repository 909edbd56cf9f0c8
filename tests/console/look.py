"""Look at the real window with a story playing, and keep a picture of the screen:

python -m tests.console.look --phase playing --theme light --seconds 5 --shot out.png
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton
from tests.console.scripted_calls import NO_MODEL, decided, mind_story
from tests.console.scripted_play import PHASES, Scene, ScriptedPlay, prefill
from tests.console.scripted_session import GAMES, STATE, ScriptedOpener, ScriptedSession, state

from pitwall.console.kit.language.change import Language
from pitwall.console.shell.application import Console
from pitwall.core import telemetry
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings, save_settings


def main() -> int:
    """Show the real window with the story, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("--phase", default="playing")
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--language", default="en", help="en, de")
    options.add_argument("--advanced", action="store_true", help="with the papers' words")
    options.add_argument("--size", default="1600x1000")
    options.add_argument("--seconds", type=float, default=4.0)
    options.add_argument("--page", default="live")
    options.add_argument("--action", default="", help="table, palette, help, thresholds, fault")
    options.add_argument("--mind", default="", help="none, thinking, dropped, ended")
    options.add_argument("--inspect", type=int, help="open the inspector at a step; 0 the newest decision")
    options.add_argument("--shot", type=Path)
    options.add_argument("--cpu", action="store_true", help="print the processor share of the window")
    arguments = options.parse_args()
    return _show(arguments)


def _show(arguments: argparse.Namespace) -> int:
    app = QApplication(sys.argv[:1])
    data = DataFolder(Path(tempfile.mkdtemp(prefix="pitwall-look-")))
    settings = Settings().with_value("console", "theme", arguments.theme)
    settings = settings.with_value("console", "language", arguments.language)
    save_settings(data.settings, settings.with_value("console", "advanced", arguments.advanced))
    language = Language(load_settings(data.settings))
    opener = ScriptedOpener()
    console = Console(app, data, opener, lambda: GAMES, preflight=False)
    console.bridge.settings_changed.connect(language.follow)
    width, height = (int(part) for part in arguments.size.split("x"))
    console.window.resize(width, height)
    console.window.show()
    console.window.show_page(arguments.page)
    phase = arguments.phase
    clock = QTimer()
    if phase != "empty":
        console.bridge.open_game("flappy")
        session = opener.last
        if phase == "opening":
            session.tell(state(STATE.OPENING, text="Waiting for the window of Flappy Bird."))
        elif phase == "ready":
            session.tell(*ScriptedPlay(now_ns()).opening())
            session.show(Scene().frame(1, 0.0, now_ns()))
        else:
            story = prefill(session)
            _think(session, story, arguments.mind)
            if phase == "lost":
                session.die(log="Traceback (most recent call last):\n  …\nMemoryError")
            elif phase != "playing":
                session.tell(*PHASES[phase])
            else:
                clock.timeout.connect(lambda: _go_on(session, story))
                clock.start(33)
    QTimer.singleShot(900, lambda: _act(console, arguments.action))
    if arguments.inspect is not None:
        QTimer.singleShot(1_200, lambda: console.live.inspect(arguments.inspect or None))
    spent: list[Any] = []
    QTimer.singleShot(2_000, lambda: spent.extend((os.times(), now_ns())))
    QTimer.singleShot(int(arguments.seconds * 1000), lambda: _finish(app, arguments, spent))
    app.exec()
    clock.stop()
    console.close()
    return 0


def _think(session: ScriptedSession, story: ScriptedPlay, mind: str) -> None:
    if mind == "none":
        session.tell(NO_MODEL)
    elif mind:
        story.plans = False
        now_s = (now_ns() - story.began_ns) / NS_PER_S
        session.tell(*mind_story(story, now_s, dropped=mind == "dropped", ends=mind == "ended"))
        if mind == "ended":
            session.tell(decided(94, story.began_ns))


def _go_on(session: ScriptedSession, story: ScriptedPlay) -> None:
    records, frame = story.moment((now_ns() - story.began_ns) / NS_PER_S)
    session.tell(*records)
    session.show(frame)


def _act(console: Any, action: str) -> None:
    wanted = {"table": "Show the signals as a table", "thresholds": "All thresholds…"}.get(action)
    if wanted is not None:
        for button in console.window.findChildren(QPushButton):
            if button.accessibleName() == wanted:
                button.click()
    elif action == "palette":
        console.window.show_palette()
    elif action == "help":
        console.window.show_help()
    elif action == "fault":
        console.bridge.report(
            telemetry.Fault(
                what="The disk is full: steps are not saved.",
                fix="Free some space; recording goes on by itself.",
                traceback="OSError: [Errno 28] No space left on device",
            )
        )


def _finish(app: Any, arguments: argparse.Namespace, spent: list[Any]) -> None:
    if arguments.cpu:
        times = os.times()
        used = times.user + times.system - spent[0].user - spent[0].system
        wall = (now_ns() - spent[1]) / NS_PER_S
        print(f"{100 * used / wall:.1f} % of a core over {wall:.1f} s")  # noqa: T201
    if arguments.shot is not None:
        subprocess.run(["import", "-window", "root", str(arguments.shot)], timeout=30, check=True)
    app.quit()


if __name__ == "__main__":
    sys.exit(main())
