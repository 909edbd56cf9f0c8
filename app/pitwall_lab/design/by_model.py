"""Lets the evolution tier's model write rules for a design; its training begins with their advice."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.games.invented_modules import check_proposal
from pitwall.games.schema.invention import ProposedModule
from pitwall.games.schema.profile import Game
from pitwall_lab.design.document import Design
from pitwall_lab.improvement.module_invention import FILE, proposed_by_model


def with_rules(
    data: DataFolder,
    game: Game,
    settings: Settings,
    design: Design,
    *,
    on_refused: Callable[[str], None] = lambda _: None,
) -> Design:
    """Return the design with rules that a model wrote for its task.

    Raises:
        NoProposal: no model is chosen, its context is too short, or no proposal was fit.
        RequestFailed, ChildDied: the host could not answer.
    """

    def accept(proposed: ProposedModule, model: str, prompt: str) -> tuple[ProposedModule, str]:
        del prompt
        check_proposal(game, proposed, FILE)
        return proposed, model

    proposed, model = proposed_by_model(data, game, settings, accept, task=design.task, on_refused=on_refused)
    return design.model_copy(
        update={
            "rules": proposed.rules,
            "by": "model",
            "model": model,
            "reasons": {
                **design.reasons,
                "rules": proposed.why or "as the model wrote them",
                "kind": "a policy learned by playing; rules of a model advise it at first",
            },
        }
    )
