"""Detectors by model, through the real host process: late boxes, cadence, faults, and what they cost."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.paths import DataFolder
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.perception.detection.detectors import Detectors, ModelAccess
from pitwall.engine.perception.detection.model_detector import DetectorModels
from pitwall.engine.perception.reader import StateReader
from pitwall.games.schema.profile import Game, Profile
from pitwall.models.host_requests import Detect, HostReply, HostRequest
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.processes import freeze, kill, resume
from workshop.fixtures.tiny_detectors import LABELS, tiny_detector

LONG_S = 60.0
WIDTH, HEIGHT = 640, 480
Make = Callable[..., Profile]
Canvas = Callable[..., Pixels]
RED, BLUE = (255, 0, 0), (0, 0, 255)
ONNX: dict[str, Any] = {
    "name": "eyes",
    "kind": "onnx",
    "model": "eyes.onnx",
    "labels": list(LABELS),
    "confidence": 0.85,
}


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostLink]:
    link = HostLink(tmp_path_factory.mktemp("logs"), back_off_ms=50)
    yield link
    link.close()


class _Watched:
    """A link that counts what goes through."""

    def __init__(self, link: HostLink) -> None:
        self._box = link.mailbox()
        self.sent: list[Detect] = []

    @property
    def generation(self) -> int:
        return self._box.generation

    def fileno(self) -> int | None:
        return self._box.fileno()

    def pump(self) -> list[HostReply]:
        return self._box.pump()

    def send(self, request: HostRequest, blob: bytes = b"") -> bool:
        assert isinstance(request, Detect) and len(blob) == request.width * request.height * 3
        accepted = self._box.send(request, blob)
        if accepted:
            self.sent.append(request)
        return accepted


class Rig:
    """Detectors and reader of one profile, turned as the loop turns them."""

    def __init__(self, make_profile: Make, folder: Path, link: HostLink, **changes: Any) -> None:
        fields = [
            {"kind": "detected", "name": name, "detector": "eyes", "value": value, "label": label}
            for name, value, label in (("x", "x", "red"), ("count", "count", ""), ("seen", "seen", "blue"))
        ]
        profile = make_profile(WIDTH, HEIGHT, *fields, detectors=[ONNX | changes])
        game = Game(profile=profile, folder=folder, profile_hash="", trusted=True, source="path")
        self.data = DataFolder(folder / "data")
        self.link = link
        models = DetectorModels(game, self.data)
        self.watched = _Watched(link)
        self.detectors = Detectors(
            profile.detectors, folder, profile.screen, ModelAccess(self.watched, models.resolve)
        )
        self.reader = StateReader(profile, folder, None, self.detectors)
        self.frame: Frame | None = None
        self.faults: list[PitwallError] = []
        self._number = 0

    @property
    def sent(self) -> list[Detect]:
        """What the host was asked."""
        return self.watched.sent

    def asked_times(self, times: int) -> bool:
        return len(self.sent) == times

    def show(self, pixels: Pixels) -> dict[str, Any]:
        """A new frame, perceived as it comes; its values."""
        self._number += 1
        height, width = pixels.shape[:2]
        self.frame = Frame(
            frame_id=self._number,
            captured_ns=now_ns(),
            ready_ns=now_ns(),
            pixels=pixels,
            window=Rect(0, 0, width, height),
        )
        self.detectors.pump(self.frame, now_ns())
        return self.values()

    def values(self) -> dict[str, Any]:
        assert self.frame is not None
        return {name: reading.value for name, reading in self.reader.read(self.frame, None).items()}

    def late(self, *, until: Callable[[], bool] | None = None) -> dict[str, Any]:
        """The values once boxes came for a standing screen, or once something holds."""
        deadline = time.monotonic() + LONG_S
        while True:
            filenos = [] if (fileno := self.link.fileno()) is None else [fileno]
            writers = filenos if self.link.wants_write else []
            if filenos:
                select.select(filenos, writers, [], 0.02)
            else:
                time.sleep(0.02)  # Windows cannot select on nothing
            renewed = self.detectors.pump(self.frame, now_ns())
            self.faults += self.detectors.faults() + self.link.faults()
            if until() if until is not None else renewed:
                return self.values()
            assert time.monotonic() < deadline, self.faults


@pytest.fixture
def rig(make_profile: Make, tmp_path: Path, link: HostLink) -> Callable[..., Rig]:
    """(changes of the detector) → a rig with a tiny detector in its folder."""
    tiny_detector(tmp_path / "eyes.onnx", width=320, height=256)

    def make(**changes: Any) -> Rig:
        return Rig(make_profile, tmp_path, link, **changes)

    return make


def test_boxes_come_later_and_stand_until_the_next(rig: Callable[..., Rig], canvas: Canvas) -> None:
    made = rig()
    first = made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED)))
    assert first == {"x": None, "count": None, "seen": None}, "nothing is known before the first answer"
    assert made.late() == {"x": 160.0, "count": 1, "seen": False}
    second = made.show(canvas(WIDTH, HEIGHT, (256, 112, 64, 64, RED), (384, 240, 64, 64, BLUE)))
    assert second == {"x": 160.0, "count": 1, "seen": False}, "the last boxes stand"
    assert made.late() == {"x": 288.0, "count": 2, "seen": True}
    assert made.frame is not None
    reading = made.reader.read(made.frame, None)["x"]
    assert reading.age_ms > 0 and reading.found == Rect(256, 112, 64, 64) and reading.confidence == 0.9
    assert [(each.label, each.detector) for each in made.reader.detections] == [
        ("red", "eyes"),
        ("blue", "eyes"),
    ]
    assert made.show(canvas(WIDTH, HEIGHT)) == {"x": 288.0, "count": 2, "seen": True}
    assert made.late() == {"x": None, "count": 0, "seen": False}
    assert made.faults == []


def test_a_box_and_a_larger_window(rig: Callable[..., Rig], canvas: Canvas) -> None:
    """Only the box is sent; places are told in `screen` pixels whatever the window's size."""
    made = rig(box=(320, 0, 320, 256))
    made.show(canvas(WIDTH, HEIGHT, (32, 32, 64, 64, RED), (384, 64, 64, 64, RED)))
    assert made.late() == {"x": 400.0, "count": 4, "seen": False}, (
        "a 64 px square is four cells of the model's"
    )
    for _ in range(2):  # the second one is sent as small as the model looks at it
        made.show(canvas(2 * WIDTH, 2 * HEIGHT, (2 * 384, 2 * 64, 128, 128, RED)))
        made.late()
        assert made.late(until=lambda: True)["count"] == 4


