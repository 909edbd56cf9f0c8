"""The design dialog runs the real command, shows the design, and takes it as it was edited."""

from __future__ import annotations

import json
from pathlib import Path

from pytestqt.qtbot import QtBot
from tests.pitwall_lab.design.recorded_play import record_play

from pitwall.core.paths import DataFolder
from pitwall_lab.console.training.design_dialog import DesignDialog
from pitwall_lab.design.document import design_file

_WAIT_MS = 180_000


def test_a_module_is_designed_read_and_edited_in_the_dialog(qtbot: QtBot, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    record_play(data, "flappy", ("flap", "wait", "wait"), ("bird_y", "gap_left"))
    dialog = DesignDialog("flappy", "Flappy", data)
    qtbot.addWidget(dialog)
    dialog.form.enter({"task": "pass many pipes"})
    assert not dialog.take.isEnabled()
    with qtbot.waitSignal(dialog.designed, timeout=_WAIT_MS):
        dialog.start()
    file = design_file(data, "flappy", "designed")
    shown = json.loads(dialog.text.toPlainText())
    assert shown == json.loads(file.read_text(encoding="utf-8"))
    assert "Designed." in dialog.outcome
    shown["reasons"]["state"] = "I chose it"
    shown["decide_every_ms"] = 50
    dialog.text.setPlainText(json.dumps(shown))
    with qtbot.waitSignal(dialog.designed, timeout=_WAIT_MS):
        dialog.take.click()
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert (kept["by"], kept["decide_every_ms"], kept["reasons"]["state"]) == ("operator", 50, "I chose it")
    shown["actions"] = ["", "fly_away"]
    dialog.text.setPlainText(json.dumps(shown))
    dialog.take.click()
    qtbot.waitUntil(lambda: "actions[1]" in dialog.outcome, timeout=_WAIT_MS)
    assert json.loads(file.read_text(encoding="utf-8")) == kept, "a design that does not fit changes nothing"
