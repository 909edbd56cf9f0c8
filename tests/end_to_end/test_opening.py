"""Games that cannot be opened: unknown, faulty, not trusted, not installed. Each ends in a clear sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.end_to_end.command import pitwall
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import Pit

from pitwall.core import commands
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState, StateChanged

pytestmark = pytest.mark.screen


Fails = Callable[[str | Path], StateChanged]


@pytest.fixture(scope="module")
def one_pit(screen: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """An engine for the games that cannot even be read: it stays free for the next."""
    assert screen
    pit = Pit(DataFolder(tmp_path_factory.mktemp("one") / "data"), "no-game-at-all", launch=True)
    pit.expect_state(EngineState.FAILED)
    yield pit
    pit.close()


@pytest.fixture
def fails(one_pit: Pit) -> Fails:
    """Opens a game in the engine; how that failed."""

    def open_it(game: str | Path) -> StateChanged:
        one_pit.send(commands.Open(game=str(game), launch=True))
        return one_pit.expect_state(EngineState.FAILED)

    return open_it


def test_an_unknown_game(fails: Fails, data: DataFolder) -> None:
    ran = pitwall("run", "--game", "flapy", "--seconds", "1", data=data)
    assert ran.status == 1
    assert ran.err.count("\n") == 1
    assert "there is no game 'flapy'" in ran.err
    assert "Did you mean 'flappy'?" in ran.err
    message = fails("flapy")
    assert message.cause == "UnknownGame"
    assert (message.text, message.fix) == ("there is no game 'flapy'.", "Did you mean 'flappy'?")
    answer = pitwall("demo", "--game", "no-such-thing", "--json", data=data).answer
    assert answer["error"] == "UnknownGame"
    assert "flappy" in answer["fix"], "where nothing is near, all there are"


@pytest.fixture
def partial(tmp_path: Path) -> Path:
    """A game's folder whose manifest lacks tables and misspells keys."""
    folder = tmp_path / "partial"
    folder.mkdir()
    (folder / "plugin.toml").write_text(
        'schema = 1\n[game]\nid = "partial"\nnmae = "Partial"\n[[actions]]\nname = "jump"\nkyes = ["Space"]\n'
        'hold_ms = 60\nduration_ms = "long"\n',
        encoding="utf-8",
    )
    return folder


def test_a_partial_manifest_names_every_fault(fails: Fails, data: DataFolder, partial: Path) -> None:
    file = str(partial / "plugin.toml")
    ran = pitwall("games", "check", str(partial), "--json", data=data)
    assert ran.status == 1
    faults = {fault["key"]: fault for fault in ran.answer["faults"]}
    assert all(fault["file"] == file for fault in faults.values())
    assert {"game.name", "game.nmae", "screen"} <= set(faults)
    assert faults["game.nmae"]["nearest"] == "name"
    wrong = next(fault for key, fault in faults.items() if key.endswith("kyes"))
    assert wrong["nearest"] == "keys"
    length = next(fault for key, fault in faults.items() if key.endswith("duration_ms"))
    assert "long" in length["problem"]
    assert length["expected"]
    run = pitwall("run", "--game", str(partial), "--seconds", "1", "--json", data=data)
    assert run.status == 1
    assert run.answer["error"] == "ManifestError"
    assert {fault["key"] for fault in run.answer["faults"]} == set(faults)
    message = fails(partial)
    assert message.cause == "ManifestError"
    for words in (file, "game.nmae", "did you mean 'name'?", "screen: is missing", "duration_ms", "expected"):
        assert words in message.text
    assert "pitwall games check" in message.fix


def test_a_malformed_manifest(fails: Fails, data: DataFolder, tmp_path: Path) -> None:
    folder = tmp_path / "malformed"
    folder.mkdir()
    file = folder / "plugin.toml"
    file.write_text('schema = 1\n[game\nid = "x"\n', encoding="utf-8")
    ran = pitwall("run", "--game", str(folder), "--seconds", "1", data=data)
    assert ran.status == 1
    assert str(file) in ran.err
    assert "line 2" in ran.err
    message = fails(folder)
    assert message.cause == "ManifestError"
    assert "line 2" in message.text
    file.write_bytes(b"schema = 1\n\xff\xfe")
    assert "is not UTF-8" in pitwall("games", "check", str(folder), data=data).out


def test_a_folder_without_a_manifest(fails: Fails, tmp_path: Path) -> None:
    message = fails(tmp_path / "nowhere" / "at-all")
    assert "plugin.toml" in message.text
    assert "is not there" in message.text


def test_a_condition_that_names_no_field(make_game: MakeGame, fails: Fails) -> None:
    game = make_game("tap", window=False)
    file = game.folder / "plugin.toml"
    file.write_text(file.read_text().replace("status == 'playing'", "mooved > 3"), encoding="utf-8")
    message = fails(game.folder)
    assert "mooved" in message.text
    assert "moved" in message.text + message.fix


def test_a_missing_program(make_game: MakeGame, make_pit: MakePit, data: DataFolder) -> None:
    game = make_game("tap", window=False, command=["no-such-program-anywhere", "--fast"])
    message = make_pit(game, launch=True, trusted=True).expect_state(EngineState.FAILED)
    assert message.cause == "LaunchFailed"
    assert "no-such-program-anywhere" in message.text
    assert "Small Game" in message.text
    ran = pitwall("run", "--game", str(game.folder), "--seconds", "1", data=data)
    assert ran.status == 1
    assert "no-such-program-anywhere" in ran.err


_FAILS_IN_A_TASK = """
import asyncio
async def fail(): raise ValueError("the level is missing")
async def main():
    asyncio.ensure_future(fail())
    await asyncio.sleep(0.1)
asyncio.run(main())
raise SystemExit(3)
"""


def test_a_program_that_ends_at_once_tells_its_last_words_without_a_traceback(
    make_game: MakeGame, make_pit: MakePit, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; sys.exit('the level is missing')", encoding="utf-8")
    game = make_game("tap", window=False, command=[sys.executable, str(program)])
    pit = make_pit(game, launch=True, trusted=True)
    message = pit.expect_state(EngineState.FAILED)
    assert message.cause == "LaunchFailed"
    assert "the level is missing" in message.text

    program.write_text(_FAILS_IN_A_TASK, encoding="utf-8")
    pit.send(commands.Start())
    message = pit.expect_state(EngineState.FAILED)
    assert "ValueError: the level is missing" in message.text
    assert not [sign for sign in ("Traceback", "never retrieved", "File ", "future:") if sign in message.text]


def test_a_game_that_is_not_trusted_runs_nothing(
    make_game: MakeGame, make_pit: MakePit, data: DataFolder
) -> None:
    game = make_game("tap", window=False)
    message = make_pit(game, launch=True).expect_state(EngineState.FAILED)
    assert message.cause == "UntrustedPlugin"
    assert str(game.folder) in message.text
    command = message.fix.split("run: ")[1].rstrip(".")
    assert command.startswith("pitwall games trust ")
    assert not game.log.exists(), "its program must not have run"
    trusting = pitwall(*command.split()[1:], data=data)
    assert trusting.status == 0, trusting.err
    ran = pitwall("run", "--game", str(game.folder), "--steps", "2", "--json", data=data)
    assert ran.status == 0, ran.err
    assert ran.answer["summary"]["steps"] >= 2
    assert game.inputs("key_down")
    file = game.folder / "plugin.toml"
    file.write_text(file.read_text() + "# changed\n", encoding="utf-8")
    again = make_pit(game, launch=True).expect_state(EngineState.FAILED)
    assert again.cause == "UntrustedPlugin", "a changed folder asks again"
