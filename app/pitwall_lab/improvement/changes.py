"""A proposed change of a module, whoever proposed it, and the checks it passes before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwall.core.bounded_reading import read_text
from pitwall.core.errors import ConditionError, DamagedFile, IllegalAction, PitwallError
from pitwall.core.validation import first_fault
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.modules import Module, Recipe
from pitwall.gsm.reward import RewardCall
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder, declared
from pitwall.store.folder_errors import folder_error
from pitwall_lab.rewards.reward_function import check

_MEASURED = frozenset({"delay_ms", "jitter_ms", "noise", "drop", "scenarios", "evaluate_runs"})
"""Values of a recipe that say how hard it is, not how it is learned: a comparison must not depend on them."""


class ChangeRefused(PitwallError):
    """A proposed change cannot be tried."""


class NoProposal(PitwallError):
    """The proposer has nothing (more) to propose."""


class Change(BaseModel):
    """Describes a change of reward, rules, detectors or recipe, at least one of them.

    Attributes:
        module: whose; empty: the one that is being improved.
        reward: source of a whole reward function.
        rules: the module's table as changed; only its rules and its end count.
        detectors: those that change, whole, by the names of the profile's.
        recipe: values of the recipe by name.
        title: what is new, in half a sentence. why: the reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    module: str = ""
    title: str = Field("", max_length=200)
    why: str = Field("", max_length=2_000)
    by: Literal["operator", "model", "rules"] = "operator"
    reward: str | None = None
    rules: Module | None = None
    detectors: tuple[Detector, ...] = ()
    recipe: dict[str, Any] = Field(default_factory=dict)


def read_change(file: Path) -> Change:
    """A change from a file: JSON with the fields of `Change`, or a Python file that is a reward function.

    Raises:
        ChangeRefused: it is neither. DataFolderError: it cannot be read.
    """
    try:
        text = read_text(file)
    except FileNotFoundError as error:
        raise folder_error(error, file) from error
    except DamagedFile as error:
        raise ChangeRefused(error.what, "Name a .json or a .py file.") from None
    if file.suffix == ".py":
        return Change(reward=text, title=f"reward of {file.name}")
    try:
        return Change.model_validate_json(text)
    except ValidationError as error:
        where, problem = first_fault(error, "the file")
        raise ChangeRefused(
            f"{file}: {where}: {problem}.",
            "Expected: module, title, why, and one of reward, rules, detectors, recipe.",
        ) from None


def checked_change(
    folder: ModuleFolder,
    about: VersionRecord,
    change: Change,
    transitions: Sequence[RewardCall],
    *,
    on_screen: bool = False,
) -> Change:
    """The change as it may be tried: what a proposal may not touch is as it was.

    Args:
        about: the version that it changes.
        transitions: what a reward function is tried on; not needed for other changes.
        on_screen: it will be compared on the screen, where detectors count.

    Raises:
        ChangeRefused: it changes nothing, something else than this version has, or it is unfit; says what.
        UnknownModule: it is about a module that the game does not have.
    """
    if change.module not in ("", folder.declared.name):
        declared(folder.game, change.module)
        raise ChangeRefused(
            f"the change is about the module {change.module!r}, not {folder.declared.name!r}.",
            f"Improve {folder.game.game_id}/{change.module} itself.",
        )
    if change.reward is None and change.rules is None and not change.detectors and not change.recipe:
        raise ChangeRefused(
            "the change changes nothing.", "Give a reward, rules, detectors, or values of the recipe."
        )
    if about.kind == "rules" and (change.reward is not None or change.recipe):
        raise ChangeRefused(
            f"{about.version} plays by rules: it has no reward and no recipe.", "Change its rules instead."
        )
    if about.kind == "policy" and change.rules is not None:
        raise ChangeRefused(f"{about.version} is a policy: it has no rules.", "Change its reward instead.")
    _check_detectors(folder, change, on_screen=on_screen)
    _check_recipe(about, change)
    if change.reward is not None:
        found = check(change.reward, transitions)
        if not found.passed:
            raise ChangeRefused(found.sentence)
    if change.rules is None:
        return change
    rules = _checked_rules(folder, about, change.rules)
    return change.model_copy(update={"rules": rules})


def _checked_rules(folder: ModuleFolder, about: VersionRecord, proposed: Module) -> Module:
    before = about.rules or folder.declared
    after = before.model_copy(update={"rules": proposed.rules, "ends": proposed.ends})
    if after == before:
        raise ChangeRefused("the changed rules are those that it has.", "Change a condition or an action.")
    if not after.rules:
        raise ChangeRefused("the changed rules are none.", "Keep at least one rule.")
    fields = frozenset(one.name for one in folder.game.profile.fields)
    try:
        RuleModule(after, fields)
    except ConditionError as error:
        raise ChangeRefused(error.what, error.fix) from None
    space = Vocabulary(folder.game.profile)
    for number, rule in enumerate(after.rules, start=1):
        try:
            if rule.action:
                space.parse(rule.action)
        except IllegalAction as error:
            raise ChangeRefused(f"rule {number}: {error.what}", error.fix) from None
    return after


def _check_detectors(folder: ModuleFolder, change: Change, *, on_screen: bool) -> None:
    known = {one.name: one for one in folder.game.profile.detectors}
    for one in change.detectors:
        if one.name not in known or one.kind != known[one.name].kind:
            raise ChangeRefused(
                f"the game has no {one.kind} detector {one.name!r}.",
                f"It has: {', '.join(f'{name} ({of.kind})' for name, of in known.items()) or 'none'}.",
            )
    if change.detectors and not on_screen:
        raise ChangeRefused(
            "a headless twin has no pictures to detect in, so changed detectors cannot be compared on it.",
            "Compare on the screen.",
        )


def _check_recipe(about: VersionRecord, change: Change) -> None:
    if not change.recipe or about.recipe is None:
        return
    barred = sorted(_MEASURED & set(change.recipe))
    if barred:
        raise ChangeRefused(
            f"the recipe's {barred[0]} says how hard the trial is.",
            "Change how it learns; delay and noise are measured, not chosen.",
        )
    try:
        Recipe.model_validate({**about.recipe.model_dump(), **change.recipe})
    except ValidationError as error:
        where, problem = first_fault(error)
        raise ChangeRefused(f"the recipe's {where}: {problem}.") from None
