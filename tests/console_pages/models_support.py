"""A models page on a real data folder with tiny real models."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from tests.console.scripted import Opener

from pitwall.bench.tiny_models import tiny_encoder, tiny_projector, tiny_text_model
from pitwall.console.bridge import Bridge
from pitwall.console.widgets.panels import Label
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry

ENDPOINT = "http://127.0.0.1:9/v1"
LONG_MS = 90_000


def bridge_with_engine(folder: Path) -> tuple[Bridge, Opener]:
    """A bridge whose engine is scripted: what it was asked can be read."""
    opener = Opener()
    return Bridge(DataFolder(folder), opener, lambda: ()), opener


def fill(folder: Path) -> ModelRegistry:
    """A text model that sees, an encoder, and an endpoint, in the registry of a data folder."""
    registry = ModelRegistry(DataFolder(folder))
    made = folder / "made"
    made.mkdir(parents=True)
    registry.add_file(
        tiny_text_model(made / "small.gguf"), projector=tiny_projector(made / "small-mmproj.gguf")
    )
    registry.add_file(tiny_encoder(made / "encoder.onnx"))
    registry.add_remote("workstation", ENDPOINT, "big-model", key_variable="WORKSTATION_KEY", sees=True)
    return registry


def button(inside: QWidget, name: str) -> QAbstractButton:
    """The shown button whose accessible name begins so."""
    found = [
        each
        for each in inside.findChildren(QAbstractButton)
        if each.isVisibleTo(inside) and each.accessibleName().startswith(name)
    ]
    assert found, f"no button {name!r}"
    return found[0]


def texts(inside: QWidget) -> str:
    """Everything that is shown as text."""
    return "\n".join(label.full_text() for label in inside.findChildren(Label) if label.isVisibleTo(inside))


def drop_on(widget: QWidget, file: Path) -> None:
    """Drag a file onto a widget and let it go there."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    how = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, QDragEnterEvent(QPoint(9, 9), *how))
    QApplication.sendEvent(widget, QDropEvent(QPointF(9, 9), *how))
