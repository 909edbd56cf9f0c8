"""Chooses how a run's score is read, also of a game whose manifest declares no true state."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.games.launcher import launching_of
from pitwall.games.schema.modules import Trial
from pitwall.games.schema.profile import Game
from pitwall_evaluation.truth.fields import FieldsTruth
from pitwall_evaluation.truth.source import TruthReading, optional_paths, source_of
from pitwall_lab.game_trials.watch import TrialWatch
from pitwall_lab.trials.default_trial import score_path


def truth_of(game: Game, data: DataFolder, written: Path) -> TruthReading:
    """Open the game's true state, else the score that its screen shows.

    Args:
        data: of the run. written: the file that $PITWALL_TRUTH names.

    Raises:
        PitwallError: the game has neither.
    """
    profile = game.profile
    if profile.truth is None and profile.score_field:
        return FieldsTruth(game.game_id, {score_path(profile): profile.score_field})
    return source_of(game, data, written)


def watch_of(game: Game, trial: Trial) -> TrialWatch:
    """Return the watch that judges a run of the game.

    A game without a start command is an open window, which may show the middle of a play. The end of that
    play is awaited, or, in a game that shows no end, the score counts from its first reading.
    """
    profile = game.profile
    unread = optional_paths(game) if profile.truth is not None else frozenset({score_path(profile)})
    if is_started(game):
        return TrialWatch(trial, unread=unread)
    ends = bool(profile.status.terminal or profile.status.menu or profile.passages)
    return TrialWatch(trial, unread=unread, midway=ends, gained=not ends)


def is_started(game: Game) -> bool:
    """Return whether the game is started for each run; else it is an open window."""
    return launching_of(game) is not None


def is_seeded(game: Game) -> bool:
    """Return whether a seed decides the course of the game."""
    launching = launching_of(game)
    return launching is not None and any("{seed}" in word for word in launching.command)
