"""Adding a game as a newcomer would: real window, real mouse and keys, a folder that passes and plays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from tests.console.game_window import xdotool
from tests.console.kit.language.cut_words import cut_words
from tests.console.models.models_page import texts
from tests.console.new_game.wizard import GAME_AT, PageHarness, buttons, opened_wizard
from tests.console.scripted_session import ScriptedOpener
from tests.patience import PATIENT_WORDS

from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.language.edge import speak
from pitwall.console.new_game.draft_edits import STEPS, resized
from pitwall.console.new_game.last_steps import step_of
from pitwall.console.new_game.page import ACTIONS, PLAY, READINGS, SAVE, TASK
from pitwall.core.paths import DataFolder
from pitwall.desktops.window_search import window_by_id
from pitwall.games.checks.folder import check_game
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.store import read_draft, saved_drafts
from pitwall.games.manifest import load_profile
from pitwall.games.registry import Registry

BAR = (20, 16, 200, 14)
NUMBER = (392, 8, 72, 34)
PADDLE = (194, 322, 92, 28)
"""Where the game draws them, in its own pixels."""


@pytest.mark.timeout(2400)
def test_a_newcomer_adds_a_game_in_fifteen_actions(wizard: PageHarness) -> None:
    page, hand = wizard.page, wizard.hand
    hand.done.append("click Add a game…")  # where games are chosen; see the last test
    wizard.press("Pick its window")
    wizard.until(lambda: page._picker is not None and page._picker.aiming)
    hand.click(QPoint(GAME_AT[0] + 200, GAME_AT[1] + 200), "the game's window")
    wizard.until(lambda: page.step == ACTIONS and page.eyes.in_view)
    wizard.until(page.keys.pad.hasFocus)
    for key in ("Left", "Right", "space"):
        hand.press(key)
    wizard.until(lambda: len(wizard.draft.actions) == 3)
    assert [action.keys for action in wizard.draft.actions] == [["ArrowLeft"], ["ArrowRight"], ["Space"]]

    wizard.press("Next")
    wizard.until(lambda: page.step == READINGS)
    wizard.draw(BAR, "the bar")
    wizard.until(lambda: len(wizard.draft.fields) == 1)
    wizard.draw(NUMBER, "the number")
    wizard.until(lambda: len(wizard.draft.fields) == 2)
    assert [field.kind for field in wizard.draft.fields] == ["bar", "text"]
    score = wizard.draft.fields[1].name
    wizard.until(lambda: page.sight.values.get(score, {}).get("value") is not None)
    assert 40 <= page.sight.values["bar"]["value"] <= 100

    wizard.press("Step 5: Task")
    wizard.until(lambda: page.step == TASK)
    x, y, width, height = NUMBER
    hand.click(wizard.on_picture(x + width / 2, y + height / 2), "the number")
    wizard.until(lambda: len(wizard.draft.tasks) == 1)
    wizard.until(lambda: page.task._targets[-1].hasFocus())
    hand.write("60")
    wizard.until(lambda: wizard.draft.tasks[0].target == 60)
    wizard.press(f"Step {SAVE + 1}: Save")
    wizard.until(lambda: page.step == SAVE)
    wizard.press("Save and check")
    wizard.until(page.save.play.isVisible)
    assert len(hand.done) <= 15, hand.done

    data = page.bridge.data
    folder = data.games / "catch"
    assert check_game(folder) == []
    entry = next(game for game in Registry(data).games() if game.game_id == "catch")
    assert (entry.source, entry.playable, entry.trusted) == ("user", True, True)
    profile = load_profile(folder)
    assert profile.truth is not None
    assert not profile.truth.verified
    assert profile.tasks[0].target == 60
    page.closed()
    _plays(data, wizard.window_id)


def _plays(data: DataFolder, window_id: int, *words: str) -> None:
    """`pitwall run` plays the game that was added, in its window."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pitwall", "run", "--game", "catch", "--window", hex(window_id)),
            *(words or ("--steps", "3")),
            *(*PATIENT_WORDS, "--data", str(data.root), "--json"),
        ],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["summary"]["steps"] >= 3
    assert answer["keys_down_at_end"] in ([], 0)


def _play_with_hotkey(window_id: int) -> None:
    """Some seconds of play; the hotkey keeps a picture in the middle of it, while the game has the keys."""
    xdotool("windowfocus", "--sync", str(window_id))
    for at, key in enumerate(("Left", "Right", "Left", "Right", "Left", "Right")):
        xdotool("keydown", key, "sleep", "0.5", "keyup", key, "key", "space", "sleep", "0.2")
        if at == 3:
            xdotool("key", "shift+F2")


