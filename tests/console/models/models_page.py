"""A models page on a real data folder with tiny real models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.console.scripted_session import STATE, ScriptedOpener, state

from pitwall.console.kit.elements import Label
from pitwall.console.kit.theme import Look, ThemeName
from pitwall.console.models.page import ModelsPage
from pitwall.console.services.bridge import Bridge
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.core.telemetry import ControllersNote
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.tiny_models import tiny_encoder, tiny_projector, tiny_text_model

ENDPOINT = "http://127.0.0.1:9/v1"
LONG_MS = 180_000
_WAIT_MS = 90_000


@dataclass
class ModelsPageHarness:
    """The page under test, its data folder, and the scripted engine."""

    page: ModelsPage
    opener: ScriptedOpener
    bot: QtBot

    @property
    def registry(self) -> ModelRegistry:
        return ModelRegistry(self.page.bridge.data)

    def wait(self, holds: Callable[[], bool], timeout_ms: int = _WAIT_MS) -> None:
        self.bot.waitUntil(holds, timeout=timeout_ms)

    def listed(self) -> list[str]:
        return [row.name for row in self.page.table.rows.rows]

    def choose(self, name: str) -> None:
        self.wait(lambda: name in self.listed())
        assert self.page.table.choose(name)
        assert self.page.detail.facts is not None
        assert self.page.detail.facts.name == name

    def open_game(self) -> None:
        self.page.bridge.open_game("flappy")
        self.opener.last.tell(state(STATE.READY))
        self.wait(lambda: self.page.bridge.state.phase.value == "ready")
        self.page.bridge.flush()

    def told(self, **values: object) -> None:
        self.opener.last.tell(ControllersNote(planner="model", reactive="rules", **values))  # type: ignore[arg-type]

    def settings(self) -> dict[str, object]:
        return load_settings(self.page.bridge.data.settings).models.model_dump()


@contextmanager
def models_page(
    folder: Path, bot: QtBot, app: QApplication, theme: ThemeName = "dark"
) -> Iterator[ModelsPageHarness]:
    """The page on a data folder, shown; its commands' processes end before it is deleted."""
    bridge, opener = bridge_with_engine(folder)
    page = ModelsPage(bridge, Look(app, theme))
    bridge.changed.connect(page.refresh)

    def end(_: QWidget) -> None:
        page.close_reading()
        bot.waitUntil(lambda: not any(job.running for job in page.detail.jobs), timeout=_WAIT_MS)

    bot.addWidget(page, before_close_func=end)
    page.resize(1216, 620)
    page.show()
    page.opened()
    yield ModelsPageHarness(page, opener, bot)
    bridge.shutdown()


def bridge_with_engine(folder: Path) -> tuple[Bridge, ScriptedOpener]:
    """A bridge whose engine is scripted: what it was asked can be read."""
    opener = ScriptedOpener()
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
    rows = [
        each
        for each in inside.findChildren(QAbstractButton)
        if each.isVisibleTo(inside) and each.accessibleName().startswith(name)
    ]
    assert rows, f"no button {name!r}"
    return rows[0]


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
