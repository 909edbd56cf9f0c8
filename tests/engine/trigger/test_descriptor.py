"""The descriptor against Pillow's rendering of SPEC §1, on real frames and drawn ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pitwall.core.frames import Pixels
from pitwall.engine.trigger.descriptor import change, describe

Reference = Callable[[Pixels], NDArray[np.float64]]
SIZES = [
    (640, 480),
    (288, 512),
    (1280, 720),
    (1366, 768),
    (1601, 901),
    (1920, 1080),
    (2560, 1440),
    (3840, 2160),
]


def _worst_difference(frames: Sequence[Pixels], reference: Reference) -> float:
    ours = [describe(frame) for frame in frames]
    theirs = [reference(frame) for frame in frames]
    return max(
        abs(change(ours[a], ours[b]) - (1.0 - float(theirs[a] @ theirs[b])))
        for a, b in itertools.combinations(range(len(frames)), 2)
    )


def _bgrx(height: int, width: int, colour: Sequence[int] = (0, 0, 0)) -> Pixels:
    frame = np.zeros((height, width, 4), np.uint8)
    frame[..., :3] = colour
    return frame


def _flappy(width: int, height: int, *, pipe_x: int, bird_y: int) -> Pixels:
    """A flappy-like scene of hard edges, drawn at 288×512 and enlarged."""
    frame = _bgrx(512, 288, (206, 192, 112))
    frame[400:, :, :3] = (149, 216, 222)
    for x in (pipe_x, pipe_x + 144):
        cv2.rectangle(frame, (x, 0), (x + 52, 149), (45, 190, 115), -1)
        cv2.rectangle(frame, (x, 250), (x + 52, 399), (45, 190, 115), -1)
    cv2.circle(frame, (70, bird_y), 12, (10, 200, 240), -1)
    return np.asarray(cv2.resize(frame, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("how", [cv2.INTER_NEAREST, cv2.INTER_CUBIC], ids=["pixels", "smooth"])
def test_real_frames_change_as_pillow_says(
    doom_frames: list[Pixels], pillow_descriptor: Reference, size: tuple[int, int], how: int
) -> None:
    frames = [np.asarray(cv2.resize(frame, size, interpolation=how), np.uint8) for frame in doom_frames]
    assert _worst_difference(frames, pillow_descriptor) <= 0.01


@pytest.mark.parametrize("size", [(288, 512), (1080, 1920)])
def test_hard_edges_that_move(pillow_descriptor: Reference, size: tuple[int, int]) -> None:
    frames = [_flappy(*size, pipe_x=200 - 4 * n, bird_y=200 + 9 * n) for n in range(6)]
    assert _worst_difference(frames, pillow_descriptor) <= 0.01


def test_a_real_frame_under_noise(doom_frames: list[Pixels], pillow_descriptor: Reference) -> None:
    rng = np.random.default_rng(3)
    frames = [
        np.clip(cv2.resize(frame, (1920, 1080)) + rng.normal(0, 25, (1080, 1920, 1)), 0, 255).astype(np.uint8)
        for frame in doom_frames[:3]
    ]
    assert _worst_difference(frames, pillow_descriptor) <= 0.01


def test_a_cut_and_a_step_are_told_apart(doom_frames: list[Pixels]) -> None:
    start, walk, corridor, _, shots = (describe(frame) for frame in doom_frames)
    assert change(start, shots) < 0.15
    assert 0.15 < change(start, walk) < 0.9
    assert change(start, corridor) > 0.35


def test_the_descriptor_is_centred_and_of_unit_length(doom_frames: list[Pixels]) -> None:
    descriptor = describe(doom_frames[0])
    assert descriptor.shape == (1024,) and descriptor.dtype == np.float32
    assert abs(float(descriptor.mean())) < 1e-6
    assert float(np.linalg.norm(descriptor)) == pytest.approx(1.0, abs=1e-5)


def test_an_inverted_picture_changes_by_two() -> None:
    frame = _bgrx(480, 640)
    frame[:, :320, :3] = 255
    inverted = frame.copy()
    inverted[..., :3] = 255 - frame[..., :3]
    assert change(describe(inverted), describe(frame)) == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("level", [0, 38, 255])
def test_flat_frames(doom_frames: list[Pixels], level: int) -> None:
    flat, other = describe(_bgrx(1080, 1920, [level] * 3)), describe(doom_frames[0])
    assert not flat.any()
    assert change(flat, describe(_bgrx(480, 640, (1, 2, 3)))) == 0.0
    assert change(flat, other) == 1.0
    assert change(other, flat) == 1.0


def test_a_speck_that_pillow_rounds_away_leaves_a_frame_flat(pillow_descriptor: Reference) -> None:
    frame = _bgrx(1080, 1920)
    frame[500:502, 900:902, :3] = 255
    assert not pillow_descriptor(frame).any()
    assert not describe(frame).any()


def test_the_first_step_has_no_change(doom_frames: list[Pixels]) -> None:
    assert change(describe(doom_frames[0]), None) == 0.0


def test_the_unused_byte_does_not_count(doom_frames: list[Pixels]) -> None:
    other = doom_frames[0].copy()
    other[..., 3] = np.random.default_rng(0).integers(0, 256, other.shape[:2])
    assert np.array_equal(describe(doom_frames[0]), describe(other))


def test_views_and_copies_read_the_same(doom_frames: list[Pixels]) -> None:
    wide = np.zeros((480, 700, 4), np.uint8)
    wide[:, 30:670] = doom_frames[0]
    mirrored = np.ascontiguousarray(doom_frames[0][:, ::-1])
    assert np.array_equal(describe(wide[:, 30:670]), describe(doom_frames[0]))
    assert np.array_equal(describe(doom_frames[0][:, ::-1]), describe(mirrored))


def test_a_descriptor_is_not_written_over_by_the_next_one(doom_frames: list[Pixels]) -> None:
    first = describe(doom_frames[0])
    kept = first.copy()
    describe(doom_frames[2])
    assert np.array_equal(first, kept)


@given(size=st.tuples(st.integers(1, 700), st.integers(1, 700)))
@settings(max_examples=40, deadline=None)
def test_any_size_weighs_pixels_as_pillow_does(size: tuple[int, int]) -> None:
    """A ramp shows a shifted or unbalanced filter at once."""
    width, height = size
    ramp = np.add.outer(np.linspace(0, 120, height), np.linspace(0, 120, width)).astype(np.uint8)
    frame = np.repeat(ramp[..., None], 4, axis=2)
    expected = np.asarray(
        Image.fromarray(ramp).resize((32, 32), Image.Resampling.BILINEAR), np.float64
    ).ravel()
    centred = expected - expected.mean()
    assume(np.linalg.norm(centred) > 32)
    assert float(describe(frame) @ (centred / np.linalg.norm(centred))) == pytest.approx(1.0, abs=2e-3)


_RECTANGLE = st.tuples(
    st.floats(0, 0.9), st.floats(0, 0.9), st.floats(0.05, 0.6), st.floats(0.05, 0.6), st.integers(0, 0xFFFFFF)
)


@given(
    rectangles=st.lists(_RECTANGLE, min_size=3, max_size=12),
    moved=st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1)),
    size=st.sampled_from([(640, 480), (288, 512), (1024, 768)]),
)
@settings(max_examples=40, deadline=None)
def test_drawn_scenes_change_as_pillow_says(
    pillow_descriptor: Reference,
    rectangles: list[tuple[float, float, float, float, int]],
    moved: tuple[float, float],
    size: tuple[int, int],
) -> None:
    width, height = size
    frames = []
    for dx, dy in ((0.0, 0.0), moved):
        frame = _bgrx(height, width, (90, 60, 30))
        for x, y, w, h, colour in rectangles:
            left, top = int((x + dx) * width), int((y + dy) * height)
            corner = (left + int(w * width), top + int(h * height))
            cv2.rectangle(frame, (left, top), corner, tuple(int(b) for b in colour.to_bytes(3, "big")), -1)
        frames.append(frame)
    for frame in frames:
        assume(float(cv2.cvtColor(frame, cv2.COLOR_BGRA2GRAY).std()) > 8)
    assert _worst_difference(frames, pillow_descriptor) <= 0.01
