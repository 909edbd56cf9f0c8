"""Nothing of a former game or run stays in the view state: it equals a state that never saw it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from tests.console.former_game import everything, other_game
from tests.console.scripted_play import TAUGHT
from tests.console.scripted_session import STATE, began, ended, opened, state

from pitwall.console.state.view_state import ViewState

T0 = 5_000_000_000
_COUNTERS = {"_begun", "_now", "_events_seen", "_reducers", "faults", "latest_ns", "saved_ns"}
_OF_THE_GAME = {
    "engine",
    "game",
    "modules",
    "window",
    "note",
    "thresholds",
    "mind",
    "trust",
    "memory",
    "probes",
}


def _contents(value: Any) -> Any:
    """Return plain values that can be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _contents(entry) for key, entry in value.items()}
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, Sequence | deque):
        return [_contents(entry) for entry in value]
    if hasattr(value, "__dict__"):
        return {name: _contents(entry) for name, entry in vars(value).items()}
    return value


def _kept(view: ViewState, but: set[str]) -> dict[str, Any]:
    return {name: _contents(value) for name, value in vars(view).items() if name not in _COUNTERS | but}


def _told(view: ViewState, *records: Any) -> ViewState:
    for record in records:
        view.apply(record, T0)
    return view


def test_another_game_keeps_nothing_of_the_former() -> None:
    former = _told(ViewState(), *everything(T0))
    assert former.shadow.note is not None and former.taught is not None and former.retrieval is not None
    for view in (former, fresh := ViewState()):
        view.opening("snake")
        _told(view, other_game(), state(STATE.READY))
    assert _kept(former, set()) == _kept(fresh, set())


def test_another_run_keeps_nothing_of_the_former() -> None:
    former = _told(ViewState(), *everything(T0), ended(), state(STATE.READY))
    fresh = _told(ViewState(), opened(), state(STATE.READY))
    for view in (former, fresh):
        _told(view, began(T0, run_id=129), state(STATE.PLAYING))
    assert _kept(former, _OF_THE_GAME) == _kept(fresh, _OF_THE_GAME)
    assert former.live_run == 129


def test_a_recording_without_a_run_keeps_nothing_of_the_run_before() -> None:
    former = _told(ViewState(), *everything(T0), ended(), state(STATE.READY))
    before = former.subject
    assert before.run_id == 128
    recording = replace(TAUGHT, demonstration="20261124-080000-flappy")
    _told(former, recording, state(STATE.PLAYING, text="You play, and it is recorded."))
    assert former.taught == recording
    assert former.run is None and former.ended is None and not former.steps
    assert former.subject == replace(before, begun=before.begun + 1, run_id=0)


def test_a_pause_keeps_the_run() -> None:
    view = _told(ViewState(), *everything(T0))
    subject, steps = view.subject, list(view.steps)
    _told(view, state(STATE.PAUSED), state(STATE.PLAYING), state(STATE.WAITING), state(STATE.PLAYING))
    assert view.subject == subject
    assert list(view.steps) == steps


def test_a_run_is_live_from_its_beginning_until_it_ends_or_the_engine_is_lost() -> None:
    view = _told(ViewState(), opened(), state(STATE.READY))
    live = [view.live_run]
    live.append(_told(view, began(T0), state(STATE.PLAYING)).live_run)
    view.lost("gone", "restart", "")
    assert [*live, view.live_run] == [None, 128, None]
