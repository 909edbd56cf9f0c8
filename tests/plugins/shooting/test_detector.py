"""The shooting game's second way of seeing: what is shipped finds monsters, and its training's parts fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from detector_pictures import LABELS, SIZE, Pictures, gather
from detector_score import Boxes, apart, score
from shooting_world import Speed
from train_detector import (
    FILE,
    STRIDE,
    Detector,
    as_input,
    cell_centres,
    example,
    export,
    find,
    targets,
    train,
)


@pytest.fixture(scope="module")
def pictures() -> dict[Speed, Pictures]:
    """Of fights that training never saw."""
    return {Speed.SLOW: gather(Speed.SLOW, 24, 31_337), Speed.FAST: gather(Speed.FAST, 64, 31_337)}


@pytest.mark.parametrize("speed", list(Speed))
def test_the_shipped_model_finds_monsters(pictures: dict[Speed, Pictures], speed: Speed) -> None:
    session = onnxruntime.InferenceSession(str(FILE), providers=["CPUExecutionProvider"])
    boxes = []
    for view in pictures[speed].pixels:
        rows = session.run(None, {"images": as_input(view)[None]})[0][0]
        kept = rows[:, rows[4:].max(0) >= 0.4]
        x, y, width, height = kept[:4]
        corners = np.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], 1)
        boxes.append(Boxes(corners, kept[4:].max(0), kept[4:].argmax(0)))
    result = score(boxes, pictures[speed].boxes)
    assert result.recall > 0.9
    assert result.precision > 0.9
    assert result.aim_p50 < 0.05
    assert FILE.stat().st_size < 2_000_000


def test_pictures_follow_from_their_seed(pictures: dict[Speed, Pictures]) -> None:
    again = gather(Speed.FAST, 12, 31_337)
    assert np.array_equal(again.pixels, pictures[Speed.FAST].pixels[:12])
    assert again.pixels.shape[1:] == (SIZE[1], SIZE[0], 3)
    labels = {int(box[0]) for boxes in pictures[Speed.FAST].boxes for box in boxes}
    assert labels == {LABELS.index("demon")}


def test_cells_in_the_middle_of_a_box_belong_to_it_and_the_larger_box_stands_in_front() -> None:
    far, near = (0, 96.0, 8.0, 104.0, 24.0), (1, 80.0, 0.0, 144.0, 48.0)
    kinds, corners = targets(np.asarray([near, far], np.float32))
    cell = int(np.argmin(((cell_centres().numpy() - [112, 24]) ** 2).sum(1)))
    assert kinds[:, cell].tolist() == [0, 1]
    assert corners[:, cell].tolist() == list(near[1:])
    assert kinds[0].sum() == 1, "a small box has the one cell nearest to its middle"
    assert kinds.shape == (len(LABELS), SIZE[0] * SIZE[1] // STRIDE**2)


def test_a_mirrored_picture_has_mirrored_boxes() -> None:
    pixels = np.zeros((1, SIZE[1], SIZE[0], 3), np.uint8)
    pixels[0, 8:40, 16:48] = 255
    item = Pictures(pixels, [np.asarray([[1, 16, 8, 48, 40]], np.float32)])
    sides = set()
    for seed in range(8):
        view, kinds, corners = example(item, 0, np.random.default_rng(seed))
        left, _, right, _ = corners[:, kinds[1] > 0][:, 0]
        assert view[:, 10, int(left) + 1].min() > 0.5
        assert view[:, 10, int(right) + 1].max() == 0
        sides.add(float(left))
    assert sides == {16.0, 272.0}


def test_training_learns_and_the_file_says_what_the_net_says(
    pictures: dict[Speed, Pictures], tmp_path: Path
) -> None:
    fast = pictures[Speed.FAST]
    net, again = train(fast, seed=3, passes=1), train(fast, seed=3, passes=1)
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), again.parameters(), strict=True))
    assert isinstance(net, Detector)
    export(net, tmp_path / "net.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    inputs = as_input(fast.pixels[0])[None]
    rows = session.run(None, {"images": inputs})[0]
    with torch.no_grad():
        assert np.allclose(rows, net(torch.from_numpy(inputs)).numpy(), atol=1e-3)
    assert rows.shape == (1, 4 + len(LABELS), 240)
    assert len(find(net, fast)) == 64


def test_a_score_counts_what_was_missed_and_what_is_nothing() -> None:
    truth = [np.asarray([[1, 10, 10, 30, 40], [1, 100, 10, 120, 40]], np.float32)]
    corners = np.asarray([[10, 10, 30, 40], [11, 10, 31, 40], [200, 10, 220, 40]], np.float32)
    boxes = Boxes(corners, np.asarray([0.9, 0.8, 0.7], np.float32), np.asarray([1, 1, 1]))
    assert len(apart(boxes).corners) == 2
    result = score([boxes], truth)
    assert (result.recall, result.precision, result.aim_p50) == (0.5, 0.5, 0.0)
    wrong = Boxes(corners[:1], boxes.scores[:1], np.asarray([0]))
    assert score([wrong], truth).recall == 0
