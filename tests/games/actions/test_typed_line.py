"""Actions that type a line: which text is one, which keys it takes, what a manifest may say of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pitwall.core.actions import Invalid, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.errors import IllegalAction
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.checks.folder import check_game
from pitwall.games.manifest import load_profile
from pitwall.models.grammars.by_purpose import grammar_for

SAY = """
[[actions]]
name = "say"
line = "tell $whom $text"
clear_key = "Escape"
hold_ms = 20
gap_ms = 30
duration_ms = 100
parameters.whom = { type = "choice", choices = ["bob", "eve"], default = "bob" }
parameters.text = { type = "text", most = 12 }
"""
KEYS = '"Space", "Shift", "Enter", "Escape", "a", "b", "e", "v", "o", "t", "l", "3", "-", "\'"'


@pytest.fixture
def typing_folder(game_folder: Path) -> Path:
    """The test game with an action that types."""
    file = game_folder / "plugin.toml"
    text = file.read_text(encoding="utf-8")
    text = text.replace('"Space", "Shift"', KEYS, 1)
    file.write_text(text.replace("[[actions]]", f"{SAY}\n[[actions]]", 1), encoding="utf-8")
    return game_folder


@pytest.fixture
def typing(typing_folder: Path) -> Vocabulary:
    return Vocabulary(load_profile(typing_folder))


def test_a_line_is_cleared_typed_and_sent(typing: Vocabulary) -> None:
    action = typing.resolve(typing.parse("say(text='3 be')"), width=200, height=100)
    pressed = [(event.at_ms, event.event.key) for event in action.events if event.event.kind == "key_down"]
    keys = ["Escape", *"tell", "Space", *"bob", "Space", "3", "Space", *"be", "Enter"]
    assert pressed == [(50.0 * number, key) for number, key in enumerate(keys)]
    released = [event.at_ms for event in action.events if event.event.kind == "key_up"]
    assert released == [at_ms + 20 for at_ms, _ in pressed]
    assert action.duration_ms == released[-1] + 100, "a line's length begins with its Enter"


@pytest.mark.parametrize(
    ("text", "typed"),
    [("'  A   Bat '", "a bat"), ("tall", "tall"), ('"eve\'3"', "eve'3"), ("a-b", "a-b"), ("'   '", " ")],
)
def test_texts_are_typed_in_lower_case_without_spare_blanks(
    typing: Vocabulary, text: str, typed: str
) -> None:
    action = typing.parse(f"say(text={text}, whom=Eve)")
    assert action == SemanticAction(name="say", arguments={"whom": "eve", "text": typed})
    assert typing.parse(str(action)) == action


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("say(text='beet?')", "cannot type '?'"),
        ("say(text='bézé')", "cannot type"),
        ("say(text='a\tb\nc')", "cannot type 'c'"),
        ("say(text='')", "1 to 12 letters, not 0"),
        (f"say(text={'a' * 13})", "1 to 12 letters, not 13"),
        ("say", "needs the argument 'text'"),
    ],
)
def test_what_cannot_be_typed_is_illegal(typing: Vocabulary, text: str, part: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        typing.parse(text)
    assert part in str(caught.value)


def test_an_untypeable_text_does_nothing(typing: Vocabulary) -> None:
    action = typing.resolve(SemanticAction(name="say", arguments={"text": "zoo"}), width=200, height=100)
    assert (action.events, action.invalid) == ((), Invalid.OUT_OF_SPACE)


def test_a_grammar_offers_the_letters_that_the_role_may_type(typing: Vocabulary) -> None:
    form = next(form for form in typing.forms if form.name == "say")
    whom, text = form.arguments
    assert (whom.choices, whom.default) == (("bob", "eve"), "bob")
    assert (text.kind, text.most) == ("text", 12)
    assert set(text.choices) == set("abevotl3- "), "quotes would end the text in a reply"
    schema = json.loads(grammar_for(Purpose.REACT, [form]).schema)
    pattern = schema["anyOf"][0]["properties"]["action"]["pattern"]
    assert re.fullmatch(pattern, "say(whom=eve, text='a bat')")
    assert not re.fullmatch(pattern, "say(whom=eve, text='a cat')")


@pytest.mark.parametrize(
    ("old", "new", "key", "part"),
    [
        ('"Enter", ', "", "actions.say.line", "not among the allowed keys"),
        ('clear_key = "Escape"', 'clear_key = "F1"', "actions.say.clear_key", "not among the allowed keys"),
        ('clear_key = "Escape"', 'clear_key = "Escap"', "actions.say.clear_key", "no key"),
        ("tell $whom $text", "tell $whom $txt", "actions.say", "$txt names no parameter"),
        ("tell $whom $text", "tell $whom", "actions.say.parameters.text", "is never used"),
        ('line = "tell $whom $text"', "wait = true", "actions.say.parameters.text", "is never used"),
        (
            'line = "tell $whom $text"',
            'sequence = ["$whom", "$text"]',
            "actions.say.parameters.text",
            "a text",
        ),
        ('clear_key = "Escape"', 'clear_key = "Escape"\nkeys = ["a"]', "actions.say", "2 ways of acting"),
    ],
)
def test_faults_of_a_line_are_named(typing_folder: Path, old: str, new: str, key: str, part: str) -> None:
    file = typing_folder / "plugin.toml"
    text = file.read_text(encoding="utf-8")
    assert check_game(typing_folder) == []
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    faults = [fault for fault in check_game(typing_folder) if fault.key == key]
    assert faults
    assert any(part in fault.problem for fault in faults), faults
