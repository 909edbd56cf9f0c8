"""Pictures on disk: what was saved can be read back, also after a kill."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pitwall.core.errors import DataFolderError
from pitwall.core.frames import SOUND_HZ
from pitwall.core.settings import RecordingSettings
from pitwall.store.film import Film
from pitwall.store.film_writer import FilmWriter, film_size
from pitwall.store.frames import FrameStore
from workshop.fixtures.processes import KILLED

_SECOND = 1_000_000_000

_KILLED = """
import os, signal, sys
import numpy as np
from pathlib import Path
from pitwall.store.film_writer import FilmWriter
picture = np.zeros((240, 320, 4), np.uint8)
writer = FilmWriter(Path(sys.argv[1]), 15, (320, 240))
for second in range(20):
    writer.add(picture + np.uint8(10 * second), second * 1_000_000_000)
os.kill(os.getpid(), 9)
"""


def _flat(value: int, size: tuple[int, int] = (96, 64)) -> NDArray[np.uint8]:
    return np.full((size[1], size[0], 4), value, dtype=np.uint8)


def _brightness(path: Path, *seconds: float) -> list[int]:
    film = Film(path)
    pictures = [film.picture_at(second) for second in seconds]
    film.close()
    return [round(float(picture.mean())) for picture in pictures if picture is not None]


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


@pytest.mark.parametrize("name", ["video.mkv", "video.webm", "video.mp4", "video.avi"])
def test_a_second_of_video_is_a_second_of_the_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with FilmWriter(path, 10, (96, 64)) as writer:
        writer.add(_flat(20), 5 * _SECOND)
        writer.add(_flat(60), 5 * _SECOND + 50_000_000)
        writer.add(_flat(120), 6 * _SECOND)
        writer.add(_flat(200), 8 * _SECOND)
        assert writer.close(8 * _SECOND + _SECOND // 2) == 35
        assert writer.close() == 35
    levels = _brightness(path, 0.0, 0.12, 0.95, 1.0, 2.95, 3.05, 3.45, 99.0, 0.5)
    expected = [20, 60, 60, 120, 120, 200, 200, 200, 60]
    assert all(abs(level - wanted) <= 8 for level, wanted in zip(levels, expected, strict=True)), levels
    with av.open(str(path)) as file:
        last = max(packet.pts * packet.time_base for packet in file.demux(video=0) if packet.pts is not None)
    assert float(last) == pytest.approx(3.4, abs=0.002), "the last picture is shown until the end"


def test_pictures_of_another_size_are_fitted_with_bars(tmp_path: Path) -> None:
    path = tmp_path / "video.avi"
    with FilmWriter(path, 5, (97, 65)) as writer:
        writer.add(_flat(200, (64, 64)), 0)
        writer.add(_flat(200, (10, 100)), _SECOND)
        writer.close(2 * _SECOND)
    levels = _brightness(path, 0.0, 1.9)
    assert abs(levels[0] - 200 * 64 / 96) < 8
    assert abs(levels[-1] - 200 * 6 / 96) < 8
    assert film_size((1920, 1080), 960) == (960, 540)
    assert film_size((320, 200), 960) == (320, 200)


def test_an_empty_video_closes_quietly(tmp_path: Path) -> None:
    assert FilmWriter(tmp_path / "video.mkv", 15, (96, 64)).close() == 0
    with FilmWriter(tmp_path / "one.mkv", 15, (96, 64)) as writer:
        writer.add(_flat(50), 0)
    assert len(_brightness(tmp_path / "one.mkv", 0.0)) == 1


def test_an_unknown_video_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFolderError, match=r"use one of \.mkv, \.webm, \.mp4, \.avi"):
        FilmWriter(tmp_path / "video.gif", 15, (96, 64))


def test_the_default_video_outlives_a_killed_writer(tmp_path: Path) -> None:
    path = tmp_path / "video.mkv"
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(path)], timeout=60)
    assert killed.returncode == KILLED
    assert len(set(_brightness(path, *range(18)))) == 18, "each second has its own picture"


def test_sound_lies_where_it_was_heard_and_gaps_are_silent(tmp_path: Path) -> None:
    path = tmp_path / "video.webm"
    beep = (np.sin(np.arange(4_800) * 2 * np.pi * 440 / SOUND_HZ) * 12_000).astype(np.int16)
    with FilmWriter(path, 10, (96, 64), sound=True) as writer:
        for tenth in range(40):
            writer.add(_flat(5 * tenth), tenth * _SECOND // 10)
            if tenth < 10 or tenth >= 25:  # the sound server sleeps while nothing is heard
                writer.add_sound(np.repeat(beep, 2).tobytes(), tenth * _SECOND // 10)
    film = Film(path)
    assert film.has_sound
    loud = {
        round(at_s, 1)
        for at_s, content in film.sound(0.0, 4.0)
        if np.abs(np.frombuffer(content, np.int16)).max(initial=0) > 6_000
    }
    assert {0.5, 0.9, 2.6, 3.8} <= loud
    assert not loud & {1.2, 1.8, 2.3}
    film.close()


def test_a_film_is_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "video.mkv"
    writer, film = FilmWriter(path, 10, (96, 64)), None
    for tenth in range(60):
        writer.add(_flat(4 * tenth), tenth * _SECOND // 10)
        if tenth == 15:
            film = Film(path)
            early = film.picture_at(99.0)
            assert early is not None and float(early.mean()) >= 4 * 5 - 4
    assert film is not None
    late = film.picture_at(99.0)
    assert late is not None and float(late.mean()) >= 4 * 50 - 4, "it lags at most a second"
    again = film.picture_at(0.3)
    assert again is not None and abs(float(again.mean()) - 12) < 5
    writer.close()
    film.close()
