"""A web page as a game: clock, chance, truth and end of it, with a real browser on a real screen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.pitwall_environments.browser.ticker import copy_of_page, left_of, ticker
from tests.pitwall_evaluation.hosted_game import HostedGame, until

from pitwall.core.errors import PitwallError
from pitwall.desktops.window_search import find_window
from pitwall.link.game_control import AskStatus, GameControl, Hold, Release, Reset, Speed

if sys.platform == "win32":
    pytest.skip("games that are web pages are played on Linux alone so far", allow_module_level=True)

FRAME_MS = 1000 / 60
BEAT_MS = 10  # the page's timer

pytestmark = [pytest.mark.usefixtures("screen"), pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def game(screen: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostedGame]:  # noqa: ARG001
    """One that plays for all tests of this file; each leaves it running at its own speed."""
    with ticker(tmp_path_factory.mktemp("t"), "late=50", "level=2", "fast") as running:
        yield running.ready()


@pytest.fixture
def held(game: HostedGame) -> Iterator[HostedGame]:
    """The same, its time standing still."""
    game.ask(Hold())
    yield game
    game.ask(Release())


def _newest(game: HostedGame) -> dict[str, float]:
    """The state's figures as they are now: written anew four times a second at least."""
    before = game.truth.stat().st_mtime_ns
    until(lambda: game.truth.stat().st_mtime_ns != before)
    before = game.truth.stat().st_mtime_ns
    until(lambda: game.truth.stat().st_mtime_ns != before)
    state = game.state()
    return {**state["metrics"], "ms": state["gameTimeMs"]}


def _has_seed(game: HostedGame, seed: int) -> bool:
    return bool(game.state()["seed"] == seed)


def _said(running: HostedGame, sentence: str) -> bool:
    return sentence in running.said()


def test_nothing_moves_while_it_stands_still(held: HostedGame) -> None:
    first, clock = _newest(held), held.ask(AskStatus())
    time.sleep(0.4)
    assert _newest(held) == first
    assert held.ask(AskStatus()) == clock
    assert clock.paused


def test_it_goes_on_for_exactly_so_long(held: HostedGame) -> None:
    released_ms = 200
    before = held.ask(AskStatus()).game_ms
    first = _newest(held)
    held.ask(Release(ms=released_ms))
    until(lambda: held.ask(AskStatus()).paused)
    after = held.ask(AskStatus()).game_ms
    assert before is not None
    assert after is not None
    assert abs(after - before - released_ms) <= FRAME_MS
    last = _newest(held)
    assert abs(last["lastMs"] - before - released_ms) <= FRAME_MS
    assert last["frames"] > first["frames"]
    most = (released_ms + FRAME_MS) / BEAT_MS + 1  # as much game time as may pass; and one that was due
    assert released_ms / BEAT_MS / 2 <= last["beats"] - first["beats"] <= most
    assert abs(last["slid"] - first["slid"] - released_ms) <= 3 * FRAME_MS  # what the style sheet moves


def test_speed_is_the_games_own(held: HostedGame) -> None:
    held.ask(Speed(factor=8))
    started = time.monotonic()
    held.ask(Release(ms=4000))
    until(lambda: held.ask(AskStatus()).paused)
    assert time.monotonic() - started > 0.4
    assert held.ask(Speed(factor=1)).speed == 1


def test_one_seed_is_one_sequence(game: HostedGame) -> None:
    drawn = []
    for seed in (None, 12, 7, 12):
        game.ask(Reset(seed=seed))
        until(partial(_has_seed, game, 7 if seed is None else seed))
        drawn.append(game.state()["metrics"]["draws"])
    assert drawn[0] == drawn[2]
    assert drawn[1] == drawn[3]
    assert drawn[0] != drawn[1]


def test_a_reset_game_can_be_played_and_stands_if_it_stood(held: HostedGame) -> None:
    answer = held.ask(Reset())
    assert (answer.ready, answer.paused) == (True, True)
    until(lambda: held.state()["status"] == "playing")


def test_its_scenario_reaches_query_and_configuration(game: HostedGame) -> None:
    raw = game.state()["raw"]
    assert raw["query"] == "?late=50&level=2&fast=1"
    assert raw["config"] == {"seed": 7, "late": 50, "level": 2, "fast": True}


def test_several_may_steer(game: HostedGame) -> None:
    other = GameControl(game.folder / "c.sock")
    game.ask(Hold())
    assert other.ask(AskStatus()).paused
    other.ask(Release())
    assert not game.ask(AskStatus()).paused
    other.close()


def test_the_page_is_the_window(game: HostedGame) -> None:
    window = find_window(pid=game.process.pid)
    assert window is not None
    assert (window.title, window.rect.width, window.rect.height) == ("Ticker", 320, 240)


def test_keys_arrive_without_a_click_and_the_end_is_told(game: HostedGame) -> None:
    window = find_window(pid=game.process.pid)
    assert window is not None
    game.ask(Reset())
    until(lambda: game.state()["status"] == "playing")
    focus = ["xdotool", "windowactivate", "--sync", str(window.native_id)]
    subprocess.run(["timeout", "10", *focus], check=True)
    subprocess.run(["xdotool", "key", "space", "key", "space"], check=True)
    until(lambda: game.state()["game_state"]["score"] == 2)
    subprocess.run(["xdotool", "key", "Return"], check=True)
    until(lambda: game.state()["terminal"]["isTerminal"])
    assert game.state()["terminal"] == {"isTerminal": True, "outcome": "loss", "reason": "Enter"}


