"""A person's play is kept picture by picture, whatever the disk and the game do."""

from __future__ import annotations

import errno
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.injection import PersonActed
from pitwall.core.observations import GameStatus, Observation
from pitwall.core.paths import DataFolder
from pitwall.core.settings import TeachSettings
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.manifest import Demonstration
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.engine.recording.demonstration_recorder import DemonstrationRecorder
from pitwall.engine.session.game_session import PerceivedFrame
from pitwall.games.actions.press_reading import PressReader
from pitwall.store.components import Component

_STARTED = "2026-11-23T19:25:00+00:00"


class Player:
    """A person whose play of one game is recorded; times are ms since they began."""

    def __init__(
        self,
        data: DataFolder,
        game: str = "walk",
        picture_size: tuple[int, int] = (8, 6),
        **settings: int,
    ) -> None:
        begun = Demonstration(
            id="new",
            game=game,
            picture_size=picture_size,
            window_size=(32, 24),
            rate_fps=20.0,
            started_at=_STARTED,
        )
        self.began_ns = now_ns() - 60 * NS_PER_S
        self.recorder = DemonstrationRecorder(data, begun, PressReader(None), TeachSettings(**settings))
        self.folder = data.demonstrations / self.recorder.begun.id

    def see(
        self,
        at_ms: int,
        shade: int,
        status: GameStatus = GameStatus.PLAYING,
        *,
        now_ms: int | None = None,
    ) -> None:
        self.show(at_ms, np.full((24, 32, 4), shade, np.uint8), status, now_ms=now_ms)

    def show(
        self,
        at_ms: int,
        pixels: Pixels,
        status: GameStatus = GameStatus.PLAYING,
        *,
        now_ms: int | None = None,
    ) -> None:
        at_ns = self.began_ns + at_ms * NS_PER_MS
        frame = Frame(frame_id=1, captured_ns=at_ns, ready_ns=at_ns, pixels=pixels, window=Rect(0, 0, 32, 24))
        observation = Observation(frame_id=1, captured_ns=at_ns, status=status)
        self.recorder.picture(
            PerceivedFrame(frame=frame, observation=observation, values={"status": status, "score": at_ms}),
            at_ns if now_ms is None else self.began_ns + now_ms * NS_PER_MS,
        )
        while not self.recorder._jobs.empty():
            time.sleep(0.001)

    def press(self, at_ms: int, key: str = "w", *, held_ms: int | None = 50) -> None:
        at_ns = self.began_ns + at_ms * NS_PER_MS
        self.recorder.press(PersonActed(event=InputEvent(kind="key_down", key=key), at_ns=at_ns))
        if held_ms is not None:
            up = InputEvent(kind="key_up", key=key)
            self.recorder.press(PersonActed(event=up, at_ns=at_ns + held_ms * NS_PER_MS))

    def read(self) -> DemonstrationReader:
        return DemonstrationReader(self.folder)


@pytest.fixture
def player(tmp_path: Path) -> Iterator[Callable[..., Player]]:
    made: list[Player] = []

    def make(**how: Any) -> Player:
        made.append(Player(DataFolder(tmp_path), **how))
        return made[-1]

    yield make
    for event in made:
        event.recorder.close()


