"""Texts are exchanged whole, filled in, or part by part; what others wrote is left as it is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import pytest

from pitwall.console.kit.language.catalogue import (
    Catalogue,
    catalogue_for,
    holes,
    keep_name,
    keep_names,
    load_catalogue,
    use,
)
from pitwall.console.kit.setting_fields import declared_sections

CATALOGUE = Catalogue(
    {
        "done": "fertig",
        "{} step": "{} Schritt",
        "{} steps": "{} Schritte",
        "Run {} of {}": "Lauf {}: {}",
        "Run {}": "Lauf {}",
        "Best {}": "Beste {}",
        "{} before {}": "vor {1} kam {0}",
        "{} of {}": "{} von {}",
        "Close the game.": "Schließe das Spiel.",
        "It is over.": "Es ist vorbei.",
        "Played: {}.": "Gespielt: {}.",
        "{} of {} steps": "{} von {} Schritten",
        "none": "nichts",
        "held": "gehalten",
        "empty": "",
    }
)


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("done", "fertig"),
        ("1 step", "1 Schritt"),
        ("3,000 steps", "3,000 Schritte"),
        ("✓ done · 3 steps", "✓ fertig · 3 Schritte"),
        ("Run 5 of done", "Lauf 5: fertig"),
        ("Run 5 of My Game", "Lauf 5: My Game"),
        ("done before 2 steps", "vor 2 Schritte kam fertig"),
        ("It is over. Close the game.", "Es ist vorbei. Schließe das Spiel."),
        ("It is over. Played: 3 of 9 steps.", "Es ist vorbei. Gespielt: 3 von 9 Schritten."),
        ("held: none", "gehalten: nichts"),
        ("3 of 7", "3 von 7"),
        ("40 MiB of 14.2 GiB", "40 MiB von 14.2 GiB"),
        ("1  done", "1  fertig"),
        ("done 12 · held 3", "fertig 12 · gehalten 3"),
        ("Run 5", "Lauf 5"),
        ("Run 5 · My own words here", "Lauf 5 · My own words here"),
        ("Run and jump", "Run and jump"),
        ("Best 12 pipes", "Beste 12 pipes"),
        ("3 of 7 · My game of life", "3 von 7 · My game of life"),
        ("Break every brick of three walls", "Break every brick of three walls"),
        ("My game, done", "My game, done"),
        ("empty", "empty"),
        ("", ""),
        ("12.5 ms", "12.5 ms"),
    ],
)
def test_a_text_is_exchanged(text: str, translation: str) -> None:
    assert CATALOGUE.translated(text) == translation
    assert CATALOGUE.translated(text) == translation  # remembered


def test_a_settings_sentence_is_german_with_its_choices_as_they_are_shown() -> None:
    english = [field.label for section in declared_sections() for field in section.fields]
    use(load_catalogue("de"))
    try:
        german = [field.label for section in declared_sections() for field in section.fields]
    finally:
        use(None)
    assert not set(english) & set(german)
    assert any("; Standardagent: der Standardagent" in text for text in german)


def test_a_sign_before_a_sentence_that_ends_with_a_number_is_left_aside() -> None:
    german = load_catalogue("de")
    assert german.translated("✓ Saved action 12.") == "✓ Aktion 12 gesichert."
    undone = german.translated("✓ Undone: action 1 “menu → flap”: edited source tag.")
    assert undone == "✓ Zurückgenommen: Aktion 1 “menu → flap”: Quellenmarke geändert."


def test_a_games_name_is_left_as_it_is() -> None:
    catalogue = Catalogue({"{} game": "{} Spiel", "Catch": "Fangen", "Start": "Beginnen"})
    assert catalogue.translated("Catch game") == "Fangen Spiel"
    use(catalogue)
    try:
        keep_names(["Catch game", "Start"])
        assert catalogue.translated("Catch game · 2 runs") == "Catch game · 2 runs"
        keep_names(["Start"])
        assert catalogue.translated("Catch game · catch-game") == "Fangen Spiel · catch-game"
        keep_name("Catch game")
        assert catalogue.translated("Catch game · catch-game") == "Catch game · catch-game", "a draft's"
        assert catalogue.translated("Start") == "Beginnen", "a text of the catalogue is no name"
    finally:
        keep_names(())
        use(None)


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("1,664 steps", "1\u202f664 Schritte"),
        ("0:04.3 of 0:56.5", "0:04,3 von 0:56,5"),
        ("1.664 s", "1,664 s"),
        ("12,345.6 points", "12\u202f345,6 Punkte"),
        ("pitwall 0.2.0", "pitwall 0.2.0"),
        ("Qwen2.5-VL", "Qwen2.5-VL"),
        ("Python 3.11", "Python 3.11"),
        ("aim(x=0.5, y=0.2)", "aim(x=0.5, y=0.2)"),
        ("speed > 0.5", "speed > 0.5"),
        ("127.0.0.1:8000", "127.0.0.1:8000"),
    ],
)
def test_a_german_number_has_german_marks_and_a_version_has_none(text: str, translation: str) -> None:
    german = load_catalogue("de")
    assert german.translated(text) == translation
    assert german.translated(translation) == translation, "a text that crosses the edge twice"


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("2 · Train", "2 · Trainieren"),
        ("watching", "sieht zu"),
        ("press_key(key=ArrowRight)", "→ drücken"),
        ("Reflex · left", "Reflex · left"),
        ("3 of 7 left", "noch 3 von 7"),
        ("0 facts", "0 Tatsachen"),
        ("its state is not like enough: 0.00 of 0.85", "sein Zustand ist nicht ähnlich genug: 0,00 von 0,85"),
        ("for a plan", "für einen Plan"),
        ("Until status is not playing", "Bis nicht mehr gespielt wird"),
        ("progress (dialogue), with confidence 1.00", "Fortschritt (Dialog), mit Zuversicht 1,00"),
        ("+ 0.25 × what", "+ 0,25 × what"),
    ],
)
def test_texts_that_a_german_player_met_in_english(text: str, translation: str) -> None:
    catalogue = catalogue_for("de", advanced=False)
    assert catalogue is not None and catalogue.translated(text) == translation


_SENTENCE = "needs the packages that are not installed (torch)."
_LONG = "needs the packages that nobody has installed here until now"


def _filled_in(text: str, parts: Sequence[str]) -> str:
    fixed = re.split(r"\{\d*\}", text)
    return "".join(map(str.__add__, fixed, (*(parts[hole] for hole in holes(text)), "")))


def test_no_short_text_swallows_a_sentence() -> None:
    """Whatever text of a language it is: "Training {}" does not make "needs … . wird trainiert"."""
    german = load_catalogue("de")
    tried = 0
    for text, translation in german.texts.items():
        own = sum(map(str.isalpha, text.replace("{}", "")))
        if own >= 20 or not re.search(r"\w \{\}|\{\} \w", text) or ". " in text or " · " in text:
            continue
        if ": " in text or ", " in text:
            continue  # what follows stands apart
        order, parts = holes(translation), ["3"] * text.count("{}")
        for at, piece in enumerate(itertools.pairwise(text.split("{}"))):
            if not (piece[0][-2:-1].isalpha() or piece[1][1:2].isalpha()) or at not in order:
                continue
            sentence = _SENTENCE if text.endswith(" {}") and at == len(parts) - 1 else _LONG
            filled = [*parts[:at], sentence, *parts[at + 1 :]]
            swallowed = _filled_in(translation, filled)
            english = _filled_in(text, filled)
            tried += 1
            assert swallowed == english or german.translated(english) != swallowed, english
    assert tried > 300


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("Training needs packages that are not installed (torch).", "Zum Trainieren fehlen Pakete (torch)."),
        ("Training is something else that nobody has translated.", None),
        ("Training is something that nobody has put into German. Try again", None),
        ("Training v3", "v3 wird trainiert"),
        ("Local models: asking for packages", "Lokale Modelle: nach Paketen wird gefragt"),
        ("Installing 21 %: Local models: building llama_cpp_python", "llama_cpp_python wird gebaut"),
        ("Training: downloading torch (200.1 MB)", "torch wird heruntergeladen (200,1 MB)"),
        ("unpacking · 20 s left", "wird entpackt · "),
        (
            "waiting for another installation: Local models: unpacking",
            "eine andere Installation läuft noch: Lokale Modelle: wird entpackt",
        ),
    ],
)
def test_a_job_that_installs_speaks_german(text: str, translation: str | None) -> None:
    german = load_catalogue("de").translated(text)
    assert "wird trainiert" not in german if translation is None else translation in german
