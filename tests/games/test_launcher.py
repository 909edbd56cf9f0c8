"""Starting and ending a game's own program: real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import LaunchFailed, UntrustedPlugin
from pitwall.core.paths import DataFolder, games_bytecode_dir
from pitwall.desktops.here import processes
from pitwall.games.game_process import ENDED_WELL, Launched, of_supervisors, start
from pitwall.games.launcher import adopt, launch
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.games.trust import trust
from workshop.fixtures.processes import kill

Damage = Callable[..., Path]

PROGRAM = """
import json, os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
report = {"arguments": sys.argv[1:], "child": child.pid, "mine": os.environ["MINE"], "cwd": os.getcwd(),
        "path": os.environ["PATH"], "cache": sys.pycache_prefix, "caches": not sys.dont_write_bytecode,
        "truth": os.environ.get("PITWALL_TRUTH"),
        "place": os.environ.get("SDL_VIDEO_WINDOW_POS")}
print("hello from the game", flush=True)
open(os.environ["SAY"] + ".tmp", "w").write(json.dumps(report))
os.replace(os.environ["SAY"] + ".tmp", os.environ["SAY"])
time.sleep(60)
"""


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def game(game_folder: Path, data: DataFolder) -> Game:
    (game_folder / "pong.py").write_text(PROGRAM, encoding="utf-8")
    trust(data, Registry(data).load(str(game_folder)))
    return Registry(data).load(str(game_folder))


@pytest.fixture
def running(game: Game, data: DataFolder, tmp_path: Path) -> Iterator[Launched]:
    launched = launch(game, seed=7, data=data.root, env={"SAY": str(tmp_path / "said"), "MINE": "yes"})
    yield launched
    launched.close()


def said(tmp_path: Path) -> Any:
    until = time.monotonic() + 120
    while not (tmp_path / "said").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    report: Any = json.loads((tmp_path / "said").read_text())
    return report


def until(probe: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not probe():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_game_is_told_where_to_write_its_true_state(
    game: Game, data: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = data.truth("pong")
    usual.parent.mkdir(parents=True)
    usual.write_text("of an earlier game", encoding="utf-8")
    env = {"SAY": str(tmp_path / "said"), "MINE": "yes"}
    monkeypatch.delenv("PITWALL_TRUTH", raising=False)
    launched = launch(game, seed=7, data=data.root, env=env)
    try:
        assert said(tmp_path)["truth"] == str(usual)
        assert not usual.exists()
    finally:
        launched.close()
    (tmp_path / "said").unlink()
    monkeypatch.setenv("PITWALL_TRUTH", str(tmp_path / "elsewhere"))
    launched = launch(game, seed=7, data=data.root, env=env)
    try:
        assert said(tmp_path)["truth"] == str(tmp_path / "elsewhere")
    finally:
        launched.close()


def test_placeholders_environment_and_folder(
    running: Launched, game: Game, data: DataFolder, tmp_path: Path
) -> None:
    report = said(tmp_path)
    assert report["place"] == "40,80", "the console has room beside it"
    own = data.root / "game-data" / "pong"
    assert report["arguments"] == ["--seed", "7", "--into", str(own)]
    assert (report["mine"], report["cwd"]) == ("yes", str(game.folder))
    assert "/usr/games" in str(report["path"])
    assert report["cache"] == str(games_bytecode_dir()) and report["caches"], "else each start compiles all"
    assert running.alive
    assert running.last_words() == "hello from the game"
    assert not (game.folder / "__pycache__").exists()


def test_closing_ends_all_it_started(running: Launched, tmp_path: Path) -> None:
    child = said(tmp_path)["child"]
    assert isinstance(child, int)
    running.close()
    assert not running.alive
    assert not processes().born(child)
    running.close()


def test_a_game_that_ends_by_itself_leaves_its_last_words(
    game: Game, data: DataFolder, tmp_path: Path
) -> None:
    launched = launch(game, seed=None, data=data.root, env={"SAY": str(tmp_path / "said")})
    until = time.monotonic() + 120
    while launched.alive and time.monotonic() < until:
        time.sleep(0.02)
    assert not launched.alive
    assert "KeyError: 'MINE'" in launched.last_words()
    launched.close()


def test_settings_a_program_writes_into_are_laid_anew(damaged: Damage, data: DataFolder) -> None:
    folder = damaged(("[launch]\n", '[launch]\ncopies = ["pong.cfg"]\n'))
    (folder / "pong.cfg").write_text("volume 1\n")
    (folder / "pong.py").write_text("import sys; open(sys.argv[4] + '/pong.cfg', 'a').write('more')")
    trust(data, Registry(data).load(str(folder)))
    game = Registry(data).load(str(folder))
    own = data.root / "game-data" / "pong" / "pong.cfg"
    for _ in range(2):
        launched = launch(game, seed=1, data=data.root, env={})
        until = time.monotonic() + 120
        while launched.alive and time.monotonic() < until:
            time.sleep(0.02)
        assert own.read_text() == "volume 1\nmore"
    assert (folder / "pong.cfg").read_text() == "volume 1\n"


def test_an_untrusted_game_is_not_started(game_folder: Path, data: DataFolder) -> None:
    with pytest.raises(UntrustedPlugin, match=r"pitwall games trust \S*pong"):
        launch(Registry(data).load(str(game_folder)), seed=1, data=data.root, env={})


_BY = ", and add its folder to PATH" if sys.platform == "win32" else ": sudo apt-get install no-such-one"


@pytest.mark.skipif(sys.platform == "win32", reason="libraries start no session bus there")
def test_a_service_that_a_library_left_behind_is_not_the_game(tmp_path: Path) -> None:
    """SDL starts a session bus where there is none; its daemon outlives the game."""
    (tmp_path / "dbus-daemon").symlink_to("/bin/sleep")
    launched = start(
        ["/bin/sh", "-c", f"{tmp_path}/dbus-daemon 600 & sleep 0.2"],
        {},
        folder=tmp_path,
        own=tmp_path,
        log=tmp_path / "log",
        control=tmp_path / "control",
        owner=os.getpid(),
    )
    until(lambda: not launched.alive)
    assert launched.ending == ENDED_WELL
    launched.close()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            'programs = ["no-such-one"]',
            f"Pong needs no-such-one, not found on this machine. Install it{_BY}",
        ),
        ('programs = ["no-such-one"]\ninstall_hint = "Buy it."', "not found on this machine. Buy it."),
    ],
)
def test_a_missing_program_is_named(damaged: Damage, data: DataFolder, line: str, words: str) -> None:
    folder = damaged(("[launch]\n", f"[launch]\n{line}\n"))
    trust(data, Registry(data).load(str(folder)))
    with pytest.raises(LaunchFailed, match=words):
        launch(Registry(data).load(str(folder)), seed=1, data=data.root, env={})


def test_a_program_that_cannot_be_started_is_named(damaged: Damage, data: DataFolder) -> None:
    folder = damaged(('command = ["{python}"', 'command = ["no-such-program"'))
    trust(data, Registry(data).load(str(folder)))
    with pytest.raises(LaunchFailed, match="no-such-program"):
        launch(Registry(data).load(str(folder)), seed=1, data=data.root, env={})


OWNER = """
import sys, time
from pathlib import Path
from pitwall.core.paths import DataFolder, games_bytecode_dir
from pitwall.games.launcher import launch
from pitwall.games.registry import Registry
folder, data, said, owner = sys.argv[1:]
game = Registry(DataFolder(Path(data))).load(folder)
print(launch(game, seed=7, data=Path(data), env={"SAY": said, "MINE": ""}, owner=int(owner)).pid, flush=True)
time.sleep(3600)
"""
ESCAPES = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
with open(os.environ["SAY"] + ".tmp", "w") as said:
    said.write(str(child.pid))
os.replace(os.environ["SAY"] + ".tmp", os.environ["SAY"])
"""


