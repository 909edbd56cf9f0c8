"""A night goes on after crashes; an order, a person or many crashes in a row end it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from pitwall.core.errors import DataFolderError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.steps import RunEvent
from pitwall.core.telemetry import BEGAN_ANEW, EngineState, EventNote, StateChanged
from pitwall_night.digest import figures, how_it_ended, html_of
from pitwall_night.play_run import OwnRestarts
from pitwall_night.record import EventKind, NightEvent, NightFolder, NightOrder, night_of
from pitwall_night.session import NightSession, PlayedRun

_CRASH = PlayedRun(run_id=1, seconds=5.0, steps=9, broke="its program ended with status 7.")
_CLOSED = PlayedRun(run_id=1, seconds=5.0, steps=9, broke="its program ended with status 0.")
_LATE_CRASH = PlayedRun(run_id=1, seconds=90.0, steps=9, broke="It does not react: it is frozen.")
_FINE = PlayedRun(run_id=1, seconds=60.0, steps=90, score=12.0)
_BETTER = PlayedRun(run_id=1, seconds=60.0, steps=90, score=30.0)
_TAKEOVER = PlayedRun(run_id=1, seconds=5.0, steps=9, by_person="You took over.")


def _night(tmp_path: Path, order: NightOrder, runs: Sequence[PlayedRun]) -> tuple[NightFolder, list[float]]:
    """Play scripted runs; return the night and the pauses between its restarts."""
    night = NightFolder.create(DataFolder(tmp_path), order)
    rests = _go_on(night, runs)
    return night, rests


def _go_on(night: NightFolder, runs: Sequence[PlayedRun]) -> list[float]:
    coming: Iterator[PlayedRun] = iter(runs)
    rests: list[float] = []
    session = NightSession(
        night,
        lambda _: next(coming),
        lambda _, out: _write(out),
        lambda _: None,
        rests.append,
    )
    session.run()
    assert next(coming, None) is None, "every run of the script is played"
    return rests


def _write(out: Path) -> None:
    out.write_bytes(b"film")


def _kinds(night: NightFolder) -> list[str]:
    return [event.kind for event in night.events()]


def test_a_crash_is_kept_and_the_game_is_started_again(tmp_path: Path) -> None:
    night, rests = _night(tmp_path, NightOrder(game="g", runs=3), [_CRASH, _FINE, _BETTER])
    assert _kinds(night) == [
        "started",
        "crashed",
        "restarted",
        "played",
        "best",
        "played",
        "best",
        "finished",
    ]
    assert rests == [2.0]
    crash = night.events()[1]
    assert (night.root / crash.evidence).read_bytes() == b"film"
    assert figures(night) | {"best": 30.0, "crashes": 1, "restarts": 1, "runs": 3} == figures(night)


def test_pauses_double_and_many_crashes_in_a_row_end_it(tmp_path: Path) -> None:
    order = NightOrder(game="g", runs=99, failures=4)
    night, rests = _night(tmp_path, order, [_CRASH, _FINE, _CRASH, _CRASH, _CRASH, _CRASH])
    assert rests == [2.0, 2.0, 4.0, 8.0]
    assert _kinds(night)[-1] == "needs-you"


def test_a_crash_after_a_minute_of_play_begins_a_new_row(tmp_path: Path) -> None:
    order = NightOrder(game="g", runs=4, failures=3)
    night, rests = _night(tmp_path, order, [_CRASH, _CRASH, _LATE_CRASH, _CRASH])
    assert rests == [2.0, 4.0, 2.0]
    assert _kinds(night)[-1] == "finished"


@pytest.mark.parametrize(
    ("run", "kind"), [(_TAKEOVER, "person"), (_CLOSED, "closed")], ids=["takeover", "closed on purpose"]
)
def test_what_a_person_did_is_respected(tmp_path: Path, run: PlayedRun, kind: str) -> None:
    night, rests = _night(tmp_path, NightOrder(game="g", runs=9), [_FINE, run])
    assert (_kinds(night)[-1], rests) == (kind, [])


def test_a_closed_game_is_started_again_where_that_was_ordered(tmp_path: Path) -> None:
    night, _ = _night(tmp_path, NightOrder(game="g", runs=2, again_when_closed=True), [_CLOSED, _FINE])
    assert _kinds(night)[-1] == "finished"


def test_it_ends_at_the_score_and_goes_on_where_it_was(tmp_path: Path) -> None:
    night, _ = _night(tmp_path, NightOrder(game="g", score=30, runs=5), [_FINE, _TAKEOVER])
    with (night.root / "events.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"kind": "pla')  # killed while it wrote
    _go_on(night_of(DataFolder(tmp_path), None), [_BETTER])
    assert night.events()[-1].text == "The score 30 was reached."
    assert figures(night)["runs"] == 3


def test_a_clip_that_cannot_be_written_is_said_and_costs_nothing(tmp_path: Path) -> None:
    night = NightFolder.create(DataFolder(tmp_path), NightOrder(game="g", runs=1))

    def no_clip(_: int, __: Path) -> None:
        raise PitwallError("run 1 kept no pictures there.")

    NightSession(night, lambda _: _CRASH, no_clip, lambda _: None, lambda _: None).run()
    crash = night.events()[1]
    assert "No pictures: run 1 kept no pictures there." in crash.text
    assert crash.evidence == ""


def test_a_clip_that_fails_in_a_way_that_nobody_foresaw_costs_nothing_either(tmp_path: Path) -> None:
    night = NightFolder.create(DataFolder(tmp_path), NightOrder(game="g", runs=1))

    def no_clip(_: int, __: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    NightSession(night, lambda _: _CRASH, no_clip, lambda _: None, lambda _: None).run()
    assert "No pictures: the clip failed: Operation not permitted." in night.events()[1].text
    assert _kinds(night)[-1] == "finished"


def test_a_night_that_breaks_off_says_so(tmp_path: Path) -> None:
    def no_run(_: float) -> PlayedRun:
        raise OSError(24, "Too many open files")

    night = NightFolder.create(DataFolder(tmp_path), NightOrder(game="g", runs=2))
    messages: list[NightEvent] = []
    session = NightSession(night, no_run, lambda *_: None, messages.append, lambda _: None)
    with pytest.raises(OSError, match="Too many open files"):
        session.run()
    assert messages == night.events()
    assert (messages[-1].kind, messages[-1].text) == ("needs-you", "The night failed: Too many open files.")


def test_an_event_that_cannot_be_written_is_sent_all_the_same(tmp_path: Path) -> None:
    night = NightFolder.create(DataFolder(tmp_path), NightOrder(game="g", runs=2))
    messages: list[NightEvent] = []

    def play(_: float) -> PlayedRun:
        (night.root / "events.jsonl").rename(night.root / "events")
        (night.root / "events.jsonl").mkdir()  # from now on no event can be written
        return _FINE

    with pytest.raises(DataFolderError):
        NightSession(night, play, lambda *_: None, messages.append, lambda _: None).run()
    assert [message.kind for message in messages] == ["started", "played", "needs-you"]


def test_a_score_that_a_run_reached_before_it_broke_off_ends_the_night(tmp_path: Path) -> None:
    order = NightOrder(game="g", score=30, runs=5)
    night, rests = _night(tmp_path, order, [replace(_CRASH, score=31.0)])
    assert _kinds(night) == ["started", "crashed", "best", "finished"]
    assert rests == []
    last = NightOrder(game="g", score=30, runs=5, failures=2)
    night, _ = _night(tmp_path / "last", last, [_CRASH, replace(_CRASH, score=31.0)])
    assert night.events()[-1].text == "The score 31 was reached.", "it asks for nobody"


def test_the_digest_escapes_what_a_game_says() -> None:
    event = NightEvent(kind="crashed", at_s=1.0, text="<script>", evidence='a".webm')
    page = html_of({**_SUMS, "game": "<b>"}, [event])
    assert "<script>" not in page
    assert "<b>" not in page
    assert 'src="a&quot;.webm"' in page


def test_the_digest_counts_causes_whatever_run_time_and_last_words() -> None:
    texts = (
        "run 3 broke off: the window of G was closed, as its program ended with status 7. Its last words: a",
        "run 17 broke off after 1:02 min and 9 steps: the window of G was closed, as its program ended with "
        "status 7. Its last words: b",
        "run 5 broke off after 18 s and 46 steps: G stands still for 17 s although keys are pressed.",
    )
    page = html_of(_SUMS, [NightEvent(kind="crashed", at_s=1.0, text=text) for text in texts])
    row = '<td class="wide">The window of G was closed, as its program ended with status 7.</td>'
    assert f'<td class="n">2</td>{row}' in page
    assert "G stands still for some time although" in page


_SUMS = {
    "night": 1,
    "game": "g",
    "began_s": 1.0,
    "ended_s": 2.0,
    "state": "finished",
    "runs": 1,
    "steps": 9,
    "played_s": 5.0,
    "best": None,
    "crashes": 1,
    "restarts": 0,
}


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("played", "Played 1 minute.", "played to its end"),
        (
            "crashed",
            "run 3 broke off: the window of Bad was closed, as its program ended with status 7. Its last "
            "words: it is frozen",
            "its program ended with status 7",
        ),
        (
            "crashed",
            "the window of Bad was closed, as its program ended by signal SIGKILL. Its last words: x",
            "its program ended by signal SIGKILL",
        ),
        (
            "crashed",
            "the window of Bad was closed, as its program ended with status 0.",
            "closed: its program ended without an error",
        ),
        (
            "crashed",
            "the window of Bad was closed, and its program runs on. Open it again.",
            "its window vanished; its program ran on",
        ),
        (
            "crashed",
            "Bad shows another window before its own: 'Oops'. Answer it.",
            "an error dialog stood in front of it: 'Oops'",
        ),
        (
            "crashed",
            "Bad stands still for 21 s although keys are pressed. It does not react: it is frozen.",
            "it froze",
        ),
        ("person", "You took over.", "ended by a person: You took over"),
    ],
)
def test_the_digest_says_in_plain_words_how_each_run_ended(kind: EventKind, text: str, words: str) -> None:
    event = NightEvent(kind=kind, at_s=1.0, text=text, run_id=3)
    assert how_it_ended(event) == words
    assert f">{escape(words)}</td>" in html_of(_SUMS, [event])


def test_a_restart_counts_once_however_often_its_state_is_told() -> None:
    restarts = OwnRestarts()
    for cause in ("window_gone", "window_gone", "window_back", "", "window_back", ""):
        restarts.take(StateChanged(state=EngineState.PAUSED, cause=cause))
    assert restarts.count == 1
    for cause in ("window_gone", "window_back"):
        restarts.take(StateChanged(state=EngineState.PAUSED, cause=cause))
    restarts.take(EventNote(at_ns=1, event=RunEvent(at_ns=1, kind="window", text=BEGAN_ANEW)))
    assert restarts.count == 3
