"""A player reads plain sentences on every page; *Advanced* brings the papers' words, and back, at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication
from tests.console.conftest import ConsoleHarness
from tests.console.kit.language.shown_texts import shown_texts
from tests.console.recorded_runs import record_run
from tests.console.scripted_calls import MIND, call_began, call_ended
from tests.pitwall_memory_editor.console.why.retrieval_case import retrieval
from tests.pitwall_memory_editor.editor_page import memory_page

from pitwall.console.inspector.bars import LayerLegend
from pitwall.console.kit.game_filter import GameFilter
from pitwall.console.kit.language.catalogue import load_catalogue
from pitwall.console.kit.language.change import Language
from pitwall.console.kit.places import all_places
from pitwall.core.clock import now_ns
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.telemetry import Retrieved
from pitwall.store.manual import manual_dir
from pitwall_memory_editor.console.page import WHY

_GLOSSARY = Path(__file__).parents[4] / "app" / "docs" / "GLOSSARY.md"


def _paper_words() -> re.Pattern[str]:
    """Return a pattern of the words that the glossary gives to the papers."""
    section = _GLOSSARY.read_text(encoding="utf-8").partition("## Two vocabularies")[2].partition("\n## ")[0]
    words = [
        word
        for line in section.splitlines()
        if line.startswith("| `")
        for word in re.findall(r"`([^`]+)`", line.split("|")[1])
    ]
    assert len(words) > 20
    return re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, words)) + r")(?![\w-])", re.IGNORECASE)


_SYMBOLS = re.compile(r"(?<![\w.+])(S|J|C|R|P|v|ρ|S_MB|S_KG|Ŝ_MB|Ŝ_KG)(?!\w)")
"""Letters by which the papers name the figures of a retrieval."""
_COMMANDS = re.compile(r"pitwall [a-z]+.*|--[a-z-]+ ?[a-z]*|\b[a-z_]+\.[a-z_.]*[a-z_]\b|^Write it like .*")
"""Commands, options, settings and files by their own names, and a key that is named W."""
_NOT_PROSE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
"""Commands, names of settings and the addresses of links in a page of the manual."""
_OF_THE_GAME = (
    "A pipe comes 120 px ahead and its gap lies 34 px above the bird.",
    "Pass the next pipe",
    "Until the pipe has passed or the game is over",
    "fly through pipes, flap, gap top, gap bottom, gap offset, game over",
    "atari-all, everything, floor, full, memory-rounds, smoke",
)


def _words(texts: Iterable[str]) -> set[str]:
    return {word.lower() for text in texts for word in re.findall(r"[^\W\d_]{2,}", text)}


@pytest.fixture
def language(screen: str, tmp_path: Path) -> Iterator[Language]:
    """The language of a console after an installation, with a run in its log."""
    assert screen
    record_run(DataFolder(tmp_path), 8, frames=4)
    language = Language(Settings())
    yield language
    language.end()


@pytest.fixture
def player(language: Language, room: ConsoleHarness) -> ConsoleHarness:
    room.console.bridge.settings_changed.connect(language.follow)
    room.console.window.resize(1600, 1000)
    return room


def _all_pages(harness: ConsoleHarness) -> dict[str, set[str]]:
    texts: dict[str, set[str]] = {}
    for place in all_places():
        harness.console.window.show_page(place.key)
        if place.key == "runs":
            harness.bot.waitUntil(lambda: harness.console.runs.detail.run_id is not None)
        QApplication.processEvents()
        texts[place.key] = shown_texts(harness.console.window)
    return texts


def test_each_text_with_a_word_of_the_papers_has_a_players_text() -> None:
    """Also of dialogs, errors and lists that no other test opens; commands to type are left as they are."""
    pattern, papers = _paper_words(), load_catalogue("player").texts
    players = load_catalogue("player").texts.values()
    wrong = [
        text
        for text in load_catalogue("de").texts
        if pattern.search(_COMMANDS.sub("", text)) and text not in papers and text not in players
    ]
    assert not wrong, "\n".join(sorted(wrong))
    assert not [text for text in players if pattern.search(_COMMANDS.sub("", text))]


@pytest.mark.parametrize("page", ["getting-started", "live", "demonstrations"])
def test_the_manuals_pages_of_players_explain_the_papers_words(page: str) -> None:
    """Each paragraph with such a word says that it is the papers'; measurements are for readers of papers."""
    text = (manual_dir() / f"{page}.md").read_text(encoding="utf-8").partition("## What was measured")[0]
    plain = _NOT_PROSE.sub("", text)
    words = _paper_words()
    unexplained = {
        hit.group()
        for part in re.split(r"\n\n|\n(?=[-|0-9])", plain)
        for hit in words.finditer(part)
        if "paper" not in part and len(hit.group()) > 1
    }
    assert not unexplained