@pytest.fixture
def engine(game: Game, data: DataFolder, tmp_path: Path) -> Iterator[Callable[[int], subprocess.Popen[str]]]:
    """Starts a process that launches the game for an owner (0: itself) and says the game's id."""
    started: list[subprocess.Popen[str]] = []

    def begin(owner: int) -> subprocess.Popen[str]:
        words = [str(game.own_folder), str(data.root), str(tmp_path / "said"), str(owner)]
        started.append(
            subprocess.Popen([sys.executable, "-c", OWNER, *words], stdout=subprocess.PIPE, text=True)
        )
        return started[-1]

    yield begin
    for launched in started:
        launched.kill()
        launched.communicate()
    if left := adopt(game, data=data.root):
        left.close()


def pid_of_game(engine: subprocess.Popen[str]) -> int:
    assert engine.stdout is not None
    return int(engine.stdout.readline())


def test_a_game_ends_with_its_owner_and_so_does_all_it_started(
    engine: Callable[[int], subprocess.Popen[str]], tmp_path: Path
) -> None:
    owner = engine(0)
    pid, child = pid_of_game(owner), said(tmp_path)["child"]
    assert isinstance(child, int)
    assert processes().born(pid)
    assert processes().born(child)
    owner.kill()
    until(lambda: not processes().born(pid) and not processes().born(child))


