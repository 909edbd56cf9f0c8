"""Adding models: a file looked at, hashed and added by the real command; damaged files; endpoints; a hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import ENDPOINT, LONG_MS, button, drop_on, fill

from pitwall.console.kit.theme import Look
from pitwall.console.models.add_dialog import AddDialog
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.tiny_models import tiny_encoder, tiny_projector, tiny_text_model

_WAIT_MS = 90_000


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def dialog(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[AddDialog]:
    assert screen
    aside = BackgroundWorker("test")
    widget = AddDialog(data, Look(qapp, "dark"), aside)
    qtbot.addWidget(widget)
    widget.tabs.setCurrentWidget(widget.file)
    widget.show()
    yield widget
    widget.file.job.cancel()
    qtbot.waitUntil(lambda: not widget.file.job.running, timeout=_WAIT_MS)
    aside.close()


def _looked_at(dialog: AddDialog, qtbot: QtBot, file: Path) -> str:
    dialog.show_file(file)
    qtbot.waitUntil(lambda: bool(dialog.file.preview.words), timeout=_WAIT_MS)
    return dialog.file.preview.words


def test_a_file_is_looked_at_before_it_is_hashed_and_added(
    dialog: AddDialog, data: DataFolder, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tiny_text_model(tmp_path / "my model.gguf")
    drop_on(dialog.file.form.editor("file"), file)
    qtbot.waitUntil(lambda: bool(dialog.file.preview.words), timeout=_WAIT_MS)
    words = dialog.file.preview.words
    assert all(part in words for part in ("llama", "127 thousand", "F32", "2 layers", "4,096 tokens"))
    assert "GiB free" in words
    name = dialog.file.form.editor("name")
    assert isinstance(name, QLineEdit)
    assert name.placeholderText() == "my-model"
    assert not data.model_registry.exists()
    calls: list[tuple[int, int]] = []
    dialog.file.job.progressed.connect(lambda done, total: calls.append((done, total)))
    with qtbot.waitSignal(dialog.added, timeout=LONG_MS) as added:
        QTest.mouseClick(button(dialog, "Add this file"), Qt.MouseButton.LeftButton)
    assert added.args == ["my-model"]
    assert (file.stat().st_size,) * 2 in calls, "hashed to its end; what the model can do is tried after that"
    entry = ModelRegistry(data).get("my-model")
    assert entry.sha256 in dialog.file.outcome.text
    assert "127 thousand" in dialog.file.preview.words


def test_a_model_that_sees_is_added_with_its_projector_under_a_name_of_its_own(
    dialog: AddDialog, data: DataFolder, tmp_path: Path, qtbot: QtBot
) -> None:
    _looked_at(dialog, qtbot, tiny_text_model(tmp_path / "a.gguf"))
    dialog.file.form.enter({"name": "seeing", "projector": str(tiny_projector(tmp_path / "p.gguf"))})
    with qtbot.waitSignal(dialog.added, timeout=LONG_MS):
        dialog.file.add()
    assert ModelRegistry(data).get("seeing").sees


def _half(path: Path) -> None:
    tiny_text_model(path)
    path.write_bytes(path.read_bytes()[:100_000])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (_half, "is cut off"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(60)), "is a ZIP archive"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda _: None, "does not exist"),
        (tiny_projector, "is a projector"),
    ],
)
def test_what_is_no_model_is_refused_in_its_own_words(
    dialog: AddDialog, tmp_path: Path, qtbot: QtBot, make: Callable[[Path], object], sentence: str
) -> None:
    file = tmp_path / "file.gguf"
    make(file)
    words = _looked_at(dialog, qtbot, file)
    assert sentence in words
    assert str(file) in words
    assert not button(dialog, "Add this file").isEnabled()


def test_another_file_may_be_looked_at_after_a_bad_one(
    dialog: AddDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    assert "does not exist" in _looked_at(dialog, qtbot, tmp_path / "none.gguf")
    dialog.show_file(tiny_encoder(tmp_path / "encoder.onnx"))
    qtbot.waitUntil(lambda: "input_ids" in dialog.file.preview.words, timeout=_WAIT_MS)
    assert button(dialog, "Add this file").isEnabled()


def test_the_commands_own_error_is_shown_and_nothing_is_lost(
    dialog: AddDialog, data: DataFolder, qtbot: QtBot
) -> None:
    registry = fill(data.root)
    _looked_at(dialog, qtbot, data.root / "made" / "small.gguf")
    dialog.file.form.enter({"name": "twice"})
    dialog.file.add()
    qtbot.waitUntil(lambda: bool(dialog.file.outcome.text), timeout=LONG_MS)
    assert "is in the registry already, as 'small'" in dialog.file.outcome.text
    assert dialog.file.form.value("name") == "twice"
    assert len(registry.all()) == 3


def test_an_endpoint_is_added(dialog: AddDialog, data: DataFolder, qtbot: QtBot) -> None:
    form = dialog.endpoint.form
    dialog.tabs.setCurrentWidget(dialog.endpoint)
    assert not button(dialog.endpoint, "Add this endpoint").isEnabled()
    form.enter({"name": "far", "url": "not an address", "model": "m"})
    QTest.mouseClick(button(dialog.endpoint, "Add this endpoint"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "is no address of an endpoint" in dialog.endpoint.trouble.text, timeout=_WAIT_MS)
    form.enter({"url": ENDPOINT, "key": "FAR_KEY", "sees": True})
    with qtbot.waitSignal(dialog.added, timeout=_WAIT_MS):
        QTest.keyClick(form.editor("key"), Qt.Key.Key_Return)
    entry = ModelRegistry(data).get("far")
    assert (entry.url, entry.key_variable, entry.sees) == (ENDPOINT, "FAR_KEY", True)


def test_a_download_is_handed_to_the_page(dialog: AddDialog, qtbot: QtBot) -> None:
    dialog.tabs.setCurrentWidget(dialog.hub)
    dialog.hub.form.enter({"spec": "  hf:owner/repo/model.gguf "})
    with qtbot.waitSignal(dialog.download_wanted, timeout=_WAIT_MS) as wanted:
        QTest.keyClick(dialog.hub.form.editor("spec"), Qt.Key.Key_Return)
    assert wanted.args == ["hf:owner/repo/model.gguf", ""]


def test_a_known_model_fills_in_its_publishers_address_and_brings_its_projector(
    dialog: AddDialog, qtbot: QtBot
) -> None:
    wanted: list[tuple[str, str]] = []
    dialog.download_wanted.connect(lambda spec, sha256: wanted.append((spec, sha256)))
    dialog.show_known()
    table = dialog.finder.table
    qtbot.waitUntil(lambda: table.rows.rowCount() > 5, timeout=_WAIT_MS)
    dialog.finder.search.setText("sees apache")
    rows = list(table.rows.rows)
    assert 0 < len(rows) < 6
    assert rows[0].suggestion is not None
    sees = rows[0].suggestion.model
    assert table.choose(table.rows.key(rows[0]))
    assert dialog.hub.form.value("spec") == sees.spec
    assert sees.what in dialog.finder.note.full_text()
    assert "Not tried with Pitwall yet." in dialog.finder.note.full_text()
    assert wanted == []  # the operator confirms
    dialog.finder.go.click()
    assert wanted == [(sees.projector, ""), (sees.spec, "")]


def test_an_address_that_was_changed_is_downloaded_alone(dialog: AddDialog, qtbot: QtBot) -> None:
    wanted: list[tuple[str, str]] = []
    dialog.download_wanted.connect(lambda spec, sha256: wanted.append((spec, sha256)))
    dialog.show_known()
    table = dialog.finder.table
    qtbot.waitUntil(lambda: table.rows.rowCount() > 5, timeout=_WAIT_MS)
    dialog.finder.search.setText("sees")
    assert table.choose(table.rows.key(table.rows.rows[0]))
    dialog.hub.form.enter({"spec": "hf:me/mine/mine.gguf"})
    dialog.hub.go.click()
    assert wanted == [("hf:me/mine/mine.gguf", "")]
