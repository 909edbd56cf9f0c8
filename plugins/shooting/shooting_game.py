"""Shooting in a window: vizdoom's arena at its own 35 tics a second, played with the keyboard or the mouse.

Arrows and the mouse turn, Ctrl fires, Space begins a fight. A fight is won with the third kill, and lost
with the player's death or after a minute.

Run: shooting_game.py [--seed N] [--scenario slow|fast] [--folder DIR]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

try:
    import vizdoom
    from shooting_hold import HeldTime
    from shooting_truth import Fight, Phase, TruthFile, look
    from shooting_world import TICS_PER_SECOND, Banner, Speed, begin_fight, new_game, stand_still
except ImportError as error:
    sys.exit(f"ViZDoom is not installed ({error}): run installer/run once more.")

AGAIN_AFTER_TICS = 35
"""Shortest time that an end is shown before Space begins the next fight."""
_MOST_BEHIND_S = 0.2
_LOOK_S = 0.005
"""Interval between checks whether time may pass again."""
_BANNERS = {"kills": Banner.WON, "death": Banner.DIED, "time": Banner.LATE}
_ENGINE = "engine-"


class Session:
    """Fights one after the other in one engine.

    Between two fights the world of the next fight stands still behind a line of text.

    Args:
        game: started.
        seed: of the first fight; later seeds follow from it.
    """

    def __init__(self, game: vizdoom.DoomGame, seed: int) -> None:
        self._game = game
        self._later = random.Random(seed)
        self._seed = seed
        self._shown_tics = AGAIN_AFTER_TICS
        self.phase = Phase.MENU
        self.fight = Fight()
        stand_still(game, Banner.BEGIN)

    def step(self) -> None:
        """Advance by one tic, with the keys that are down in it."""
        self._game.advance_action(1)
        if self.phase is Phase.PLAYING:
            self.fight = look(self._game, self.fight.number, self.fight.seed)
            if self.fight.end:
                self.phase, self._shown_tics = Phase.TERMINAL, 0
                stand_still(self._game, _BANNERS[self.fight.end])
            return
        self._shown_tics += 1
        if self._game.get_last_action()[3] and self._shown_tics > AGAIN_AFTER_TICS:
            self._begin()

    def _begin(self) -> None:
        seed = self._later.getrandbits(31) if self.fight.number else self._seed
        begin_fight(self._game, seed)
        self.phase = Phase.PLAYING
        self.fight = look(self._game, self.fight.number + 1, seed)


def play(session: Session, truth: TruthFile, held: HeldTime, stopped: list[int]) -> None:
    """Run the window until it is closed, in real time: a late tic is not made up for."""
    due = time.perf_counter()
    while not stopped:
        if not held.passes(1000 / TICS_PER_SECOND):
            time.sleep(_LOOK_S)
            due = time.perf_counter()
            continue
        session.step()
        truth.update(session.phase, session.fight)
        due += 1 / TICS_PER_SECOND
        wait = due - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        elif wait < -_MOST_BEHIND_S:
            due = time.perf_counter()


def own_folder(parent: Path) -> Path:
    """Make a folder for this process's engine, and remove those of killed processes."""
    parent.mkdir(parents=True, exist_ok=True)
    for old in parent.glob(f"{_ENGINE}*"):
        if not Path("/proc", old.name.removeprefix(_ENGINE)).exists():
            shutil.rmtree(old, ignore_errors=True)
    folder = parent / f"{_ENGINE}{os.getpid()}"
    folder.mkdir(exist_ok=True)
    return folder


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(
        description="Shoot three monsters. Keys: Left, Right (or the mouse), Ctrl, Space"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the first fight")
    parser.add_argument(
        "--scenario", type=Speed, choices=list(Speed), default=Speed.SLOW, help="which monsters"
    )
    parser.add_argument("--folder", type=Path, default=None, help="where the engine may write")
    options = parser.parse_args()
    stopped: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _: stopped.append(got))
    folder = own_folder((options.folder or Path(tempfile.gettempdir(), "shooting")).resolve())
    os.chdir(folder)  # the engine lays a folder of its own wherever it is started
    game = new_game(options.scenario, options.seed, folder, visible=True)
    try:
        game.init()
        truth = TruthFile(os.environ.get("PITWALL_TRUTH", ""), options.scenario, options.seed)
        held = HeldTime(os.environ.get("PITWALL_CONTROL", ""))
        play(Session(game, options.seed), truth, held, stopped)
    except vizdoom.ViZDoomUnexpectedExitException:
        pass  # the window was closed, or the engine was asked to end together with us
    finally:
        game.close()
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
