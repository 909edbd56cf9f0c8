"""What the overlay says, case by case."""

from __future__ import annotations

import pytest
from tests.plain_records import step_record

from pitwall.console.shell.overlay_state import OverlayState, Pill, Tone
from pitwall.core.actions import InputEvent, Refusal, SemanticAction, SentEvent
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.signals import Reason, Route
from pitwall.core.telemetry import EngineState, Hello, OverlayToggled, StateChanged, StepNote, WindowSeen

_WINDOW = WindowRef(native_id=7, pid=8, title="a game", wm_class="", rect=Rect(10, 20, 300, 200))


def _step(*sent: SentEvent) -> StepNote:
    return StepNote(
        run_id=1,
        step=step_record(
            1,
            at_ns=0,
            route=Route.STRATEGIC,
            reasons=(Reason.SCENE,),
            action=SemanticAction(name="turn_left"),
            sent=sent,
        ),
    )


def _down(key: str, refused: Refusal | None = None) -> SentEvent:
    return SentEvent(
        event=InputEvent(kind="key_down", key=key), sent_ns=None if refused else 1, refused=refused
    )


@pytest.mark.parametrize("state", list(EngineState))
def test_it_shows_while_a_run_is_on(state: EngineState) -> None:
    seen = OverlayState().after(WindowSeen(window=_WINDOW, health=WindowHealth.VISIBLE))
    running = {EngineState.PLAYING, EngineState.WAITING, EngineState.PAUSED, EngineState.LATCHED}
    assert seen.after(StateChanged(state=state)).shown == (state in running)


@pytest.mark.parametrize("health", [WindowHealth.MINIMISED, WindowHealth.GONE])
def test_it_hides_with_the_game(health: WindowHealth) -> None:
    playing = OverlayState().after(StateChanged(state=EngineState.PLAYING))
    playing = playing.after(WindowSeen(window=_WINDOW, health=WindowHealth.VISIBLE))
    assert playing.shown
    assert not playing.after(WindowSeen(window=_WINDOW, health=health)).shown
    assert not playing.after(WindowSeen(window=None, health=WindowHealth.GONE)).shown


def test_caps_are_the_keys_truly_sent() -> None:
    state = OverlayState(engine=EngineState.PLAYING, route=Route.STRATEGIC).after(
        _step(_down("ArrowLeft"), _down("w"), _down("Control", Refusal.FOCUS))
    )
    assert state.pills() == (
        Pill("strategic", Tone.STRATEGIC),
        Pill("turn_left", Tone.PLAIN),
        Pill("ArrowLeft", Tone.KEY),
        Pill("w", Tone.KEY),
    )


def test_stopped_paused_and_taken_over_say_so_in_words() -> None:
    def first(state: EngineState, cause: str = "") -> Pill:
        return OverlayState().after(StateChanged(state=state, cause=cause, text="because")).pills()[0]

    assert first(EngineState.LATCHED) == Pill("stopped", Tone.STOP)
    assert first(EngineState.PAUSED) == Pill("paused", Tone.PAUSE)
    assert first(EngineState.PAUSED, "takeover") == Pill("you drive", Tone.HUMAN)


def test_what_does_not_concern_it_changes_nothing() -> None:
    state = OverlayState()
    assert state.after(Hello(pid=1, version="0")) is state
    assert state.after(OverlayToggled()).after(OverlayToggled()) == state


def test_a_person_is_named_once() -> None:
    playing = OverlayState(engine=EngineState.PLAYING, route=Route.PERSON, badge="person")
    assert [pill.text for pill in playing.pills()] == ["person"]
