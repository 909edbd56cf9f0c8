"""The orders of trainings, evaluations and improve loops: options of commands, fields of dialogs, JSON."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pitwall.gsm.versions import RULES, SHIPPED
from pitwall.link.orders import Order, order_field

MOST_ITERATIONS = 3
"""Most tries of one improve loop: more make a module worse (SPEC §8)."""
Author = Literal["model", "operator", "rules"]
LiveMode = Literal["", "finished", "follow"]
_VERSION = re.compile(r"v\d+")


class TrainingOrder(Order):
    """A training that begins or resumes; see each option's help."""

    source: str = order_field(
        "", "Version to begin from, or demonstrations: IDs with commas, or all.", "--from", label="From"
    )
    start_from: str = order_field("", "With demonstrations: the parent clone, which it is compared with.")
    pixels: bool | None = order_field(
        None, "With demonstrations: what it sees; default: fields if any.", "--pixels/--fields"
    )
    resume: str = order_field("", "Resume this version's training.")
    changes: tuple[str, ...] = order_field(
        (), "KEY=VALUE of the recipe, like steps=50000. Repeatable.", "--set"
    )
    measured: bool = order_field(False, "Take delay and noise from `pitwall gsm measure`.", "--measured")
    seed: int = order_field(0, "Seed of a new training.", label="Seed", ge=0)
    reward: Path | None = order_field(None, "File with the reward function.", label="Reward")
    workers: int = order_field(
        0, "Processes for the twins beside this one.", label="Workers", unit="processes", ge=0, le=256
    )
    ray: str = order_field("", "Address of a Ray cluster that runs the twins.", label="Ray")
    live: bool = order_field(False, "Learn from recorded runs instead of the twin.", "--live")
    follow: bool = order_field(False, "Learn from runs while they are played, until stopped.", "--follow")
    minutes: float | None = order_field(
        None,
        "With --live: minutes of play by the default agent first. With --from: at most so many.",
        ge=0.1,
    )
    run: tuple[int, ...] = order_field((), "Only from this run. Repeatable.")
    drives: bool = order_field(
        False, "With --resume: learn while the version drives a game that `pitwall learn` plays.", "--drives"
    )
    shown: bool = order_field(
        True,
        "With --drives: begin with what was shown: a person's play, the rules, earlier runs.",
        "--shown/--not-shown",
    )
    detach: bool = order_field(False, "Start it in the background; it outlives this command.", "--detach")
    title: str = order_field("", "What is new, in half a sentence.")
    why: str = order_field("", "The reason, kept with it.")

    @property
    def clones(self) -> bool:
        """Return whether the source names demonstrations, not a version."""
        return self.source not in ("", RULES, SHIPPED) and not _VERSION.fullmatch(self.source)

    @property
    def live_mode(self) -> LiveMode:
        """Return which runs it learns from: none, finished ones, or those that are being played too."""
        return "follow" if self.follow or self.drives else "finished" if self.live or self.run else ""


class LearnOrder(Order):
    """Learning by playing: a known game, or a window that is added as a game first."""

    game: str = order_field("", "Id of a game, or the path of its folder.", "--game")
    window: str = order_field("", "A window's id; see: pitwall windows", "--window")
    minutes: float = order_field(15.0, "Minutes to play.", "--minutes", ge=0.1, le=1_440)
    module: str = order_field(
        "", "Module that learns; default: the game's first that learns, else a new one."
    )
    version: str = order_field("", "Version that learns on; default: the newest.")
    reward: Path | None = order_field(None, "File with another reward function, for a new version.")
    fresh: bool = order_field(False, "Begin anew, not where the last learning stopped.", "--fresh")
    shown: bool = order_field(
        True,
        "Begin with what was shown: a person's play, the module's rules, earlier runs of any agent.",
        "--shown/--not-shown",
    )
    seed: int = order_field(0, "Seed of the game, of chance and of the first weights.", ge=0)
    plays: bool = order_field(
        True,
        "Play here, or only learn while the version plays elsewhere (the Live page).",
        "--play/--no-play",
    )
    action: tuple[str, ...] = order_field(
        (), "NAME=KEYS[:HOLD_MS] of a window that is no game yet; default: arrows and Space. Repeatable."
    )
    field: tuple[str, ...] = order_field(
        (), "NAME=X,Y,W,H of a window that is no game yet, like score=10,10,80,24. Repeatable."
    )
    start: tuple[str, ...] = order_field(
        (), "KEYS that lead out of the menu of a window that is no game yet. Repeatable, in order."
    )
    again: tuple[str, ...] = order_field(
        (), "KEYS that start another game from the end screen of such a window. Repeatable, in order."
    )