@pytest.mark.timeout(1200)
def test_the_last_minute_is_drawn_on_found_in_and_learned_from(wizard: PageHarness) -> None:
    page = wizard.page
    window = window_by_id(wizard.window_id)
    assert window is not None
    page.window_chosen(window)
    wizard.until(lambda: page.eyes.in_view)
    page.show_step(READINGS)
    wizard.bot.wait(1500)  # until the keys are heard
    _play_with_hotkey(wizard.window_id)
    star = "Show the picture"
    wizard.until(lambda: any("kept by its key" in button.accessibleName() for button in buttons(page, star)))
    kept = next(button for button in buttons(page, star) if "kept by its key" in button.accessibleName())
    kept.click()
    page.window().raise_()
    wizard.draw(NUMBER, "the number")
    wizard.until(lambda: len(wizard.draft.fields) == 1)
    name = wizard.draft.fields[0].name
    wizard.until(lambda: page.sight.values.get(name, {}).get("value") is not None)
    shown = page.sight.values[name]["value"]
    assert shown == 44  # 40 at first, and Space once after each of four keys

    buttons(page, "Find values to read in the last minute's pictures")[0].click()
    wizard.until(lambda: bool(buttons(page, "Take ")))
    offered = {button.accessibleName().split()[1] for button in buttons(page, "Take ")}
    assert {"Score", "Moves"} <= offered, texts(page.readings)
    assert "Read in" in texts(page.readings)
    assert len(wizard.draft.fields) == 1  # nothing is taken unasked
    buttons(page, "Take Score")[0].click()
    assert [field.kind for field in wizard.draft.fields] == ["text", "digits"]
    assert not buttons(page, "Take Score")

    typed = next(
        line
        for line in page.findChildren(QLineEdit)
        if line.accessibleName().startswith(f"Value of {name} in")
    )
    typed.setText(str(shown))
    typed.returnPressed.emit()
    wizard.until(lambda: wizard.draft.fields[0].kind == "digits")
    assert sum(file.startswith(f"templates/{name}/") for file in wizard.draft.pictures) >= 1


def test_a_thing_is_followed_by_its_picture(wizard: PageHarness) -> None:
    page = wizard.page
    window = window_by_id(wizard.window_id)
    assert window is not None
    page.window_chosen(window)
    wizard.until(lambda: page.eyes.in_view)
    page.show_step(READINGS)
    wizard.bot.wait(1500)  # until the step is laid out
    wizard.draw(PADDLE, "the paddle")
    wizard.until(lambda: len(wizard.draft.fields) == 1)
    xdotool(
        "windowfocus", "--sync", str(wizard.window_id), "keydown", "Left", "sleep", "0.3", "keyup", "Left"
    )
    kinds = next(combo for combo in page.findChildren(Combo) if combo.accessibleName().endswith("is read as"))
    kinds.chosen.emit("sprite")  # it is not any more where it was drawn
    wizard.until(lambda: wizard.draft.fields[0].kind == "sprite")
    name = wizard.draft.fields[0].name

    def place() -> float:
        value = page.sight.values.get(name, {}).get("value")
        return value if isinstance(value, float) else 1_000.0

    wizard.until(lambda: place() < PADDLE[0])
    assert set(wizard.draft.pictures) == {f"templates/{name}.png"}


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("game", [("--catch",)], indirect=True)
def test_from_a_bare_window_to_an_agent_that_scores(wizard: PageHarness, points: Path) -> None:
    """All by pointer and keys: what is found in some seconds of play is taken, a template steers by it."""
    page, hand = wizard.page, wizard.hand
    wizard.press("Pick its window")
    wizard.until(lambda: page._picker is not None and page._picker.aiming)
    hand.click(QPoint(GAME_AT[0] + 200, GAME_AT[1] + 200), "the game's window")
    wizard.until(lambda: page.step == ACTIONS and page.eyes.in_view)
    wizard.until(page.keys.pad.hasFocus)
    for key in ("Left", "Right"):
        hand.press(key)
    wizard.until(lambda: len(wizard.draft.actions) == 2)
    wizard.press("Next")
    wizard.bot.wait(1500)  # until the keys are heard
    for _ in range(5):  # on a busy machine more play has to be seen
        _play_with_hotkey(wizard.window_id)
        page.window().raise_()
        wizard.press("Find values to read in the last minute's pictures")
        wizard.until(page.readings.minute._find.isEnabled)
        if buttons(page, "Take What") and buttons(page, "Take Moves"):
            break
    wizard.scroll_to("Take What your keys move")
    wizard.until(lambda: len(wizard.draft.fields) == 1)
    wizard.scroll_to("Take Moves")
    wizard.until(lambda: len(wizard.draft.fields) == 2)
    wizard.press(f"Step {PLAY + 1}: Play")
    wizard.until(lambda: page.step == PLAY)
    page.templates._kinds.setFocus()
    wizard.until(page.templates._kinds.hasFocus)
    hand.press("Down")  # the first template: follow a thing
    wizard.until(lambda: bool(page.templates._slots))
    wizard.scroll_to("Add it")
    wizard.until(lambda: [template.kind for template in wizard.draft.templates] == ["follow"])
    wizard.press(f"Step {SAVE + 1}: Save")
    wizard.press("Save and check")
    wizard.until(page.save.play.isVisible)
    page.closed()
    before = len(points.read_text().splitlines())
    _plays(page.bridge.data, wizard.window_id, "--planner", "skills", "--seconds", "18")
    assert len(points.read_text().splitlines()) - before >= 4, "of ten coins that fall"


