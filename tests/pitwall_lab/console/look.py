"""Look at the GSM lab on a made data folder, and keep a picture of the screen:

python -m tests.pitwall_lab.console.look --theme light --size 1280x720 --shot out.png
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
from tests.pitwall_lab.console.module_folders import SECOND_REWARD, add_version, make_game, score, write_log

from pitwall.console.shell.application import Console
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.lease import FileLock
from pitwall_lab.console.view_model import ModuleKey
from pitwall_lab.training_log import LOCK

if TYPE_CHECKING:
    from pitwall_lab.console.page import LabPage

_WHY = (
    "Returns plateau at 60. The frog clears leaves but drifts to the lower bank: its distance grows from 12 "
    "to 31 px over an episode. Reward the centre a little and the pass more."
)


def main() -> int:
    """Show the real window with the lab, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--size", default="1600x1000")
    options.add_argument("--seconds", type=float, default=4.0)
    options.add_argument("--module", default="pond/frog")
    options.add_argument("--version", default="")
    options.add_argument("--empty", action="store_true")
    options.add_argument(
        "--act", default="", help="train, improve, compare, evaluate, promote, edit, fault, closing, menu"
    )
    options.add_argument("--shot", type=Path)
    arguments = options.parse_args()
    app = QApplication(sys.argv[:1])
    data = DataFolder(Path(tempfile.mkdtemp(prefix="pitwall-lab-")))
    save_settings(data.settings, Settings().with_value("console", "theme", arguments.theme))
    lock = None if arguments.empty else _fill(data)
    console = Console(app, data, ScriptedOpener(), lambda: GAMES, preflight=False)
    width, height = (int(part) for part in arguments.size.split("x"))
    console.window.resize(width, height)
    console.window.show()
    console.window.show_page("lab")
    QTimer.singleShot(1_200, lambda: _choose(console, arguments))
    QTimer.singleShot(2_000, lambda: _act(console, arguments.act))
    QTimer.singleShot(int(arguments.seconds * 1000), lambda: _finish(app, arguments.shot))
    app.exec()
    if lock is not None:
        lock.release()
    console.close()
    return 0


def _fill(data: DataFolder) -> FileLock:
    folder = ModuleFolder(data, make_game(data), "frog")
    item = add_version(folder, title="first reward", scores=(score(18.1, 3),), standing=VersionStatus.KEPT)
    write_log(folder.folder(item.version), done=300_000, height=40)
    two = add_version(
        folder,
        parent="v1",
        title="gap centre term",
        iteration=1,
        scores=(score(64.7, 9),),
        standing=VersionStatus.KEPT,
    )
    write_log(folder.folder(two.version), done=300_000, height=92)
    bad = add_version(
        folder,
        parent="v1",
        title="only speed",
        iteration=1,
        scores=(score(9.4, 4),),
        standing=VersionStatus.ROLLED_BACK,
    )
    write_log(folder.folder(bad.version), done=300_000, height=20)
    folder.promote("v2")
    now = add_version(
        folder,
        parent="v2",
        title="pass the gap",
        iteration=2,
        standing=VersionStatus.TRAINING,
        reward=SECOND_REWARD,
        by="model",
        why=_WHY,
        scores=(score(151, 12),),
    )
    where = folder.folder(now.version)
    write_log(where, done=212_400, height=155, state="running")
    add_version(
        folder,
        parent="v4",
        title="wider margin",
        iteration=3,
        standing=VersionStatus.PROPOSED,
        by="model",
        why=_WHY,
        reward=SECOND_REWARD.replace("0.02", "0.05"),
    )
    lock = FileLock(where / LOCK, role="training", subject="the training")
    lock.acquire()
    return lock


def _choose(console: Console, arguments: argparse.Namespace) -> None:
    game, module = arguments.module.split("/")
    cast("LabPage", console.page("lab")).choose_module(ModuleKey(game, module))
    if arguments.version:
        QTimer.singleShot(400, lambda: cast("LabPage", console.page("lab")).choose_version(arguments.version))


def _act(console: Console, act: str) -> None:
    lab = cast("LabPage", console.page("lab"))
    match act:
        case "train":
            lab.orders.train()
        case "improve":
            lab.orders.improve()
        case "compare":
            lab.orders.compare()
        case "evaluate":
            lab.orders.evaluate("twin")
        case "menu":
            lab.head.more.showMenu()
        case "edit" | "fault":
            lab.changes.reward.show_view("edit")
            lab.changes.code.setFocus()
            lab.changes.code.insertPlainText("# tried\n")
            if act == "fault":
                lab.changes._checked_key = lab.changes.key
                lab.changes._checked(
                    {
                        "passed": False,
                        "sentence": "reward.py, line 7: a name 'foo' is not defined.",
                        "line": 7,
                    }
                )
        case "rules":
            lab.changes.rules.show_view("edit")
        case "closing":
            lab.orders.started.add((ModuleKey("pond", "frog"), "v4"))
            console.window.close()
        case "palette":
            console.window.show_palette()
        case "promote":
            lab.orders.promote()


def _finish(app: QApplication, shot: Path | None) -> None:
    if shot is not None:
        subprocess.run(["import", "-window", "root", str(shot)], timeout=30, check=True)
    app.exit()


if __name__ == "__main__":
    sys.exit(main())
