"""The decision inspector and live thinking in the real window, from scripted telemetry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_calls import (
    GRAMMAR,
    MIND,
    MODEL,
    NO_MODEL,
    REPLY,
    call_began,
    call_ended,
    pieces,
    prompt,
)
from tests.console.scripted_session import STATE, ended, state, step

from pitwall.console.inspector.format import legality, parsed, whole_sentences, why_no_call
from pitwall.console.inspector.panel import DecisionInspector
from pitwall.console.live.signals.step_table import StepTable
from pitwall.console.live.signals.strip_chart import StripChart
from pitwall.console.live.thinking_card import NO_MODEL as NO_MODEL_WORDS
from pitwall.console.live.thinking_card import NONE_CHOSEN
from pitwall.console.state.model_calls import Call
from pitwall.console.state.view_state import Part
from pitwall.core import telemetry
from pitwall.core.actions import Invalid, Proposal
from pitwall.core.calls import CallOutcome, CallTokens, Purpose
from pitwall.core.clock import now_ns
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.signals import Route
from pitwall.models.registry import ModelRegistry


def words_in(widget: QWidget) -> str:
    return "\n".join(
        label.accessibleName() or label.text() for label in widget.findChildren(QLabel) if label.isVisible()
    )


def tell(room: ConsoleHarness, *records: Any) -> None:
    """Tell, and let the window take it."""
    room.session.tell(*records)
    bridge = room.console.bridge
    heard: list[Any] = []
    bridge.received.connect(heard.append)
    room.bot.waitUntil(lambda: any(record is records[-1] for record in heard))
    bridge.received.disconnect(heard.append)
    bridge.flush()
    QApplication.processEvents()


def inspect(room: ConsoleHarness, of: int | None = None) -> DecisionInspector:
    room.console.live.inspect(of)
    inspector = room.console.live.inspection.inspector
    room.bot.waitUntil(inspector.isVisible)
    QApplication.processEvents()
    return inspector


def three_calls(of: int = 12) -> list[Any]:
    """Make a thought of three calls, the last one invalid."""
    made: list[Any] = []
    for number, purpose in enumerate((Purpose.DESCRIBE, Purpose.REFLECT, Purpose.PLAN), 1):
        made.append(call_began(number, step=of, purpose=purpose, at_ns=now_ns()))
        values: dict[str, Any] = {"proposed": 0}
        if purpose is Purpose.PLAN:
            values = {
                "outcome": CallOutcome.INVALID,
                "invalid": Invalid.OUT_OF_SPACE,
                "proposed": 2,
                "illegal": 2,
                "problem": "'jump' is no action of the bird.",
            }
        made.append(call_ended(number, step=of, purpose=purpose, **values))
    return made


# ---- the inspector


def test_a_step_with_three_calls_shows_each_with_its_prompt_by_layer(room: ConsoleHarness) -> None:
    room.play()
    tell(room, *three_calls(), telemetry.StepNote(run_id=128, step=step(12, route=Route.STRATEGIC)))
    inspector = inspect(room, 12)
    assert inspector.decision is not None
    assert [call.purpose for call in inspector.decision.calls] == [
        Purpose.DESCRIBE,
        Purpose.REFLECT,
        Purpose.PLAN,
    ]
    shown = words_in(inspector)
    for text in (
        "! invalid",
        "! illegal: 2 of 2 actions proposed",
        "'jump' is no action of the bird.",
        MODEL,
        "CUDA 0: RTX 3060",
        "2,914 tokens · 2,230 cached · 684 fresh",
        "gap_offset > 40",
        "84 tokens · 55.7 tok/s",
    ):
        assert text in shown, text
    headings = [line.text for line in inspector.prompt.lines if line.heading]
    for text in ("L1, operator and protocol · 402 tokens", "L3, game knowledge · 2 items · 524 tokens"):
        assert any(text in heading for heading in headings), headings
    inside = "\n".join(line.text for line in inspector.prompt.lines if not line.heading)
    assert inside == "\n".join(message.text.removesuffix("\n") for message in prompt(12).messages)
    QTest.keyClick(inspector.calls, Qt.Key.Key_Up)
    QTest.keyClick(inspector.calls, Qt.Key.Key_Up)
    assert inspector.call is not None
    assert inspector.call.purpose is Purpose.DESCRIBE
    assert "proposes no action" in words_in(inspector)


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (
            step(
                5,
                route=Route.STRATEGIC,
                proposal=Proposal(proposal_id=1, situation="", subgoal="x", source="skill:fly"),
            ),
            "Planned by the skill planner, following the skill fly.",
        ),
        (step(5, route=Route.REACTIVE), "The reactive rules grounded the plan in force."),
        (
            step(
                5,
                route=Route.REFLEX,
                proposal=Proposal(proposal_id=1, situation="", subgoal="x", module="fly"),
            ),
            "The game sense module fly acted at frame rate.",
        ),
    ],
)
def test_a_step_without_a_call_says_why(room: ConsoleHarness, record: Any, sentence: str) -> None:
    assert why_no_call(record) == ("No model was asked at step 5", sentence)
    room.console.bridge.open_game("flappy")
    room.session.tell(telemetry.StepNote(run_id=128, step=record), *three_calls(9))
    room.bot.waitUntil(lambda: len(room.console.bridge.state.thinking.calls) == 3)
    inspector = inspect(room, 5)
    assert sentence in words_in(inspector)
    QTest.mouseClick(room.button("Go to the nearest step"), Qt.MouseButton.LeftButton)
    assert inspector.decision is not None
    assert inspector.decision.step == 9


def test_layers_fold_and_what_is_copied_is_the_prompt_itself(room: ConsoleHarness) -> None:
    room.play()
    tell(room, *three_calls())
    inspector = inspect(room, 12)
    view = inspector.prompt
    whole = len(view.lines)
    QTest.mouseClick(room.button("Layer L3"), Qt.MouseButton.LeftButton)
    assert view.folded_layers == {"L3"}
    assert len(view.lines) < whole
    assert not any("Gravity" in line.text for line in view.lines)
    at = next(n for n, line in enumerate(view.lines) if line.fold == ("L3",))
    view.setTextCursor(QTextCursor(view.document().findBlockByNumber(at)))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert len(view.lines) == whole
    view.selectAll()
    QTest.keySequence(view, "Ctrl+C")
    copied = QGuiApplication.clipboard().text()
    assert copied == "\n".join(message.text.removesuffix("\n") for message in prompt(12).messages)
    item = next(n for n, line in enumerate(view.lines) if line.text.strip() == "▾ physics")
    block = view.document().findBlockByNumber(item)
    place = view.blockBoundingGeometry(block).translated(view.contentOffset()).center().toPoint()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(40, place.y()))
    assert len(view.lines) == whole - 1, "one item's one line"
    QTest.mouseClick(room.button("Copy the whole prompt"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().startswith("[system]\nYou plan for an agent")


def test_the_reply_grows_and_settles_while_it_is_watched(room: ConsoleHarness) -> None:
    room.play()
    tell(room, call_began(4, step=20, at_ns=now_ns()))
    inspector = inspect(room)
    assert "… reading the prompt" in words_in(inspector)
    assert "tokens are counted when the call has ended" in words_in(inspector)
    streamed = pieces(4)
    tell(room, *streamed[:10])
    room.bot.waitUntil(lambda: inspector.facts.reply.toPlainText() == REPLY[:50])
    tell(room, *streamed[14:18])
    room.bot.waitUntil(lambda: REPLY[70:90] in inspector.facts.reply.toPlainText())
    tell(room, call_ended(4, step=20))
    assert inspector.facts.reply.toPlainText() == REPLY
    assert "✓ used" in words_in(inspector)
    assert inspector.facts.grammar.toPlainText() == GRAMMAR
    assert not inspector.facts.grammar.isVisible()
    QTest.mouseClick(room.button("Show the grammar"), Qt.MouseButton.LeftButton)
    assert inspector.facts.grammar.isVisible()


def test_it_stays_with_the_newest_decision_until_a_step_is_chosen(room: ConsoleHarness) -> None:
    room.play()
    tell(room, *three_calls(12))
    inspector = inspect(room)
    follows = room.console.live.inspection
    tell(room, call_began(7, step=30, at_ns=now_ns()))
    assert inspector.decision is not None
    assert inspector.decision.step == 30
    QTest.keyClick(
        inspector, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert inspector.decision.step == 12
    assert not follows.following
    tell(room, call_began(8, step=33, at_ns=now_ns()))
    assert inspector.decision.step == 12, "it stays where it was sent"
    QTest.keyClick(inspector, Qt.Key.Key_End, Qt.KeyboardModifier.AltModifier)
    assert inspector.decision.step == 33
    QTest.keyClick(inspector, Qt.Key.Key_Escape)
    assert not inspector.isVisible()
    assert room.console.live.view.isVisible()


def test_keys_palette_marks_events_and_table_lead_to_it(room: ConsoleHarness) -> None:
    room.play(6.0)
    live = room.console.live
    inspector = live.inspection.inspector
    QTest.keyClick(room.console.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert inspector.isVisible()
    QTest.keyClick(room.console.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert not inspector.isVisible()
    deed = next(command for command in live.commands() if command.name == "Inspect the newest decision")
    assert deed.possible()
    chart = room.console.window.findChild(StripChart)
    assert chart is not None
    state_now = room.console.bridge.state
    room.bot.waitUntil(lambda: bool(chart._marks))
    mark = chart._marks[-1]
    QTest.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(chart._x_at(mark.at_ns)), 5))
    assert inspector.isVisible()
    assert inspector.decision is not None
    assert inspector.decision.step == mark.step
    live._leave_inspector()
    QTest.mouseClick(room.button("Show the signals as a table"), Qt.MouseButton.LeftButton)
    table = room.console.window.findChild(StepTable)
    assert table is not None
    table.step_wanted.emit(state_now.steps[1].step)
    assert inspector.decision is not None
    assert inspector.decision.step == state_now.steps[1].step


def test_the_picture_comes_from_the_runs_folder_once_it_is_there(room: ConsoleHarness) -> None:
    room.play()
    tell(room, call_began(1, at_ns=now_ns()))
    inspector = inspect(room)
    assert "288×512 px" in words_in(inspector)
    folder = room.console.bridge.data.run(128)
    folder.mkdir(parents=True)
    picture = QImage(60, 40, QImage.Format.Format_RGB32)
    picture.fill(0xFF3366)
    assert picture.save(str(folder / "call-1.png"))
    tell(room, call_ended(1, image_ref="call-1.png"))
    assert inspector.facts.picture.isVisible()
    assert inspector.facts.picture.image.width() == 60
    tell(room, call_ended(2, image_ref="../../secret.png"))
    assert not inspector.facts.picture.isVisible()


def test_every_control_of_it_has_a_name_at_every_size(room: ConsoleHarness) -> None:
    room.play()
    tell(room, *three_calls())
    inspector = inspect(room, 12)
    for size in ((1280, 720), (800, 500)):
        room.console.window.resize(*size)
        room.bot.wait(100)
        for button in inspector.findChildren(QAbstractButton):
            if button.isVisible() and not button.objectName().startswith("qt_"):
                assert button.accessibleName() or button.text(), button
        assert inspector.rect().contains(inspector.prompt.rect())
    for named in (inspector.prompt, inspector.calls, inspector.facts, inspector.facts.reply):
        assert named.accessibleName()


def test_a_huge_and_hostile_prompt_is_shown_as_plain_text(room: ConsoleHarness) -> None:
    room.play()
    text = "<b>bold?</b> \x07\u202e \r\u2029\ufdd0\r\n\u2028" + "x" * 300_000
    hostile = Prompt(
        messages=(Message(role="user", spans=(Span(layer=Layer.STATE, text=text, item="<i>item</i>"),)),)
    )
    tell(room, call_began(1, prompt=hostile, at_ns=now_ns()))
    tell(room, call_ended(1, reply='{"a": ' * 5_000, outcome=CallOutcome.INVALID, problem="too deep"))
    inspector = inspect(room)
    assert any("<b>bold?</b>" in line.text for line in inspector.prompt.lines)
    assert sum(len(line.text) for line in inspector.prompt.lines) < 100_000
    assert inspector.prompt.document().blockCount() == len(inspector.prompt.lines)
    assert "There is no JSON object in it." in words_in(inspector)


# ---- live thinking


def test_thinking_is_seen_as_it_happens_and_ends_with_its_run(room: ConsoleHarness) -> None:
    room.play()
    tell(
        room,
        MIND,
        telemetry.ProposalNote(proposal=None, state="thinking", reasons=("stall",), at_ns=now_ns()),
        *three_calls(12)[:2],
        call_began(2, step=12, purpose=Purpose.PLAN, at_ns=now_ns()),
        *pieces(2)[:6],
    )
    window = room.console.window
    shown = words_in(window)
    for text in ("describe ✓", "plan …", "trigger: stall", "6 tokens"):
        assert text in shown, text
    assert "of 60 s" in shown
    assert room.button("Who thinks").accessibleName() == f"Who thinks: {MODEL}"
    tell(room, ended())
    room.bot.waitUntil(lambda: "The run ended before it answered." in words_in(window))


def test_a_dropped_plan_and_the_budget_are_told(room: ConsoleHarness) -> None:
    room.play()
    tell(
        room,
        telemetry.ProposalNote(proposal=None, state="dropped", at_ns=now_ns()),
        telemetry.Budgets(
            calls=12,
            calls_cap=200,
            steps=40,
            steps_cap=None,
            fresh_tokens=9_140,
            cached_tokens=30_220,
            output_tokens=1_204,
            plans_dropped=3,
        ),
    )
    shown = words_in(room.console.window)
    for text in (
        "✕ A newer plan came too late for the scene and was dropped. 3 in this run.",
        "12 / 200",
        "40 · no cap",
        "9,140 fresh · 30,220 cached",
        "1,204",
        "✕ 3",
    ):
        assert text in shown, text


def test_without_a_model_one_sentence_and_the_way_to_add_one(room: ConsoleHarness) -> None:
    room.play()
    tell(room, NO_MODEL)
    live = room.console.live
    assert NO_MODEL_WORDS in words_in(live)
    live.page_wanted.disconnect()  # the page need not be there yet
    with room.bot.waitSignal(live.page_wanted) as asked:
        QTest.mouseClick(room.button("Add a model…"), Qt.MouseButton.LeftButton)
    assert asked.args == ["models"]
    ModelRegistry(room.console.bridge.data).add_remote("far", "http://127.0.0.1:9/v1", "model")
    live.refresh(Part.MIND)
    assert NONE_CHOSEN in words_in(live)
    tell(room, MIND)
    assert "the skill planner plays" not in words_in(live)


def test_lanes_say_who_waits_and_thinks(room: ConsoleHarness) -> None:
    room.play()
    tell(
        room,
        telemetry.ProposalNote(proposal=None, state="thinking", at_ns=now_ns()),
        telemetry.RouteSpan(at_ns=now_ns(), route=Route.STRATEGIC, state="waiting"),
    )
    room.bot.waitUntil(lambda: "game waits" in words_in(room.console.live))
    tell(room, telemetry.RouteSpan(at_ns=now_ns(), route=Route.REACTIVE))
    room.bot.waitUntil(lambda: "thinks" in words_in(room.console.live))
    chart = room.console.window.findChild(StripChart)
    assert chart is not None
    assert {"thinking", "waiting", ""} <= {stretch.state for stretch in chart._stretches}
    tell(room, call_ended(9, outcome=CallOutcome.DROPPED, at_ns=now_ns()), state(STATE.PAUSED))
    room.bot.waitUntil(lambda: len(chart._drops) == 1)


def test_the_table_twin_names_the_calls_of_a_step(room: ConsoleHarness) -> None:
    room.play(6.0)
    newest = room.console.bridge.state.steps[-1].step
    QTest.mouseClick(room.button("Show the signals as a table"), Qt.MouseButton.LeftButton)
    tell(room, *three_calls(newest))
    table = room.console.window.findChild(StepTable)
    assert table is not None
    model = table.rows
    assert model.index(0, model.columnCount() - 1).data() == "describe ✓, reflect ✓, plan !"


# ---- words


def test_replies_are_parsed_for_reading_only() -> None:
    assert parsed("no object") is None
    assert parsed('{"cut": "off') is None
    assert parsed("[" * 100_000 + "{") is None
    assert parsed('{"a":' * 50_000) is None
    assert parsed('x {"sub_goal": "go", "actions": ["a", "b"], "n": [], "ok": true, "at": {"x": 1}} y') == (
        ("sub goal", "go"),
        ("actions", "a · b"),
        ("n", "–"),
        ("ok", "yes"),
        ("at", "x 1"),
    )


def test_legality_in_words() -> None:
    call_record = call_ended(1).record
    cases = (
        (replace(call_record, invalid=Invalid.NO_CALL), "! no call: no readable action"),
        (replace(call_record, illegal=1), "! 1 of 2 actions proposed illegal, left out"),
        (replace(call_record, proposed=1), "✓ legal: 1 action proposed"),
        (
            replace(call_record, outcome=CallOutcome.FAILED, proposed=0, tokens=CallTokens()),
            "○ nothing was proposed",
        ),
    )
    for record, words in cases:
        assert str(legality(Call.recorded(record))) == words


def test_a_layer_of_one_token_is_explained() -> None:
    """The shipped model knows the protocol as a single token."""
    assert whole_sentences(prompt(12), {"L1": 1, "L2": 116}).startswith("Sentences that this model knows")
    assert whole_sentences(prompt(12), {"L1": 402, "L2": 116}) == ""
