"""The dialog that designs a module for a task in words, and shows the design to be read and edited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.elements import Button, column, row
from pitwall.console.kit.form.fields import Field, Option
from pitwall.console.kit.form.inputs import Lines
from pitwall.console.kit.job_dialog import JobDialog
from pitwall.console.kit.notification import Notification
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file

_EDITED = "edited.json"
_FIELDS = (
    Field(key="task", label="Task", hint="pass many pipes", help="What the module shall do, in words"),
    Field(key="name", label="Name", default="designed"),
    Field(
        key="by",
        label="Who designs",
        kind="choice",
        options=(
            Option("search", "a search over alternatives"),
            Option("model", "a model, which also writes rules"),
        ),
        default="search",
    ),
    Field(
        key="minutes",
        label="Then learn by playing",
        kind="number",
        unit="min",
        most=1_440,
        help="0: only design it; the game is played for so long otherwise",
    ),
)


class DesignDialog(JobDialog):
    """Runs `pitwall gsm design`.

    Signals:
        designed(): a module was designed or changed.
    """

    designed = Signal()

    def __init__(self, game_id: str, game_name: str, data: DataFolder, parent: QWidget | None = None) -> None:
        self._game_id = game_id
        self._file: Path | None = None
        self._takes = False
        self.text = Lines(
            "Design",
            "What was chosen, and why, stands here afterwards. It can be edited.",
            code=True,
            least=10,
        )
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.take = Button("Take what I edited", self._take)
        self.take.setEnabled(False)
        below = QWidget()
        below.setLayout(column(self.text, row(self.take, None)))
        super().__init__(
            f"Design a module for {game_name}",
            _FIELDS,
            data,
            parent,
            text="It weighs what a module could see and do on the recorded play of the game. "
            "What is designed drives nothing before you promote a version of it.",
            go="Design",
            doing="Designing",
            below=below,
        )
        self.setMinimumSize(680, 620)

    def arguments(self, chosen: dict[str, Any]) -> list[str]:
        words = ["gsm", "design", self._game_id, "--name", chosen["name"].strip() or "designed"]
        if self._takes and self._file is not None:
            words += ["--file", str(self._file.with_name(_EDITED))]
        elif chosen["task"].strip():
            words += ["--task", chosen["task"].strip(), "--by", chosen["by"]]
        if chosen["minutes"]:
            words += ["--train", f"{chosen['minutes']:g}"]
        return words

    def notice(self, answer: Any) -> Notification:
        self._file = Path(answer["file"])
        self.text.setPlainText(json.dumps(answer["design"], indent=1, ensure_ascii=False))
        self.take.setEnabled(True)
        self.designed.emit()
        reasons = answer["design"]["reasons"]
        trained = answer["trained"]
        version = f" {trained['version']} was learned by playing." if trained else ""
        return Notification(
            f"Designed. State: {reasons.get('state', '')}. Reward: {reasons.get('reward', '')}.{version}",
            stays=True,
        )

    def start(self) -> None:
        """See `JobDialog.start`: begins a new design."""
        self._takes = False
        super().start()

    def _take(self) -> None:
        """Check the edited design, and take it."""
        if self._file is None or self.job.running:
            return
        write_file(self._file.with_name(_EDITED), self.text.toPlainText())
        self._takes = True
        super().start()
