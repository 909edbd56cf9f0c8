"""`atari`: how well the rules of `resources/gym` play twelve Atari games, beside random play and idling.

Each player gets the same seeds, which no rule was made with, and 300 s of the game's own time without a
window: sticky actions, keys two frames after the picture, at most 20 presses a second. The best moment or
episode counts, and a run ends at the human's score, as in the suite `atari-12`. Finished runs are kept in the
data folder's `benches/atari`, so an interrupted benchmark continues; `$PITWALL_BENCH_PARALLEL` runs are
played side by side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.errors import PitwallError, nearest
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.gsm.rule_module import RuleModule
from pitwall_bench.suites.statistics import mean_of
from pitwall_evaluation.published_scores import published
from workshop.benchmarks.parallel import side_by_side
from workshop.benchmarks.report import check, report
from workshop.benchmarks.results_book import ResultsBook

ENVS = {
    game: f"ALE/{game}-v5"
    for game in (
        "Pong", "Breakout", "Freeway", "Boxing", "SpaceInvaders", "MsPacman", "Seaquest", "Qbert", "Assault",
        "Asterix", "DemonAttack", "Enduro",
    )
}  # fmt: skip
AIMS = {4: 1.0, 8: 0.25}
"""Number of games → share of the human's score that the rules should reach in as many."""
_FIRST_SEED = 101
"""Rules were made with seeds below this one."""
_RATE_HZ, _LATE, _SECONDS = 60.0, 2, 300.0
_AGAIN_FRAMES = 60
"""Seconds until the next episode begins."""
_PRESSES_A_SECOND = 20
_DRAWN_FOR_MS = 130.0
_PLAYERS = ("rules", "random", "idle")


def run(*, quick: bool, games: Sequence[str] = (), runs: int | None = None) -> dict[str, Any]:
    """Play the runs that are missing, and report over all runs.

    Args:
        games: names like Pong; empty: all. runs: of each player in each game; None: ten, quick one of 20 s.

    Raises:
        PitwallError: a game is none of these, or the environments are not installed.
    """
    for name in games:
        if name not in ENVS:
            near = nearest(name, ENVS)
            raise PitwallError(f"there is no game {name!r}.", f"One of: {near or ', '.join(ENVS)}.")
    chosen = {name: env for name, env in ENVS.items() if not games or name in games}
    folder = default_data_dir() / "benches" / ("atari-quick" if quick else "atari")
    folder.mkdir(parents=True, exist_ok=True)
    seconds, most = (20.0 if quick else _SECONDS), runs or (1 if quick else 10)
    book = ResultsBook(folder / "runs.json")
    wanted = [
        (env, player, seed)
        for seed in range(_FIRST_SEED, _FIRST_SEED + most)
        for env in chosen.values()
        for player in _PLAYERS
        if f"{env}/{player}/{seed}" not in book.facts
    ]
    _add_games(folder, chosen.values())
    with ProcessPoolExecutor(side_by_side()) as pool:
        playing = {pool.submit(played, folder, *pick, seconds): "/".join(map(str, pick)) for pick in wanted}
        for future in as_completed(playing):
            book.keep(playing[future], {"score": future.result()})
    shares = {name: _shares(book, env) for name, env in chosen.items()}
    checks = [_check(name, env, book, shares[name]) for name, env in chosen.items()]
    for games_wanted, share in AIMS.items():
        reached = sum(mean_of(of["rules"]).mean >= share for of in shares.values())
        checks.append(
            check(
                f"games of {len(chosen)} at {share:.0%} of the human's score",
                "games",
                {"p50": reached, "p95": None, "p99": None, "n": most},
                aim=f"≥ {games_wanted}",
                met=reached >= games_wanted,
            )
        )
    return report("atari", checks, seconds=seconds, runs=most, first_seed=_FIRST_SEED, screen="none")


def played(folder: Path, env_id: str, player: str, seed: int, seconds: float) -> float:
    """Play one run and return its score: the best moment, or the final score if points can be lost."""
    from pitwall_environments.gym.environment import open_environment
    from pitwall_environments.gym.episodes import Episodes
    from pitwall_environments.gym.profile import game_id_of_env

    game = Registry(DataFolder(folder)).load(game_id_of_env(env_id))
    task = next(task for task in game.profile.tasks if task.id == "human")
    episodes = Episodes(open_environment(env_id), env_id, game.game_id, seed)
    decide = _Rules(game).decide if player == "rules" else _chance(game, seed if player == "random" else None)
    keys, best, again_at = _Keys(), -np.inf, 0
    for frame in range(round(seconds * _RATE_HZ)):
        if episodes.over:
            again_at = again_at or frame + _AGAIN_FRAMES
            if frame < again_at:
                continue
            episodes.begin()
            keys, again_at = _Keys(), 0
        held = keys.held(frame, decide(episodes.picture, frame))
        if episodes.choosing:
            keys.tapped.clear()
        episodes.step(held)
        best = max(best, episodes.reward if not task.standing else episodes.best or -np.inf)
        if best >= task.target:
            break
    if task.standing and episodes.best is None:
        best = episodes.reward
    episodes.env.close()
    return float(best)


