"""What the console says of figures, times and deeds."""

from __future__ import annotations

import pytest

from pitwall.console.inspector.format import LAYER_NAMES
from pitwall.console.kit import format as words
from pitwall.console.state.view_state import Phase
from pitwall.core.actions import InputEvent, Refusal, SentEvent
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer
from pitwall.core.signals import Reason


@pytest.mark.parametrize(
    ("read", "unit", "shown"),
    [
        (None, "px", "?"),
        (True, "", "yes"),
        (False, "", "no"),
        (100, "%", "100 %"),
        (12.34, "px", "12.3 px"),
        (12.0, "px", "12 px"),
        (1234.5, "", "1234"),
        ("menu", "", "menu"),
    ],
)
def test_a_value_carries_its_unit(read: Value, unit: str, shown: str) -> None:
    assert words.value(read, unit) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("model:pitwall-small skill:fly", "pitwall-small, following the skill fly"),
        ("model:pitwall-small", "pitwall-small"),
        ("skill:make a sword", "the skill planner, following the skill make a sword"),
        ("random", "chance"),
        ("standing", "the standing rule (no planner)"),
        ("", "–"),
    ],
)
def test_who_planned_stands_in_words(source: str, shown: str) -> None:
    assert words.planned_by(source) == shown


def test_every_phase_reason_and_refusal_has_words() -> None:
    assert set(words.PHASES) == set(Phase)
    assert set(words.REASONS) == set(Reason)
    assert all(words.refusal(cause) for cause in Refusal)
    signs = [phase.sign for phase in words.PHASES.values()]
    assert all(signs), "colour is never the only sign"


def test_deeds_tell_what_was_sent_from_what_was_refused() -> None:
    down = InputEvent(kind="key_down", key="Space")
    click = InputEvent(kind="mouse_down", button="left", x=3, y=4)
    sent = (
        SentEvent(event=down, sent_ns=5),
        SentEvent(event=click, sent_ns=None, refused=Refusal.FOCUS),
        SentEvent(event=click, sent_ns=None, refused=Refusal.FOCUS),
    )
    assert words.sent_text(sent) == ("Space down", "focus on another window")
    assert words.sent_text(()) == ("", "")


def test_every_layer_of_a_prompt_has_a_name() -> None:
    assert {layer.value for layer in Layer} <= set(LAYER_NAMES)
