"""Downloads by the real command from a server on loopback: paused, gone on with, given up, checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid
from tests.console.models.models_page import LONG_MS, button
from tests.models.file_server import FileServer, serving

from pitwall.console.kit.job import JobCard, JobState
from pitwall.console.kit.theme import Look
from pitwall.console.models.downloads import DownloadsPanel
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.tiny_models import tiny_text_model

_SLOW = 40_000
"""Bytes a second: a test has more than ten seconds before the file has come."""


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A hub with one model, reached without a proxy and asked without a token."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub-cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    with serving() as server:
        server.content = tiny_text_model(tmp_path / "at-the-hub.gguf").read_bytes()
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        yield server


@pytest.fixture
def panel(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[DownloadsPanel]:
    assert screen
    assert Look(qapp, "dark").palette
    aside = BackgroundWorker("test")
    widget = DownloadsPanel(data, aside)
    qtbot.addWidget(widget)
    widget.resize(900, 200)
    widget.show()
    yield widget
    widget.close_jobs()
    qtbot.waitUntil(lambda: not any(card.job.running for card in widget.cards), timeout=LONG_MS)
    aside.close()


def _until(qtbot: QtBot, line: JobCard, state: JobState) -> None:
    qtbot.waitUntil(lambda: line.state is state, timeout=LONG_MS)


def _begun(panel: DownloadsPanel, qtbot: QtBot, spec: str) -> JobCard:
    panel.begin(spec)
    line = panel.cards[-1]
    qtbot.waitUntil(lambda: line.progress.done > 0 or line.state is not JobState.RUNNING, timeout=LONG_MS)
    return line


def test_a_model_of_the_hub_comes_and_its_hash_is_checked(
    panel: DownloadsPanel, data: DataFolder, hub: FileServer, qtbot: QtBot
) -> None:
    panel.begin("hf:owner/repo/model.gguf")
    with qtbot.waitSignal(panel.added, timeout=LONG_MS) as added:
        assert panel.cards[0].state is JobState.RUNNING
    assert added.args == ["model"]
    assert "checked against the hub" in panel.cards[0].text
    assert hub.sha256[:16] in panel.cards[0].text
    assert ModelRegistry(data).get("model").source == "hf:owner/repo/model.gguf"
    QTest.mouseClick(button(panel, "Dismiss"), Qt.MouseButton.LeftButton)
    assert not panel.cards


def test_a_download_is_paused_and_goes_on_where_it_was(
    panel: DownloadsPanel, data: DataFolder, hub: FileServer, qtbot: QtBot
) -> None:
    hub.bytes_per_s = _SLOW
    line = _begun(panel, qtbot, hub.url)
    qtbot.waitUntil(lambda: "/s" in line.text and "left" in line.text, timeout=LONG_MS)
    assert "of 0.5 MiB" in line.text
    QTest.mouseClick(button(line, "Pause"), Qt.MouseButton.LeftButton)
    _until(qtbot, line, JobState.PAUSED)
    kept = (data.models / "model.gguf.part").stat().st_size
    assert 0 < kept < len(hub.content)
    hub.bytes_per_s = 0
    QTest.mouseClick(button(line, "Resume"), Qt.MouseButton.LeftButton)
    _until(qtbot, line, JobState.DONE)
    assert hub.gets[-1] == f"bytes={kept}-"
    assert ModelRegistry(data).get("model").sha256 == hub.sha256


def test_what_a_closed_console_left_is_offered_and_given_up(
    panel: DownloadsPanel, data: DataFolder, hub: FileServer, qtbot: QtBot
) -> None:
    hub.bytes_per_s = _SLOW
    line = _begun(panel, qtbot, hub.url)
    line.pause()
    _until(qtbot, line, JobState.PAUSED)
    aside = BackgroundWorker("another console")
    later = DownloadsPanel(data, aside)
    qtbot.addWidget(later)
    later.read()
    qtbot.waitUntil(lambda: len(later.cards) == 1, timeout=LONG_MS)
    offered = later.cards[0]
    assert (offered.order.subject, offered.state) == (hub.url, JobState.PAUSED)
    assert "of 0.5 MiB" in offered.text
    QTest.mouseClick(button(offered, "Cancel"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(offered), timeout=LONG_MS)  # before the panel that holds it
    assert not later.cards
    assert list(data.models.iterdir()) == []
    aside.close()


def test_cancelling_deletes_what_came(
    panel: DownloadsPanel, data: DataFolder, hub: FileServer, qtbot: QtBot
) -> None:
    hub.bytes_per_s = _SLOW
    line = _begun(panel, qtbot, hub.url)
    QTest.mouseClick(button(line, "Cancel"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.cards, timeout=LONG_MS)
    assert list(data.models.iterdir()) == []


def test_another_hash_than_promised_is_an_error_in_its_own_words(
    panel: DownloadsPanel, data: DataFolder, hub: FileServer, qtbot: QtBot
) -> None:
    hub.promised = ("0" * 64, len(hub.content))
    line = _begun(panel, qtbot, "hf:owner/repo/model.gguf")
    _until(qtbot, line, JobState.FAILED)
    assert "came with the SHA-256" in line.text
    assert ModelRegistry(data).all() == ()
    hub.promised = None
    QTest.mouseClick(button(line, "Try again"), Qt.MouseButton.LeftButton)
    _until(qtbot, line, JobState.DONE)


def test_several_downloads_are_listed(
    panel: DownloadsPanel, data: DataFolder, hub: FileServer, tmp_path: Path, qtbot: QtBot
) -> None:
    hub.bytes_per_s = _SLOW
    first = _begun(panel, qtbot, hub.url)
    with serving() as other:
        other.name = "other.gguf"
        other.content = tiny_text_model(tmp_path / "other.gguf", seed=2).read_bytes()
        panel.begin(other.url)
        _until(qtbot, panel.cards[1], JobState.DONE)
    assert first.state is JobState.RUNNING
    hub.bytes_per_s = 0
    _until(qtbot, first, JobState.DONE)
    assert {entry.name for entry in ModelRegistry(data).all()} == {"model", "other"}


def test_what_names_no_file_is_refused(panel: DownloadsPanel, qtbot: QtBot) -> None:
    line = _begun(panel, qtbot, "nonsense")
    _until(qtbot, line, JobState.FAILED)
    assert "names no file to download" in line.text