def test_one_request_at_a_time_and_nothing_twice(
    rig: Callable[..., Rig], canvas: Canvas, link: HostLink
) -> None:
    made = rig()
    pixels = canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED))
    made.show(canvas(WIDTH, HEIGHT, (64, 112, 64, 64, RED)))
    made.late()
    assert link.pid is not None
    freeze(link.pid)
    made.show(pixels)
    made.show(canvas(WIDTH, HEIGHT))
    assert len(made.sent) == 2, "the first one is on its way"
    resume(link.pid)
    assert made.late()["count"] == 1
    assert made.late()["count"] == 0
    assert len(made.sent) == 3, "then the newest"
    made.show(canvas(WIDTH, HEIGHT))
    assert len(made.sent) == 3, "the picture is still the same"
    made.show(pixels)
    assert len(made.sent) == 4


def test_a_detector_keeps_its_cadence(rig: Callable[..., Rig], canvas: Canvas) -> None:
    made = rig(every_ms=10_000)
    made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED)))
    made.late()
    assert made.show(canvas(WIDTH, HEIGHT))["count"] == 1
    assert len(made.sent) == 1


def test_a_frame_is_sent_as_small_as_the_model_looks_at_it(rig: Callable[..., Rig], canvas: Canvas) -> None:
    made = rig()
    for x in (128, 256):
        made.show(canvas(WIDTH, HEIGHT, (x, 112, 64, 64, RED)))
        assert made.late()["x"] == x + 32
    assert [(each.width, each.height) for each in made.sent] == [(640, 480), (320, 240)]


# ---- faults


