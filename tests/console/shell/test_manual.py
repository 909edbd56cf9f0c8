"""F1 opens the manual at the page in view; every link and picture of it works in the window, offline."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from tests.console.conftest import ConsoleHarness
from tests.console.cut_texts import cut_texts
from tests.console.kit.language.shown_texts import shown_texts

from pitwall.console.shell.manual import CONTENTS, ManualWindow, manual_page
from pitwall.store.manual import manual_dir, search_manual

_PAGES = (
    "live",
    "memory",
    "demonstrations",
    "lab",
    "runs",
    "evaluate",
    "exam",
    "models",
    "settings",
    "new-game",
)


def _manual(room: ConsoleHarness) -> ManualWindow:
    (manual,) = room.console.window.findChildren(ManualWindow)
    return manual


def _file(manual: ManualWindow) -> str:
    return Path(manual.browser.source().toLocalFile()).name


def test_f1_opens_the_manual_at_each_page(room: ConsoleHarness) -> None:
    window = room.console.window
    for key in _PAGES:
        window.show_page(key)
        window.activateWindow()
        room.bot.waitUntil(window.isActiveWindow)
        QTest.keyClick(window, Qt.Key.Key_F1)
        manual = _manual(room)
        room.bot.waitUntil(manual.isVisible)
        assert _file(manual) == f"{key}.md"
        title = next(line for line in manual_page(key).read_text("utf-8").splitlines() if line)
        assert manual.browser.toPlainText().startswith(title.lstrip("# "))


def test_the_rail_the_palette_and_the_keys_lead_to_the_manual(room: ConsoleHarness) -> None:
    buttons = room.console.window.findChildren(QToolButton)
    (help_button,) = [button for button in buttons if button.accessibleName() == "Help: the manual"]
    help_button.click()
    assert _manual(room).isVisible()
    assert _manual(room).browser.accessibleName() == "Manual"
    room.console.window.show_help()
    room.button("Open the manual").click()
    assert len(room.console.window.findChildren(ManualWindow)) == 1


def test_its_search_field_is_as_wide_as_its_hint(room: ConsoleHarness) -> None:
    room.console.window.show_manual()
    assert not list(cut_texts(_manual(room)))


def test_links_lead_from_page_to_page_and_back(room: ConsoleHarness) -> None:
    room.console.window.show_manual()
    manual = _manual(room)
    manual.open_page(CONTENTS)
    manual.browser.setSource(manual.browser.source().resolved(QUrl("safety.md")))
    assert _file(manual) == "safety.md"
    room.button("Back", manual).click()
    assert _file(manual) == "index.md"
    room.button("Forward", manual).click()
    assert _file(manual) == "safety.md"
    room.button("Contents", manual).click()
    assert _file(manual) == "index.md"


def test_every_page_shows_its_pictures_as_wide_as_there_is_room(room: ConsoleHarness) -> None:
    room.console.window.show_manual()
    manual = _manual(room)
    files = sorted(manual_dir().glob("*.md"))
    assert files
    for file in files:
        manual.open_page(file.stem)
        assert _file(manual) == file.name
        document = manual.browser.document()
        for link in file.read_text("utf-8").split("](")[1:]:
            name = link.partition(")")[0]
            if name.endswith(".png"):
                picture = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(name))
                assert 100 < picture.width() <= manual.browser.viewport().width(), (file.name, name)
        room.bot.waitUntil(lambda: manual.browser.horizontalScrollBar().maximum() == 0)


def test_a_page_without_a_manual_shows_the_contents() -> None:
    assert manual_page("nowhere").name == "index.md"


def test_text_is_listed_and_listed_again_from_the_beginning(room: ConsoleHarness) -> None:
    room.console.window.show_manual()
    manual = _manual(room)
    manual.open_page("safety")
    manual.search.setText("broker")
    places = set()
    for _ in range(20):
        manual.find_next()
        assert manual.browser.textCursor().selectedText().lower() == "broker"
        places.add(manual.browser.textCursor().position())
    assert 1 < len(places) < 20


def test_words_are_listed_in_every_page_of_the_manual(room: ConsoleHarness) -> None:
    room.console.window.show_manual()
    manual = _manual(room)
    manual.search.setText("kappa agreement")
    room.bot.waitUntil(lambda: manual.matches.isVisible())
    manual.matches.choose(0)
    page = manual.browser.source().fileName().removesuffix(".md")
    assert page in {match.page for match in search_manual("kappa agreement")}
    assert manual.browser.textCursor().hasSelection()
    manual.search.setText("xyzzy plugh")
    room.bot.waitUntil(lambda: not manual.matches.isVisible())
    assert "Nothing in the manual holds these words." in shown_texts(manual)
    assert search_manual("") == []
