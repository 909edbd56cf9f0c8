"""The newest retrievals of a run: kept by step, bounded, gone with the run. No Qt."""

from __future__ import annotations

from tests.console.scripted_session import began

from pitwall.console.state.histories import MOST_RETRIEVALS, Retrievals
from pitwall.console.state.view_state import Part, ViewState
from pitwall.core.retrieval import Retrieval
from pitwall.core.telemetry import Retrieved

T0 = 1_000_000_000


def asked(step: int, query: str = "hall") -> Retrieved:
    return Retrieved(retrieval=Retrieval(step=step, query=query))


def newest_step(kept: Retrievals) -> int | None:
    return kept.newest.retrieval.step if kept.newest is not None else None


def test_the_newest_are_kept_and_the_oldest_are_named_as_forgotten() -> None:
    kept = Retrievals()
    for step in range(1, MOST_RETRIEVALS + 4):
        kept.add(asked(step))
    assert len(kept) == MOST_RETRIEVALS
    assert kept.steps()[0] == 4
    assert kept.forgotten_step == 3
    assert kept.of_step(3) is None
    assert newest_step(kept) == MOST_RETRIEVALS + 3


def test_a_step_that_is_asked_for_anew_has_its_last_answer() -> None:
    kept = Retrievals()
    for record in (asked(1), asked(2), asked(1, "door")):
        kept.add(record)
    newest_record = kept.of_step(1)
    assert newest_record is not None and newest_record.retrieval.query == "door"
    assert kept.newest is newest_record
    assert len(kept) == 2


def test_the_view_state_takes_them_and_a_new_run_begins_without() -> None:
    view = ViewState()
    assert view.apply(asked(7), T0) == Part.MEMORY
    assert newest_step(view.retrievals) == 7
    assert Part.MEMORY in view.apply(began(T0), T0)
    assert newest_step(view.retrievals) is None
    assert view.retrievals.steps() == ()