class ImprovementTerms(Order):
    """The terms of an improve loop; its other trials' scores must not fall."""

    iterations: int = order_field(MOST_ITERATIONS, "Most tries now; a loop has three in all.", ge=1)
    trial: str = order_field("", "The trial that decides; default: the first.")
    runs: int = order_field(60, "Held-out seeds of a comparison.", ge=5, le=1_000)
    steps: int = order_field(0, "Steps of each training; 0: the recipe's.", ge=0)
    minutes: float = order_field(
        15.0, "Minutes of play from which a version of a module without a twin learns.", ge=0.1, le=1_440
    )
    seed: int = order_field(0, "Seed of search and training.", ge=0)
    workers: int = order_field(0, "Processes for the twins.", ge=0, le=256)
    ray: str = order_field("", "Address of a Ray cluster that runs the twins.")
    candidates: int = order_field(
        0, "Variations that the search tries; 0: 32 in the twin, 8 on the screen.", ge=0, le=1_000
    )
    candidate_runs: int = order_field(
        0, "Games for each variation; 0: 20 in the twin, 4 on the screen.", ge=0, le=1_000
    )
    only_propose: bool = order_field(
        False,
        "Stop after the first checked proposal, which waits as a version.",
        "--only-propose",
        label="Show me the proposal before it is trained",
    )


class ImproveOrder(ImprovementTerms):
    """An improve loop: its terms, who proposes, and where versions are compared."""

    iterations: int = order_field(
        MOST_ITERATIONS, "Most tries.", label="Iterations at most", ge=1, le=MOST_ITERATIONS
    )
    by: Author = order_field(..., "Who proposes: the evolution tier's model, you, or fixed rules.")
    change: tuple[Path, ...] = order_field((), "Your change: a reward function (.py) or JSON. Repeatable.")
    source: str = order_field("", "Version to begin from; default: the driving version.", "--from")
    screen: bool = order_field(
        False,
        "Compare on the screen as well; then that decides. A module without a twin is played there alone.",
        "--screen",
        label="Compare on the screen as well",
    )
    screen_runs: int = order_field(
        20, "Held-out seeds of a comparison on the screen.", label="Games of each version", ge=5, le=1_000
    )
    seconds: float = order_field(
        0.0, "Longest game on the screen, in seconds; 0: the trial's.", ge=0, le=7_200
    )
    parallel: int = order_field(
        0, "Games side by side on the screen; 0: one for every two processors.", ge=0, le=16
    )
    detector: str = order_field("", "Let the model propose this detector's labels.")


class EvaluationOrder(Order):
    """An evaluation of a version on held-out seeds."""

    version: str = order_field("", "A version; default: the version that drives.")
    on: Literal["screen", "twin"] = order_field(
        "screen", "On the screen through capture and keys, or headless with the recipe's delay."
    )
    runs: int = order_field(20, "Held-out seeds to play.", ge=1, le=1_000)
    cap: float | None = order_field(None, "A run ends at this score; default: the trial's.")
    trial: str = order_field("", "A trial of the module; default: its first.")
    seeds_from: int | None = order_field(None, "First seed; default: the trial's.", ge=0)
    parallel: int = order_field(1, "Runs side by side (screen).", ge=1, le=16)
    delay_ms: float | None = order_field(None, "Delay in place of the recipe's (twin).", ge=0, le=1_000)
    screen: Literal["own", "here"] = order_field("own", "Play on virtual screens, or on the present screen.")
    fresh: bool = order_field(
        False, "Repeat the runs that an interrupted evaluation finished (screen).", "--fresh"
    )
