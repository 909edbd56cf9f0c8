"""The wizard from end to end, to an agent that scores, by pointer and keys: a page, a foreign game."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from tests.console.game_window import xdotool
from tests.console.new_game.wizard import PageHarness, buttons, opened_wizard
from tests.end_to_end.command import pitwall
from tests.patience import PATIENT_WORDS

from pitwall.console.new_game.draft_edits import kind_of
from pitwall.console.new_game.page import ACTIONS, PLAY, READINGS, SAVE, TASK
from pitwall.core.paths import DataFolder
from pitwall.store.game_scores import game_scores
from pitwall.store.run_reader import RunReader

COINS = Path(__file__).parents[2] / "end_to_end" / "pages" / "coins.html"
"""Its board is 300 × 400 px, with the score above it and 12 px around."""

pytestmark = [pytest.mark.usefixtures("screen"), pytest.mark.timeout(1800)]


def _named(wizard: PageHarness, kind: type[QWidget], name: str) -> QWidget:
    def found() -> list[QWidget]:
        return [
            widget
            for widget in wizard.page.findChildren(kind)
            if widget.isVisible() and name in widget.accessibleName()
        ]

    wizard.until(lambda: bool(found()))
    wizard.bot.wait(300)  # a person looks first; what was just shown is laid out by then
    return found()[0]


def _click(wizard: PageHarness, widget: QWidget, name: str) -> None:
    wizard.hand.click(widget.mapToGlobal(QPoint(20, widget.height() // 2)), name)


def _go_to(wizard: PageHarness, button: str, step: int) -> None:
    wizard.press(button)
    wizard.until(lambda: wizard.page.step == step)


def _add(wizard: PageHarness, template: str, kind: str) -> None:
    """Add a template as its form stands."""
    _go_to(wizard, f"Step {PLAY + 1}: Play", PLAY)
    _choose(wizard, "Template", template)
    wizard.until(lambda: bool(wizard.page.templates._slots))
    wizard.scroll_to("Add it")
    wizard.until(lambda: [template.kind for template in wizard.draft.templates] == [kind])


def _wait_until_still(wizard: PageHarness) -> None:
    """Wait until the game's picture stands: a menu that fades in or is being opened takes no click."""
    view = wizard.page.sight.view
    seen = [view.grab().toImage()]
    while len(seen) < 3 or seen[-1] != seen[-3]:
        wizard.bot.wait(1_000)
        seen.append(view.grab().toImage())


def _keys_are_for(wizard: PageHarness, role: str) -> None:
    """Choose what the next keys are for, again where a game that just began held the pointer still."""
    for _ in range(5):
        wizard.press(f"The keys are for: {role}")
        wizard.bot.wait(1_000)
        if wizard.page.keys.role == role.casefold():
            return
    raise AssertionError(f"the keys are for {wizard.page.keys.role}, not for {role}")


def _save(wizard: PageHarness) -> None:
    """Save what passes its check, and let go of the game."""
    _go_to(wizard, f"Step {SAVE + 1}: Save", SAVE)
    wizard.press("Save and check")
    wizard.until(wizard.page.save.play.isVisible)
    wizard.page.closed()


def _rename(wizard: PageHarness, at: int, name: str) -> None:
    """Give a reading its name, unless it has that already."""
    if wizard.draft.fields[at].name != name:
        _write(wizard, f"Name of the reading {wizard.draft.fields[at].name}", name)
        wizard.until(lambda: wizard.draft.fields[at].name == name)


def _write(wizard: PageHarness, name: str, words: str) -> None:
    """Click a line, put words in the place of what stands there, and Enter."""
    line = _named(wizard, QLineEdit, name)
    _click(wizard, line, name)
    wizard.until(line.hasFocus)
    wizard.hand.press("ctrl+a")
    wizard.hand.write(words)
    wizard.hand.press("Return")


def _choose(wizard: PageHarness, name: str, words: str) -> None:
    """Open a list, and go down to the option that begins so."""
    box = _named(wizard, QComboBox, name)
    assert isinstance(box, QComboBox)
    wizard.until(lambda: box.findText(words, Qt.MatchFlag.MatchStartsWith) >= 0)
    row = box.findText(words, Qt.MatchFlag.MatchStartsWith)
    _click(wizard, box, name)
    wizard.until(lambda: box.view().isVisible())
    wizard.bot.wait(300)
    away = row - box.currentIndex()
    for _ in range(abs(away)):
        wizard.hand.press("Down" if away > 0 else "Up")
    wizard.until(lambda: box.view().currentIndex().row() == row)
    wizard.hand.press("Return")
    wizard.until(lambda: not (shiboken6.isValid(box) and box.view().isVisible()))  # its row may be made anew


def _scored(data: DataFolder, game: str, *words: str) -> float:
    """Play it by what the wizard made; its score, the page's own where it tells one."""
    ran = pitwall("run", "--game", game, *words, *PATIENT_WORDS, data=data, timeout_s=600)
    assert ran.status == 0, ran.err
    with contextlib.closing(RunReader.open(data)) as runs:
        scores = game_scores(runs)
        steps = [(step.action, step.fields, step.why) for step in runs.steps(1)]
    assert game in scores, steps
    return scores[game].best.best


