"""Starting and ending a game's own program: real processes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pitwall.core.errors import LaunchFailed, UntrustedPlugin
from pitwall.core.paths import DataFolder
from pitwall.games.launcher import Launched, adopt, launch
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.games.trust import trust

Damage = Callable[..., Path]

PROGRAM = """
import json, os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
said = {"arguments": sys.argv[1:], "child": child.pid, "mine": os.environ["MINE"], "cwd": os.getcwd(),
        "path": os.environ["PATH"], "cache": sys.pycache_prefix, "truth": os.environ.get("PITWALL_TRUTH")}
print("hello from the game", flush=True)
open(os.environ["SAY"] + ".tmp", "w").write(json.dumps(said))
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


def said(tmp_path: Path) -> dict[str, object]:
    until = time.monotonic() + 30
    while not (tmp_path / "said").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    told: dict[str, object] = json.loads((tmp_path / "said").read_text())
    return told


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"


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
    told = said(tmp_path)
    own = data.root / "game-data" / "pong"
    assert told["arguments"] == ["--seed", "7", "--into", str(own)]
    assert (told["mine"], told["cwd"]) == ("yes", str(game.folder))
    assert "/usr/games" in str(told["path"])
    assert told["cache"] == str(own / "pycache")
    assert running.alive
    assert running.last_words() == "hello from the game"
    assert not (game.folder / "__pycache__").exists()


def test_closing_ends_all_it_started(running: Launched, tmp_path: Path) -> None:
    child = said(tmp_path)["child"]
    assert isinstance(child, int)
    running.close()
    assert not running.alive
    assert gone(child)
    running.close()


def test_a_game_that_ends_by_itself_leaves_its_last_words(
    game: Game, data: DataFolder, tmp_path: Path
) -> None:
    launched = launch(game, seed=None, data=data.root, env={"SAY": str(tmp_path / "said")})
    until = time.monotonic() + 30
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
        until = time.monotonic() + 30
        while launched.alive and time.monotonic() < until:
            time.sleep(0.02)
        assert own.read_text() == "volume 1\nmore"
    assert (folder / "pong.cfg").read_text() == "volume 1\n"


def test_an_untrusted_game_is_not_started(game_folder: Path, data: DataFolder) -> None:
    with pytest.raises(UntrustedPlugin, match=r"pitwall games trust \S*pong"):
        launch(Registry(data).load(str(game_folder)), seed=1, data=data.root, env={})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('programs = ["no-such-one"]', "Pong needs no-such-one, not found .*apt-get install no-such-one"),
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


def test_a_game_is_adopted_only_from_an_engine_that_is_dead(
    running: Launched, game: Game, data: DataFolder, tmp_path: Path
) -> None:
    said(tmp_path)
    assert adopt(game, data=data.root) is None, "we started it and live"
    note = data.root / "game-data" / "pong" / "program.pid"
    pid, born, *_ = note.read_text().split()
    note.write_text(f"{pid} {born} {os.getpid()} 1")  # our id as another process had it before
    adopted = adopt(game, data=data.root)
    assert adopted is not None
    assert (adopted.pid, adopted.alive) == (running.pid, True)
    adopted.close()
    assert not running.alive
    assert adopt(game, data=data.root) is None, "it ended"
    note.write_text("no numbers")
    assert adopt(game, data=data.root) is None
