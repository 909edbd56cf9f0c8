"""A run's pictures by the second, over the channel too, and a span of them as a clip."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest
from tests.console.recorded_runs import record_run

from pitwall.core.errors import DamagedFile, UnknownRun
from pitwall.core.frames import SOUND_HZ
from pitwall.core.paths import DataFolder
from pitwall.engine.recording.film_reader import answer
from pitwall.link.film_channel import ASKED, PICTURE, receive
from pitwall.store.clip import write_clip
from pitwall.store.clip_overlay import BAND_PX
from pitwall.store.export_source import ExportError
from pitwall.store.film import Film
from pitwall.store.film_budget import drop_old_films, keep_film
from pitwall.store.film_writer import FilmWriter

_HZ = 15


def _shade(second: float) -> int:
    return 40 + 10 * int(second * 2)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    file = DataFolder(tmp_path).video(1)
    with FilmWriter(file, _HZ, (64, 48)) as sink:
        for at in range(10 * _HZ):
            sink.add(np.full((48, 64, 4), _shade(at / _HZ), np.uint8), at * 10**9 // _HZ)
    return file


def test_a_video_gives_the_picture_of_any_second(video: Path) -> None:
    film = Film(video)
    for second in (0.1, 0.2, 7.2, 7.3, 0.6, 9.9, 3.1):
        picture = film.picture_at(second)
        assert picture is not None
        assert abs(float(picture.mean()) - _shade(second)) < 6, second
    last = film.picture_at(99.0)
    assert last is not None and abs(float(last.mean()) - _shade(9.9)) < 6
    film.close()


def test_a_video_that_was_cut_off_is_played_as_far_as_it_goes(video: Path) -> None:
    content = video.read_bytes()
    video.write_bytes(content[: len(content) * 2 // 3])
    picture = Film(video).picture_at(2.1)
    assert picture is not None and abs(float(picture.mean()) - _shade(2.1)) < 6


def test_what_is_no_video_is_said(tmp_path: Path) -> None:
    (tmp_path / "video.mkv").write_bytes(b"no video")
    with pytest.raises(DamagedFile, match="is no video"):
        Film(tmp_path / "video.mkv")


def test_a_reader_answers_over_its_channel_in_the_width_asked_for(video: Path) -> None:
    ours, theirs = socket.socketpair()
    reader = threading.Thread(target=answer, args=(theirs, Film(video)))
    reader.start()
    with ours:
        for most, size in ((640, (64, 48)), (32, (32, 24))):
            ours.sendall(ASKED.pack(4.1, most))
            assert PICTURE.unpack(receive(ours, PICTURE.size)) == size
            pixels = np.frombuffer(receive(ours, 4 * size[0] * size[1]), np.uint8)
            assert abs(float(pixels[::4].mean()) - _shade(4.1)) < 6
    reader.join(20)
    assert not reader.is_alive()


def test_a_span_is_written_from_the_step_images_where_there_is_no_video(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    run_id = record_run(data, 20, frames=20)
    out = tmp_path / "clip.mp4"
    assert write_clip(data, run_id, 1.0, 3.0, out) == "step images"
    clip = cv2.VideoCapture(str(out))
    assert clip.get(cv2.CAP_PROP_FRAME_COUNT) == 2 * _HZ
    assert (clip.get(cv2.CAP_PROP_FRAME_WIDTH), clip.get(cv2.CAP_PROP_FRAME_HEIGHT)) == (512, 384 + BAND_PX)
    _, picture = clip.read()  # step 4, which a module drove: its word is amber
    blue, green, red = (picture[384 + 8 : 384 + 26, 10:60, at].astype(int) for at in range(3))
    assert ((red - blue > 60) & (green - blue > 20)).sum() > 40
    assert abs(float(picture[100:300].mean()) - float(picture[:80].mean())) < 3  # nothing lies over the game
    write_clip(data, run_id, 1.0, 3.0, tmp_path / "plain.avi", overlay=False)
    plain = cv2.VideoCapture(str(tmp_path / "plain.avi"))
    assert plain.get(cv2.CAP_PROP_FRAME_WIDTH) == 64
    with pytest.raises(ExportError, match="there already"):
        write_clip(data, run_id, 1.0, 3.0, out)
    with pytest.raises(ExportError, match=r"5\.0 s long"):
        write_clip(data, run_id, 8.0, 9.0, tmp_path / "none.mp4")
    with pytest.raises(UnknownRun):
        write_clip(data, run_id + 1, 0.0, 1.0, tmp_path / "none.mp4")
    assert [file.name for file in tmp_path.glob("*.mp4")] == ["clip.mp4"]


def test_old_films_go_first_and_kept_films_stay(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    for run_id in (1, 2, 3, 4):
        data.video(run_id).parent.mkdir(parents=True)
        data.video(run_id).write_bytes(bytes(1_000))
    keep_film(data, 1, True)
    assert drop_old_films(data, 4_000, recorded=4) == []
    assert drop_old_films(data, 2_500, recorded=4) == [2, 3]
    assert drop_old_films(data, 500, recorded=4) == [], "neither the kept film nor the recorded run's film"
    keep_film(data, 1, False)
    assert drop_old_films(data, 1_500, recorded=4) == [1]
    assert [run_id for run_id in (1, 2, 3, 4) if data.video(run_id).is_file()] == [4]


def test_a_clip_of_the_newest_run_counts_from_its_end_and_has_its_sound(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    run_id = record_run(data, 40, frames=0)  # ten seconds
    _film_with_sound(data, run_id)
    out = tmp_path / "clip.webm"
    assert write_clip(data, None, -3.0, 60.0, out, overlay=False) == "video"
    clip = Film(out)
    assert clip.has_sound
    picture = clip.picture_at(1.2)
    assert picture is not None and abs(float(picture.mean()) - _shade(8.2)) < 6
    heard = [
        at_s
        for at_s, content in clip.sound(0.0, 3.0)
        if np.abs(np.frombuffer(content, np.int16)).max(initial=0) > 3_000
    ]
    assert heard and 0.9 < min(heard) < 1.1 and 1.9 < max(heard) < 2.1
    clip.close()


def _film_with_sound(data: DataFolder, run_id: int) -> None:
    """Write a film of ten seconds that sounds in its ninth."""
    with FilmWriter(data.video(run_id), _HZ, (64, 48), sound=True) as film:
        for at in range(10 * _HZ):
            film.add(np.full((48, 64, 4), _shade(at / _HZ), np.uint8), at * 10**9 // _HZ)
            loud = 9_000 if 8 <= at / _HZ < 9 else 0
            tone = np.sin(np.arange(SOUND_HZ // _HZ) * 2 * np.pi * 450 / SOUND_HZ) * loud
            film.add_sound(np.repeat(tone.astype(np.int16), 2).tobytes(), at * 10**9 // _HZ)


@pytest.mark.parametrize("kept", [700, 8_000, 24_000])
def test_the_sound_of_a_film_that_was_cut_off_is_what_is_left(tmp_path: Path, kept: int) -> None:
    data = DataFolder(tmp_path)
    run_id = record_run(data, 40, frames=0)
    _film_with_sound(data, run_id)
    file = data.video(run_id)
    file.write_bytes(file.read_bytes()[:kept])
    with Film(file) as film:
        assert bool(list(film.sound(0.0, 11.0))) == (kept > 700), "the first bytes hold no sound"