def test_nothing_is_lost_on_close_and_a_draft_goes_on(wizard: PageHarness) -> None:
    page = wizard.page
    page.open_command("/nowhere/some-game --fast")
    page.keys.pad.typed.emit("Space")
    page.closed()
    assert not page.eyes.looking
    kept = saved_drafts(page.bridge.data)
    assert [draft.draft.name for draft in kept] == ["Some game"]
    assert read_draft(kept[0].file).actions[0].keys == ["Space"]
    page.begin_anew()
    assert page.draft is None
    wizard.until(lambda: wizard.button("Go on with Some game").isVisible())
    wizard.press("Go on with Some game")
    wizard.until(lambda: page.draft is not None)
    assert wizard.draft.command == ["/nowhere/some-game", "--fast"]
    wizard.until(lambda: not page.eyes.looking)  # there is no such program
    assert "some-game" in texts(page.sight)


def test_it_is_offered_where_games_are_chosen(screen: str, tmp_path: Path, qapp: QApplication) -> None:
    assert screen
    from pitwall.console.shell.application import Console

    console = Console(qapp, DataFolder(tmp_path), ScriptedOpener(), list, preflight=False)
    console.window.show()
    try:
        offers = [
            button for button in console.live.findChildren(QPushButton) if button.text() == "Add a game…"
        ]
        offers[0].click()
        assert console.window.page is console.new_game
        assert "Add a game…" in [command.name for command in console.window._commands()]
        console.window.resize(760, 480)
        assert console.window.width() <= 760
    finally:
        console.close()
        shiboken6.delete(console.window)


def test_boxes_of_a_page_keep_their_pixels_and_those_of_a_window_its_share() -> None:
    field = {"kind": "change", "name": "any", "box": (10, 10, 20, 20)}
    draft = Draft.model_validate(
        {"game_id": "a", "name": "A", "screen": {"width": 400, "height": 300}, "fields": [field]}
    )
    assert resized(draft, 200, 150).screen == draft.screen
    page = resized(draft.changed(url="file:///a.html"), 200, 150)
    assert (page.screen.width, page.fields) == (200, draft.fields)
    unseen = draft.changed(url="file:///a.html", own_size=True)
    assert not resized(unseen, 200, 150).own_size


def test_faults_are_shown_where_they_are_mended() -> None:
    assert [step_of(key) for key in ("actions.jump", "fields[2].box", "tasks.a.target", "window.title")] == [
        ACTIONS,
        READINGS,
        TASK,
        0,
    ]


@pytest.mark.usefixtures("inter")
def test_a_german_wizard_cuts_no_word(game: int, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    edge = speak("de")
    assert edge is not None
    try:
        with opened_wizard(DataFolder(tmp_path / "data"), qapp, qtbot, game) as wizard:
            window = window_by_id(wizard.window_id)
            assert window is not None
            wizard.page.window_chosen(window)
            wizard.until(lambda: wizard.page.eyes.in_view)
            for step, name in enumerate(STEPS):
                wizard.page.show_step(step)
                wizard.bot.wait(300)
                assert not cut_words(wizard.page), name
            wizard.page.closed()
    finally:
        edge.lift()
