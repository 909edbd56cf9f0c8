"""Why retrieved, and what if, in a real window: live, recorded, tried, saved, disputed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import button, texts
from tests.console.recorded_runs import manifest, record_run
from tests.console.scripted_session import STATE, began, opened, state
from tests.console.scripted_session import step as live_step
from tests.pitwall_memory_editor.console.stores import StoreSession
from tests.pitwall_memory_editor.console.why.retrieval_case import AGENT, GAME, SETTINGS, keep, retrieval

from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.histories import MOST_RETRIEVALS
from pitwall.core import commands
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Retrieval
from pitwall.core.settings import Settings, load_settings, save_settings
from pitwall.core.telemetry import Retrieved
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import AgentWrite
from pitwall.store.run_log import RunLog
from pitwall_memory_editor.console.page import WHY, MemoryPage
from pitwall_memory_editor.console.why.panel import WhyPanel
from pitwall_memory_editor.console.why.rows import CandidateRow

_WAIT_MS = 90_000
_RUN = 128


@dataclass
class WhyHarness:
    """A memory page with its Why segment, and the engine of its bridge."""

    page: MemoryPage
    sessions: list[StoreSession]
    bot: QtBot

    @property
    def why(self) -> WhyPanel:
        return self.page.why

    @property
    def engine(self) -> StoreSession:
        return self.sessions[-1]

    def wait(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=_WAIT_MS)

    def play(self) -> list[MemoryEntry]:
        """A run that plays, and the memory of its game."""
        self.page.bridge.open_game(GAME)
        self.wait(lambda: bool(self.sessions))
        memory = keep(self.engine.store)
        self.engine.tell(opened(), state(STATE.PLAYING), began(1, _RUN))
        self.wait(lambda: self.page.port.place == "engine")
        self.page.bridge.flush()
        return memory

    def tell(self, *result: Retrieval) -> None:
        self.engine.tell(*(Retrieved(retrieval=item) for item in result))
        newest = result[-1].step

        def came() -> bool:
            kept = self.page.bridge.state.retrieval
            return kept is not None and kept.retrieval.step == newest

        self.wait(came)
        self.page.bridge.flush()

    def shown(self, step: int) -> None:
        self.wait(lambda: self.why.shown is not None and self.why.shown.step == step)

    def cell(self, entry_id: int, name: str) -> str:
        """A cell's text."""
        model = self.why.view.table.rows
        row = model.place_of(entry_id)
        assert row is not None
        at = next(at for at, column in enumerate(model.columns) if column.key == name)
        return str(model.index(row, at).data())

    def entry(self, action: str) -> int:
        """Number of the best candidate that does this."""
        rows: Sequence[CandidateRow] = self.why.view.table.rows.rows
        return next(row.candidate.entry_id for row in rows if row.candidate.action == action)

    def kept(self, entry_id: int) -> MemoryEntry:
        result = MemoryReader(self.page.bridge.data).entry(entry_id)
        assert result is not None
        return result

    def figures(self, entry_id: int) -> tuple[float, int, int]:
        content = self.kept(entry_id).content
        assert isinstance(content, ActionMemory)
        return content.reward, content.successes, content.attempts


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def desk(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[WhyHarness]:
    assert screen
    sessions: list[StoreSession] = []
    save_settings(data.settings, Settings().with_value("console", "advanced", True))

    def opener(folder: DataFolder, opening: commands.Open) -> StoreSession:
        sessions.append(StoreSession(folder, opening))
        return sessions[-1]

    bridge = Bridge(data, opener, lambda: ())
    look = Look(qapp, "dark")
    page = MemoryPage(bridge, look)
    bridge.changed.connect(page.refresh)
    qtbot.addWidget(page)
    page.resize(1224, 640)
    page.show()
    page.opened()
    page.show_segment(WHY)
    yield WhyHarness(page, sessions, qtbot)
    page.close_reading()
    bridge.shutdown()


def set_weight(desk: WhyHarness, name: str, value: float) -> None:
    desk.why.tabs.setCurrentWidget(desk.why.what_if)
    desk.why.what_if.weights.boxes[name].setValue(value)


# ---- why


def test_before_anything_was_asked_it_says_what_will_stand_here(desk: WhyHarness) -> None:
    desk.wait(lambda: desk.why.empty.isVisible())
    assert "Nothing was asked yet" in texts(desk.why)
    with desk.bot.waitSignal(desk.page.page_wanted) as asked:
        button(desk.why, "Go to Live").click()
    assert asked.args == ["live"]


def test_a_retrieval_stands_there_with_every_figure_and_what_became_of_it(desk: WhyHarness) -> None:
    memory = desk.play()
    desk.tell(retrieval(7, memory=memory))
    desk.shown(7)
    strafe, back = desk.entry("strafe_right"), desk.entry("back_to_doorway")
    assert desk.cell(strafe, "rank") == "1"
    assert [desk.cell(strafe, name) for name in ("jaccard", "cosine", "reward", "success")] == [
        "1.00",
        "1.00",
        "0.42",
        "0.44",
    ]
    assert desk.cell(back, "became") == "✓ hint"
    assert desk.cell(desk.entry("fire"), "became").startswith("✕ its state is not like enough")
    answer = texts(desk.why)
    for words in ("shooter_near", "2 hints for the controllers", "0.55 × shared words (J)"):
        assert words in answer
    table = desk.why.view.table
    tip = table.rows.headerData(4, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("S = 0.75 Ŝ_MB + 0.25 Ŝ_KG")


def test_the_chosen_one_has_its_graph_support_by_name_and_the_hints_as_the_prompt_had_them(
    desk: WhyHarness,
) -> None:
    memory = desk.play()
    result = retrieval(7, memory=memory)
    desk.tell(result)
    desk.shown(7)
    desk.why.view.table.choose(desk.entry("back_to_doorway"))
    desk.wait(lambda: "→ back_to_doorway" in texts(desk.why.detail.graph))
    desk.wait(lambda: button(desk.why.detail, "Show in the graph: hall, shooter left") is not None)
    assert f'In reactive prompts:\n- "{result.hints[0]}"' in texts(desk.why.detail.hints)
    assert "In strategic prompts:" in texts(desk.why.detail.hints)
    with desk.bot.waitSignal(desk.why.node_wanted) as fragment:
        button(desk.why.detail.hints, f"Show in the graph: state {result.fragments[0].node_id}").click()
    assert fragment.args == [result.fragments[0].node_id]
    assert "1 for it, 2 for another" in texts(desk.why.detail.graph)
    node = result.graph[0].node_id
    with desk.bot.waitSignal(desk.why.node_wanted) as asked:
        button(desk.why.detail, "Show in the graph: hall, shooter left").click()
    assert asked.args == [node]
    desk.wait(lambda: desk.page.detail.entry is not None and desk.page.detail.entry.entry_id == node)


def test_an_empty_bank_says_so(desk: WhyHarness) -> None:
    desk.play()
    desk.tell(Retrieval(step=1, query="menu"))
    desk.shown(1)
    assert "No candidate" in texts(desk.why)
    assert "No hints: the memory holds nothing to compare" in texts(desk.why)
    assert not desk.why.what_if.entry.save.isEnabled()


def test_a_header_sorts_and_the_choice_stays(desk: WhyHarness) -> None:
    desk.play()
    desk.tell(retrieval(7))
    desk.shown(7)
    table = desk.why.view.table
    table.choose(3)
    at = next(at for at, column in enumerate(table.rows.columns) if column.key == "reward")
    header = table.horizontalHeader()
    for wanted in (True, False):
        place = QPoint(header.sectionViewportPosition(at) + header.sectionSize(at) // 2, 8)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        rewards = [row.candidate.reward for row in table.rows.rows]
        assert rewards == sorted(rewards, reverse=wanted)
    current = table.current
    assert current is not None and current.candidate.entry_id == 3


def test_it_follows_what_plays_and_walks_back(desk: WhyHarness) -> None:
    memory = desk.play()
    desk.tell(*(retrieval(number, memory=memory) for number in (3, 5, 9)))
    desk.shown(9)
    button(desk.why, "The retrieval before").click()
    desk.shown(5)
    assert not desk.why.newest.isChecked()
    desk.tell(retrieval(10, memory=memory))
    desk.shown(5)
    button(desk.why, "Stay with the newest").click()
    desk.shown(10)
    desk.tell(retrieval(11, memory=memory))
    desk.shown(11)


def test_a_step_that_was_not_asked_for_says_why(desk: WhyHarness) -> None:
    desk.play()
    desk.tell(retrieval(3))
    desk.page.bridge.settings = desk.page.bridge.settings.with_value("memory", "global_only", True)
    desk.page.show_why(0, 4)
    desk.wait(lambda: desk.why.empty.isVisible())
    assert "Step 4 was decided without asking the memory" in texts(desk.why)
    assert "Global memory only" in texts(desk.why)
    button(desk.why, "Go to the newest").click()
    desk.shown(3)


def test_a_step_so_long_ago_is_read_from_the_run_log(desk: WhyHarness, data: DataFolder) -> None:
    run_id = record_run(data, 3, outcome=None)
    with RunLog.open(data) as log:
        log.add_retrieval(run_id, retrieval(1, query="menu new_game_selected"))
    desk.play()
    desk.engine.tell(began(1, run_id))
    desk.tell(*(retrieval(number) for number in range(1, MOST_RETRIEVALS + 2)))
    desk.page.show_why(0, 1)
    desk.wait(lambda: "new_game_selected" in texts(desk.why))
    desk.shown(1)


# ---- recorded


def test_a_recorded_step_is_shown_without_any_engine(desk: WhyHarness, data: DataFolder) -> None:
    run_id = record_run(data, 6)
    with RunLog.open(data) as log:
        for number in (2, 5):
            log.add_retrieval(run_id, retrieval(number))
    desk.page.show_why(run_id, 2)
    desk.shown(2)
    assert desk.cell(2, "rank") == "1"
    button(desk.why, "The next retrieval").click()
    desk.shown(5)
    desk.why.step.setValue(4)
    desk.wait(lambda: "Step 4 was decided without asking" in texts(desk.why))
    with desk.bot.waitSignal(desk.page.inspect_wanted) as asked:
        button(desk.why, "Inspect the decision").click()
    assert asked.args == [run_id, 4]


def test_the_settings_that_a_run_was_played_with_say_why_it_was_not_asked(
    desk: WhyHarness, data: DataFolder
) -> None:
    settings = Settings().with_value("memory", "global_only", True)
    with RunLog.open(data) as log:
        run_id = log.begin(replace(manifest(), settings=settings.model_dump()))
        log.add_steps(run_id, [live_step(1)])
    desk.page.show_why(run_id, 1)
    desk.wait(lambda: "Global memory only" in texts(desk.why))


def test_a_damaged_run_log_is_told_and_can_be_tried_again(desk: WhyHarness, data: DataFolder) -> None:
    run_id = record_run(data, 2)
    with RunLog.open(data) as log:
        log.add_retrieval(run_id, retrieval(1))
    whole = data.database.read_bytes()
    data.database.write_bytes(b"no database at all, whatever its name says" * 40)
    desk.page.show_why(run_id, 1)
    desk.wait(lambda: data.database.name in texts(desk.why))
    data.database.write_bytes(whole)
    button(desk.why, "Try again").click()
    desk.shown(1)


# ---- what if


def test_a_weight_is_tried_at_once_and_saved_to_the_running_engine(
    desk: WhyHarness, data: DataFolder
) -> None:
    memory = desk.play()
    desk.page.bridge.save_settings(Settings(memory=SETTINGS))
    desk.engine.sent.clear()
    desk.tell(retrieval(7, memory=memory))
    desk.shown(7)
    back = desk.entry("back_to_doorway")
    what_if = desk.why.what_if
    assert not what_if.save.isEnabled()
    set_weight(desk, "reward", 0.6)
    assert desk.cell(back, "rank") == "2 → 1"
    assert "move up" in texts(desk.why.view)
    desk.tell(retrieval(8, memory=memory))  # what is tried is not swept away by the next decision
    desk.shown(7)
    assert load_settings(data.settings).memory.reward == SETTINGS.reward
    button(what_if, "Save the weights").click()
    assert load_settings(data.settings).memory.reward == 0.6
    sent = [item for item in desk.engine.sent if isinstance(item, commands.SetSettings)]
    assert [item.settings.memory.reward for item in sent] == [0.6]
    assert "✓ Saved: in force from the next step." in texts(what_if)
    assert not what_if.save.isEnabled()
    button(what_if, "Take back").click()
    assert desk.cell(back, "rank") == "2"
    assert what_if.weights.weights.reward == SETTINGS.reward


def test_an_entrys_figures_are_tried_and_saved_in_the_memory(desk: WhyHarness) -> None:
    memory = desk.play()
    desk.tell(retrieval(7, memory=memory))
    desk.shown(7)
    back = desk.entry("back_to_doorway")
    desk.why.view.table.choose(back)
    boxes = desk.why.what_if.entry
    desk.why.tabs.setCurrentWidget(desk.why.what_if)
    desk.wait(lambda: boxes.entry is not None and boxes.entry.entry_id == back)
    boxes.form.number("successes").setValue(17)
    assert not boxes.save.isEnabled()  # more often than it was tried
    boxes.form.number("successes").setValue(0)
    assert desk.cell(back, "success") == "0.00"
    assert boxes.save.isEnabled()
    assert desk.figures(back) == (0.8, 12, 16)
    boxes.save.click()
    desk.wait(lambda: desk.figures(back) == (0.8, 0, 16))
    desk.wait(lambda: "✓ Saved action" in texts(desk.why.what_if))
    assert desk.kept(back).changed_by.author == "operator"


def test_an_edit_that_the_agent_overtook_is_not_lost_and_not_forced(desk: WhyHarness) -> None:
    memory = desk.play()
    desk.tell(retrieval(7, memory=memory))
    desk.shown(7)
    back = desk.entry("back_to_doorway")
    desk.why.view.table.choose(back)
    desk.why.tabs.setCurrentWidget(desk.why.what_if)
    boxes = desk.why.what_if.entry
    desk.wait(lambda: boxes.entry is not None and boxes.entry.entry_id == back)
    boxes.form.number("attempts").setValue(99)
    content = desk.kept(back).content
    assert isinstance(content, ActionMemory)
    theirs = AgentWrite(
        game_id=GAME,
        content=replace(content, successes=13, attempts=17),
        provenance=AGENT,
        entry_id=back,
    )
    desk.engine.store.write([theirs])  # not told yet
    boxes.save.click()
    desk.wait(lambda: "was changed meanwhile" in texts(desk.why.what_if))
    assert desk.figures(back)[1:] == (13, 17)
    assert boxes.form.number("attempts").value() == 17
    boxes.form.number("attempts").setValue(18)
    boxes.save.click()
    desk.wait(lambda: desk.figures(back)[1:] == (13, 18))


def test_forgetting_is_tried_before_it_is_done(desk: WhyHarness) -> None:
    memory = desk.play()
    desk.tell(retrieval(7, memory=memory))
    desk.shown(7)
    strafe = desk.entry("strafe_right")
    desk.why.view.table.choose(strafe)
    desk.why.tabs.setCurrentWidget(desk.why.what_if)
    boxes = desk.why.what_if.entry
    desk.wait(lambda: boxes.entry is not None and boxes.entry.entry_id == strafe)
    button(boxes.form, "Forget it").click()
    assert desk.cell(strafe, "rank") == "1 → –"
    assert not desk.kept(strafe).forgotten
    boxes.save.click()
    desk.wait(lambda: desk.kept(strafe).forgotten)


# ---- beside the tables


def test_the_chosen_entry_tells_its_last_retrieval(desk: WhyHarness) -> None:
    memory = desk.play()
    desk.tell(retrieval(7, memory=memory))
    desk.shown(7)
    back = desk.entry("back_to_doorway")
    desk.page.show_item(back)
    desk.wait(lambda: desk.page.card.isVisible())
    assert "0.83" in texts(desk.page.card)
    button(desk.page.card, "All candidates").click()
    desk.wait(lambda: desk.why.isVisible())
    current = desk.why.view.table.current
    assert current is not None and current.candidate.entry_id == back
