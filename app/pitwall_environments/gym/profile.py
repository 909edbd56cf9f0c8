"""Writes the game folder of an environment: its window, its keys, its score and tasks."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.paths import DataFolder, resources_dir
from pitwall.games.drafting.folder import put_game
from pitwall.games.drafting.toml_writer import toml_value
from pitwall.games.manifest import MANIFEST
from pitwall.games.registry import Registry
from pitwall.games.trust import trust
from pitwall_environments.gym.environment import family_of, open_environment
from pitwall_environments.gym.episodes import Episodes
from pitwall_environments.gym.keyboard import AGAIN
from pitwall_environments.gym.miniwob import is_page, page_manifest
from pitwall_environments.gym.screen import END_COLOUR, MISSION_PX, end_box, window_size
from pitwall_evaluation.published_scores import Published, atari_name

PLAY = "play.toml"
"""Additions of `resources/gym/GAME` to a manifest: fields, modules, skills. Files beside it are copied."""
_PLAYED_AS = {"MiniGrid": "minigrid", "BabyAI": "minigrid"}
"""Folder in `resources/gym` of families that are played in the same way."""
_SHARES = {"quarter_human": ("a quarter", 0.25), "half_human": ("half", 0.5), "human": ("all", 1.0)}
_MISSION_SEEDS = range(4)
_LOSING = frozenset(
    {"pong", "boxing", "tennis", "icehockey", "doubledunk", "fishingderby", "skiing", "privateeye",
     "pitfall", "surround", "othello", "blackjack", "casino", "backgammon"}
)  # fmt: skip
"""Atari games that take points away: the score at the end of an episode, or of the time, counts."""
_TURN_MS, _REAL_MS = 60, 130
PIXELS, TWIN, REWARD = "pixels", "twin.py", "rewards/pixels.py"
"""Name and files of the trainable module of every environment."""
_RECIPE = {
    "steps": 2_000_000, "environments": 8, "learning_rate": 2.5e-4, "learning_rate_to": 1e-5, "batch": 256,
    "hidden": [256, 256], "delay_ms": 5, "jitter_ms": 5, "evaluate_every": 100_000, "evaluate_runs": 5,
}  # fmt: skip


def game_id_of_env(env_id: str) -> str:
    """Return the game's id: gym-ale-pong of ALE/Pong-v5, gym-minigrid-empty-5x5 of MiniGrid-Empty-5x5-v0."""
    plain = re.sub(r"-v\d+$", "", env_id.split(":")[-1])
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", plain)
    made_of = "" if is_page(env_id) else "gym-"
    return made_of + re.sub(r"[^a-z0-9]+", "-", parted.lower()).strip("-")


def add_environment(data: DataFolder, env_id: str, *, replace: bool = False) -> Path:
    """Turn an environment into a trusted game of the operator, and return its folder.

    Raises:
        EnvironmentFault, UnsuitableEnvironment: it cannot be made, played or shown.
        GameThere, ManifestError, DataFolderError: its folder cannot be written.
    """
    game_id = game_id_of_env(env_id)
    text = page_manifest(env_id, game_id) if is_page(env_id) else _text(env_id, game_id)
    folder = data.games / game_id

    def lay_out(aside: Path) -> None:
        play = _lay_out_play(game_id, _PLAYED_AS.get(family_of(env_id), game_id), text, aside)
        (aside / MANIFEST).write_text(text + play, encoding="utf-8")
        shutil.copytree(resources_dir() / "gym" / "any", aside, dirs_exist_ok=True)

    put_game(folder, lay_out, replace=replace)
    trust(data, Registry(data).load(str(folder)))
    return folder


def _lay_out_play(game_id: str, family: str, text: str, aside: Path) -> str:
    """Copy the known modules and skills of a game or its family; return the additions to its manifest."""
    gym = resources_dir() / "gym"
    known = next((folder for folder in (gym / game_id, gym / family) if (folder / PLAY).is_file()), None)
    if known is None:
        return ""
    play = (known / PLAY).read_text(encoding="utf-8")
    actions = {action["name"] for action in tomllib.loads(text + play)["actions"]}
    asked = {
        rule["action"]
        for module in tomllib.loads(play).get("modules", [])
        for rule in module.get("rules", [])
    }
    if not asked <= actions:
        return ""
    shutil.copytree(known, aside, dirs_exist_ok=True, ignore=shutil.ignore_patterns(PLAY, "__pycache__"))
    return play


def _text(env_id: str, game_id: str) -> str:
    """Write the manifest of an environment, whose own lines go to the standard error output."""
    with contextlib.redirect_stdout(sys.stderr):
        env = open_environment(env_id)
        try:
            return "\n".join(_manifest(Episodes(env, env_id, game_id, 0))) + "\n"
        finally:
            with contextlib.suppress(Exception):  # the environment's own code, and all is read
                env.close()


