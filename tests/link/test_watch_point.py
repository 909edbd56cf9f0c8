"""Another program of the same user sees a play, pauses and stops it, and cannot hold it up."""

from __future__ import annotations

import contextlib
import socket
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.core import telemetry
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection, GameStatus, Reading
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Signals, Thresholds
from pitwall.core.telemetry import EngineState
from pitwall.link.watch_point import Ask, WatchPoint, look

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no sockets that are files")

GAME = telemetry.GameOpened(
    game_id="g",
    name="Game",
    role="player",
    actions=("up",),
    fields={"score": ""},
    modules=(),
    thresholds=Thresholds(),
    planner="skills",
    score_field="score",
)


def note(frame_id: int, score: float | None, change: float = 0.1) -> telemetry.FrameNote:
    return telemetry.FrameNote(
        frame_id=frame_id,
        captured_ns=1,
        status=GameStatus.PLAYING,
        readings=(Reading(name="score", value=score),),
        signals=Signals(change=change),
        route=None,
        badge="",
        last_action="up",
        held=(),
        interval_ms=1.0,
        age_ms=1.0,
        loop_ms=1.0,
    )


@pytest.fixture
def stops() -> list[str]:
    return []


@pytest.fixture
def deep(tmp_path: Path) -> DataFolder:
    """Return a data folder whose path is longer than a socket's may be."""
    return DataFolder(tmp_path / ("deep" * 30))


@pytest.fixture
def point(deep: DataFolder, stops: list[str]) -> Iterator[WatchPoint]:
    point = WatchPoint(deep, "1.sock", lambda: stops.append("stop"))
    yield point
    point.close()


def test_a_watcher_sees_the_newest_records(point: WatchPoint, deep: DataFolder) -> None:
    for record in (
        GAME,
        telemetry.StateChanged(state=EngineState.PLAYING),
        telemetry.RingOpened(name="ring"),
        note(1, 7.0),
        note(2, 3.0, change=float("nan")),
    ):
        point.note(record)
    seen = look(deep)
    assert seen is not None and seen.game == GAME and seen.ring == "ring" and seen.best == 7.0
    assert seen.note is not None and seen.note.frame_id == 2 and seen.note.signals.change != 0.1
    assert len(seen.signals) == 1, "the strip has four points a second at most"


def test_pause_and_stop_reach_the_play(point: WatchPoint, deep: DataFolder, stops: list[str]) -> None:
    look(deep)
    assert not point.pause_requested() and stops == []
    look(deep, Ask(do="pause"))
    assert point.pause_requested() and not point.pause_requested()
    look(deep, Ask(do="stop"))
    assert stops == ["stop"]


@pytest.mark.parametrize("sent", [b"", b"\xff\x00\n", b'{"do": "quit"}\n', b"x" * 3_000_000], ids=len)
def test_a_client_that_sends_nothing_or_nonsense_holds_nobody_up(
    point: WatchPoint, deep: DataFolder, stops: list[str], sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(deep.root / "watch")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("1.sock")
        with contextlib.suppress(OSError):
            client.sendall(sent)
        assert look(deep) is not None
    assert not point.pause_requested() and stops == []


def test_nobody_else_may_look_and_a_dead_play_leaves_nothing(point: WatchPoint, deep: DataFolder) -> None:
    file = deep.root / "watch" / "1.sock"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    point.close()
    assert not file.exists() and look(deep) is None
    with socket.socket(socket.AF_UNIX) as killed, pytest.MonkeyPatch.context() as patch:
        patch.chdir(file.parent)
        killed.bind("2.sock")
    assert look(deep) is None and not (file.parent / "2.sock").exists()


def test_a_game_with_much_to_read_is_seen_after_a_minute(
    point: WatchPoint, deep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.link.watch_point._POINT_S", 0.0)
    box = Rect(x=1, y=1, width=9, height=9)
    readings = tuple(Reading(name=f"card {number}", value="a sentence about it") for number in range(60))
    things = [Detection(detector="d", label=f"thing {at}", box=box, confidence=0.9) for at in range(20)]
    for frame_id in range(1, 301):
        point.note(replace(note(frame_id, 1.0), readings=readings, detections=tuple(things)))
    seen = look(deep)
    assert seen is not None and seen.note is not None and seen.note.readings == readings
    assert len(seen.signals) == 240


@pytest.mark.usefixtures("point")
def test_a_stop_whose_answer_does_not_come_stops_no_other_play(
    deep: DataFolder, stops: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WatchPoint, "_seen", lambda _: 1 / 0)
    others: list[str] = []
    other = WatchPoint(deep, "2.sock", lambda: others.append("stop"))
    assert look(deep, Ask(do="stop")) is None
    other.close()
    assert len(stops + others) == 1


@pytest.mark.usefixtures("point")
def test_an_answer_that_fails_costs_that_watcher_alone(
    deep: DataFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(_: WatchPoint) -> None:
        raise RuntimeError("nobody foresaw this")

    with monkeypatch.context() as broken:
        broken.setattr(WatchPoint, "_seen", break_down)
        assert look(deep) is None
    assert "nobody foresaw this" in caplog.text
    assert look(deep) is not None
