"""Adding a model: a file from disk, a download from a hub, or an endpoint."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QGridLayout, QLineEdit, QTabWidget, QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, column, row
from pitwall.console.kit.form.inputs import dropped_files
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.theme import GAP, PAD, WIDE, Look
from pitwall.console.models.file_tab import FileTab
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry

_WIDTH = 620


class AddDialog(QDialog):
    """Three ways to a model; the console stays usable beside it.

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
        self.setAcceptDrops(True)
        self.file = FileTab(data, look, aside)
        self.hub = HubTab()
        self.endpoint = EndpointTab(data, aside)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Where the model is")
        for tab, title in (
            (self.file, "A file on this disk"),
            (self.hub, "From a hub"),
            (self.endpoint, "An endpoint"),
        ):
            self.tabs.addTab(tab, title)
        layout = column(Label("Add a model", "title"), self.tabs, gap=GAP)
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        layout.addLayout(row(None, Button("Close", self.reject, kind="quiet")))
        self.setLayout(layout)
        self.file.added.connect(self.added)
        self.endpoint.added.connect(self._endpoint_added)
        self.hub.wanted.connect(self._download)

    def show_file(self, path: Path) -> None:
        """Open at the file tab with this file looked at."""
        self.tabs.setCurrentWidget(self.file)
        self.file.path.set_path(str(path))

    def reject(self) -> None:
        """Closing it while a file is hashed ends that; nothing was added then."""
        self.file.job.cancel()
        super().reject()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.show_file(files[0])

    def _endpoint_added(self, name: str) -> None:
        self.added.emit(name)
        self.accept()

    def _download(self, spec: str, sha256: str) -> None:
        self.download_wanted.emit(spec, sha256)
        self.accept()


class HubTab(QWidget):
    """A download: which file of which hub. The page downloads it.

    Signals:
        wanted(spec, sha256).
    """

    wanted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.spec = QLineEdit()
        self.spec.setAccessibleName("What to download")
        self.spec.setPlaceholderText("hf:OWNER/REPOSITORY/FILE.gguf, or https://…/file.gguf")
        self.sha256 = QLineEdit()
        self.sha256.setAccessibleName("Its SHA-256")
        self.sha256.setPlaceholderText("if you know it; the hub's is checked anyway")
        for field in (self.spec, self.sha256):
            field.textChanged.connect(self._allow)
            field.returnPressed.connect(self.download)
        self._go = PrimaryButton("Download", self.download, name="Download this model")
        form = QGridLayout()
        form.setHorizontalSpacing(PAD)
        form.setVerticalSpacing(GAP)
        for at, (title, field) in enumerate((("Address", self.spec), ("SHA-256", self.sha256))):
            form.addWidget(Label(title, "dim"), at, 0)
            form.addWidget(field, at, 1)
        note = Label(
            "A file of a Hugging Face repository, @REVISION behind it if you like, or any http address. The "
            "download can be paused, and goes on where it was, also after a restart.",
            "note",
            wrap=True,
        )
        layout = column(gap=GAP)
        layout.setContentsMargins(0, PAD, 0, 0)
        layout.addLayout(form)
        layout.addWidget(note)
        layout.addLayout(row(self._go, None))
        layout.addStretch(1)
        self.setLayout(layout)
        self._allow()

    def download(self) -> None:
        """Have the page download it."""
        if self._go.isEnabled():
            self.wanted.emit(self.spec.text().strip(), self.sha256.text().strip())

    def _allow(self) -> None:
        self._go.setEnabled(bool(self.spec.text().strip()))


class EndpointTab(QWidget):
    """An OpenAI-compatible endpoint: written to the registry; nothing is asked of it yet.

    Signals:
        added(name).
    """

    added = Signal(str)

    def __init__(self, data: DataFolder, aside: BackgroundWorker) -> None:
        super().__init__()
        self._registry = ModelRegistry(data)
        self._aside = aside
        self.fields: dict[str, QLineEdit] = {}
        form = QGridLayout()
        form.setHorizontalSpacing(PAD)
        form.setVerticalSpacing(GAP)
        for at, (key, title, hint) in enumerate(
            (
                ("name", "Name", "as it stands in the list"),
                ("url", "Address", "http://127.0.0.1:8080/v1"),
                ("model", "Model", "as the endpoint calls it"),
                ("key", "Key variable", "OPENAI_API_KEY; empty for none"),
            )
        ):
            field = QLineEdit()
            field.setAccessibleName(title)
            field.setPlaceholderText(hint)
            field.returnPressed.connect(self.add)
            field.textChanged.connect(self._allow)
            self.fields[key] = field
            form.addWidget(Label(title, "dim"), at, 0)
            form.addWidget(field, at, 1)
        form.setColumnStretch(1, 1)
        self.sees = QCheckBox("It takes pictures")
        self._trouble_text = Label("", wrap=True)
        self._trouble = Card(self._trouble_text, tone="stop")
        self._trouble.hide()
        self._add = PrimaryButton("Add", self.add, name="Add this endpoint")
        note = Label(
            "The key is read from this environment variable when it is needed; it is written nowhere.",
            "note",
            wrap=True,
        )
        layout = column(gap=GAP)
        layout.setContentsMargins(0, PAD, 0, 0)
        layout.addLayout(form)
        for widget in (note, self.sees, self._trouble):
            layout.addWidget(widget)
        layout.addLayout(row(self._add, None))
        layout.addStretch(1)
        self.setLayout(layout)
        self._allow()

    @property
    def trouble(self) -> str:
        """Why it was not added; empty for nothing."""
        return self._trouble_text.full_text()

    def add(self) -> None:
        """Write it to the registry, aside."""
        if not self._add.isEnabled():
            return
        name, url, model, key = (self.fields[each].text().strip() for each in ("name", "url", "model", "key"))
        sees = self.sees.isChecked()
        self._aside.ask(
            lambda: self._registry.add_remote(name, url, model, key_variable=key, sees=sees),
            lambda entry: self.added.emit(entry.name),
            self._refused,
        )

    def _refused(self, error: PitwallError) -> None:
        self._trouble_text.set_text(error_sentence(error))
        self._trouble.show()

    def _allow(self) -> None:
        self._trouble.hide()
        self._add.setEnabled(all(self.fields[each].text().strip() for each in ("name", "url", "model")))
