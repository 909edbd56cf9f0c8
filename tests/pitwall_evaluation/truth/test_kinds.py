"""Truth that is put together: from a growing log in any state it may be met in, and from readings."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus, Value
from pitwall_evaluation.truth.fields import FieldsTruth
from pitwall_evaluation.truth.state import TruthReader, score, value_at
from pitwall_evaluation.truth.tail import Tail, TailTruth
from pitwall_evaluation.truth.values import state_from_values, value_of

PATTERNS = {
    "metrics.score": r"score[ =](-?\d+(?:\.\d+)?)",
    "status": r"state (\w+)",
    "terminal.is_terminal": r"(game over)|new game",
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "game.log"


def test_the_newest_line_that_matches_counts(log: Path) -> None:
    truth = TailTruth("g", log, PATTERNS)
    assert truth.read() is None
    assert truth.complaint() == f"there is no {log}."
    log.write_text("welcome\n", encoding="utf-8")
    assert truth.read() is None
    assert "no line of" in truth.complaint()
    with log.open("a", encoding="utf-8") as file:
        file.write("score=3\nscore=5 lives=2\n")
        file.flush()
        state = truth.read()
        assert state is not None
        assert (score(state, "metrics.score"), state.status) == (5, GameStatus.PLAYING)
        assert truth.complaint() == ""
        file.write("game over\nscore=1")
        file.flush()
        state = truth.read()
        assert state is not None
        assert state.terminal.is_terminal
        assert score(state, "metrics.score") == 5, "a line counts once it has ended"
        file.write("2\nnew game\nstate menu\n")
    state = truth.read()
    assert state is not None
    assert (score(state, "metrics.score"), state.terminal.is_terminal) == (12, False)
    assert state.status is GameStatus.MENU
    truth.close()


def test_what_an_earlier_play_wrote_is_passed_over(log: Path) -> None:
    log.write_text("score=99\n", encoding="utf-8")
    truth = TailTruth("g", log, PATTERNS)
    assert truth.read() is None
    with log.open("a", encoding="utf-8") as file:
        file.write("score=1\n")
    state = truth.read()
    assert state is not None
    assert score(state, "metrics.score") == 1
    truth.close()


def test_a_rotated_log_is_read_to_its_end_and_the_new_one_from_its_beginning(log: Path) -> None:
    tail = Tail(log)
    log.write_text("one\n", encoding="utf-8")
    assert tail.lines() == ["one"]
    with log.open("a", encoding="utf-8") as file:
        file.write("two\nlast words")
    log.rename(log.with_suffix(".1"))
    log.write_text("three\n", encoding="utf-8")
    assert tail.lines() == ["two", "last words", "three"]
    log.write_text("4\n", encoding="utf-8")  # cut: the same file, shorter
    assert tail.lines() == ["4"]
    if sys.platform != "win32":  # there the name is free once nobody reads the file any more
        log.unlink()
        assert tail.lines() == []
        log.write_text("five\n", encoding="utf-8")
        assert tail.lines() == ["five"]
    tail.close()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_logs_encoding_is_known_by_its_mark(log: Path, encoding: str) -> None:
    tail = Tail(log)
    data = "größe 1\r\nscore=7\n".encode(encoding)
    with log.open("wb") as file:
        seen: list[str] = []
        for byte in data:
            file.write(bytes([byte]))
            file.flush()
            seen += tail.lines()
    assert seen == ["größe 1", "score=7"]
    tail.close()


def test_bytes_that_are_no_text_lose_no_line(log: Path) -> None:
    tail = Tail(log)
    log.write_bytes(b"\xff\xfe\xfdx\n"[2:] + b"\x1b[31mscore=3\x1b[0m\rscore=4\n")
    assert tail.lines()[1:] == ["score=3", "score=4"]
    tail.close()


@settings(deadline=None)
@given(data=st.text(alphabet="ab\n\r ", max_size=40), cuts=st.lists(st.integers(0, 40), max_size=5))
def test_how_a_log_is_cut_into_pieces_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: str, cuts: list[int]
) -> None:
    log = tmp_path_factory.mktemp("log") / "game.log"
    tail, seen = Tail(log), list[str]()
    whole = data + "\n"
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    with log.open("wb") as file:
        for start, end in pairwise(places):
            file.write(whole[start:end].encode())
            file.flush()
            seen += tail.lines()
    assert seen == [line for line in whole.replace("\r", "\n").split("\n") if line]
    tail.close()


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-2.5", -2.5), ("True", True), ("1e3", 1000.0), ("nan", "nan"), (" left ", "left"), ("", "")],
)
def test_a_text_that_is_a_number_is_one(text: str, value: Value) -> None:
    assert value_of(text) == value
    assert type(value_of(text)) is type(value)


def test_a_status_that_there_is_not_is_told_with_the_nearest(log: Path) -> None:
    with pytest.raises(PitwallError, match="Did you mean 'playing'"):
        state_from_values("g", {"status": "plying"})
    truth = TailTruth("g", log, PATTERNS)
    log.write_text("state plying\n", encoding="utf-8")
    assert truth.read() is None
    assert "plying" in truth.complaint()
    truth.close()


def test_a_folder_in_place_of_the_log_is_told(tmp_path: Path) -> None:
    truth = TailTruth("g", tmp_path, PATTERNS)
    assert truth.read() is None
    assert "no regular file" in truth.complaint()


def test_why_a_state_file_gives_none(tmp_path: Path) -> None:
    reader = TruthReader(tmp_path / "truth.json")
    assert reader.read() is None
    assert "wrote no true state" in reader.complaint()
    whole = '{"gameId": "g", "timestampMs": 1, "gameTimeMs": 1, "status": "plying"}'
    for text, message in (
        (whole, "Did you mean 'playing'?"),
        (whole.replace('"gameTimeMs": 1, ', ""), "no 'gameTimeMs'"),
        (whole[:20], "is no JSON"),
    ):
        (tmp_path / "truth.json").write_text(text, encoding="utf-8")
        assert reader.read() is None
        assert message in reader.complaint()


# ---- read from the pixels


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        self.now_s += 0.1
        return self.now_s


@settings(deadline=None)
@given(readings=st.lists(st.one_of(st.none(), st.integers(0, 999)), min_size=2, max_size=20))
def test_one_misread_number_never_counts(readings: list[int | None]) -> None:
    truth = FieldsTruth("g", {"metrics.health": "health"}, clock=lambda: 0.0)
    best = None
    for value in readings:
        truth.hear(GameStatus.PLAYING, {"health": value})
        state = truth.read()
        assert state is not None
        if "health" in state.metrics:
            now = score(state, "metrics.health")
            best = now if best is None else max(best, now)
    pairs = [min(a, b) for a, b in pairwise(readings) if a is not None and b is not None]
    assert best == (max(pairs) if pairs else None)


def test_a_reading_that_stands_counts_by_itself() -> None:
    clock = Clock()
    truth = FieldsTruth("g", {"metrics.mode": "mode", "metrics.health": "health"}, clock=clock)
    assert truth.read() is None
    truth.hear(GameStatus.PLAYING, {"mode": "walk", "health": None})
    state = truth.read()
    assert state is not None
    assert state.metrics == {}
    assert "never read mode, health" in truth.complaint()
    clock.now_s += 0.3
    state = truth.read()
    assert state is not None
    assert value_at(state, "metrics.mode") == "walk"
    for status in (GameStatus.PLAYING, GameStatus.TERMINAL):
        truth.hear(GameStatus.TERMINAL, {"mode": None, "health": 5})
        state = truth.read()
        assert state is not None
        assert value_at(state, "metrics.mode") == "walk", "what is not read now keeps its value"
        assert state.status is status, "one frame alone ends no game"
