"""Finding the game's window among all others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
import xcffib.xproto

from pitwall.core.errors import PitwallError
from pitwall.core.geometry import WindowRef
from pitwall.desktops.here import process_tree, this_desktop
from pitwall.desktops.window_search import (
    find_window,
    list_windows,
    window_at,
    window_before,
    window_by_id,
)

if TYPE_CHECKING:
    from tests.engine.capture.conftest import Stage

pytestmark = [pytest.mark.screen, pytest.mark.usefixtures("screen")]

Tool = Callable[..., None]
OwnScreen = Callable[..., "subprocess.Popen[bytes]"]


def test_windows_are_listed_from_the_bottom_up(stage: Stage, tool: Tool) -> None:
    low, low_window = stage.open_game("low")
    high, high_window = stage.open_game("high")
    listed = {window.title: window for window in list_windows()}
    assert listed["low"].pid == low.pid
    assert listed["high"].pid == high.pid
    assert (listed["low"].rect.width, listed["low"].rect.height) == (320, 240)
    assert listed["low"].wm_class

    def order() -> list[int]:
        return [window.native_id for window in list_windows()]

    for top, bottom in ((low_window, high_window), (high_window, low_window)):
        tool("windowactivate", top.native_id)
        stage.until(lambda: order() == [bottom.native_id, top.native_id])  # noqa: B023


@pytest.mark.parametrize(
    "shell",
    ["{}; true", "sh -c '{}; true'; true", "exec 3<&0; {} <&3 & sleep 0.2; exit 0"],
    ids=["shell", "shell in a shell", "orphan"],
)
def test_a_window_is_found_by_the_process_that_was_launched(stage: Stage, shell: str) -> None:
    game, window = stage.open_game("child", shell=shell)
    assert window.title == "child"
    assert window.pid != game.pid
    assert window.pid in process_tree(game.pid)
    assert find_window(pid=os.getpid(), exclude_pids={window.pid}) is None


def test_a_window_is_found_by_title_and_class(stage: Stage) -> None:
    game, window = stage.open_game("Sub.ject")
    wm_class = window.wm_class
    assert find_window(title=r"^sub\.JECT$") == window
    assert find_window(title="nothing like it") is None
    assert find_window(title="ject", wm_class=f"^{wm_class}$") == window
    assert find_window(title="ject", wm_class="another") is None
    assert find_window(title="ject", exclude_pids={game.pid}) is None
    assert find_window() is None
    with pytest.raises(PitwallError, match=r"title '\(' is no regular expression"):
        find_window(title="(")


def test_the_largest_visible_window_is_the_games(stage: Stage, tool: Tool) -> None:
    _, small = stage.open_game("part one")
    large_game, large = stage.open_game("part two")
    large_game.tell("resize", 600, 400)
    stage.until(lambda: (seen := window_by_id(large.native_id)) and seen.rect.width == 600)
    window = find_window(title="^part")
    assert window is not None
    assert window.native_id == large.native_id

    tool("windowminimize", large.native_id)
    stage.until(lambda: (seen := find_window(title="^part")) and seen.native_id == small.native_id)


def test_a_full_screen_game_past_the_window_manager_is_found(stage: Stage) -> None:
    tip = stage.open_plain(60, 20, past_manager=True)
    assert find_window(pid=os.getpid()) is None
    game = stage.open_plain(1600, 1000, past_manager=True)
    assert all(each.native_id not in (tip.native_id, game.native_id) for each in list_windows())
    window = find_window(pid=os.getpid())
    assert window is not None
    assert window.native_id == game.native_id
    assert window.pid == os.getpid()


def test_a_closed_window_has_no_id_any_more(stage: Stage) -> None:
    game, window = stage.open_game()
    assert window_by_id(window.native_id) == window
    game.end()
    stage.until(lambda: window_by_id(window.native_id) is None)
    assert find_window(pid=game.pid) is None


def moved(window: WindowRef, x: int) -> WindowRef | None:
    """The window once it stands near x (its frame adds a little)."""
    seen = window_by_id(window.native_id)
    return seen if seen is not None and abs(seen.rect.x - x) < 30 else None


def test_the_window_at_a_point_is_the_topmost_that_takes_clicks(stage: Stage, tool: Tool) -> None:
    _, low = stage.open_game("low")
    _, high = stage.open_game("high")
    tool("windowmove", low.native_id, 100, 100)
    tool("windowmove", high.native_id, 250, 180)
    low = stage.until(lambda: moved(low, 100))
    high = stage.until(lambda: moved(high, 250))
    tool("windowactivate", high.native_id)

    def at(x: int, y: int) -> int | None:
        window = window_at(x, y)
        return window.native_id if window is not None else None

    both = (high.rect.x + 10, high.rect.y + 10)
    assert low.rect.contains(*both)
    stage.until(lambda: at(*both) == high.native_id)
    assert at(low.rect.x + 5, low.rect.y + 5) == low.native_id
    assert at(high.rect.x + 30, high.rect.y - 5) == high.native_id, "its title bar"
    assert at(1500, 900) is None
    with this_desktop().show_marker(high.rect, (1, 2, 3)):
        assert at(*both) == high.native_id, "through what lets clicks through"
    tool("windowactivate", low.native_id)
    stage.until(lambda: at(*both) == low.native_id)


def show_as(window: WindowRef, name: str, value: str) -> None:
    """Set a property of a window that tells the window manager what it is."""
    kind = "32x" if value.startswith("0x") else "32a"
    words = ["xprop", "-id", str(window.native_id), "-f", name, kind, "-set", name, value]
    subprocess.run(words, check=True)


@pytest.fixture
def two_windows(stage: Stage, tool: Tool) -> tuple[WindowRef, WindowRef]:
    """A game and a second ordinary window of its program, above it but beside its middle."""
    game, window = stage.open_game()
    tool("windowmove", window.native_id, 100, 100)
    window = stage.until(lambda: moved(window, 100))
    game.tell("second", "editor", 300, 200, 700, 100)
    second = stage.until(lambda: find_window(title="^editor$"))
    tool("windowactivate", second.native_id)
    stage.until(lambda: list_windows()[-1].native_id == second.native_id)
    return window, second


def test_a_second_window_of_the_game_is_no_dialog_unless_it_lies_over_the_game(
    stage: Stage, tool: Tool, two_windows: tuple[WindowRef, WindowRef]
) -> None:
    game, second = two_windows
    assert window_before(game, 0, focused=False) is None, "it stands beside the game"
    tool("windowmove", second.native_id, 100, 100)
    stage.until(lambda: moved(second, 100))
    over = window_before(game, 0, focused=False)
    assert over is not None and over.title == "editor"
    assert window_before(game, 0, focused=True) is None, "the game has the keyboard all the same"


@pytest.mark.parametrize(
    ("owner", "state", "counts"),
    [("", "", True), ("game", "", True), ("third", "", False), ("third", "_NET_WM_STATE_MODAL", True)],
    ids=["of nothing", "of the game", "of a third window", "of a third window, before all"],
)
def test_a_dialog_of_the_game_counts_wherever_it_stands(
    stage: Stage, two_windows: tuple[WindowRef, WindowRef], owner: str, state: str, counts: bool
) -> None:
    game, second = two_windows
    show_as(second, "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_DIALOG")
    if owner:
        of = game if owner == "game" else stage.open_game("third")[1]
        show_as(second, "WM_TRANSIENT_FOR", hex(of.native_id))
    if state:
        show_as(second, "_NET_WM_STATE", state)
    stage.until(lambda: (window_before(game, 0, focused=True) is not None) is counts)


def test_a_dialog_of_what_started_both_pitwall_and_the_game_is_not_the_games(stage: Stage) -> None:
    """A script that starts the console and a game has them in one group of processes."""
    _, game = stage.open_game()
    plain = stage.open_plain(400, 300)
    ours = stage.until(lambda: window_by_id(plain.native_id))
    show_as(ours, "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_DIALOG")
    stage.until(lambda: list_windows()[-1].native_id == ours.native_id)
    beside = subprocess.Popen(["sleep", "600"])  # of our group, as a game that the same script started
    engine = (
        "from pitwall.core.geometry import Rect, WindowRef\n"
        "from pitwall.desktops.window_search import window_before\n"
        f"game = WindowRef(native_id={game.native_id}, pid={beside.pid}, title='', wm_class='', "
        f"rect={game.rect})\n"
        "print(window_before(game, 0, focused=False))"
    )
    try:
        words = [sys.executable, "-c", engine]
        done = subprocess.run(words, start_new_session=True, capture_output=True, text=True, check=True)
    finally:
        beside.kill()
        beside.wait()
    assert done.stdout.strip() == "None"


def leave_list_of_dead_manager(connection: Any) -> None:
    root = connection.setup.roots[0].root
    name = "_NET_CLIENT_LIST_STACKING"
    atom = connection.core.InternAtom(False, len(name), name).reply().atom
    connection.core.ChangePropertyChecked(
        xcffib.xproto.PropMode.Replace, root, atom, xcffib.xproto.Atom.WINDOW, 32, 1, [root]
    ).check()


def test_windows_are_found_without_a_window_manager(own_screen: OwnScreen, stage: Stage) -> None:
    own_screen()
    game, window = stage.open_game("bare")
    leave_list_of_dead_manager(stage.open_plain().connection)
    assert [each.title for each in list_windows()] == ["bare", ""]
    assert (window.rect.width, window.rect.height) == (320, 240)
    hit = window_at(window.rect.right - 5, window.rect.bottom - 5)
    assert hit is not None
    assert hit.pid == game.pid
