"""Proposed changes of a module, and the checks that a change passes before training."""

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
from pitwall.games.schema.modules import Learned, Module, Recipe
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder, declared
from pitwall.store.folder_errors import folder_error
from pitwall_lab.improvement.space_change import SpaceChange
from pitwall_lab.rewards.contract import RewardCall
from pitwall_lab.rewards.reward_function import check
from pitwall_lab.rewards.source import read_source

_MEASURED = frozenset({"delay_ms", "jitter_ms", "noise", "drop", "scenarios", "evaluate_runs"})
"""Recipe values that set the difficulty, not the learning; no change may touch them."""


class ChangeRefused(PitwallError):
    """A proposed change cannot be tried."""


class NoProposal(PitwallError):
    """The proposer has nothing more to propose."""


class Change(BaseModel):
    """A change of reward, rules, detectors, space or recipe, at least one of them.

    Attributes:
        module: the module's name; empty: the module that is being improved.
        reward: source of a whole reward function.
        rules: the module's table as changed; only its rules and its end count.
        detectors: the changed detectors, whole, by the names of the profile's.
        space: what a policy sees and may do. recipe: values of the recipe by name.
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
    space: SpaceChange | None = None
    recipe: dict[str, Any] = Field(default_factory=dict)


def read_change(file: Path) -> Change:
    """Read a change from a file: JSON with the fields of `Change`, or Python with a reward function.

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
            "Expected: module, title, why, and one of reward, rules, detectors, space, recipe.",
        ) from None


def checked_change(
    folder: ModuleFolder,
    about: VersionRecord,
    change: Change,
    transitions: Sequence[RewardCall],
    *,
    on_screen: bool = False,
    reward: str = "",
) -> Change:
    """Check a change, and return it with everything restored that a proposal may not touch.

    Args:
        about: the version that it changes.
        transitions: for trying a reward function; not needed for other changes.
        on_screen: it will be compared on the screen, where detectors count.
        reward: source of the version's reward function.

    Raises:
        ChangeRefused: it changes nothing, or something that this version lacks, or it is unfit.
        UnknownModule: it names a module that the game does not have.
    """
    if change.module not in ("", folder.declared.name):
        declared(folder.game, change.module)
        raise ChangeRefused(
            f"the change is about the module {change.module!r}, not {folder.declared.name!r}.",
            f"Improve {folder.game.game_id}/{change.module} itself.",
        )
    learns = change.reward is not None or change.space is not None or bool(change.recipe)
    if not learns and change.rules is None and not change.detectors:
        raise ChangeRefused(
            "the change changes nothing.",
            "Give a reward, rules, detectors, a space, or values of the recipe.",
        )
    if about.kind == "rules" and learns:
        raise ChangeRefused(
            f"{about.version} plays by rules: it has no reward, no space and no recipe.",
            "Change its rules instead.",
        )
    if about.kind == "policy" and change.rules is not None:
        raise ChangeRefused(f"{about.version} is a policy: it has no rules.", "Change its reward instead.")
    _check_detectors(folder, change, on_screen=on_screen)
    _check_recipe(about, change)
    _check_space(folder, about, change, reward)
    if change.reward is not None:
        checked = check(change.reward, transitions)
        if not checked.passed:
            raise ChangeRefused(checked.sentence)
    if change.rules is None:
        return change
    rules = _checked_rules(folder, about, change.rules)
    return change.model_copy(update={"rules": rules})


def _checked_rules(folder: ModuleFolder, about: VersionRecord, proposed: Module) -> Module:
    before = about.rules or folder.declared
    after = before.model_copy(update={"rules": proposed.rules, "ends": proposed.ends})
    if after == before:
        raise ChangeRefused("the changed rules are the same as before.", "Change a condition or an action.")
    if not after.rules:
        raise ChangeRefused("the change removes every rule.", "Keep at least one rule.")
    fields = frozenset(field.name for field in folder.game.profile.fields)
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
    known = {detector.name: detector for detector in folder.game.profile.detectors}
    for detector in change.detectors:
        if detector.name not in known or detector.kind != known[detector.name].kind:
            raise ChangeRefused(
                f"the game has no {detector.kind} detector {detector.name!r}.",
                f"It has: {', '.join(f'{name} ({of.kind})' for name, of in known.items()) or 'none'}.",
            )
    if change.detectors and not on_screen:
        raise ChangeRefused(
            "a headless twin has no pictures to detect in, so changed detectors cannot be compared on it.",
            "Compare on the screen.",
        )


def _check_space(folder: ModuleFolder, about: VersionRecord, change: Change, reward: str) -> None:
    space = change.space
    if space is None:
        return
    if not isinstance(about.learned, Learned):
        raise ChangeRefused(
            f"the space of {about.version} came with its policy.", "Change a version that was trained here."
        )
    try:
        space.check(folder.game.profile)
        space.applied(about.learned)
    except PitwallError as error:
        raise ChangeRefused(error.what, error.fix) from None
    if space.actions is None or change.reward is not None or not reward:
        return
    if "action_idx" in read_source(reward, "the reward function").parameters:
        raise ChangeRefused(
            "the reward function asks for the number of an action, which would mean another action then.",
            "Give a reward function with the new actions.",
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
