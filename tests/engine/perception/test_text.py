"""Text fields through the real host process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.perception.text import TextReader, text_value
from pitwall.games.schema.fields import TextField
from pitwall.games.schema.profile import Profile
from pitwall.gsm.number_course import NumberCourses
from pitwall.models.host_requests import HostFault
from workshop.fixtures.processes import kill

LONG_S = 60.0
SCORE_BOX = (10, 10, 240, 50)
Make = Callable[..., Profile]
MakeFrame = Callable[..., Frame]


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostLink]:
    link = HostLink(tmp_path_factory.mktemp("logs"))
    yield link
    link.close()


def _screen(score: str, message: str = "", scale: int = 1) -> Pixels:
    """A score in a box and a message below it, BGRX."""
    pixels = np.zeros((200 * scale, 400 * scale, 4), np.uint8)
    pixels[..., :3] = (70, 30, 10)
    for text, x, y in ((score, 20, 45), (message, 20, 140)):
        place = (x * scale, y * scale)
        cv2.putText(pixels, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), 2 * scale)
    return pixels


def _text(name: str, box: tuple[int, int, int, int] | None = SCORE_BOX, **more: Any) -> dict[str, Any]:
    return {"kind": "text", "name": name, "box": box, **more}


def _read_until(
    reader: TextReader, frame: Frame, done: Callable[[dict[str, Reading]], bool]
) -> dict[str, Reading]:
    """Turn the loop on a standing frame until the readings are as wanted."""
    deadline = time.monotonic() + LONG_S
    while True:
        reader.pump(frame, now_ns())
        readings = reader.readings(now_ns())
        if done(readings):
            return readings
        assert time.monotonic() < deadline, readings
        time.sleep(0.01)


def _all_read(readings: dict[str, Reading]) -> bool:
    return all(reading.confidence > 0 for reading in readings.values())


def test_fields_are_read_without_waiting(link: HostLink, make_profile: Make, make_frame: MakeFrame) -> None:
    fields = [
        _text("whole"),
        _text("score", pattern=r"Score: (\d+)", number=True, unit="points"),
        _text("message", (10, 100, 380, 60)),
    ]
    reader = TextReader(make_profile(400, 200, *fields), link, every_ms=50)
    frame = make_frame(_screen("Score: 1234", "OPEN THE DOOR"), captured_ns=now_ns())
    reader.pump(frame, now_ns())
    first = reader.readings(now_ns())
    assert [(reading.value, reading.confidence) for reading in first.values()] == [(None, 0.0)] * 3
    readings = _read_until(reader, frame, _all_read)
    assert {name: reading.value for name, reading in readings.items()} == {
        "whole": "Score: 1234",
        "score": 1234,
        "message": "OPEN THE DOOR",
    }
    assert readings["score"].unit == "points"
    assert readings["score"].age_ms > 0
    assert readings["score"].box == Rect(*SCORE_BOX)
    place = readings["message"].found
    assert place is not None and place.contains(60, 130) and place.y > 100
    assert reader.faults() == []


def test_boxes_follow_the_windows_size(link: HostLink, make_profile: Make, make_frame: MakeFrame) -> None:
    reader = TextReader(make_profile(400, 200, _text("score", number=True)), link, every_ms=50)
    frame = make_frame(_screen("Score: 77", scale=2))
    reading = _read_until(reader, frame, _all_read)["score"]
    assert (reading.value, reading.box) == (77, Rect(20, 20, 480, 100))


def test_a_large_box_is_sent_smaller(link: HostLink, make_profile: Make, make_frame: MakeFrame) -> None:
    reader = TextReader(
        make_profile(400, 200, _text("all", None, pattern="Score: [0-9]+")), link, every_ms=50
    )
    reading = _read_until(reader, make_frame(_screen("Score: 52", scale=6)), _all_read)["all"]
    assert reading.value == "Score: 52"
    assert reading.found is not None and reading.found.contains(60 * 6, 40 * 6)


def test_a_change_is_seen_on_a_screen_that_stands_still_afterwards(
    link: HostLink, make_profile: Make, make_frame: MakeFrame
) -> None:
    reader = TextReader(make_profile(400, 200, _text("score", number=True)), link, every_ms=300)
    first = make_frame(_screen("Score: 1"))
    _read_until(reader, first, _all_read)
    second = make_frame(_screen("Score: 2"))
    _read_until(reader, second, lambda readings: readings["score"].value == 2)


def test_a_score_that_is_misread_for_a_while_stays_without_a_value(
    link: HostLink, make_profile: Make, make_frame: MakeFrame
) -> None:
    profile = make_profile(400, 200, _text("score", number=True))
    scores = NumberCourses(profile)
    reader = TextReader(profile, link, every_ms=20, scores=scores)
    _read_until(reader, make_frame(_screen("Score: 27")), lambda readings: readings["score"].value == 27)
    wrong = make_frame(_screen("Score: 271"))
    _read_until(reader, wrong, lambda readings: readings["score"].value is None)
    again = make_frame(_screen("Score: 27"))
    seen = []

    def is_back(readings: dict[str, Reading]) -> bool:
        seen.append(readings["score"].value)
        return seen[-1] is not None

    _read_until(reader, again, is_back)
    assert set(seen) == {None, 27}


def test_a_crop_that_did_not_change_is_not_asked_again_and_stays_fresh(
    link: HostLink, make_profile: Make, make_frame: MakeFrame
) -> None:
    asked: list[int] = []

    class Counting:
        """The link itself, counting what is asked of it."""

        generation = property(lambda _: link.generation)
        fileno, pump, faults = link.fileno, link.pump, link.faults

        def send(self, request: Any, blob: bytes = b"") -> bool:
            asked.append(request.request_id)
            return link.send(request, blob)

    reader = TextReader(make_profile(400, 200, _text("score", number=True)), Counting(), every_ms=50)
    pixels = _screen("Score: 8")
    _read_until(reader, make_frame(pixels, captured_ns=1), _all_read)
    later = make_frame(pixels, captured_ns=now_ns())
    for turn in range(1, 6):
        reader.pump(later, now_ns() + turn * 50 * NS_PER_MS)
    assert len(asked) == 1
    assert reader.readings(later.captured_ns)["score"].age_ms == 0.0


def test_one_request_at_a_time_and_no_faster_than_its_cadence(
    make_profile: Make, make_frame: MakeFrame
) -> None:
    sent: list[int] = []

    class Silent:
        """A link whose host never answers."""

        generation = 1

        def fileno(self) -> int | None:
            return 0

        def send(self, request: Any, blob: bytes = b"") -> bool:
            assert len(blob) == request.width * request.height * 3
            sent.append(request.request_id)
            return True

        def pump(self) -> list[Any]:
            return []

        def faults(self) -> list[PitwallError]:
            return []

    reader = TextReader(make_profile(400, 200, _text("score")), Silent(), every_ms=500)
    for at_ms in range(0, 20_000, 100):
        reader.pump(make_frame(_screen(str(at_ms))), at_ms * NS_PER_MS)
    assert len(sent) == 1
    reader.pump(make_frame(_screen("late")), 20_000 * NS_PER_MS)
    assert len(sent) == 2, "what is never answered is asked again at last"


@pytest.mark.parametrize(
    ("more", "shown", "value"),
    [
        ({"number": True}, "HP 37/100", 37),
        ({"pattern": r"(\d+)/(\d+)", "number": True}, "HP 37/100", 37),
        ({"pattern": r"/(\d+)", "number": True}, "HP 37/100", 100),
        ({"number": True}, "1,234,500", 1234500),
        ({"number": True}, "x 2.5", 2.5),
        ({"number": True}, "-12 C", -12),
        ({"number": True}, "GAME OVER", None),
        ({"pattern": "Score"}, "GAME OVER", None),
        ({"pattern": "GAME (OVER|WON)"}, "GAME OVER", "OVER"),
    ],
)
def test_values(
    link: HostLink, make_profile: Make, make_frame: MakeFrame, more: dict[str, Any], shown: str, value: Value
) -> None:
    fields = [_text("whole", (0, 0, 400, 60)), _text("value", (0, 0, 400, 60), **more)]
    reader = TextReader(make_profile(400, 200, *fields), link, every_ms=20)
    frame = make_frame(_screen(shown))

    def both_answered(readings: dict[str, Reading]) -> bool:
        return readings["whole"].confidence > 0 and (
            readings["value"].confidence > 0 or (value is None and readings["value"].found is not None)
        )

    readings = _read_until(reader, frame, both_answered)
    assert readings["whole"].value == shown
    assert readings["value"].value == value


@pytest.mark.parametrize(
    ("text", "number"), [("2 0 15", 2015), ("1 1 4 6", 1146), ("12 / 30", 12), ("Wave 3\n17", 3)]
)
def test_widely_set_digits_are_one_number(text: str, number: int) -> None:
    field = TextField.model_validate(_text("score", number=True))
    assert text_value(field, text) == number


def test_no_text_is_an_empty_text_but_no_number(
    link: HostLink, make_profile: Make, make_frame: MakeFrame
) -> None:
    reader = TextReader(make_profile(400, 200, _text("line")), link, every_ms=20)
    assert _read_until(reader, make_frame(_screen("")), _all_read)["line"].value == ""


def test_a_failed_reading_is_told_once_and_then_left_alone_for_a_while(
    make_profile: Make, make_frame: MakeFrame
) -> None:
    sent: list[int] = []

    class Failing:
        """A link whose host answers every request with a fault."""

        generation = 1

        def fileno(self) -> int | None:
            return 0

        def send(self, request: Any, blob: bytes = b"") -> bool:
            assert blob
            sent.append(request.request_id)
            return True

        def pump(self) -> list[Any]:
            return [
                HostFault(request_id=each, what="text recognition is not installed.") for each in sent[-1:]
            ]

        def faults(self) -> list[PitwallError]:
            return []

    reader = TextReader(make_profile(400, 200, _text("score")), Failing(), every_ms=500)
    for at_ms in range(0, 10_500, 100):
        reader.pump(make_frame(_screen(str(at_ms))), at_ms * NS_PER_MS)
    assert len(sent) == 1
    assert [fault.what for fault in reader.faults()] == ["field score: text recognition is not installed."]
    assert reader.readings(0)["score"].value is None
    reader.pump(make_frame(_screen("later")), 10_500 * NS_PER_MS)
    reader.pump(None, 10_600 * NS_PER_MS)
    assert len(sent) == 2
    assert reader.faults() == []


def test_a_pattern_that_is_none(link: HostLink, make_profile: Make) -> None:
    with pytest.raises(PitwallError, match=r"fields\.score\.pattern"):
        TextReader(make_profile(400, 200, _text("score", pattern="(")), link, every_ms=50)


def test_while_the_host_is_dead_text_reads_none_and_then_comes_back(
    make_profile: Make, make_frame: MakeFrame, tmp_path: Path
) -> None:
    link = HostLink(tmp_path)
    try:
        reader = TextReader(make_profile(400, 200, _text("score", number=True)), link, every_ms=20)
        frame = make_frame(_screen("Score: 5"))
        _read_until(reader, frame, _all_read)
        assert link.pid is not None
        kill(link.pid)
        readings = _read_until(reader, frame, lambda readings: readings["score"].value is None)
        assert readings["score"].confidence == 0.0
        (fault,) = reader.faults()
        assert "host" in fault.what
        assert _read_until(reader, frame, _all_read)["score"].value == 5
        assert reader.faults() == []
    finally:
        link.close()
