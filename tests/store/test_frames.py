"""Pictures on disk: what was saved can be read back, also after a kill."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pitwall.core.errors import DataFolderError
from pitwall.core.settings import RecordingSettings
from pitwall.store.frames import FrameStore, VideoSink
from workshop.fixtures.processes import KILLED

_SECOND = 1_000_000_000

_KILLED = """
import os, signal, sys
import numpy as np
from pathlib import Path
from pitwall.store.frames import VideoSink
noise = np.random.default_rng(1).integers(0, 255, (240, 320, 4), dtype=np.uint8)
sink = VideoSink(Path(sys.argv[1]), 15, (320, 240))
for second in range(20):
    sink.add(np.roll(noise, second * 7, axis=1), second * 1_000_000_000)
os.kill(os.getpid(), 9)
"""


def _flat(value: int, size: tuple[int, int] = (96, 64)) -> NDArray[np.uint8]:
    return np.full((size[1], size[0], 4), value, dtype=np.uint8)


def _brightness(path: Path) -> list[int]:
    video = cv2.VideoCapture(str(path))
    levels = []
    while True:
        fine, picture = video.read()
        if not fine:
            break
        levels.append(round(float(picture.mean())))
    video.release()
    return levels


def _colour_picture() -> NDArray[np.uint8]:
    picture = np.zeros((40, 60, 4), dtype=np.uint8)
    picture[:20, :, 0] = 250
    picture[20:, :, 2] = 250
    picture[:, :, 3] = np.arange(60, dtype=np.uint8)
    return picture


def test_png_frames_are_exact_and_jpeg_frames_near(tmp_path: Path) -> None:
    picture = _colour_picture()
    exact = FrameStore(tmp_path, RecordingSettings(frame_format="png"))
    assert exact.save(7, picture) == "frames/000007.png"
    same = cv2.imread(str(tmp_path / "frames/000007.png"))
    assert same is not None
    assert np.array_equal(same, picture[:, :, :3])
    near = FrameStore(tmp_path, RecordingSettings(jpeg_quality=95))
    assert near.save(1_000_000, picture) == "frames/1000000.jpg"
    read = cv2.imread(str(tmp_path / "frames/1000000.jpg"))
    assert read is not None
    assert np.abs(read.astype(int) - picture[:, :, :3]).mean() < 4
    assert sorted(path.name for path in (tmp_path / "frames").iterdir()) == ["000007.png", "1000000.jpg"]


def test_a_lower_quality_makes_a_smaller_file(tmp_path: Path) -> None:
    noise = np.random.default_rng(5).integers(0, 255, (120, 160, 4), dtype=np.uint8)
    for step, quality in ((1, 95), (2, 40)):
        FrameStore(tmp_path, RecordingSettings(jpeg_quality=quality)).save(step, noise)
    sizes = [(tmp_path / f"frames/{step:06d}.jpg").stat().st_size for step in (1, 2)]
    assert sizes[1] < sizes[0] / 2


def test_no_frame_is_kept_where_the_settings_say_so(tmp_path: Path) -> None:
    store = FrameStore(tmp_path / "run", RecordingSettings(step_frames=False))
    assert store.save(1, _flat(9)) == ""
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["video.mkv", "video.mp4", "video.avi"])
def test_a_second_of_video_is_a_second_of_the_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with VideoSink(path, 10, (96, 64)) as sink:
        sink.add(_flat(20), 5 * _SECOND)
        sink.add(_flat(60), 5 * _SECOND + 50_000_000)
        sink.add(_flat(120), 6 * _SECOND)
        sink.add(_flat(200), 8 * _SECOND)
        assert sink.close(8 * _SECOND + _SECOND // 2) == 35
        assert sink.close() == 35
    levels = _brightness(path)
    expected = [20] + [60] * 9 + [120] * 20 + [200] * 5
    assert len(levels) == 35
    assert all(abs(level - wanted) <= 8 for level, wanted in zip(levels, expected, strict=True))
    video = cv2.VideoCapture(str(path))
    assert video.get(cv2.CAP_PROP_FPS) == pytest.approx(10)
    video.release()


def test_pictures_of_another_size_are_fitted_with_bars(tmp_path: Path) -> None:
    path = tmp_path / "video.avi"
    with VideoSink(path, 5, (97, 65)) as sink:
        sink.add(_flat(200, (64, 64)), 0)
        sink.add(_flat(200, (10, 100)), _SECOND)
        sink.close(2 * _SECOND)
    levels = _brightness(path)
    assert len(levels) == 10
    assert abs(levels[0] - 200 * 64 / 96) < 8
    assert abs(levels[-1] - 200 * 6 / 96) < 8


def test_an_empty_video_closes_quietly(tmp_path: Path) -> None:
    assert VideoSink(tmp_path / "video.mkv", 15, (96, 64)).close() == 0
    with VideoSink(tmp_path / "one.mkv", 15, (96, 64)) as sink:
        sink.add(_flat(50), 0)
    assert len(_brightness(tmp_path / "one.mkv")) == 1


def test_an_unknown_video_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFolderError, match=r"use one of \.mkv, \.mp4, \.avi"):
        VideoSink(tmp_path / "video.gif", 15, (96, 64))


def test_the_default_video_outlives_a_killed_writer(tmp_path: Path) -> None:
    path = tmp_path / "video.mkv"
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(path)], timeout=60)
    assert killed.returncode == KILLED
    assert len(_brightness(path)) > 100
