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
    ("number", "shown"),
    [
        (None, "–"),
        (0.02, "<0.1 ms"),
        (0.0, "0.0 ms"),
        (0.64, "0.6 ms"),
        (12.0, "12.0 ms"),
        (1234.0, "1,234 ms"),
    ],
)
def test_a_figure_carries_its_unit(number: float | None, shown: str) -> None:
    assert words.figure(number, "ms") == shown


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


def test_times() -> None:
    assert words.clock(7.9) == "0:07"
    assert words.clock(761.2) == "12:41"
    assert words.clock(3723) == "1:02:03"
    assert words.clock_tenths(761.26) == "12:41.2"
    assert words.ago(0.31) == "0.3 s ago"
    assert words.ago(-0.2) == "0.0 s ago"
    assert words.ago(42) == "42 s ago"
    assert words.ago(240) == "4 min ago"


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