def test_no_page_shows_a_player_a_word_of_the_papers(player: ConsoleHarness) -> None:
    player.play()
    at_ns = now_ns()
    player.session.tell(MIND, call_began(900, at_ns=at_ns), call_ended(900, at_ns=at_ns))
    legends = player.console.live.findChildren(LayerLegend)
    player.bot.waitUntil(lambda: any(legend.findChildren(QAbstractButton) for legend in legends))
    pattern = _paper_words()
    wrong = [
        f"{key}: {text}"
        for key, texts in _all_pages(player).items()
        for text in texts
        if pattern.search(text)
    ]
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize("spoken_language", ["en", "de"])
def test_why_shows_a_player_no_symbol(player: ConsoleHarness, spoken_language: str) -> None:
    settings = player.console.bridge.settings
    player.console.bridge.save_settings(settings.with_value("console", "language", spoken_language))
    player.play()
    player.session.tell(Retrieved(retrieval=retrieval(7)))
    page = memory_page(player.console)
    player.console.window.show_page("memory")
    page.show_segment(WHY)
    player.bot.waitUntil(lambda: page.why.view.table.rows.rowCount() > 0)
    texts = set[str]()
    for at in range(page.why.tabs.count()):
        page.why.tabs.setCurrentIndex(at)
        texts |= shown_texts(page.why)
    wrong = sorted(text for text in texts if _SYMBOLS.search(text) or _paper_words().search(text))
    assert not wrong, "\n".join(wrong)
    view = page.why.view.table
    assert view.horizontalScrollBar().maximum() == 0, "its few columns fit"


def test_advanced_brings_the_papers_words_and_a_language_comes_at_once(player: ConsoleHarness) -> None:
    player.play()
    window = player.console.window
    save = player.console.bridge.save_settings
    plain = _all_pages(player)

    window.show_page("settings")
    player.button("Advanced").click()
    paper = _all_pages(player)
    for word in ("GSM lab", "loop p95", "escalations"):
        assert any(word in texts for texts in paper.values()), word

    save(player.console.bridge.settings.with_value("console", "language", "de"))
    german = shown_texts(window)
    assert {"Läufe", "Labor"} <= german and not {"Runs", "GSM lab", "Advanced"} & german

    settings = player.console.bridge.settings.with_value("console", "advanced", False)
    save(settings.with_value("console", "language", "en"))
    english = set[str]().union(*plain.values(), *paper.values())
    assert not shown_texts(window) & german - english


def test_no_english_word_is_left_on_a_german_page(player: ConsoleHarness) -> None:
    """Names of games and keys are left as they are, and what a game's folder or a model wrote."""
    settings = player.console.bridge.settings
    player.console.bridge.save_settings(settings.with_value("console", "language", "de"))
    player.play()
    texts = load_catalogue("de").texts
    english = _words(texts) - _words(texts.values()) - _words(_OF_THE_GAME)
    pages = _all_pages(player)
    filters = player.console.window.findChildren(GameFilter)
    games = {
        str(read(at))
        for each in filters
        for read in (each.itemText, each.itemData)
        for at in range(each.count())
    }
    left = [
        f"{key}: {text}: {', '.join(sorted(_words([text]) & english))}"
        for key, shown in pages.items()
        for text in shown - games
        if _words([text]) & english and text not in _OF_THE_GAME
    ]
    assert not left, "\n".join(sorted(left))
