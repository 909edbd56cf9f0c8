"""What is still to be installed is offered once, and takes no room where nothing is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from pitwall.console.kit.components import ComponentsPanel
from pitwall.console.kit.job import JobCard, JobState
from pitwall.core.paths import DataFolder
from pitwall.store import components
from pitwall.store.components import can_install


def test_what_is_missing_is_offered_once_and_takes_no_room_before(
    screen: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert screen
    if not can_install():
        pytest.skip("components go into a virtual environment, and this is none")
    gone = (replace(components.component("text"), packages=("no-such-package",)),)
    monkeypatch.setattr(components, "COMPONENTS", ())  # nothing is missing, wherever this runs
    panel = ComponentsPanel(DataFolder(tmp_path))
    qtbot.addWidget(panel)
    panel.offer(begin=False)
    before = list(panel.cards)
    monkeypatch.setattr(components, "COMPONENTS", gone)
    panel.offer(begin=False)
    panel.offer(begin=False)
    assert not before
    [card] = panel.cards
    assert card.state is JobState.PAUSED
    assert "Text reading" in card.text


def test_a_component_on_demand_waits_for_its_own_button(
    screen: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert screen
    if not can_install():
        pytest.skip("components go into a virtual environment, and this is none")
    gone = (replace(components.component("training"), packages=("no-such-package",)),)
    monkeypatch.setattr(components, "COMPONENTS", gone)
    panel = ComponentsPanel(DataFolder(tmp_path))
    qtbot.addWidget(panel)
    panel.offer(begin=True)
    panel.offer(begin=True)
    [card] = panel.cards
    assert card.state is JobState.PAUSED
    assert card.order.arguments == ["components", "install", "training"]
    shown = [button.text() for button in card.findChildren(QPushButton) if button.isVisibleTo(card)]
    assert shown == ["Install"]
    assert "paused" not in [label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card)]


def test_a_waiting_card_goes_once_another_process_installed_its_components(
    screen: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert screen
    if not can_install():
        pytest.skip("components go into a virtual environment, and this is none")
    files = [tmp_path / name for name in ("first", "second")]
    gone = tuple(
        replace(component, packages=(), alone=(), files=(file,))
        for component, file in zip(components.COMPONENTS[:2], files, strict=True)
    )
    monkeypatch.setattr(components, "COMPONENTS", gone)
    panel = ComponentsPanel(DataFolder(tmp_path))
    qtbot.addWidget(panel)
    panel.offer(begin=False)
    assert "2 components" in panel.cards[0].text
    files[0].touch()
    qtbot.waitUntil(lambda: gone[1].title in "".join(card.text for card in panel.cards), timeout=60_000)
    files[1].touch()
    qtbot.waitUntil(lambda: not panel.cards and not panel.findChildren(JobCard), timeout=60_000)