def test_pictures_that_changed_are_kept_at_the_rate_and_presses_at_their_times(
    player: Callable[..., Player],
) -> None:
    person = player()
    for at_ms, shade in ((0, 1), (20, 2), (60, 3), (120, 3), (200, 4)):
        person.see(at_ms, shade)
    person.press(210)
    assert person.recorder.close()
    kept = person.read()
    assert [(at - person.began_ns) // NS_PER_MS for at, _ in kept.pictures()] == [0, 60, 200]
    assert [pixels[0, 0, 0] for _, pixels in kept.pictures()] == [1, 3, 4]
    down, up = kept.events()
    assert (down.at_ns - person.began_ns, up.at_ns - down.at_ns) == (210 * NS_PER_MS, 50 * NS_PER_MS)
    assert [moment.fields for moment in kept.moments()] == [{"score": 0}, {"score": 60}, {"score": 200}]
    assert (kept.manifest.complete, kept.manifest.dropped, kept.manifest.keys) == (True, 0, {"w": 1})


def test_the_last_picture_before_a_still_screen_is_kept_with_its_own_time(
    player: Callable[..., Player],
) -> None:
    person = player()
    person.see(0, 1)
    for now_ms in (10, 30, 60, 90):
        person.see(10, 2, now_ms=now_ms)
    assert person.recorder.close()
    assert [(at - person.began_ns) // NS_PER_MS for at, _ in person.read().pictures()] == [0, 10]


def test_a_game_that_is_over_every_second_has_as_many_episodes(player: Callable[..., Player]) -> None:
    person = player()
    for second in range(30):
        person.see(second * 1_000, 1 + second)
        person.see(second * 1_000 + 500, 100 + second, GameStatus.TERMINAL)
    person.recorder.close()
    kept = person.read()
    assert kept.manifest.episodes == 30
    assert {moment.episode for moment in kept.moments() if moment.status == "terminal"} == {-1}
    assert person.recorder.progress(30.0).episodes == 30


def test_times_that_jump_lose_nothing_and_stay_in_order(player: Callable[..., Player]) -> None:
    person = player()
    person.see(0, 1)
    person.press(100)
    person.see(50_000, 2)  # the machine slept meanwhile
    person.press(50_100)
    person.press(40_000, "d")  # an event that tells an earlier time than the one before
    person.see(50_200, 3)
    assert person.recorder.close()
    kept = person.read()
    assert len(list(kept.pictures())) == 3
    times = [event.at_ns for event in kept.events()]
    assert len(times) == 6
    assert times == sorted(times)
    assert kept.check() == []


def test_a_pause_ends_the_episode_and_releases_every_key(
    player: Callable[..., Player],
) -> None:
    person = player()
    person.see(0, 1)
    person.press(100, held_ms=None)
    person.recorder.unwatched()
    person.see(59_000, 1)
    person.recorder.close()
    kept = person.read()
    assert [moment.episode for moment in kept.moments()] == [0, 1]
    assert [event.kind for event in kept.events()] == ["key_down", "key_up"]


def test_a_full_disk_is_reported_once_and_refused_rows_are_written_later(
    player: Callable[..., Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = player()
    person.see(0, 1)
    person.press(10)
    with monkeypatch.context() as full:
        full.setattr("pitwall.store.folder_errors.write_whole", _no_room)
        person.see(6_000, 2)
        person.press(6_010)
        while (fault := person.recorder.fault()) is None:
            time.sleep(0.001)
        assert "the disk is full" in fault.what
        person.see(7_000, 3)
    person.recorder.retry()
    while person.recorder._refused:
        time.sleep(0.001)
    person.see(8_000, 4)
    person.recorder.close()
    kept = person.read()
    assert [pixels[0, 0, 0] for _, pixels in kept.pictures()] == [1, 2, 4]
    assert (kept.manifest.keys, kept.manifest.pictures) == ({"w": 2}, 3)
    assert (person.recorder.fault(), kept.manifest.dropped) == (None, 0)


def _no_room(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_one_game_is_recorded_once_at_a_time_and_two_games_beside_each_other(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    walk, other = Player(data), Player(data, game="other")
    with pytest.raises(PitwallError, match="walk is being recorded already"):
        Player(data)
    walk.see(0, 1)
    walk.recorder.close()
    again = Player(data)  # the clock was set back: the same second once more
    again.see(0, 1)
    again.recorder.close()
    other.recorder.close()
    known = [kept.id for kept in DemonstrationFolder(data).all()]
    assert known == ["20261123-192500-walk-2", "20261123-192500-walk"], "and of nothing seen none is kept"


def test_it_says_when_it_has_reached_its_size(player: Callable[..., Player]) -> None:
    person = player(most_mib=1, picture_size=(640, 480))
    noise = np.random.default_rng(1)
    for at_ms in (0, 100):
        assert not person.recorder.full
        person.show(at_ms, noise.integers(255, size=(480, 640, 4), dtype=np.uint8))
    person.recorder.close()
    assert person.recorder.full


@pytest.fixture
def no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As in the first minutes of an installation: pyarrow is still on its way."""
    monkeypatch.delitem(sys.modules, "pitwall.demonstrations.arrow_tables", raising=False)
    monkeypatch.delattr("pitwall.demonstrations.arrow_tables", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    return monkeypatch


def test_a_correction_before_pyarrow_is_there_is_kept_and_read_once_it_is(
    player: Callable[..., Player], no_pyarrow: pytest.MonkeyPatch
) -> None:
    person = player()
    person.see(0, 1)
    person.press(10)
    person.see(6_000, 2)  # another chunk
    while person.recorder._writer._chunk == 0:
        time.sleep(0.001)
    no_pyarrow.undo()  # it has come
    person.press(12_000)
    person.see(12_010, 3)
    person.press(18_000)
    assert person.recorder.close()
    kept = person.read()
    assert person.recorder.fault() is None
    assert {Path(file.name).suffix for file in kept.manifest.files} == {".jsonl", ".parquet"}
    assert kept.check() == []
    assert [pixels[0, 0, 0] for _, pixels in kept.pictures()] == [1, 2, 3]
    assert [event.kind for event in kept.events()] == ["key_down", "key_up"] * 3
    assert [moment.fields["score"] for moment in kept.moments()] == [0, 6_000, 12_010]
    assert len(list(kept.compressed_pictures())) == 3


@pytest.mark.parametrize("damage", [b"{", b"[]\n", b'{"at_ns": 1, "pixels": "no"}\n', b'{"at_ns": null}\n'])
def test_a_damaged_plain_table_is_named(
    player: Callable[..., Player], no_pyarrow: pytest.MonkeyPatch, damage: bytes
) -> None:
    person = player()
    person.see(0, 1)
    person.recorder.close()
    no_pyarrow.undo()
    (person.folder / "pictures-0000.jsonl").write_bytes(damage)
    with pytest.raises(DamagedFile, match=r"pictures-0000\.jsonl"):
        list(person.read().pictures())


def test_a_missing_part_is_named_with_its_remedy(
    player: Callable[..., Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    monkeypatch.setattr(DemonstrationWriter, "picture", lacks)
    monkeypatch.setattr(Component, "present", False)
    person = player()
    person.see(0, 1)
    while (fault := person.recorder.fault()) is None:
        time.sleep(0.001)
    assert fault.what.startswith("a part of it could not be recorded. Demonstrations and statistics: ")
    assert "pitwall components install recordings" in fault.fix