@pytest.mark.long
def test_a_web_page_from_its_address_to_an_agent_that_scores(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    data = DataFolder(tmp_path / "data")
    with opened_wizard(data, qapp, qtbot) as wizard:
        page = wizard.page
        _write(wizard, "Address of a page", str(COINS))
        wizard.until(lambda: page.step == ACTIONS and page.eyes.in_view)
        wizard.until(lambda: wizard.draft.screen.width == 324)  # as large as the page itself
        wizard.until(page.keys.pad.hasFocus)
        for key in ("Left", "Right"):
            wizard.hand.press(key)
        wizard.until(lambda: [action.name for action in wizard.draft.actions] == ["left", "right"])

        _go_to(wizard, "Step 1: Game", 0)
        _choose(wizard, "How the page's game starts", "startGame")
        wizard.until(lambda: wizard.draft.init == "startGame()" and not page.eyes.in_view)
        wizard.until(lambda: page.eyes.in_view)  # begun anew, it plays
        _go_to(wizard, "Step 3: Readings", READINGS)
        for box, name in (
            ((4, 424, 316, 22), "paddle"),
            ((12, 60, 300, 350), "coin"),
            ((84, 6, 70, 38), "score"),
        ):
            count = len(wizard.draft.fields)
            wizard.bot.wait(400)
            wizard.draw(box, name)
            wizard.until(lambda count=count: len(wizard.draft.fields) > count)
            _rename(wizard, -1, name)
        for at, name in enumerate(("paddle", "coin")):
            if wizard.draft.fields[at].kind != "blob":  # the coin fell through the box just then
                _choose(wizard, f"{name} is read as", "moving thing")
                wizard.until(lambda at=at: wizard.draft.fields[at].kind == "blob")

        _go_to(wizard, "Step 5: Task", TASK)
        _choose(wizard, "Value of the page", "game.score")
        wizard.until(lambda: [task.score for task in wizard.draft.tasks] == ["game_state.score"])
        _add(wizard, "Catch", "catch")
        _save(wizard)
        assert _scored(data, "coins", "--seconds", "12") >= 2


@pytest.mark.skipif("not config.getoption('foreign')")
def test_lbreakout2_from_its_command_to_an_agent_that_scores(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    """By hand: `pytest --foreign` on this file, once `installer/extra foreign` has run."""
    data = DataFolder(tmp_path / "data")
    with opened_wizard(data, qapp, qtbot) as wizard:
        page = wizard.page
        _write(wizard, "Command that starts the game", "lbreakout2")
        wizard.until(lambda: page.step == ACTIONS and page.eyes.in_view)
        _keys_are_for(wizard, "Start")
        for count, (x, y) in enumerate(((183, 270), (183, 279)), start=1):
            _wait_until_still(wizard)
            wizard.hand.click(wizard.on_picture(x, y), "its menu")
            wizard.until(
                lambda count=count: [len(passage.steps) for passage in wizard.draft.passages] == [count]
            )
            wizard.until(page.keys._roles.isEnabled)
        _wait_until_still(wizard)
        _keys_are_for(wizard, "Play")
        for key in ("Left", "Right", "space"):
            wizard.hand.press(key)
        wizard.until(lambda: len(wizard.draft.actions) == 3)
        _keys_are_for(wizard, "Pause")
        wizard.hand.press("p")
        wizard.bot.wait(200)
        wizard.until(page.keys._roles.isEnabled)
        wizard.until(lambda: wizard.draft.pause == ["p"])

        _go_to(wizard, "Next", READINGS)
        wizard.bot.wait(1500)  # until the keys are heard
        window = xdotool("search", "--name", "LBreakout2").split()[0]
        for _ in range(8):
            xdotool("windowactivate", window)
            wizard.bot.wait(500)
            for key in ("y", "p", "space"):  # y goes on where every ball is lost
                xdotool("key", key, "sleep", "0.5")
            for key in ("Left", "Right") * 3:
                xdotool("keydown", key, "sleep", "0.5", "keyup", key, "key", "space", "sleep", "0.3")
            page.window().raise_()
            page.window().activateWindow()
            wizard.press("Find values to read in the last minute's pictures")
            wizard.until(lambda: not page.readings.minute._find.isEnabled())
            wizard.until(page.readings.minute._find.isEnabled)
            if buttons(page, "Take What") and buttons(page, "Take Moves"):
                break
        for role in ("Take What", "Take Moves"):
            count = len(wizard.draft.fields)
            wizard.scroll_to(role)
            wizard.until(lambda count=count: len(wizard.draft.fields) > count)
        _rename(wizard, 0, "paddle")
        wizard.draw((520, 0, 80, 20), "the score")
        wizard.until(lambda: len(wizard.draft.fields) == 3)
        _choose(wizard, f"{wizard.draft.fields[2].name} is read as", "number")
        wizard.until(lambda: kind_of(wizard.draft.fields[2]) == "number")
        _rename(wizard, 2, "score")
        _add(wizard, "Stand under", "fire")
        _save(wizard)
        assert _scored(data, "lbreakout2", "--planner", "skills", "--seconds", "45") >= 300
