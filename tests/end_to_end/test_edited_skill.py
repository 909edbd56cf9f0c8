"""A skill is edited on the Memory page while the shipped model plays, with pointer and keyboard, in the
console's own window: what the agent does next follows the edit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import shiboken6
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import button
from tests.end_to_end.conftest import MakeGame
from tests.end_to_end.driver import LONG_HOLDS
from tests.end_to_end.game import SmallGame, xdotool
from tests.pitwall_memory_editor.editor_page import memory_page

from pitwall.console.shell.application import Console
from pitwall.console.state.view_state import Phase
from pitwall.core.actions import Proposal
from pitwall.core.clock import now_ns
from pitwall.core.memories import Provenance, PutEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.settings import save_settings
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession
from pitwall.memory.store import MemoryStore
from pitwall.models.shipped import NAME, SWITCH

pytestmark = pytest.mark.screen

GAME = "small-game"
MARCH = SkillMemory(
    name="march", when="status == 'playing'", subgoal="walk on", actions=("tap",), priority=92
)
"""It comes before the game's own skill."""
_PATIENCE_MS = 40_000


@dataclass
class Desk:
    """An operator at the screen, with the console's window and the game's on it."""

    console: Console
    game: SmallGame
    bot: QtBot

    def wait(self, holds: Callable[[], object]) -> None:
        self.bot.waitUntil(lambda: bool(holds()), timeout=_PATIENCE_MS)

    def take_keyboard(self) -> None:
        """The agent waits meanwhile."""
        self.click(button(self.console.window, "Keyboard: game"))
        self.wait(lambda: self.console.window.isActiveWindow() and self.phase is Phase.WAITING)

    def return_keyboard(self) -> None:
        """The agent goes on by itself."""
        self.click(button(self.console.window, "Back to game"))
        self.wait(lambda: self.phase is Phase.PLAYING)

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click once the widget stands still: a form that was just filled is still being laid out."""
        place = None
        while place != (place := widget.mapToGlobal(at or widget.rect().center())):
            self.bot.wait(100)
        xdotool("mousemove", str(place.x()), str(place.y()), "click", "1")

    @property
    def phase(self) -> Phase:
        return self.console.bridge.state.phase

    def plan_after(self, moment_ns: int) -> tuple[str, tuple[str, ...]]:
        """Source and actions of the first plan that was asked for after a moment and is carried out."""
        steps = self.console.bridge.state.steps

        def plans() -> list[Proposal]:
            return [step.proposal for step in steps if step.proposal and step.proposal.planned_ns > moment_ns]

        self.wait(plans)
        first = plans()[0]
        return first.source, tuple(map(str, first.candidates))


@pytest.fixture
def desk(
    make_game: MakeGame,
    data: DataFolder,
    qapp: QApplication,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Desk]:
    """The shipped model plays beside the console, with a skill of the operator's that comes first."""
    monkeypatch.delenv(SWITCH, raising=False)
    shared = LONG_HOLDS.with_value("broker", "own_seat", False)
    save_settings(data.settings, shared.with_value("console", "back_to_game_s", 0))
    with MemoryStore.open(data, role="test") as store:
        put = PutEntry(game_id=GAME, content=MARCH)
        assert store.apply([put], Provenance(author="operator")).done
    game = make_game("tap")
    console = Console(qapp, data, EngineSession, Registry(data).games, preflight=False)
    console.window.show()
    qtbot.waitExposed(console.window)
    made = Desk(console, game, qtbot)
    console.bridge.open_game(str(game.folder))
    made.wait(lambda: made.phase is Phase.READY)
    console.bridge.start()
    made.wait(lambda: made.phase is Phase.PLAYING)
    yield made
    console.close()
    shiboken6.delete(console.window)


@pytest.mark.long
def test_the_shipped_model_follows_a_skill_as_it_is_edited_on_the_memory_page(desk: Desk) -> None:
    march = f"model:{NAME} skill:{MARCH.name}"
    assert desk.plan_after(0) == (march, ("tap",))

    memory = memory_page(desk.console)
    desk.click(button(desk.console.window, "Memory page"))
    desk.wait(memory.isVisible)
    desk.wait(lambda: button(memory, "Skills").accessibleName() == "Skills, 1")
    desk.click(button(memory, "Skills"))
    table = memory.entries.table
    desk.wait(lambda: table.entries.table.kind is MemoryKind.SKILL and table.entries.row_at(0))
    desk.click(table.viewport(), table.visualRect(table.entries.index(0, 0)).center())
    desk.wait(lambda: memory.detail.entry and memory.detail.entry.content == MARCH)
    actions = memory.detail.form.control("actions")
    assert isinstance(actions, QPlainTextEdit)
    desk.click(actions)
    desk.wait(lambda: actions.hasFocus() and desk.phase is Phase.WAITING)
    xdotool("key", "ctrl+a")
    xdotool("type", "--delay", "15", "hold")
    desk.wait(lambda: actions.toPlainText() == "hold")
    xdotool("key", "ctrl+s")
    desk.wait(lambda: memory.notifications.text.startswith("✓ Saved"))
    saved_ns = now_ns()

    desk.return_keyboard()
    desk.wait(lambda: any(item["key"] == "left" for item in desk.game.inputs("key_down")))
    assert desk.plan_after(saved_ns) == (march, ("hold",))

    desk.click(table.viewport(), table.visualRect(table.entries.index(0, 0)).center())
    desk.take_keyboard()
    desk.wait(table.hasFocus)
    xdotool("key", "Delete")
    desk.wait(lambda: memory.notifications.text.startswith("✓ Forgot"))
    forgotten_ns = now_ns()

    desk.return_keyboard()
    assert desk.plan_after(forgotten_ns) == (f"model:{NAME} skill:keep busy", ("tap",))
