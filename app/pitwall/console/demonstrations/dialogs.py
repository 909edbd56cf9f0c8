"""The page's dialogs: export folder, module to train, tags and note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.form.fields import Field, Option
from pitwall.console.kit.form.form import Form
from pitwall.demonstrations.manifest import LONGEST_TAG, MOST_TAGS, Demonstration

WATCHED = "watched"
"""Name of the module made from demonstrations if the game declares none."""
_FORMS = (
    ("lerobot", "LeRobot dataset: for robot learning's tools"),
    ("mcap", "MCAP recording: for Foxglove"),
    ("pixel2play", "Open Pixel2Play: videos of 192 × 192 at 20 Hz"),
)


class _FormDialog(OrderDialog):
    """A dialog with one form; its order is made of the form's values."""

    def __init__(
        self, title: str, text: str, go: str, fields: Sequence[Field], parent: QWidget | None
    ) -> None:
        super().__init__(title, text, go=go, parent=parent)
        self.form = Form(fields)
        self.form.edited.connect(lambda _: self.go.setEnabled(not self.form.blocked))
        self.body.addWidget(self.form)


@dataclass(frozen=True, slots=True)
class ExportOrder:
    """Demonstrations to export."""

    ids: tuple[str, ...]
    form: str
    folder: Path

    def arguments(self) -> list[str]:
        """Return the arguments of the command that exports them."""
        return ["teach", "export", *self.ids, "--format", self.form, "--out", str(self.folder)]


class ExportDialog(_FormDialog):
    """Signals: ordered(order): an `ExportOrder`."""

    def __init__(self, ids: Sequence[str], parent: QWidget | None = None) -> None:
        folder = str(Path.home() / f"{ids[0]}-export")
        fields = [
            Field(key="form", label="Form", kind="radio", options=_FORMS, default="lerobot"),
            Field(
                key="folder",
                label="Folder",
                name="Folder to write",
                kind="folder",
                default=folder,
                check=lambda value: (
                    "This folder exists already: name a new folder" if Path(value).exists() else ""
                ),
            ),
        ]
        title = "Export a demonstration" if len(ids) == 1 else f"Export {len(ids)} demonstrations"
        super().__init__(title, "Trimmed parts are not exported.", "Export", fields, parent)
        self._ids = tuple(ids)

    @property
    def order(self) -> ExportOrder | None:
        chosen = self.form.values
        if self.form.blocked or not chosen["folder"]:
            return None
        return ExportOrder(self._ids, chosen["form"], Path(chosen["folder"]))


_SEEN = (
    Option("", "the fields read from the game, otherwise its pictures"),
    Option("--fields", "only the fields read from the game"),
    Option("--pixels", "only small pictures"),
)


@dataclass(frozen=True, slots=True)
class TrainOrder:
    """A module to train on demonstrations. sees: an option of the command; empty: the command decides."""

    ids: tuple[str, ...]
    game: str
    module: str
    sees: str = ""

    def arguments(self) -> list[str]:
        """Return the arguments of the command that trains it and outlives the window."""
        named = ["--game", self.game, "--module", self.module, "--from", ",".join(self.ids)]
        return ["teach", "train", *named, *([self.sees] * bool(self.sees)), "--detach"]


class TrainDialog(_FormDialog):
    """Signals: ordered(order): a `TrainOrder`.

    Args:
        game: the game that was played. modules: the modules that its author declared.
    """

    def __init__(
        self,
        shown: Sequence[Demonstration],
        game: str,
        modules: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        options = [Option(name, name) for name in modules]
        options.append(Option(WATCHED, "watched: a new module that presses what you pressed"))
        fields = [
            Field(key="module", label="Module", kind="choice", options=tuple(options)),
            Field(key="sees", label="It sees", kind="choice", options=_SEEN),
        ]
        minutes = sum(manifest.kept_seconds for manifest in shown) / 60
        presses = sum(manifest.presses for manifest in shown)
        super().__init__(
            f"Train a module of {game}",
            f"It learns to do what you did: {minutes:.1f} min of play with {presses:,} presses. The result "
            "is a version like any other; the GSM lab shows how it learns.",
            "Begin training",
            fields,
            parent,
        )
        self._ids, self._game = tuple(manifest.id for manifest in shown), game

    @property
    def order(self) -> TrainOrder:
        return TrainOrder(self._ids, self._game, self.form.value("module"), self.form.value("sees"))


class TagsDialog(_FormDialog):
    """Signals: ordered(order): (tags, note)."""

    def __init__(self, shown: Demonstration, parent: QWidget | None = None) -> None:
        fields = [
            Field(
                key="tags",
                label="Tags",
                hint="calm, first try",
                help="with commas between them",
                default=", ".join(shown.tags),
                check=_wrong_tags,
            ),
            Field(key="note", label="Note", kind="lines", default=shown.note),
        ]
        super().__init__(f"Tags and note of {shown.title}", "", "Keep", fields, parent)

    @property
    def order(self) -> tuple[tuple[str, ...], str] | None:
        if self.form.blocked:
            return None
        values = self.form.values
        return _tags(values["tags"]), values["note"][:2000]


def _tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in text.split(",")))))


def _wrong_tags(text: str) -> str:
    tags = _tags(text)
    if len(tags) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in tags):
        return f"At most {MOST_TAGS} tags of {LONGEST_TAG} characters"
    return ""
