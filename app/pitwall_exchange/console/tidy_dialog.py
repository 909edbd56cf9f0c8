"""The dialog that moves runs into the archive by rules, after a preview, and back."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.job_dialog import JobDialog
from pitwall.console.kit.notification import Notification
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size, counted

_WHAT = (
    ("preview", "Only list what would go", "Nothing is moved"),
    ("go", "Move them into the archive", "They leave this list; their films and pictures move along"),
    ("undo", "Move back what was archived last", "The runs of the last move come back as they were"),
)
_RULES = ("keep_best", "keep_newest", "keep_flagged", "most_gib")
_NAMED = 12


class TidyDialog(JobDialog):
    """Runs `pitwall archive tidy` or `restore` in the background.

    Attributes:
        offer, offer_name, tip: of the button and the command that open it.
    """

    offer = "Tidy up…"
    offer_name = "Tidy up the runs…"
    tip = "Move runs into an archive by rules: keep the best, the newest, those with a kept film"

    def __init__(self, data: DataFolder, parent: QWidget | None = None) -> None:
        text = "Runs that no rule keeps go into the folder archive of the data folder; nothing is deleted."
        super().__init__("Tidy up the runs", _fields(), data, parent, go="Go", doing="Looking", text=text)
        self.form.edited.connect(lambda _: self._fit())
        self._fit()

    def arguments(self, chosen: dict[str, Any]) -> list[str]:
        if chosen["what"] == "undo":
            return ["archive", "restore"]
        flagged = "--keep-flagged" if chosen["keep_flagged"] else "--no-keep-flagged"
        best, newest = str(int(chosen["keep_best"])), str(int(chosen["keep_newest"]))
        room = ["--most-gib", str(chosen["most_gib"])] if chosen["most_gib"] else []
        go = ["--go"] if chosen["what"] == "go" else []
        return ["archive", "tidy", "--keep-best", best, "--keep-newest", newest, flagged, *room, *go]

    def notice(self, answer: Any) -> Notification:
        size = byte_size(int(answer.get("bytes") or 0))
        if "going" not in answer:
            return Notification(f"{counted(len(answer['runs']), 'run')} came back, {size}.")
        going = [run for run in answer["runs"] if not run["kept"]]
        if not going:
            return Notification("No run has to go.")
        names = ", ".join(str(run["run_id"]) for run in going[:_NAMED])
        more = " …" if len(going) > _NAMED else ""
        runs = counted(len(going), "run")
        if answer["moved"]:
            return Notification(f"{runs} moved into the archive, {size}: {names}{more}")
        return Notification(f"{runs} would go, {size}: {names}{more}")

    def _fit(self) -> None:
        """Show the rules, except for moving back."""
        rules = () if self.form.value("what") == "undo" else _RULES
        self.form.show_only(("what", *rules))


def _fields() -> list[Field]:
    return [
        Field(key="what", label="Do", name="What is done", kind="radio", options=_WHAT, default="preview"),
        Field(
            key="keep_best",
            label="Keep the best",
            kind="number",
            default=3,
            most=1_000,
            help="runs of each game, by score",
        ),
        Field(
            key="keep_newest", label="Keep the newest", kind="number", default=20, most=100_000, help="runs"
        ),
        Field(key="keep_flagged", label="Keep runs whose film is kept", kind="flag", default=True),
        Field(
            key="most_gib",
            label="Room for all runs",
            kind="number",
            default=0,
            most=1_000_000,
            decimals=1,
            unit="GiB",
            special="no matter",
            help="the oldest of the others go until the rest fits",
        ),
    ]
