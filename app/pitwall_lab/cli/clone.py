"""`pitwall gsm train GAME/MODULE --from DEMONSTRATIONS`: trains a version that plays like a person."""

from __future__ import annotations

from typing import Any

from pitwall.core import quantities
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.games.registry import Registry
from pitwall.games.watched_modules import WATCHED_MODULE, watch
from pitwall.gsm.cloned_space import ClonedSpace, CloningRecipe
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.arguments import game_and_module
from pitwall_lab.cli.recipe_arguments import changed_recipe
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.training_log import ActionAgreement, Cloned

ALL = "all"


def begun_clone(data: DataFolder, named: str, order: TrainingOrder) -> tuple[ModuleFolder, str]:
    """Create the version that is to be cloned, and also the module if the game lacks it.

    Raises:
        PitwallError: there is no such game or demonstration, or nothing to learn in it.
    """
    from pitwall_lab.cloning.clone import begin_clone, read_stretches
    from pitwall_lab.cloning.stretches import presses_of

    game, module = game_and_module(data, named)
    demonstrations = chosen(data, game.game_id, order.source)
    if all(declared.name != module for declared in game.profile.modules):
        if game.profile.modules and module != WATCHED_MODULE:
            ModuleFolder(data, game, module)  # raises an error that names the game's modules
        watch(data, game, module, presses_of(read_stretches(data, demonstrations)))
        game = Registry(data).load(game.reference)
    folder = ModuleFolder(data, game, module)
    parent = folder.about(order.start_from).learned if order.start_from else None
    recipe = parent.cloning if isinstance(parent, ClonedSpace) else CloningRecipe()
    more = {"minutes": order.minutes} if order.minutes is not None else {}
    recipe = recipe.model_copy(update=changed_recipe(recipe, order.changes, more))
    about = begin_clone(
        data,
        folder,
        demonstrations,
        pixels=order.pixels,
        start_from=order.start_from,
        recipe=recipe,
        title=order.title,
        why=order.why,
    )
    return folder, about.version


def chosen(data: DataFolder, game_id: str, source: str) -> list[str]:
    """List the named demonstrations, or all of a game's.

    Raises:
        PitwallError: there is none of that name, or none of the game.
    """
    folder = DemonstrationFolder(data)
    if source != ALL:
        return [folder.path(part.strip()).name for part in source.split(",") if part.strip()]
    names = [
        demonstration.id
        for demonstration in folder.all()
        if demonstration.manifest is not None and demonstration.manifest.game == game_id
    ]
    if not names:
        raise PitwallError(
            f"there are no demonstrations of {game_id}.",
            f"Record one: pitwall teach record --game {game_id} --minutes 5",
        )
    return names


def agreement_lines(cloned: Cloned) -> list[str]:
    """Write the result of a cloning, with a line for each action."""
    before = f", {quantities.share(cloned.before)} before" if cloned.before is not None else ""
    return [
        f"{quantities.share(cloned.agreement)} of decisions agree with held-out play "
        f"({quantities.interval_text(cloned.low, cloned.high)}{before}); {cloned.parted}.",
        f"Reaction time of the person: {cloned.reaction_ms:.0f} ms. A moment is answered by what the person "
        f"did {cloned.shift_ms:.0f} ms later; {cloned.delay_ms:.0f} ms of that are the machine's own delay.",
        *([] if cloned.acting is None else [f"Where the person acted: {quantities.share(cloned.acting)}."]),
        *cloned.notes,
        *(_action_line(action) for action in cloned.actions),
        *(
            f"    differs at {disagreement.at_s:.1f} s of {disagreement.demonstration}, "
            f"picture {disagreement.picture}: "
            f"the person {disagreement.person}, the clone {disagreement.clone}"
            for disagreement in cloned.disagreements[:5]
        ),
    ]


def _action_line(action: ActionAgreement) -> str:
    def share(value: float | None) -> str:
        return "none" if value is None else quantities.share(value)

    return (
        f"    {action.action or 'nothing':16s} precision {share(action.precision)}, "
        f"recall {share(action.recall)} "
        f"({action.person:,} by the person, {action.clone:,} by the clone)"
    )


def clone_result(cloned: Cloned | None) -> dict[str, Any]:
    """Write the result of a cloning as JSON; empty without a cloning."""
    if cloned is None:
        return {}
    body = {**cloned.model_dump(exclude={"kind"}), "acting": cloned.acting}
    for action, row in zip(cloned.actions, body["actions"], strict=True):
        row |= {"precision": action.precision, "recall": action.recall}
    return {"cloned": body}