def test_what_left_the_games_session_ends_with_the_game(
    game_folder: Path, data: DataFolder, tmp_path: Path
) -> None:
    (game_folder / "pong.py").write_text(ESCAPES, encoding="utf-8")
    trust(data, Registry(data).load(str(game_folder)))
    game = Registry(data).load(str(game_folder))
    launched = launch(game, seed=7, data=data.root, env={"SAY": str(tmp_path / "said")})
    escaped = said(tmp_path)
    assert isinstance(escaped, int)
    assert launched.alive, "its program ended, what it started did not"
    launched.close()
    assert not processes().born(escaped)
    assert not launched.alive


def test_a_killed_supervisor_takes_its_game_with_it(running: Launched, tmp_path: Path) -> None:
    child = said(tmp_path)["child"]
    assert isinstance(child, int)
    kill(running.pid)
    until(lambda: not running.alive)
    running.close()
    assert not processes().born(child)


def test_a_game_is_adopted_from_a_dead_engine_of_the_same_owner_alone(
    engine: Callable[[int], subprocess.Popen[str]], game: Game, data: DataFolder, tmp_path: Path
) -> None:
    before = engine(os.getpid())
    pid = pid_of_game(before)
    said(tmp_path)
    assert adopt(game, data=data.root) is None, "its engine lives"
    before.kill()
    before.wait()
    assert adopt(game, data=data.root, owner=1) is None, "it belongs to somebody else"
    assert adopt(game, data=tmp_path / "other", owner=os.getpid()) is None
    assert pid in of_supervisors()
    adopted = adopt(game, data=data.root, owner=os.getpid())
    assert adopted is not None
    assert (adopted.pid, adopted.alive) == (pid, True)
    adopted.close()
    assert not adopted.alive
    assert adopt(game, data=data.root, owner=os.getpid()) is None, "it ended"
    (data.root / "game-data" / "pong" / "program.pid").write_text("no numbers")
    assert adopt(game, data=data.root) is None


def test_a_leftover_ends_before_the_game_is_launched_again(
    engine: Callable[[int], subprocess.Popen[str]], game: Game, data: DataFolder, tmp_path: Path
) -> None:
    before = engine(os.getpid())
    pid = pid_of_game(before)
    child = said(tmp_path)["child"]
    assert isinstance(child, int)
    before.kill()
    before.wait()
    kill(pid)
    until(lambda: not processes().born(pid))
    launched = launch(game, seed=7, data=data.root, env={"SAY": str(tmp_path / "said"), "MINE": ""})
    assert not processes().born(child)
    launched.close()
