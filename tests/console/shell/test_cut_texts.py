"""No text of the console is cut: German, the longer language, in a small and in a large window."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from pytestqt.exceptions import TimeoutError as Unsettled
from tests.console.conftest import ConsoleHarness
from tests.console.cut_texts import cut_texts
from tests.console.scripted_play import prefill

from pitwall.console.kit import places
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.language.change import Language

_SETTLED_MS = 5_000
_BORDERS_PX = 6


@pytest.fixture
def language(room: ConsoleHarness) -> Iterator[Language]:
    """The language and words of the console's settings; afterwards English research words again."""
    language = Language(room.console.bridge.settings)
    yield language
    language.end()


@pytest.mark.usefixtures("inter")
def test_no_text_is_cut_on_any_page(room: ConsoleHarness, language: Language) -> None:
    window, bridge = room.console.window, room.console.bridge
    bridge.settings_changed.connect(language.follow)
    bridge.open_game("flappy")
    prefill(room.opener.last)
    keys = [place.key for place in places.all_places()]
    for key in keys:  # each page reads what it shows
        window.show_page(key)
        room.bot.wait(50)
    cut: dict[str, str] = {}
    windows = (("de", (1280, 720)), ("de", (1600, 1000)))
    for (words, size), key in itertools.product(windows, keys):
        bridge.save_settings(bridge.settings.with_value("console", "language", words))
        window.resize(*size)
        window.show_page(key)
        try:
            room.bot.waitUntil(lambda: not list(cut_texts(window)), timeout=_SETTLED_MS)
        except Unsettled:
            cut |= {text: f"{key}, {words}, {size[0]}×{size[1]}" for text in cut_texts(window)}
    bridge.save_settings(bridge.settings.with_value("console", "language", "en"))
    assert "\n".join(f"{where}: {text}" for text, where in cut.items()) == ""


@pytest.mark.usefixtures("inter")
def test_the_rail_is_as_wide_as_the_longest_name_of_the_language_in_use(
    room: ConsoleHarness, language: Language
) -> None:
    rail, bridge = room.console.window._rail, room.console.bridge
    bridge.settings_changed.connect(language.follow)
    for words in ("de", "en"):
        bridge.save_settings(bridge.settings.with_value("console", "language", words))
        for place in places.all_places():
            if place.in_rail:
                button = rail.button(place.key)
                assert button.text() == spoken(place.title)
                needed = button.fontMetrics().horizontalAdvance(button.text())
                assert needed + _BORDERS_PX <= button.width(), button.text()
