"""The list of anti-cheat services, and what is found of one beside real processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pitwall.core.errors import DamagedFile, GuardedGame
from pitwall.desktops.here import processes
from pitwall.desktops.process_contract import RunningProgram
from pitwall.games.anti_cheat import (
    Guard,
    guard_of_process,
    guard_of_program,
    guard_on_machine,
    known_guards,
    resident_guards,
)

GUARDS = known_guards()
Start = Callable[..., int]
_SLEEPS = (
    "import mmap, sys, time; f = open(sys.argv[1]); m = mmap.mmap(f.fileno(), 0, prot=1); time.sleep(60)"
)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program that sleeps under any name; returns its process id once it runs by that name."""
    if sys.platform == "win32":
        pytest.skip("a process of any name, which loads any file, is started by means of Linux")
    processes: list[subprocess.Popen[bytes]] = []
    nothing = tmp_path / "nothing.txt"
    nothing.write_text("nothing")

    def begin(name: str, *arguments: str, maps: Path = nothing, cwd: Path = tmp_path) -> int:
        words = [name, "-c", _SLEEPS, str(maps), *arguments]
        processes.append(subprocess.Popen(words, executable=sys.executable, cwd=cwd))
        pid = processes[-1].pid
        deadline = time.monotonic() + 30
        while str(maps) not in Path(f"/proc/{pid}/maps").read_text():
            assert time.monotonic() < deadline, "the process did not come up"
            time.sleep(0.01)
        return pid

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def test_every_guard_of_the_list_can_be_found_and_is_named_once() -> None:
    names = [guard.name for guard in GUARDS]
    assert len(names) == len(set(names)) >= 15
    for guard in GUARDS:
        assert guard.processes | guard.drivers | guard.files | guard.games, guard.name
        assert not guard.resident & (guard.processes | guard.drivers), guard.name
        assert not guard.unless or guard.games, guard.name


@pytest.mark.parametrize(
    "name", ["Easy Anti-Cheat", "BattlEye", "Riot Vanguard", "nProtect GameGuard", "XIGNCODE3", "PunkBuster"]
)
def test_the_usual_guards_are_on_it(name: str) -> None:
    assert name in {guard.name for guard in GUARDS}


def test_a_guards_process_is_found_wherever_it_runs(start: Start) -> None:
    own = Guard(name="Test Guard", processes=frozenset({"Pitwall-Test-Guard.exe"}))
    assert guard_on_machine([own]) is None
    pid = start(r"C:\Program Files\Guard\pitwall-test-GUARD.exe")
    match = guard_on_machine([own])
    assert match is not None
    assert f"process id {pid}" in match.sign
    error = match.error()
    assert isinstance(error, GuardedGame)
    assert "cost you the account" in error.what
    assert "neither captures nor presses" in error.what


@pytest.mark.skipif(sys.platform != "win32", reason="Windows' processes")
def test_a_guards_process_is_found_on_windows(tmp_path: Path) -> None:
    own = Guard(name="Test Guard", processes=frozenset({"Pitwall-Test-Guard.exe"}))
    program = shutil.copy(os.environ["COMSPEC"], tmp_path / "pitwall-test-GUARD.exe")
    with subprocess.Popen([program, "/k"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while (match := guard_on_machine([own])) is None:
            assert time.monotonic() < deadline, "the guard's process was not found"
        assert f"process id {process.pid}" in match.sign
        process.kill()
    assert guard_on_machine([own]) is None


@pytest.mark.parametrize(
    ("file", "guard"),
    [
        ("EasyAntiCheat/Settings.json", "Easy Anti-Cheat"),
        ("start_protected_game.exe", "Easy Anti-Cheat"),
        ("Binaries/Win64/BattlEye/BEClient_x64.dll", "BattlEye"),
        ("bin/GameGuard/readme.txt", "nProtect GameGuard"),
        ("Game/Plugins/x64/x3_x64.xem", "XIGNCODE3"),
        ("pb/pbcl.so", "PunkBuster"),
    ],
)
def test_what_lies_in_a_games_folder_guards_it(tmp_path: Path, start: Start, file: str, guard: str) -> None:
    game = tmp_path / "steamapps" / "common" / "Some Game"
    works = game / "Binaries" / "Linux"
    works.mkdir(parents=True)
    pid = start("some-game", cwd=works)
    assert guard_of_process(pid, GUARDS) is None
    (game / file).parent.mkdir(parents=True, exist_ok=True)
    (game / file).write_text("x")
    match = guard_of_process(pid, GUARDS)
    assert match is not None
    assert match.guard.name == guard
    assert "lies in the game's folder" in match.sign


def test_a_windows_game_under_wine_is_looked_up_by_its_own_path(tmp_path: Path, start: Start) -> None:
    game = tmp_path / "My Game"
    (game / "bin").mkdir(parents=True)
    pid = start("wine64-preloader", cwd=Path("/usr"))
    assert guard_of_process(pid, GUARDS) is None
    (game / "BattlEye").mkdir()
    windows_path = "Z:" + str(game / "bin" / "Game.exe").replace("/", "\\")
    match = guard_of_process(start(windows_path, cwd=Path("/usr")), GUARDS)
    assert match is not None
    assert match.guard.name == "BattlEye"


def test_a_guard_that_the_game_has_loaded_is_found(tmp_path: Path, start: Start) -> None:
    library = tmp_path / "elsewhere" / "a" / "b" / "c" / "d" / "BEClient_x64.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"\0" * 4096)
    match = guard_of_process(start("some-game", maps=library), GUARDS)
    assert match is not None
    assert "has loaded beclient_x64.so" in match.sign


def test_a_secured_game_is_free_where_it_joins_no_secured_server(start: Start) -> None:
    match = guard_of_process(start("/games/csgo/cs2"), GUARDS)
    assert match is not None
    assert "-insecure" in match.fix
    assert guard_of_process(start("/games/csgo/cs2", "-insecure"), GUARDS) is None


def test_a_resident_service_refuses_nothing_by_itself(start: Start) -> None:
    own = Guard(name="Boot Guard", resident=frozenset({"pitwall-test-resident.exe"}))
    pid = start("pitwall-test-resident.exe")
    assert guard_on_machine([own]) is None
    assert guard_of_process(pid, [own]) is None
    assert resident_guards([own]) == {"Boot Guard": "pitwall-test-resident.exe"}


def test_a_folder_of_many_games_speaks_for_none(tmp_path: Path) -> None:
    (tmp_path / "common" / "Guarded" / "BattlEye").mkdir(parents=True)
    (tmp_path / "common" / "Free").mkdir()
    free = RunningProgram(0, "free", folders=(tmp_path / "common" / "Free",))
    assert guard_of_program(free, GUARDS) is None
    assert processes().program(0) is None


def test_the_operators_own_list_adds_guards_and_takes_none_away(tmp_path: Path) -> None:
    (tmp_path / "anti_cheat.toml").write_text('[[guard]]\nname = "Own"\nprocesses = ["OwnGuard"]\n')
    guards = known_guards(tmp_path)
    assert guards[: len(GUARDS)] == GUARDS
    assert guards[-1].processes == {"ownguard"}


@pytest.mark.parametrize(
    ("text", "says"),
    [("[[guard]]\nprocesses = 3\n", "guard.0.name"), ("[[guard]\n", "TOML"), ("guards = []\n", "guard")],
)
def test_a_damaged_list_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "anti_cheat.toml"
    file.write_text(text)
    with pytest.raises(DamagedFile) as caught:
        known_guards(tmp_path)
    assert str(file) in caught.value.what
    assert says in str(caught.value)
