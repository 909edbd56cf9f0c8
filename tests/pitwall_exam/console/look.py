"""Look at the Exam page on a made data folder, and keep a picture of the screen:

python -m tests.pitwall_exam.console.look --theme light --size 1280x720 --see questions --shot out.png
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from tests.console.scripted_session import GAMES, ScriptedOpener
from tests.pitwall_exam.console.made_exams import make_answers, make_exam, record_grid_run, write_exam

from pitwall.console.kit.elements import Button
from pitwall.console.services.job import JobProgress
from pitwall.console.shell.application import Console
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall_exam.console.commands import AnswerOrder
from pitwall_exam.console.person.view import AttemptView

if TYPE_CHECKING:
    from pitwall_exam.console.page import ExamPage

SEEN = (
    "marks",
    "compare",
    "questions",
    "wrong",
    "none",
    "new",
    "answer",
    "progress",
    "begin",
    "sit",
    "open",
    "end",
    "hover",
    "unanswered",
    "unread",
    "replay",
)


def main() -> int:
    """Show the real window with the page, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--size", default="1600x1000")
    options.add_argument("--seconds", type=float, default=5.0)
    options.add_argument("--see", default="marks", choices=SEEN)
    options.add_argument("--data", type=Path)
    options.add_argument("--empty", action="store_true")
    options.add_argument("--shot", type=Path)
    arguments = options.parse_args()
    app = QApplication(sys.argv[:1])
    data = DataFolder(arguments.data or Path(tempfile.mkdtemp(prefix="pitwall-exam-")))
    save_settings(data.settings, Settings().with_value("console", "theme", arguments.theme))
    if not arguments.empty and arguments.data is None:
        _fill(data, answered=arguments.see != "unanswered")
        if arguments.see == "unread":
            folder = next(data.exams.iterdir())
            (folder / "exam.json").write_text('{"version": 1', encoding="utf-8")
    console = Console(app, data, ScriptedOpener(), lambda: GAMES, preflight=False)
    width, height = (int(part) for part in arguments.size.split("x"))
    console.window.resize(width, height)
    console.window.show()
    console.window.show_page("exam")
    QTimer.singleShot(1_500, lambda: _see(console, arguments.see))
    QTimer.singleShot(int(arguments.seconds * 1000), lambda: _finish(app, arguments.shot))
    app.exec()
    console.close()
    return 0


def _fill(data: DataFolder, *, answered: bool) -> None:
    run_id = record_grid_run(data)
    first = make_exam(run_id, repeats=2, horizon=50)
    write_exam(data, first, [make_answers(first, "recall", "recall")])
    time.sleep(0.02)
    exam = make_exam(run_id, repeats=5, paraphrased="rewordings")
    sheets = [
        make_answers(exam, "recall", "recall"),
        make_answers(exam, "retrieval", "retrieval · small-q4", model="small-q4", memory="4be2d19c"),
        make_answers(exam, "in-context", "in context · small-q4", model="small-q4"),
        make_answers(exam, "person-closed", "a person · closed book", answered=31),
    ]
    write_exam(data, exam, sheets if answered else ())


def _see(console: Console, see: str) -> None:
    page = cast("ExamPage", console.page("exam"))
    second = "retrieval-small-q4-1"
    match see:
        case "compare" | "hover":
            page.marks.choose("recall-1", second)
            if see == "hover":
                QTimer.singleShot(800, lambda: page.marks.radar.read(3))
        case "questions" | "wrong" | "none":
            page.marks.choose("recall-1", second if see == "wrong" else "")
            page._show_ability("")
            page.questions.filter.differs.setChecked(see == "wrong")
            page.questions.filter.search.setText("zebra" if see == "none" else "")
            page.questions.table.choose("004")
        case "replay":
            page.questions.table.choose("004")
            page.questions.evidence.show_step()
        case "new":
            page.new_exam()
        case "answer":
            page.answer()
        case "progress":
            page.doing.order = AnswerOrder(exam_id="", answerer="retrieval", model="small-q4")
            page.doing.job.progress = JobProgress(done=34, total=80, left_s=71.0)
            page.doing.went_on.emit()
        case "begin" | "sit" | "open" | "end":
            page.sit()
            _sit(page.sitting, see)


def _sit(view: AttemptView, see: str) -> None:
    if see == "begin":
        return
    if see == "open":
        next(item for item in view.findChildren(Button) if item.text() == "Open book").click()
    view.begin(fresh=True)
    while see == "end" and view.question and view.sitting is not None:
        current = view.sitting.current
        view.answer.setText(current.truth[0] if current is not None else "")
        view.answer.returnPressed.emit()
    view.answer.setText("move_l")


def _finish(app: QApplication, shot: Path | None) -> None:
    if shot is not None:
        subprocess.run(["import", "-window", "root", str(shot)], timeout=60, check=True)
    app.exit()


if __name__ == "__main__":
    sys.exit(main())