def test_a_missing_file_is_told_once_and_taken_up_when_it_comes(
    rig: Callable[..., Rig], canvas: Canvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.engine.perception.detection.model_detector._FIRST_BACK_OFF_MS", 20)
    whole = (tmp_path / "eyes.onnx").rename(tmp_path / "aside.onnx")
    made = rig()
    assert made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED)))["count"] is None
    for _ in range(30):
        made.late(until=lambda: True)
    (fault,) = made.faults
    assert fault.what.startswith("detector eyes: ") and "eyes.onnx" in fault.what
    whole.rename(tmp_path / "eyes.onnx")
    assert made.late()["x"] == 160.0


def test_what_the_model_cannot_do_is_one_sentence(rig: Callable[..., Rig], canvas: Canvas) -> None:
    made = rig(labels=["imp", "door"])
    made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED)))
    made.late(until=lambda: bool(made.faults))
    (fault,) = made.faults
    assert fault.what.startswith("detector eyes: test/eyes.onnx gives output0 [1, 7,")
    assert "3 labels" in fault.fix
    assert made.values() == {"x": None, "count": None, "seen": None}


def test_a_host_that_dies_is_asked_again(
    rig: Callable[..., Rig], canvas: Canvas, link: HostLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.engine.perception.detection.model_detector._FIRST_BACK_OFF_MS", 20)
    made = rig()
    made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED)))
    made.late()
    assert link.pid is not None
    freeze(link.pid)
    assert made.show(canvas(WIDTH, HEIGHT, (256, 112, 64, 64, RED)))["x"] == 160.0
    kill(link.pid)
    assert made.late() == {"x": None, "count": None, "seen": None}, "what is not known any more is none"
    assert made.late()["x"] == 288.0
    assert len(made.faults) == 1, "the death itself, told by the link"


def test_a_model_that_kills_the_host_is_named(
    rig: Callable[..., Rig], canvas: Canvas, link: HostLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.engine.perception.detection.model_detector._FIRST_BACK_OFF_MS", 20)
    made = rig()
    if link.pid is not None:  # a host that an earlier test left must not answer before it dies
        freeze(link.pid)
    made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED)))
    for asked in (1, 2):
        made.late(until=partial(made.asked_times, asked))
        assert link.pid is not None
        kill(link.pid)
        made.late(until=lambda: link.pid is None)
    faults = [fault.what for fault in made.faults if fault.what.startswith("detector")]
    assert faults == ["detector eyes: the model host dies when it is asked."]


def test_a_model_of_the_registry(
    rig: Callable[..., Rig], canvas: Canvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.engine.perception.detection.model_detector._FIRST_BACK_OFF_MS", 20)
    made = rig(model="my-eyes")
    made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, RED)))
    made.late(until=lambda: bool(made.faults))
    assert "there is no model 'my-eyes'" in made.faults[0].what
    assert "pitwall models add FILE --name my-eyes" in made.faults[0].fix
    ModelRegistry(made.data).add_file(tmp_path / "eyes.onnx", name="my-eyes")
    assert made.late()["x"] == 160.0


def test_changed_labels_take_effect_and_unknown_boxes_are_none(
    rig: Callable[..., Rig], canvas: Canvas
) -> None:
    made = rig()
    made.show(canvas(WIDTH, HEIGHT, (128, 112, 64, 64, BLUE)))
    assert made.late()["seen"] is True
    declared = made.detectors._declared[0]
    made.detectors.adopt([declared.model_copy(update={"labels": ["red", "green", "door"]})])
    assert made.values()["count"] is None
    assert made.late()["seen"] is False and made.reader.detections[0].label == "door"


def test_the_loop_is_not_held_up_by_a_host_that_does_not_read(
    rig: Callable[..., Rig], link: HostLink
) -> None:
    """Pictures that do not fit into the socket wait in a queue, one at most for a detector."""
    made = rig()
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 255, (960, 1280, 4)).astype(np.uint8) for _ in range(3)]
    made.show(frames[0])
    made.late()
    assert link.pid is not None
    freeze(link.pid)
    try:
        for number in range(40):
            made.show(frames[number % 3])
    finally:
        resume(link.pid)
    assert made.late()["count"] is not None
    assert len(made.sent) <= 3