def test_a_page_that_crashes_is_told_and_ends_the_program(tmp_path: Path) -> None:
    with ticker(tmp_path) as running:
        running.ready()
        tree = subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, text=True, check=True)
        renderers = [int(pid) for pid in tree.stdout.split() if b"--type=renderer" in _command_line(int(pid))]
        for pid in renderers:
            os.kill(pid, signal.SIGSEGV)
        assert running.ended() == 1
        assert "the page crashed" in running.said()
        assert left_of(tmp_path) == []


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_what_a_page_should_not_do_is_kept_from_it_and_told(tmp_path: Path) -> None:
    with ticker(tmp_path, "fault=leave,alert,hash,away,window,download,throw,link") as running:
        running.ready()
        for sentence in (
            "a dialog of the page was closed: alert: look",
            "a dialog of the page was closed: confirm: sure?",
            "other.html: it was kept",
            "a window that the page wanted was not opened: other.html",
            "a download was denied",
            "the page's script failed: Error: lost count",
        ):
            until(partial(_said, running, sentence))
        window = find_window(pid=running.process.pid)
        assert window is not None
        middle = [str(window.rect.x + 160), str(window.rect.y + 120)]

        def closed() -> bool:
            subprocess.run(["xdotool", "mousemove", *middle, "click", "1", "sleep", "0.3"], check=True)
            return "a window that the page opened was closed" in running.said()

        until(closed)  # a click is lost while the page is built anew
        frames = _newest(running)["frames"]
        until(lambda: _newest(running)["frames"] > frames)
        assert running.state()["raw"]["query"].startswith("?fault=")


def test_nothing_is_read_where_nobody_wants_the_truth(tmp_path: Path) -> None:
    with ticker(tmp_path, truth=False) as running:
        until(lambda: running.control.listening and running.ask(AskStatus()).ready)
        assert not running.truth.exists()
        running.process.kill()
        until(lambda: left_of(tmp_path) == [])
        assert list((tmp_path / "profile").iterdir()) == []


def test_it_ends_with_whoever_started_it(tmp_path: Path, python: str) -> None:
    page = copy_of_page(tmp_path)
    command = [python, "-m", "pitwall", "browser-game", "--game", str(page)]
    command += ["--profile", str(tmp_path / "profile")]
    starter = f"import subprocess, time; subprocess.Popen({command}, start_new_session=True); time.sleep(600)"
    env = {**os.environ, "PITWALL_TRUTH": str(tmp_path / "truth.json")}
    parent = subprocess.Popen([python, "-c", starter], env=env)
    until((tmp_path / "truth.json").exists)
    parent.kill()
    parent.wait()
    until(lambda: left_of(tmp_path) == [])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("ready_timeout_s = 60", 'ready_timeout_s = 2\nready = "false"', "was not ready within 2 s"),
        ("ready_timeout_s = 60", 'ready = "1 +"', "browser.ready is not JavaScript"),
        ('page = "index.html"', 'page = "gone.html"', "cannot be loaded"),
        (
            "ready_timeout_s = 60",
            'state = { "game_state.score" = "\'many\'" }',
            "the page's state is wrong: game_state.score: found 'many'; expected a number",
        ),
    ],
)
def test_what_cannot_be_played_is_told_in_a_sentence(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    with ticker(tmp_path, page=copy_of_page(tmp_path, (old, new))) as running:
        assert running.ended() == 1
        assert sentence in running.said()
        assert left_of(tmp_path) == []


def test_state_by_expressions_stands_in_the_contract(tmp_path: Path) -> None:
    state = 'state = { "game_state.score" = "game.score + 40", "metrics.deep.twice" = "game.frames * 2" }'
    page = copy_of_page(tmp_path, ("ready_timeout_s = 60", f"{state}\nclock = false"))
    with ticker(tmp_path, page=page) as running:
        running.ready()
        message = running.state()
        assert message["game_state"]["score"] == 40
        until(lambda: running.state()["metrics"]["deep"]["twice"] > 0)
        with pytest.raises(PitwallError, match="not under control"):
            running.ask(Hold())


def test_a_page_without_an_interface_loads_anew_for_a_reset(tmp_path: Path) -> None:
    page = copy_of_page(tmp_path, ("ready_timeout_s = 60", 'state = { "metrics.frames" = "frames" }'))
    (page / "ticker.js").write_text(
        "let frames = 0; const go = () => { frames += 1; requestAnimationFrame(go); }; go();",
        encoding="utf-8",
    )
    with ticker(tmp_path, page=page) as running:
        running.ready()
        until(lambda: running.state()["metrics"]["frames"] > 30)
        assert running.state()["gameId"] == "ticker"
        assert running.state()["status"] == "playing"
        running.ask(Hold())
        answer = running.ask(Reset(seed=3))
        assert (answer.ready, answer.paused) == (True, True)
        until(lambda: running.state()["seed"] == 3)
        assert running.state()["metrics"]["frames"] < 30


@pytest.mark.parametrize(
    ("env", "sentence"),
    [({"PATH": "/nowhere"}, "chromium is not installed"), ({"DISPLAY": ""}, "DISPLAY is not set")],
)
def test_what_is_missing_is_named(tmp_path: Path, env: dict[str, str], sentence: str) -> None:
    with ticker(tmp_path, env=env) as running:
        assert running.ended() == 1
        assert sentence in running.said()


def test_a_profile_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "profile").write_text("a file stands here", encoding="utf-8")
    with ticker(tmp_path) as running:
        assert running.ended() == 1
        assert "profile cannot be made" in running.said()
