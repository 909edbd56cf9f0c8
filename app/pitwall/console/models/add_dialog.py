"""Adds a model: one that was searched, a file from disk, a download from a hub, or an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.form.inputs import take_dropped_files
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.notification import NoteCard
from pitwall.console.kit.panes import plain_tabs
from pitwall.console.kit.theme import PAD, WIDE, Look
from pitwall.console.models.file_tab import FileTab
from pitwall.console.models.finder import ModelFinder
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.job import Job
from pitwall.core.paths import DataFolder
from pitwall.models.search import ModelMatch

_WIDTH = 660
_HUB = (
    Field(
        key="spec",
        label="Address",
        name="What to download",
        hint="hf:OWNER/REPOSITORY/FILE.gguf, or https://…/file.gguf",
        help="A file of a Hugging Face repository, with @REVISION if you like, or any http address. The "
        "download can be paused and resumed, even after a restart.",
    ),
    Field(
        key="sha256",
        label="SHA-256",
        name="Its SHA-256",
        hint="optional; the hub's hash is always checked",
    ),
)
_ENDPOINT = (
    Field(key="name", label="Name", hint="its name in the list"),
    Field(key="url", label="Address", hint="http://127.0.0.1:8080/v1"),
    Field(key="model", label="Model", hint="its name at the endpoint"),
    Field(
        key="key",
        label="Key variable",
        hint="OPENAI_API_KEY; empty for none",
        help="The key is read from this environment variable when it is needed; it is never saved.",
    ),
    Field(key="sees", label="It takes pictures", kind="flag"),
)


class AddDialog(QDialog):
    """Offers four ways to a model; the console stays usable beside it.

    Args:
        aside: the page's reading thread.

    Signals:
        added(name): a model is in the registry. download_wanted(spec, sha256): the
            page downloads it; the hash may be empty.
    """

    added = Signal(str)
    download_wanted = Signal(str, str)

    def __init__(
        self, data: DataFolder, look: Look, aside: BackgroundWorker, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add a model")
        self.setAccessibleName("Add a model")
        self.setMinimumWidth(_WIDTH)
        take_dropped_files(self, lambda files: self.show_file(files[0]))
        self.file = FileTab(data, look, aside)
        self.finder = ModelFinder(data, look, aside)
        self.hub = FormTab(_HUB, ("spec",), "Download", "Download this model", self._download)
        self.finder.chosen.connect(self._fill_in)
        self.finder.used.connect(self._use)
        self.endpoint = FormTab(
            _ENDPOINT, ("name", "url", "model"), "Add", "Add this endpoint", self._add_endpoint
        )
        self.tabs = plain_tabs("Where the model is")
        self.tabs.addTab(self.finder, "Find a model")
        self.tabs.addTab(self.file, "A file on this disk")
        self.tabs.addTab(self.hub, "From a hub")
        self.tabs.addTab(self.endpoint, "An endpoint")
        self.job = Job(self, data=data)
        self.job.answered.connect(self._endpoint_added)
        self.job.failed.connect(lambda error: self.endpoint.say(error_sentence(error)))
        self.job.cancelled.connect(lambda: self.endpoint.say(""))
        self._probing = ProgressLine(self.job, "Adding and probing the endpoint", unit="questions")
        self.endpoint.body.insertWidget(1, self._probing)
        close = row(None, Button("Close", self.reject, kind="quiet"))
        self.setLayout(column(Label("Add a model", "title"), self.tabs, close, margins=WIDE))
        self.file.added.connect(self.added)
        self.tabs.currentChanged.connect(lambda _: self._let_enter_go())
        self._let_enter_go()

    def show_file(self, path: Path) -> None:
        """Open the file tab with this file selected."""
        self.tabs.setCurrentWidget(self.file)
        self.file.form.enter({"file": str(path)})

    def show_known(self) -> None:
        """Open the tab that finds models."""
        self.tabs.setCurrentWidget(self.finder)

    def reject(self) -> None:
        """Close, and end running work: a file being hashed is not added, a file being probed stays."""
        self.file.job.cancel()
        self.job.cancel()
        super().reject()

    # ---- inside

    def _let_enter_go(self) -> None:
        buttons = (self.finder.go, self.file.go, self.hub.go, self.endpoint.go)
        buttons[self.tabs.currentIndex()].setDefault(True)

    def _fill_in(self, match: ModelMatch) -> None:
        """Fill the form of the tab that adds a chosen model."""
        if match.source == "known":
            self.hub.form.enter({"spec": match.where, "sha256": ""})
        elif match.source == "endpoint":
            self.endpoint.form.enter({"name": match.name, "url": match.where, "model": match.name})

    def _use(self, match: ModelMatch) -> None:
        """Download a well-known model; a file or an endpoint is shown on its tab first."""
        if match.source == "known":
            self._download()
        elif match.source == "file":
            self.show_file(Path(match.where))
        else:
            self.tabs.setCurrentWidget(self.endpoint)

    def _download(self) -> None:
        """Download the model of the form, and the projector of a known model that has one."""
        values = self.hub.form.values
        match = self.finder.table.current
        suggestion = match.suggestion if match is not None and match.where == values["spec"] else None
        if suggestion is not None and suggestion.model.projector:
            self.download_wanted.emit(suggestion.model.projector, "")
        self.download_wanted.emit(values["spec"], values["sha256"])
        self.accept()

    def _add_endpoint(self) -> None:
        name, url, model, key, sees = self.endpoint.form.values.values()
        arguments = ["models", "add-remote", name, url, "--model", model]
        arguments += ["--key-variable", key] if key else []
        self.job.start([*arguments, *(["--sees"] if sees else [])])
        self._probing.begin()

    def _endpoint_added(self, answer: Any) -> None:
        self.added.emit(answer["entry"]["name"])
        self.endpoint.say(answer["note"])
        if not answer["note"]:
            self.accept()


class FormTab(QWidget):
    """Offers one way to a model: its fields, and the button that adds it.

    Args:
        needed: keys of the required fields. go, name: of the button.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        needed: Sequence[str],
        go: str,
        name: str,
        do: Callable[[], object],
    ) -> None:
        super().__init__()
        self._needed = needed
        self.form = Form(fields)
        self.form.edited.connect(lambda _: self._allow())
        self.trouble = NoteCard("stop")
        self.go = PrimaryButton(go, do, name=name)
        parts = (self.form, self.trouble, row(self.go, None), None)
        self.body = column(*parts, margins=(0, PAD, 0, 0))
        self.setLayout(self.body)
        self._allow()

    def say(self, trouble: str) -> None:
        """Show an error; empty for none. It may be tried again."""
        self._allow()
        self.trouble.say(trouble)

    def _allow(self) -> None:
        self.trouble.say("")
        values = self.form.values
        self.go.setEnabled(all(values[key] for key in self._needed))
