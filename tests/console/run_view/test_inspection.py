"""The decision inspector on recorded runs: a real run log, its prompts, grammars and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import bridge_on, manifest, record_run, step, summary

from pitwall.console.inspector.panel import DecisionInspector
from pitwall.console.kit.theme import Look
from pitwall.console.runs.page import RunsPage
from pitwall.core.calls import CallOutcome, CallRecord, CallTimes, CallTokens, Purpose
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.store.run_log import RunLog

_GRAMMAR = 'root ::= "{}"\n'


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def page(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[RunsPage]:
    assert screen
    made = RunsPage(bridge_on(data.root), Look(qapp, "dark"))
    qtbot.addWidget(made)
    made.resize(1220, 640)
    made.show()
    yield made
    made.close_reading()
    made.bridge.shutdown()


def _prompt(words: str) -> Prompt:
    spans = (
        Span(layer=Layer.PROTOCOL, text="You plan.\n"),
        Span(layer=Layer.STATE, text=f"{words}\n"),
    )
    return Prompt(messages=(Message(role="user", spans=spans, image=True),))


def _record(number: int, of: int, purpose: Purpose, outcome: CallOutcome) -> CallRecord:
    return CallRecord(
        call=number,
        step=of,
        at_ns=of * 250_000_000,
        purpose=purpose,
        tier=purpose.tier,
        model="tiny",
        device="CPU",
        prompt_hash="",
        image_ref=f"call-{number}.png",
        reply='{"subgoal": "Pass the next pipe"}',
        finish="stop",
        outcome=outcome,
        proposed=1,
        tokens=CallTokens(prompt=40, cached=30, output=9, by_layer={"L1": 30, "state": 10}),
        times=CallTimes(queued_ms=1.0, first_token_ms=20.0, took_ms=110.0),
    )


def _record_calls(data: DataFolder, count: int) -> int:
    """Record a run: three calls at step 2, one at step 6, one for a step that never came."""
    with RunLog.open(data) as log:
        run_id = log.begin(manifest())
        steps = [step(number) for number in range(1, count + 1)]
        log.add_steps(run_id, steps)
        folder = data.run(run_id)
        folder.mkdir(parents=True, exist_ok=True)
        picture = QImage(48, 32, QImage.Format.Format_RGB32)
        picture.fill(0x3366FF)
        assert picture.save(str(folder / "call-3.png"))
        calls = (
            (1, 2, Purpose.DESCRIBE, CallOutcome.USED),
            (2, 2, Purpose.REFLECT, CallOutcome.FAILED),
            (3, 2, Purpose.PLAN, CallOutcome.USED),
            (4, 6, Purpose.PLAN, CallOutcome.DROPPED),
            (5, count + 1, Purpose.PLAN, CallOutcome.CANCELLED),
        )
        for number, of, purpose, outcome in calls:
            prompt = _prompt(f"What holds at call {number}.")
            log.add_call(run_id, _record(number, of, purpose, outcome), prompt=prompt, grammar=_GRAMMAR)
        log.finish(run_id, summary(steps))
    return run_id


def _texts(inspector: DecisionInspector) -> str:
    return "\n".join(
        label.accessibleName() or label.text()
        for label in inspector.findChildren(QLabel)
        if label.isVisibleTo(inspector)
    )


def _open(page: RunsPage, qtbot: QtBot, of: int) -> DecisionInspector:
    page.opened()
    detail = page.detail
    qtbot.waitUntil(lambda: detail.shown_step is not None)
    detail.choose_step(of)
    qtbot.waitUntil(lambda: detail.shown_step is not None and detail.shown_step.step == of)
    detail.table.setFocus()
    QTest.keyClick(detail.table, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    inspector = page.inspection.inspector
    qtbot.waitUntil(inspector.isVisible)
    return inspector


def test_a_recorded_step_shows_its_calls_with_prompt_grammar_and_picture(
    page: RunsPage, data: DataFolder, qtbot: QtBot
) -> None:
    _record_calls(data, 8)
    inspector = _open(page, qtbot, 2)
    assert inspector.decision is not None
    assert [call.number for call in inspector.decision.calls] == [1, 2, 3]
    assert inspector.call is not None
    assert inspector.call.purpose is Purpose.PLAN
    assert any("What holds at call 3." in line.text for line in inspector.prompt.lines)
    assert inspector.facts.grammar.toPlainText() == _GRAMMAR
    qtbot.waitUntil(lambda: not inspector.facts.picture.image.isNull())
    shown = _texts(inspector)
    for text in ("40 tokens · 30 cached · 10 fresh", "✓ used", "tiny", "CPU", "90.0 ms", "100 tok/s"):
        assert text in shown, text
    assert "Sentence 2: the gap is 14 px above the bird." in shown


def test_walking_goes_from_call_to_call_and_to_steps_that_never_came(
    page: RunsPage, data: DataFolder, qtbot: QtBot
) -> None:
    _record_calls(data, 8)
    inspector = _open(page, qtbot, 2)
    alt, shift = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier

    def stands_at(of: int) -> bool:
        return inspector.decision is not None and inspector.decision.step == of

    QTest.keyClick(inspector, Qt.Key.Key_Right, alt | shift)
    qtbot.waitUntil(lambda: stands_at(6))
    assert "✕ dropped, too late" in _texts(inspector)
    QTest.keyClick(inspector, Qt.Key.Key_Right, alt | shift)
    qtbot.waitUntil(lambda: stands_at(9))
    assert "○ cancelled" in _texts(inspector)
    assert "The step is not finished: it is recorded when its action was carried out." in _texts(inspector)
    QTest.keyClick(inspector, Qt.Key.Key_Left, alt)
    qtbot.waitUntil(lambda: stands_at(8))
    assert "No model was asked at step 8" in _texts(inspector)
    QTest.keyClick(inspector, Qt.Key.Key_Escape)
    qtbot.waitUntil(page.detail.isVisible)
    assert page.detail.shown_step is not None
    qtbot.waitUntil(lambda: page.detail.shown_step is not None and page.detail.shown_step.step == 8)


def test_the_step_says_how_many_models_were_asked(page: RunsPage, data: DataFolder, qtbot: QtBot) -> None:
    _record_calls(data, 4)
    page.opened()
    detail = page.detail
    qtbot.waitUntil(lambda: detail.shown_step is not None)
    detail.choose_step(2)
    button = detail.detail.inspect_button
    qtbot.waitUntil(lambda: button.text() == "Inspect · 3 model calls")
    detail.choose_step(3)
    qtbot.waitUntil(lambda: button.text() == "Inspect · no model call")


def test_a_run_without_models_opens_too(page: RunsPage, data: DataFolder, qtbot: QtBot) -> None:
    record_run(data, 5)
    inspector = _open(page, qtbot, 4)
    assert "No model was asked at step 4" in _texts(inspector)
