"""The world of the shooting game: vizdoom's own arena, monsters of one kind, the rules of a fight.

The map, the weapon, the monsters' health and their return 2.6 s after a kill are those of vizdoom's
`defend_the_center`, which holds slow monsters and fast ones. Nothing is shipped: the map is taken from the
installed package, and a few lines are added to it that replace the fast kind by the slow one, or the other
way round, and that write on the screen.

Two things are not the package's. A fight's seed decides the player's first direction. And there are six
rounds instead of 26: with 26, turning round and firing without looking won 40 of 40 fights against the fast
kind and 20 of 40 against the slow one; with six it won none, so a winner has aimed.

This file knows vizdoom but no windows, keys or truth: playing, and gathering pictures, go through it.
"""

from __future__ import annotations

import random
import struct
from enum import StrEnum
from pathlib import Path

import vizdoom

VERSION = "1.0.0"
"""Version of the rules, without which a score means nothing."""
TICS_PER_SECOND = 35
KILLS_TO_WIN = 3
ROUNDS = 6
_ROUNDS_GIVEN = 26
SECONDS = 60
START_TICS = 11
"""Tics until the pistol is drawn and the rounds are counted; then the clock of a fight starts."""
WIDTH, HEIGHT = 640, 480


class Speed(StrEnum):
    """Kind of the monsters: chainsaw marines walk about 70 units a second, demons about 160."""

    SLOW = "slow"
    FAST = "fast"


class Banner(StrEnum):
    """Text across the screen, in a colour of its own: class name → text."""

    BEGIN = "BannerBegin"
    WON = "BannerWon"
    DIED = "BannerDied"
    LATE = "BannerLate"


_WORDS = {
    Banner.BEGIN: ("Gold", "SPACE TO BEGIN"),
    Banner.WON: ("Green", "THREE KILLS"),
    Banner.DIED: ("Red", "YOU DIED"),
    Banner.LATE: ("Red", "TIME IS UP"),
}
_ONE_KIND = {
    Speed.SLOW: "ACTOR PitwallSlow : MarineChainsawVzd replaces Demon {}",
    Speed.FAST: "ACTOR PitwallFast : Demon replaces MarineChainsawVzd {}",
}
MONSTERS = ("MarineChainsawVzd", "PitwallSlow", "Demon", "PitwallFast")
"""The engine's names of the monsters."""


def scenario_path() -> Path:
    """Return the installed package's own arena."""
    return Path(vizdoom.scenarios_path) / "defend_the_center.wad"


def write_world(file: Path, speed: Speed, angle: int) -> None:
    """Write the arena with one kind of monster into a file.

    Args:
        angle: the player's first direction, degrees counterclockwise. The monsters always begin
            at 0, 72, 144 … degrees.
    """
    added = [_ONE_KIND[speed], *(_banner_actor(banner, *words) for banner, words in _WORDS.items())]
    lumps = []
    for name, content in _lumps(scenario_path().read_bytes()):
        if name == b"DECORATE":
            content += ("\n" + "\n".join(added) + "\n").encode()
        elif name == b"TEXTMAP":
            content = content.replace(b"angle = 0;", f"angle = {angle};".encode(), 1)
        lumps.append((name, content))
    file.write_bytes(_archive(lumps))


def _banner_actor(banner: Banner, colour: str, text: str) -> str:
    shows = f'TNT1 A 0 A_Print("\\c[{colour}]{text}", 3600, "BIGFONT")'
    return f"ACTOR {banner} : CustomInventory {{ States {{ Pickup: {shows} Stop }} }}"


def _lumps(archive: bytes) -> list[tuple[bytes, bytes]]:
    """Return name and content of each part of a WAD file (its directory: 16 bytes for each)."""
    _, count, directory = struct.unpack_from("<4sII", archive)
    entries = (struct.unpack_from("<II8s", archive, directory + 16 * index) for index in range(count))
    return [(name.rstrip(b"\0"), archive[at : at + size]) for at, size, name in entries]


def _archive(lumps: list[tuple[bytes, bytes]]) -> bytes:
    content, directory = b"", b""
    for name, part in lumps:
        directory += struct.pack("<II8s", 12 + len(content), len(part), name.ljust(8, b"\0"))
        content += part
    return struct.pack("<4sII", b"PWAD", len(lumps), 12 + len(content)) + content + directory


def new_game(speed: Speed, seed: int, folder: Path, *, visible: bool) -> vizdoom.DoomGame:
    """Return an engine that is set up but not started (`init` starts it).

    Args:
        seed: decides the player's direction at the start of every fight, and the course of the first one.
        folder: of this engine alone; the map and the engine's own settings are written there.
        visible: in a window, played by its keyboard, one tic for each `advance_action`; else without a
            window, played by `make_action`.
    """
    world = folder / f"{speed}.wad"
    write_world(world, speed, random.Random(seed).randrange(360))
    game = vizdoom.DoomGame()
    game.set_seed(seed)
    game.set_doom_scenario_path(str(world))
    game.set_doom_config_path(str(folder / "engine.ini"))
    game.set_doom_map("map01")
    game.set_doom_skill(3)
    game.set_screen_resolution(vizdoom.ScreenResolution.RES_640X480)
    game.set_screen_format(vizdoom.ScreenFormat.BGR24)
    game.set_render_hud(True)
    game.set_render_crosshair(False)
    game.set_render_screen_flashes(False)
    game.set_available_buttons(
        [vizdoom.Button.TURN_LEFT, vizdoom.Button.TURN_RIGHT, vizdoom.Button.ATTACK, vizdoom.Button.USE]
    )
    if visible:  # the mouse turns as well; the last number of an action is how far
        game.add_available_button(vizdoom.Button.TURN_LEFT_RIGHT_DELTA, 0)
    game.set_available_game_variables(
        [
            vizdoom.GameVariable.KILLCOUNT,
            vizdoom.GameVariable.HEALTH,
            vizdoom.GameVariable.AMMO2,
            vizdoom.GameVariable.ANGLE,
        ]
    )
    game.set_episode_start_time(START_TICS - 1)
    game.set_episode_timeout(0)
    game.set_objects_info_enabled(True)
    game.set_sound_enabled(False)
    game.set_window_visible(visible)
    game.set_mode(vizdoom.Mode.SPECTATOR if visible else vizdoom.Mode.PLAYER)
    return game


def begin_fight(game: vizdoom.DoomGame, seed: int) -> None:
    """Begin a fight, with the pistol drawn."""
    game.set_seed(seed)
    game.new_episode()
    game.send_game_command(f"take Clip {_ROUNDS_GIVEN - ROUNDS}")
    game.advance_action(1)


def stand_still(game: vizdoom.DoomGame, banner: Banner) -> None:
    """Show the next fight's world with frozen monsters, behind a line of text."""
    game.new_episode()
    game.send_game_command("freeze")
    game.send_game_command(f"give {banner}")