Press = tuple[tuple[str, ...], float]
"""Keys that are pressed together, and for how many milliseconds."""


class _Keys:
    """Holds keys as the broker does: two frames late, for the asked time, with a limited rate."""

    def __init__(self) -> None:
        self.tapped: set[str] = set()
        self._until: dict[str, int] = {}
        self._asked: deque[tuple[int, Press]] = deque()
        self._pressed: deque[int] = deque()

    def held(self, frame: int, press: Press | None) -> frozenset[str]:
        if press is not None:
            self._asked.append((frame + _LATE, press))
        while self._asked and self._asked[0][0] <= frame:
            keys, hold_ms = self._asked.popleft()[1]
            for key in keys:
                self._press(key, frame, max(1, round(hold_ms * _RATE_HZ / 1000)))
        return frozenset({*self.tapped, *(key for key, until in self._until.items() if until >= frame)})

    def _press(self, key: str, frame: int, frames: int) -> None:
        if self._until.get(key, -1) < frame:
            while self._pressed and self._pressed[0] <= frame - _RATE_HZ:
                self._pressed.popleft()
            if len(self._pressed) >= _PRESSES_A_SECOND:
                return
            self._pressed.append(frame)
            self.tapped.add(key)
        self._until[key] = max(self._until.get(key, -1), frame + frames - 1)


class _Rules:
    """Decides by the game's fields and the rules of its module `play`."""

    def __init__(self, game: Game) -> None:
        from pitwall.engine.perception.plugin_fields import plugin_fields

        profile = game.profile
        module = next(module for module in profile.modules if module.name == "play")
        self._rules = RuleModule(module, frozenset(field.name for field in profile.fields))
        fields = plugin_fields(game)
        if fields is None:
            raise PitwallError(f"{game.game_id} reads no fields.", "Lay its eyes into resources/gym.")
        self._fields = fields
        self._unread: Mapping[str, Value] = dict.fromkeys(self._rules.fields)
        self._presses = {
            action.name: (tuple(action.keys), float(action.hold_ms)) for action in profile.actions
        }
        self._rules.begin()

    def decide(self, picture: Any, frame: int) -> Press | None:
        import cv2

        values = self._fields.read(cv2.cvtColor(picture, cv2.COLOR_RGB2BGRA))
        now_ns = int(frame / _RATE_HZ * 1e9)
        action = self._rules.act({**self._unread, **values, "status": "playing"}, now_ns)
        return None if action is None else self._presses[action]


def _chance(game: Game, seed: int | None) -> Any:
    """Draw an action every 130 ms; without a seed press nothing."""
    drawn = np.random.default_rng(seed)
    presses: list[Press] = [(tuple(action.keys), _DRAWN_FOR_MS) for action in game.profile.actions]
    every = round(_DRAWN_FOR_MS * _RATE_HZ / 1000)

    def decide(_picture: Any, frame: int) -> Press | None:
        return presses[int(drawn.integers(len(presses)))] if seed is not None and frame % every == 0 else None

    return decide


def _add_games(folder: Path, envs: Iterable[str]) -> None:
    try:
        from pitwall_environments.gym.profile import add_environment
    except ModuleNotFoundError as error:
        raise PitwallError(f"{error.name} is not installed.", "Install it: installer/extra gym") from None
    for env_id in envs:
        add_environment(DataFolder(folder), env_id, replace=True)


def _shares(book: ResultsBook, env_id: str) -> dict[str, list[float]]:
    scores = published(env_id)
    assert scores is not None
    return {
        player: [scores.normalised(score) for score in book.of(f"{env_id}/{player}", "score")]
        for player in _PLAYERS
    }


def _check(name: str, env_id: str, book: ResultsBook, shares: Mapping[str, list[float]]) -> dict[str, Any]:
    means = {player: mean_of(of) for player, of in shares.items()}
    rules, chance = means["rules"], means["random"]
    verdict = check(
        f"{name}: the rules' human-normalised score",
        "share",
        {"p50": rules.mean, "p95": None, "p99": None, "n": rules.n},
        aim="above chance",
        met=rules.low > chance.high,
        peer=("random", chance.mean),
    )
    for player, mean in means.items():
        score = mean_of(book.of(f"{env_id}/{player}", "score"))
        verdict[player] = {"score": score.model_dump(), "normalised": mean.model_dump()}
    return verdict
