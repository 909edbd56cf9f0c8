"""Data folders that fail: full, read-only, damaged, in use. Play pauses or is refused; nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.end_to_end.command import pitwall
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import LONG_HOLDS, assert_whole, until, until_up
from tests.end_to_end.game import is_window_open

from pitwall.cli.play.headless import PlayFailed, play
from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState
from pitwall.store.run_reader import RunReader
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four mebibytes; skipped where mounting is not permitted."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux may mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    mounted = subprocess.run(words, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"mounting is not permitted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(disk: Path) -> Path:
    """Leave no byte free; deleting the returned file frees them."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        size = shutil.disk_usage(disk).free
        while size:
            try:
                file.write(b"\0" * size)
            except OSError:
                size //= 2
    return filler


@pytest.fixture
def small(small_disk: Path) -> DataFolder:
    """A data folder on the small disk."""
    return DataFolder(small_disk / "data")


def test_a_full_disk_pauses_until_there_is_room(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson, small: DataFolder
) -> None:
    pit = make_pit(make_game("tap"), data=small)
    run_id = pit.play()
    pit.until(lambda: len(pit.steps) >= 2, "two steps")
    filler = _fill(small.root.parent)
    paused = pit.expect_state(EngineState.PAUSED, "recording")
    assert "disk is full" in paused.text
    assert "Free some space" in paused.fix
    until_up(hands)
    kept = len(pit.steps)
    assert_whole(small, run_id, pit.steps, "playing")
    pit.send(commands.Resume())
    assert "disk is full" in pit.expect(telemetry.Fault).what
    pit.until(lambda: pit.state is EngineState.PAUSED, "the pause to go on")
    filler.unlink()
    pit.resume()
    pit.until(lambda: len(pit.steps) >= kept + 3, "further steps")
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    assert [step.step for step in pit.steps] == list(range(1, len(pit.steps) + 1)), "what waited was written"
    assert_whole(small, run_id, pit.steps, "stopped")
    reader = RunReader.open(small)
    assert "disk is full" in " ".join(event.text for event in reader.events(run_id))
    assert reader.run(run_id).summary.steps == len(pit.steps)
    reader.close()


def test_a_run_that_ends_on_a_full_disk_is_written_when_there_is_room(
    make_game: MakeGame, make_pit: MakePit, small: DataFolder
) -> None:
    pit = make_pit(make_game("tap"), data=small)
    run_id = pit.play()
    pit.until(lambda: pit.steps, "a step")
    filler = _fill(small.root.parent)
    pit.expect_state(EngineState.PAUSED, "recording")
    pit.send(commands.Stop())
    failed = pit.expect_state(EngineState.FAILED, "recording")
    assert "disk is full" in failed.text
    filler.unlink()
    pit.send(commands.Quit())
    assert pit.expect(telemetry.RunEnded).run_id == run_id
    assert_whole(small, run_id, pit.steps, "stopped")


def test_a_command_on_a_full_disk_ends_with_a_sentence(make_game: MakeGame, small: DataFolder) -> None:
    game = make_game("tap")
    _fill(small.root.parent)
    ran = pitwall("run", "--game", str(game.folder), "--no-launch", "--seconds", "2", data=small)
    assert ran.status == 1
    assert "pitwall:" in ran.err
    assert str(small.root) in ran.err
    assert "space" in ran.err


def test_an_unattended_play_whose_disk_fills_up_ends_with_a_sentence(
    make_game: MakeGame, small: DataFolder
) -> None:
    opening = commands.Open(game=str(make_game("tap").folder), launch=False, settings=LONG_HOLDS)
    fillers: list[Path] = []

    def fill(record: object) -> None:
        if isinstance(record, telemetry.StepNote) and not fillers:
            fillers.append(_fill(small.root.parent))

    with pytest.raises(PlayFailed, match="disk is full"):
        play(small, opening, commands.Start(), on_record=fill)
    assert fillers


