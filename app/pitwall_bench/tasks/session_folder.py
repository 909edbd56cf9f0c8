"""Fills the data folder of a run: the operator's settings, trust, models, games, and pinned modules."""

from __future__ import annotations

import shutil
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.games.invented_modules import copy_invention
from pitwall.games.schema.profile import Game
from pitwall_bench.suites.spec import AgentSpec
from pitwall_evaluation.sandbox import LEFT_OUT, copy_files, link_folder


def furnish(data: DataFolder, operator: DataFolder, agent: AgentSpec, game: Game) -> None:
    """Copy and link what an agent needs of the operator's data folder into a run's own.

    Raises:
        OSError, shutil.Error: a file cannot be copied.
    """
    copy_files((operator.settings, operator.trust, operator.model_registry), data)
    link_folder(operator.models, data.models)
    link_folder(operator.games, data.games)
    for module, version in agent.modules.items():
        inside = Path(game.game_id, module, version)
        if (operator.modules / inside).is_dir():
            shutil.copytree(operator.modules / inside, data.modules / inside, ignore=LEFT_OUT)
        copy_invention(operator, data, game.game_id, module)
