"""Layers side by side in a real window: what each has and would have, what enters or falls out, saving."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import button, texts
from tests.console.recorded_runs import record_run
from tests.console.scripted_session import STATE, began, note, opened, state
from tests.console.scripted_session import step as live_step
from tests.pitwall_memory_editor.console.stores import GAME, StoreSession, put

from pitwall.console.kit.form.inputs import NumberBox
from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.model_calls import Calls
from pitwall.core import commands
from pitwall.core.actions import Effect, Invalid, SemanticAction
from pitwall.core.calls import CallOutcome, CallRecord, CallTimes, CallTokens, Purpose
from pitwall.core.memory_kinds import EpisodeMemory, GlobalNote, KnowledgeMemory
from pitwall.core.observations import Reading as FieldReading
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import PROMPT_LAYERS, Layer, Message, Prompt, Span
from pitwall.core.retrieval import Fragment, Retrieval
from pitwall.core.settings import Settings, load_settings
from pitwall.core.signals import Signals
from pitwall.core.telemetry import CallBegan, CallEnded, Retrieved, StepNote
from pitwall.memory.store import MemoryStore
from pitwall.store.run_log import RunReader
from pitwall_memory_editor.console.layers.composition import (
    Composed,
    TokenCounter,
    counter_of,
    difference,
    prompt_budget,
)
from pitwall_memory_editor.console.layers.panel import LayersPanel
from pitwall_memory_editor.console.layers.situation import past_steps, situation_now, situation_recorded
from pitwall_memory_editor.console.port import MemoryPort
from pitwall_memory_editor.console.reader import MemoryReadWorker

_WAIT_MS = 90_000
_FACTS = ("Pipes", "Gravity", "Ceiling", "Ground")


@dataclass
class LayersHarness:
    """The panel, and the engine of its bridge."""

    panel: LayersPanel
    bridge: Bridge
    sessions: list[StoreSession]
    bot: QtBot

    @property
    def engine(self) -> StoreSession:
        return self.sessions[-1]

    def wait(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=_WAIT_MS)

    def play(self) -> None:
        """A game that plays, seen once, with something remembered."""
        self.bridge.open_game(GAME)
        self.wait(lambda: bool(self.sessions))
        remember(self.engine.store)
        self.engine.tell(opened(), state(STATE.PLAYING), began(1))
        self.see(bird_y=120.0)
        self.panel.use_game(GAME)
        self.composed()

    def see(self, **fields: float) -> None:
        """A frame."""
        readings = tuple(FieldReading(name=name, value=value, unit="px") for name, value in fields.items())
        self.engine.tell(note(1, readings=readings))
        self.wait(lambda: self.bridge.state.note is not None)
        self.bridge.flush()

    def composed(self) -> tuple[Composed, Composed]:
        """Both prompts, once they stand there."""
        self.wait(lambda: self.panel.now is not None and self.panel.lines.isVisible())
        assert self.panel.now is not None
        assert self.panel.then is not None
        return self.panel.now, self.panel.then

    def number(self, name: str, value: int) -> None:
        box = self.panel.lines.control(name)
        assert isinstance(box, NumberBox)
        box.setValue(value)

    def choose(self, name: str, value: str) -> None:
        """Choose with the keyboard, as an operator does, until a setting has this value."""
        box = self.panel.lines.control(name)
        assert isinstance(box, QComboBox)
        box.setFocus()
        QTest.keyClick(box, Qt.Key.Key_Home)
        for _ in range(box.count()):
            if box.currentData() != value:
                QTest.keyClick(box, Qt.Key.Key_Down)
        assert box.currentData() == value

    def line(self, layer: Layer) -> str:
        return self.panel.lines.changes(layer)


def remember(store: MemoryStore) -> None:
    """Facts, episodes, and a note."""
    put(store, *(KnowledgeMemory(heading=name, text=f"What is known of {name.lower()}.") for name in _FACTS))
    put(store, EpisodeMemory(key="", text="Died at the third pipe.", run_id=3))
    put(store, GlobalNote(about="failure", text="two flaps in a row"))


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def desk(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[LayersHarness]:
    assert screen
    sessions: list[StoreSession] = []

    def opener(folder: DataFolder, opening: commands.Open) -> StoreSession:
        sessions.append(StoreSession(folder, opening))
        return sessions[-1]

    bridge = Bridge(data, opener, lambda: ())
    port = MemoryPort(bridge)
    reading = MemoryReadWorker(data)
    panel = LayersPanel(bridge, Look(qapp, "dark"), port, reading)
    qtbot.addWidget(panel)
    panel.resize(1224, 600)
    panel.show()
    yield LayersHarness(panel, bridge, sessions, qtbot)
    panel.close_reading()
    reading.close()
    port.close()
    bridge.shutdown()


# ---- what stands there


def test_without_a_game_it_says_what_will_stand_here(desk: LayersHarness) -> None:
    desk.wait(lambda: "No game is known yet" in texts(desk.panel))
    with desk.bot.waitSignal(desk.panel.live_wanted):
        button(desk.panel, "Go to Live").click()


def test_a_game_that_is_not_known_is_told(desk: LayersHarness) -> None:
    desk.panel.use_game("no-such-game")
    desk.wait(lambda: "There is no game 'no-such-game'" in texts(desk.panel))


def test_both_prompts_are_the_same_until_something_is_tried(desk: LayersHarness) -> None:
    desk.play()
    now, then = desk.composed()
    assert now.prompt == then.prompt
    assert "bird_y = 120 px" in now.prompt.messages[-1].text
    assert [*now.uses[Layer.KNOWLEDGE].items][-4:] == [*_FACTS]
    assert '"two flaps in a row"' in now.prompt.messages[-1].text
    assert "tokens estimated: 3 bytes each" in texts(desk.panel)
    assert not desk.panel.apply.isEnabled()
    assert {desk.line(layer) for layer in PROMPT_LAYERS} == {"as it is"}


@pytest.mark.parametrize("width", [736, 1208])
def test_nothing_is_cut_in_a_small_window(desk: LayersHarness, width: int) -> None:
    """Of 1280×720, and of 1600×1000 at twice the size."""
    desk.play()
    desk.panel.resize(width, 400)
    lines = desk.panel.lines
    desk.wait(lambda: lines.width() < width and lines.minimumSizeHint().width() <= lines.width())
    prompts = desk.panel._sides.values()
    desk.wait(lambda: len({side.width() // 8 for side in prompts}) == 1)


def test_what_falls_out_and_what_enters_is_named_at_once(desk: LayersHarness) -> None:
    desk.play()
    desk.number("l3_items", 1)
    now, then = desk.composed()
    assert len(then.uses[Layer.KNOWLEDGE].items) == 1
    assert "− Gravity" in desk.line(Layer.KNOWLEDGE)
    assert then.tokens < now.tokens
    text = desk.panel.lines.control("l3_filter")
    assert isinstance(text, QLineEdit)
    desk.number("l3_items", 60)
    QTest.keyClicks(text, "grav")
    assert desk.composed()[1].uses[Layer.KNOWLEDGE].items == ("Gravity",)
    desk.choose("l4", "disable")
    assert desk.composed()[1].uses[Layer.EPISODES].items == ()
    assert "Died at the third pipe" in desk.line(Layer.EPISODES)
    desk.choose("l1", "stripped")
    assert desk.line(Layer.PROTOCOL).startswith("−")
    assert "~ strategic" in desk.line(Layer.PROTOCOL)
    desk.number("state_tokens", 64)
    assert "its end is cut" in desk.line(Layer.STATE)


def test_a_fights_earlier_messages_go_by_their_cap(desk: LayersHarness) -> None:
    desk.play()
    earlier = [
        Message(role=role, spans=(Span(layer=Layer.STATE, text=f"{role}, earlier\n", item="thread"),))
        for role in ("user", "assistant")
    ]
    now = Message(role="user", spans=(Span(layer=Layer.STATE, text="now\n"),))
    desk.engine.tell(
        CallBegan(
            call=1,
            step=2,
            purpose=Purpose.PLAN,
            tier=Purpose.PLAN.tier,
            model="tiny",
            prompt=Prompt(messages=(*earlier, now)),
        )
    )
    desk.wait(lambda: len(desk.bridge.state.thinking.calls) == 1)
    desk.number("thread_messages", 0)
    kept, cut = desk.composed()
    assert [message.role for message in kept.prompt.messages] == ["system", "user", "assistant", "user"]
    assert [message.role for message in cut.prompt.messages] == ["system", "user"]
    assert "−2 earlier messages" in desk.line(Layer.STATE)


def test_the_other_prompts_are_composed_too(desk: LayersHarness) -> None:
    desk.play()
    before = desk.composed()[0].prompt
    box = desk.panel.purpose
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    after = desk.composed()[0].prompt
    assert box.currentText() == "for one action"
    assert after != before
    assert not any(span.item == "modules" for span in after.spans)


@pytest.mark.usefixtures("resources", "llama")
def test_the_shipped_models_plan_has_hints_and_no_fragments(desk: LayersHarness) -> None:
    desk.play()
    fragment = Fragment(node_id=1, score=1.0, text="in a state like this 'flap' worked once")
    hint = "in a like state 'flap' worked 3 of 4 times"
    desk.engine.tell(Retrieved(retrieval=Retrieval(step=1, query="", hints=(hint,), fragments=(fragment,))))

    def holds(text: str) -> bool:
        return text in "".join(span.text for span in desk.composed()[0].prompt.spans)

    desk.wait(lambda: holds(hint))
    assert not holds(fragment.text)
    desk.bridge.save_settings(desk.bridge.settings.with_value("models", "shipped", False))
    desk.wait(lambda: holds(fragment.text))
    assert not holds(hint)


def test_apply_saves_and_reaches_the_running_engine(desk: LayersHarness, data: DataFolder) -> None:
    desk.play()
    desk.number("l3_items", 2)
    desk.number("l2_tokens", 300)
    assert load_settings(data.settings).layers.l3_items == 60
    desk.panel.apply.click()
    saved = load_settings(data.settings).layers
    assert (saved.l3_items, saved.l2_tokens) == (2, 300)
    sent = [item for item in desk.engine.sent if isinstance(item, commands.SetSettings)]
    assert sent[-1].settings.layers == saved
    assert "✓ Saved: in force from the next step." in texts(desk.panel)
    assert not desk.panel.apply.isEnabled()
    now, then = desk.composed()
    assert now.prompt == then.prompt


def test_reset_discards_the_changes_that_are_not_applied(desk: LayersHarness) -> None:
    desk.play()
    desk.number("l5_items", 0)
    assert desk.panel.apply.isEnabled()
    button(desk.panel, "Discard the changes").click()
    assert desk.panel.lines.layers == desk.bridge.settings.layers
    assert not desk.panel.apply.isEnabled()


def test_what_is_tried_outlives_another_setting(desk: LayersHarness) -> None:
    desk.play()
    desk.number("l5_items", 3)
    desk.bridge.save_settings(desk.bridge.settings.with_value("console", "overlay", False))
    assert desk.panel.lines.layers.l5_items == 3


def test_a_new_fact_is_in_the_next_prompt(desk: LayersHarness) -> None:
    desk.play()
    put(desk.engine.store, KnowledgeMemory(heading="Clouds", text="They do no harm."))
    desk.engine.write()
    desk.panel.use_game(GAME)
    desk.wait(lambda: "Clouds" in desk.composed()[0].uses[Layer.KNOWLEDGE].items)


def test_global_memory_only_is_told(desk: LayersHarness) -> None:
    desk.bridge.settings = Settings().with_value("memory", "global_only", True)
    desk.play()
    now, _ = desk.composed()
    assert now.uses[Layer.EPISODES].tokens == now.uses[Layer.SKILLS].tokens == 0
    assert all(item.startswith(("role", "#")) for item in now.uses[Layer.KNOWLEDGE].items), (
        "what the game ships"
    )
    assert "Global memory only" in texts(desk.panel)


def test_without_a_game_in_view_the_newest_recorded_step_is_told(
    desk: LayersHarness, data: DataFolder
) -> None:
    with MemoryStore.open(data, role="test") as store:
        remember(store)
    record_run(data, 7)
    desk.panel.use_game(GAME)
    now, _ = desk.composed()
    assert "run 1, step 7 (recorded)" in texts(desk.panel)
    assert "bird_y = 120.5" in now.prompt.messages[-1].text


# ---- without a window


def _ended(tokens: int, text: str) -> Calls:
    prompt = Prompt(messages=(Message(role="user", spans=(Span(layer=Layer.STATE, text=text),)),))
    calls = Calls()
    begun = CallBegan(
        call=1, step=1, purpose=Purpose.PLAN, tier=Purpose.PLAN.tier, model="tiny", prompt=prompt
    )
    calls.began(begun, 1)
    record = CallRecord(
        call=1,
        step=1,
        at_ns=1,
        purpose=Purpose.PLAN,
        tier=Purpose.PLAN.tier,
        model="tiny",
        prompt_hash=prompt.content_hash,
        outcome=CallOutcome.USED,
        times=CallTimes(),
        tokens=CallTokens(prompt=tokens + 9, by_layer={"state": tokens, "template": 9}),
    )
    calls.ended(CallEnded(record=record), 2)
    return calls


def test_tokens_are_estimated_as_the_model_counted_its_last_prompt() -> None:
    assert counter_of(Calls()) == TokenCounter()
    learnt = counter_of(_ended(100, "x" * 450))
    assert learnt.bytes_a_token == 4.5
    assert learnt("y" * 45) == 10
    assert "as tiny counted" in learnt.words


def test_a_models_context_leaves_room_for_the_reply() -> None:
    settings = Settings()
    assert prompt_budget(Purpose.PLAN, settings, 0) == 0
    assert prompt_budget(Purpose.PLAN, settings, 4096) == 4096 - settings.models.planning_tokens - 64
    assert prompt_budget(Purpose.REACT, settings, 2048) == 2048 - settings.models.reactive_tokens - 64
    assert prompt_budget(Purpose.PLAN, settings, 512) == 1


def test_what_a_step_changed_is_the_difference_to_the_next() -> None:
    flap = SemanticAction(name="flap")
    steps = [
        live_step(1, fields={"bird_y": 10, "score": 0}, action=flap, effect=Effect.CONFIRMED),
        live_step(2, fields={"bird_y": 4, "score": 0}, signals=Signals(progress=1), action=flap),
        live_step(3, fields={"bird_y": 4}, action=SemanticAction(name="no_op")),
        live_step(4, fields={"bird_y": 4}, action=flap, invalid=Invalid.OUT_OF_SPACE),
    ]
    result = past_steps(steps, {"bird_y": 4, "score": 1})
    assert [item.step for item in result] == [1, 2, 4]
    assert result[0].changed == {"bird_y": (10, 4)}
    assert result[0].progressed
    assert result[2].problem == "invalid (out_of_space)"


def test_a_situation_needs_a_game_and_a_frame(desk: LayersHarness) -> None:
    assert situation_now(desk.bridge.state) is None
    desk.play()
    desk.engine.tell(StepNote(run_id=128, step=live_step(1, fields={"bird_y": 130.0})))
    desk.wait(lambda: bool(desk.bridge.state.steps))
    result = situation_now(desk.bridge.state)
    assert result is not None
    assert result.values["bird_y"] == 120.0
    assert result.steps[0].changed == {"bird_y": (130.0, 120.0)}


def test_a_game_without_runs_has_no_fields(data: DataFolder) -> None:
    result = situation_recorded(RunReader(data), GAME)
    assert result.values == {}
    assert "nothing was observed yet" in result.origin


def test_the_same_prompt_has_no_difference(desk: LayersHarness) -> None:
    desk.play()
    now, then = desk.composed()
    assert [difference(now, then, layer) for layer in PROMPT_LAYERS] == [""] * len(PROMPT_LAYERS)