def _manifest(played: Episodes) -> Iterator[str]:
    env_id, game_id = played.env_id, played.game_id
    height, width = played.picture.shape[:2]
    window = window_size(width, height, played.mission)
    family = family_of(env_id)
    yield "# Made of a Gymnasium environment: pitwall games add-gym. Everything here may be changed by hand."
    yield from _table("", schema=1)
    yield from _table(
        "game",
        id=game_id,
        name=_name(env_id),
        summary=f"{env_id} of Gymnasium, {'by turns' if played.by_turns else 'in real time'}.",
        genre="arcade" if family == "ALE" else "puzzle" if played.by_turns else "simulation",
        while_thinking="hold" if played.by_turns else "go-on",
    )
    title = _name(env_id)
    words = ["-m", "pitwall", "gym-game", "--env", env_id, "--id", game_id, "--title", title]
    yield from _table(
        "launch",
        command=["{python}", *words, "--seed", "{seed}"],
        install_hint="Install it: installer/extra gym",
        ready_timeout_s=60,
    )
    yield from _table("window", title=f"^{re.escape(title)}$")
    yield from _table(
        "screen", width=window[0], height=window[1], **({"rest_ms": 0} if played.by_turns else {})
    )
    keys = dict.fromkeys(key for action in played.keyboard.actions for key in action.keys)
    yield from _table("controls", keys=[*keys], hold_ms=[20, 2000])
    yield from _actions(played)
    yield from _fields(played, (width, height), window)
    yield from _table("status", terminal="end_screen")
    yield from _table("[passages]", name="again", leaves="terminal")
    yield from _table("[passages.steps]", keys=[AGAIN])
    yield from _table("truth", kind="file", score="game_state.score")
    yield from _tasks(played)
    yield from _module(played)


def _actions(played: Episodes) -> Iterator[str]:
    lasts = _TURN_MS if played.by_turns else _REAL_MS
    for action in played.keyboard.actions:
        yield from _table(
            "[actions]", name=action.name, keys=list(action.keys), hold_ms=lasts, duration_ms=lasts
        )
    if not played.by_turns:
        yield from _table("[actions]", name="wait", wait=True, duration_ms=_REAL_MS)


def _fields(played: Episodes, picture: tuple[int, int], window: tuple[int, int]) -> Iterator[str]:
    box = end_box(*picture, played.mission)
    panel = {"colour": list(END_COLOUR), "tolerance": 4, "at_least": 40}
    yield from _table("[fields]", name="end_screen", kind="colour", box=list(box), **panel)
    yield from _table("[fields]", name="changed", kind="change", unit="%")
    if played.mission:
        strip = [0, window[1] - MISSION_PX, window[0], MISSION_PX]
        yield from _table("[fields]", name="mission", kind="text", box=strip)


def _tasks(played: Episodes) -> Iterator[str]:
    if played.published is not None:
        yield from _human_tasks(played.env_id, played.published)
    elif played.mission:
        yield from _table(
            "[tasks]",
            id="mission",
            instruction=_instruction(played),
            score="game_state.solved",
            target=1,
            steps=400,
        )
    else:
        yield from _table(
            "[tasks]",
            id="first_reward",
            instruction="Get a first reward.",
            score="game_state.score",
            target=1,
            steps=400,
        )


def _human_tasks(env_id: str, scores: Published) -> Iterator[str]:
    losing = {"score": "game_state.final", "standing": "game_state.standing"}
    counted = losing if atari_name(env_id) in _LOSING else {"score": "game_state.score"}
    for task, (share, part) in _SHARES.items():
        target = round(scores.random + part * (scores.human - scores.random), 2)
        yield from _table(
            "[tasks]",
            id=task,
            instruction=f"Score {target:,.6g} points: {share} of the way from chance to a human.",
            **counted,
            start=scores.random,
            target=target,
            steps=5000,
            seconds=300,
        )


def _module(played: Episodes) -> Iterator[str]:
    """Declare the module that can be trained on the environment itself, from pixels."""
    step_ms = 2 * _TURN_MS if played.by_turns else round(1000 * played.held_frames / played.rate_hz, 3)
    names = [action.name for action in played.keyboard.actions]
    yield from _table(
        "[modules]",
        name=PIXELS,
        description="Plays by what it learned on the environment without a window.",
        ends="status != 'playing'",
    )
    yield from _table(
        "modules.learned",
        actions=names if played.by_turns else ["", *names],
        history=0,
        decide_every_ms=step_ms,
        reward=REWARD,
        twin=TWIN,
    )
    yield from _table("modules.learned.vision", width=84, height=84, frames=1 if played.by_turns else 4)
    yield from _table("modules.learned.training", algorithm="ppo", **_RECIPE)
    shares = played.published
    yield from _table(
        "[modules.trials]",
        name="episode",
        score="game_state.score",
        unit="points",
        success=1 if shares is None else round((shares.random + shares.human) / 2, 2),
        seconds=300,
    )


def _instruction(played: Episodes) -> str:
    """Return the mission if every seed has the same one, else the place where it is written."""
    missions = []
    for seed in _MISSION_SEEDS:
        played.begin(seed)
        missions.append(played.mission)
    first = missions[0][:1].upper() + missions[0][1:]
    if len({re.sub(r"\ban?\b", "the", mission) for mission in missions}) == 1:
        return f"{first}."
    return f"Do what is written under the picture, such as: {missions[0]}."


def _name(env_id: str) -> str:
    plain = re.sub(r"-v\d+$", "", re.split("[:/]", env_id)[-1])
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", plain).replace("-", " ")


def _table(name: str, /, **values: Any) -> Iterator[str]:
    """Write one table; a name like "[actions]" writes an entry of a list."""
    if name:
        yield f"[{name}]"
    for key, value in _plain(values).items():
        yield f"{key} = {toml_value(value)}"
    yield ""


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.item() if isinstance(value, np.generic) else value for key, value in values.items()}
