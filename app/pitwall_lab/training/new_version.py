"""Creates the folder of a version that is to be trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ValidationError

from pitwall.core.bounded_reading import read_text
from pitwall.core.errors import PitwallError
from pitwall.core.validation import first_fault
from pitwall.games.schema.modules import Learned, Recipe
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import RULES, ModuleFolder, sha256_of
from pitwall.store.folder_errors import folder_error, write_file
from pitwall_lab.trials.twin_trials import space_of

REWARD_FILE = "reward.py"


def begin_version(
    folder: ModuleFolder,
    *,
    parent: str = "",
    learned: Learned | None = None,
    reward: str | None = None,
    changes: Mapping[str, Any] | None = None,
    title: str = "",
    why: str = "",
    by: Literal["project", "operator", "model"] = "operator",
    explore: float | None = None,
) -> VersionRecord:
    """Create the folder of a version that is to be trained.

    Args:
        parent: the version whose space, recipe and reward it takes over; empty or "rules": the manifest's.
        learned: another space; None: the parent's, else the manifest's.
        reward: source of another reward function; None: the parent's.
        changes: of the recipe, by name.
        explore: see `VersionRecord.explore`.

    Raises:
        PitwallError: the module learns nothing, the recipe cannot be changed like that, or there is no
            such parent.
    """
    before = folder.about(parent) if parent else None
    declared, recipe = space_of(folder.declared, before or _nothing(folder))
    recipe, learned = _changed(recipe, changes or {}), learned or declared
    about = folder.new(
        VersionRecord(
            game_id=folder.game.game_id,
            module=folder.declared.name,
            version="",
            kind="policy",
            parent=parent,
            iteration=before.iteration if before is not None and before.kind == "policy" else 0,
            title=title,
            why=why,
            by=by,
            profile_hash=folder.game.profile_hash,
            learned=learned.model_copy(update={"training": recipe}),
            recipe=recipe,
            standing=VersionStatus.PROPOSED,
            explore=explore,
        )
    )
    file = folder.folder(about.version) / REWARD_FILE
    write_file(file, reward if reward is not None else _reward_of(folder, before))
    about = about.model_copy(update={"reward_sha256": sha256_of(file)})
    folder.write(about)
    return about


def _nothing(folder: ModuleFolder) -> VersionRecord:
    return VersionRecord(
        game_id=folder.game.game_id, module=folder.declared.name, version=RULES, kind="rules"
    )


def _reward_of(folder: ModuleFolder, parent: VersionRecord | None) -> str:
    own = (
        folder.folder(parent.version) / REWARD_FILE
        if parent is not None and parent.kind == "policy"
        else None
    )
    declared = folder.declared.learned
    file = own if own is not None and own.is_file() else None
    if file is None:
        if declared is None:
            raise PitwallError(f"{folder.name} has no reward function.", "Name one: modules.learned.reward.")
        file = folder.game.folder / declared.reward
    try:
        return read_text(file)
    except FileNotFoundError as error:
        raise folder_error(error, file) from error


def _changed(recipe: Recipe, changes: Mapping[str, Any]) -> Recipe:
    try:
        return Recipe.model_validate({**recipe.model_dump(), **changes})
    except ValidationError as error:
        name, problem = first_fault(error)
        raise PitwallError(
            f"recipe: {name}: {problem}.", f"It has: {', '.join(Recipe.model_fields)}."
        ) from None
