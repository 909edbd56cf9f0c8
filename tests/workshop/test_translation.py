"""The catalogues are whole where they say so, and fill in what their texts fill in."""

from __future__ import annotations

import pytest

from pitwall.console.kit.language.catalogue import Catalogue, load_catalogue
from workshop.translation import COMPLETE, faults_of, rooms, texts_of

LANGUAGES = ("de",)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_whole_in_the_rooms_that_every_language_has(language: str) -> None:
    """But for a few texts of the latest changes, which may wait for whoever translates."""
    catalogue, result = load_catalogue(language), rooms()
    missing = [text for room in COMPLETE for text in result[room] if text not in catalogue.texts]
    assert len(missing) <= 0.03 * sum(len(result[room]) for room in COMPLETE), missing
    assert faults_of(catalogue) == []
    assert sum(len(result[room]) for room in COMPLETE) > 1_000


def test_texts_are_found_where_a_person_reads_them() -> None:
    source = '''
"""A docstring that nobody sees."""
KEY = "game_id"
label = Label("steps", "dim")
title = Label(f"Run {run.id} of {name}")
count = counted(3, "match", "matches")
button.setObjectName("Top Bar")
raise PitwallError("Not a text of a widget")
'''
    assert sorted(texts_of(source)) == ["Run {} of {}", "steps", "{} match", "{} matches"]


def test_a_wrong_placeholder_is_found() -> None:
    assert faults_of(Catalogue({"{} of {}": "{} von"})) == ["'{} of {}' → '{} von': placeholders differ"]
    assert faults_of(Catalogue({"{} of {}": "{1} hat {0}", "a {}": "ein {}"})) == []