def _mount(*words: str) -> None:
    mounted = subprocess.run(["mount", *words], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"mounting is not permitted here: {mounted.stderr.strip()}")


@pytest.fixture
def read_only(data: DataFolder) -> Iterator[Callable[[], None]]:
    """Makes the data folder read-only from then on, for root too; what is open for writing stays so."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux may mount a read-only folder")
    folder = str(data.root)

    def make() -> None:
        _mount("--bind", folder, folder)
        _mount("-o", "remount,bind,ro", folder)

    yield make
    subprocess.run(["umount", "--lazy", folder], capture_output=True)


def test_a_read_only_data_folder(
    make_game: MakeGame, make_pit: MakePit, data: DataFolder, read_only: Callable[[], None]
) -> None:
    game = make_game("tap")
    pit = make_pit(game)
    pit.expect_state(EngineState.READY)
    read_only()
    pit.send(commands.Start())
    failed = pit.expect_state(EngineState.FAILED, "DataFolderError")
    assert str(data.root) in failed.text
    assert "read-only" in failed.text
    assert "PITWALL_DATA" in failed.fix
    ran = pitwall("run", "--game", str(game.folder), "--no-launch", "--seconds", "1", data=data)
    assert ran.status == 1
    assert str(data.root) in ran.err
    assert "read-only" in ran.err
    assert "PITWALL_DATA" in ran.err
    listed = pitwall("runs", data=data)
    assert listed.status == 0, listed.err
    subprocess.run(["umount", "--lazy", str(data.root)], check=True)
    pit.send(commands.Start())
    pit.play()


def test_a_corrupt_database_is_kept_aside(make_game: MakeGame, make_pit: MakePit, data: DataFolder) -> None:
    damaged = b"SQLite format 3\0" + os.urandom(8192)
    data.database.write_bytes(damaged)
    listed = pitwall("runs", data=data)
    assert listed.status == 1
    assert str(data.database) in listed.err
    assert "damaged" in listed.err
    pit = make_pit(make_game("tap"))
    pit.expect_state(EngineState.READY)
    pit.send(commands.Start())
    notice = pit.expect(telemetry.Fault)
    assert notice.error == "Notice"
    kept = [file for file in data.root.iterdir() if ".damaged-" in file.name]
    assert [file.read_bytes() for file in kept] == [damaged]
    assert kept[0].name in notice.what
    run_id = pit.expect(telemetry.RunBegan).run_id
    pit.until(lambda: pit.steps, "a step")
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    assert_whole(data, run_id, pit.steps, "stopped")


def test_a_second_writer_on_the_same_data(make_game: MakeGame, make_pit: MakePit, data: DataFolder) -> None:
    game = make_game("tap")
    first = make_pit(game)
    run_id = first.play()
    second = make_pit(game)
    second.expect_state(EngineState.READY)
    second.send(commands.Start())
    failed = second.expect_state(EngineState.FAILED, "DataFolderError")
    assert "in use by engine" in failed.text
    assert str(first.session.pid) in failed.text
    assert failed.fix
    ran = pitwall("run", "--game", str(game.folder), "--no-launch", "--seconds", "1", data=data)
    assert ran.status == 1
    assert str(first.session.pid) in ran.err
    steps = len(first.steps)
    first.until(lambda: len(first.steps) > steps, "the first to play on")
    first.send(commands.Stop())
    first.expect(telemetry.RunEnded)
    assert_whole(data, run_id, first.steps, "stopped")


def test_a_second_console_on_the_same_data(screen: str, data: DataFolder) -> None:
    assert screen
    console = subprocess.Popen([sys.executable, "-m", "pitwall", "console", "--data", str(data.root)])
    try:
        until(lambda: is_window_open(console.pid), "the console's window")
        second = pitwall("console", data=data)
        assert second.status == 1
        assert f"in use by console with process id {console.pid}" in second.err
    finally:
        console.send_signal(signal.SIGTERM)
        assert console.wait(20) == 0
