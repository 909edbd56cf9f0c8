"""Look at the Evaluate page on a made data folder, and keep a picture of the screen:

python -m tests.pitwall_bench.console.look --theme light --size 1280x720 --tab glance --shot out.png
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from tests.console.scripted_session import GAMES, ScriptedOpener
from tests.pitwall_bench.console.suite_folders import hold, many_runs, playing_board, spec, write_suite

from pitwall.console.kit.language.edge import speak
from pitwall.console.shell.application import Console
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall_bench.suites.results import SuiteProgress

if TYPE_CHECKING:
    from pitwall_bench.console.page import EvaluatePage

TABS = ("sessions", "glance", "study", "learning", "memories", "table", "compare", "suite")


def main() -> int:
    """Show the real window with the page, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--language", default="en", choices=["en", "de"])
    options.add_argument("--size", default="1600x1000")
    options.add_argument("--seconds", type=float, default=5.0)
    options.add_argument(
        "--tab", default="glance", choices=[*TABS, "editor", "fault", "runs", "play", "head"]
    )
    options.add_argument("--data", type=Path)
    options.add_argument("--key", default="")
    options.add_argument("--act", default="", help="progress, table, hover, palette")
    options.add_argument("--empty", action="store_true")
    options.add_argument("--shot", type=Path)
    arguments = options.parse_args()
    app = QApplication(sys.argv[:1])
    edge = speak(arguments.language)
    data = DataFolder(arguments.data or Path(tempfile.mkdtemp(prefix="pitwall-evaluate-")))
    settings = Settings().with_value("console", "theme", arguments.theme)
    save_settings(data.settings, settings.with_value("console", "language", arguments.language))
    lock = None
    if not arguments.empty and arguments.data is None:
        write_suite(data, "levels-before", many_runs(9), asked=spec("levels-before"))
        runs = many_runs(5)
        stopped = SuiteProgress(state="stopped", done=60, of=192, why="Stopped by the operator.")
        write_suite(data, "levels-stopped", runs[:60], board=stopped)
        folder = write_suite(data, "levels", runs[:131], asked=spec("levels"))
        write_suite(data, "levels", runs[:131], board=playing_board(folder, 131, 192), asked=spec("levels"))
        lock = hold(folder)
    console = Console(app, data, ScriptedOpener(), lambda: GAMES, preflight=False)
    width, height = (int(part) for part in arguments.size.split("x"))
    console.window.resize(width, height)
    console.window.show()
    console.window.show_page("evaluate")
    QTimer.singleShot(1_500, lambda: _choose(console, arguments))
    QTimer.singleShot(int(arguments.seconds * 800), lambda: _act(console, arguments.act))
    QTimer.singleShot(int(arguments.seconds * 1000), lambda: _finish(app, arguments.shot))
    app.exec()
    if lock is not None:
        lock.release()
    console.close()
    edge.lift()
    return 0


def _choose(console: Console, arguments: argparse.Namespace) -> None:
    page, tab = cast("EvaluatePage", console.page("evaluate")), arguments.tab
    if page.read_now is None:
        QTimer.singleShot(300, lambda: _choose(console, arguments))
        return
    if arguments.key:
        page.choose_run(arguments.key)
    if tab in TABS:
        page._aside.finish()
        page.results._aside.finish()
        page.results.tabs.setCurrentIndex(TABS.index(tab))
    elif tab in ("editor", "fault"):
        page.acts.new_suite()
        if tab == "fault":
            QTimer.singleShot(
                900,
                lambda: page.editor.text.put(page.editor.text.text().replace("kind: skills", "kid: skils")),
            )
    elif tab == "play":
        QTimer.singleShot(1_200, page.acts.play_yourself)
    elif tab == "runs" and page.run is not None:
        page.open_cells(
            [run.cell.key for run in page.run.runs if run.cell.game == page.run.runs[0].cell.game]
        )


def _act(console: Console, act: str) -> None:
    results = cast("EvaluatePage", console.page("evaluate")).results
    overview = results.overview
    match act:
        case "progress":
            overview.measure.choose("progress")
            overview._draw()
        case "tokens":
            overview.cost.choose("tokens_run")
            overview._draw()
        case "table":
            for card in overview.cards:
                card.twin.setChecked(True)
        case "hover":
            overview.heat.plot.read(4)
            overview.scatter.plot.read(0)
            overview.radar.plot.read(1)
        case "read":
            curve = results.learning.curve.plot
            curve.read(len(curve.spots) // 2)
        case "score":
            results.learning.measure.choose("score")
            results.learning._draw()
        case "palette":
            console.window.show_palette()
        case "scroll":
            overview.verticalScrollBar().setValue(10_000)


def _finish(app: QApplication, shot: Path | None) -> None:
    if shot is not None:
        subprocess.run(["import", "-window", "root", str(shot)], timeout=60, check=True)
    app.exit()


if __name__ == "__main__":
    sys.exit(main())
