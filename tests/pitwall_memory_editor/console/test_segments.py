"""The segments of the Memory page: as wide as their titles, in each language."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from tests.console.cut_texts import cut_texts

from pitwall.console.kit.language.change import Language
from pitwall.core.settings import Settings
from pitwall_memory_editor.console.segments import Segments


@pytest.mark.usefixtures("screen", "qapp")
def test_segments_take_the_room_of_their_titles_after_a_change_of_language(qtbot: QtBot) -> None:
    settings = Settings()
    language, segments = Language(settings), Segments("What is shown")
    try:
        for key, title in (("why", "Why"), ("layers", "Layers")):
            segments.add(key, title)
        segments.show_note("why", "7")
        qtbot.addWidget(segments)
        segments.resize(400, 40)
        segments.show()
        qtbot.waitExposed(segments)
        language.follow(settings.with_value("console", "language", "de"))
        assert [button.text() for button in segments._buttons.values()] == ["Warum  7", "Schichten"]
        assert not list(cut_texts(segments))
    finally:
        language.end()
