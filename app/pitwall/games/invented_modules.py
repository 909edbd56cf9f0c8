"""Adds invented modules to a game: from DATA/modules/GAME/MODULE/invented.json, never from the game's folder.

The registry adds them when it loads a game, so everything that uses a game's modules (planners, the engine,
trials, the improve loop) uses these too. With the switch off, and where one no longer fits the game, they are
listed in `Game.invented` but not in the profile, so that nothing offers or runs them.
"""

from __future__ import annotations

from pathlib import Path

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import Fault, PitwallError, SettingsError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings, save_settings
from pitwall.games.checks.folder import check_module
from pitwall.games.schema.invention import (
    InventedModule,
    Invention,
    InventionRefused,
    ProposedModule,
    faults_of_end,
    judge_of,
)
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game, Profile
from pitwall.store.folder_errors import folder_error

INVENTED = "invented.json"
MOST_INVENTED = 3
"""Most invented modules of one game."""
SWITCH_ON = "Switch them on: pitwall settings set gsm.invent_modules true"
_MOST_FAULTS = 5
OFF = "invented modules are switched off"


def with_inventions(game: Game, data: DataFolder, settings: Settings | None = None) -> Game:
    """Return a game with the modules that were invented for it.

    Args:
        game: as its folder declares it.
        settings: the switch that applies; None: the data folder's, and off where it cannot be read.
    """
    files = invention_files(data, game.game_id)
    if not files:
        return game
    on = _switched_on(data) if settings is None else settings.gsm.invent_modules
    profile, invented = game.profile, list[InventedModule]()
    for file in files:
        try:
            invention = read_invention(file)
        except PitwallError:  # `damaged_inventions` reports it
            continue
        faults = faults_of(game.folder, profile, invention.module, file.parent.name)
        at_rest = OFF if not on else f"it no longer fits the game: {faults[0]}" if faults else ""
        module = _module(invention, game.profile, at_rest)
        invented.append(module)
        if not at_rest:
            profile = _with(profile, module)
    return game.model_copy(update={"profile": profile, "invented": tuple(invented)})


def invention_files(data: DataFolder, game_id: str) -> list[Path]:
    """List the files of a game's inventions, by name."""
    return sorted((data.modules / game_id).glob(f"[a-z]*/{INVENTED}"))


def read_invention(file: Path) -> Invention:
    """Read one invention.

    Raises:
        PitwallError: it cannot be read, or is damaged.
    """
    try:
        invention = read_model(Invention, file, fix="Put a whole copy back, or delete it.")
    except FileNotFoundError as error:
        raise folder_error(error, file) from error
    if invention.module.name != file.parent.name:
        raise PitwallError(f"{file} holds the module {invention.module.name!r}.", "Put it back where it was.")
    return invention


def damaged_inventions(data: DataFolder, game_id: str) -> list[PitwallError]:
    """List the errors of a game's unreadable inventions."""
    return [error for file in invention_files(data, game_id) if (error := _fault(file)) is not None]


def faults_of(folder: Path, profile: Profile, proposed: ProposedModule, file: str) -> list[Fault]:
    """Check a proposed module as a declared module is checked.

    Args:
        folder: the game's. profile: with the modules that are there already. file: name of the proposal.
    """
    return [
        *check_module(folder, profile, proposed.module(), file),
        *faults_of_end(proposed, file),
        *judge_of(proposed, _declared(profile), file)[1],
    ]


def check_proposal(game: Game, proposed: ProposedModule, file: str) -> None:
    """Refuse a proposal that does not fit a game, or takes another module's name.

    Raises:
        InventionRefused: lists the faults.
    """
    known = {module.name for module in game.profile.modules}
    resting = [module for module in game.invented if module.name not in known]
    every = game.profile.model_copy(update={"modules": [*game.profile.modules, *resting]})
    faults = faults_of(game.folder, every, proposed, file)
    if faults:
        text = "; ".join(map(str, faults[:_MOST_FAULTS]))
        more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
        raise InventionRefused(f"{text}{more}.", "Mend it, and propose it again.")


def copy_invention(
    theirs: DataFolder, ours: DataFolder, game_id: str, module: str, *, plays: bool = False
) -> None:
    """Copy an invention into a run's own data folder, and switch it on there.

    Nothing is copied where the module was not invented, or where inventions are switched off.

    Args:
        plays: see `Invention.plays`.

    Raises:
        DataFolderError, PitwallError: it cannot be read or written. SettingsError: the settings cannot.
    """
    file = theirs.modules / game_id / module / INVENTED
    if not file.is_file() or not _switched_on(theirs):
        return
    invention = read_invention(file).model_copy(update={"plays": plays})
    place = ours.modules / game_id / module / INVENTED
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(invention.model_dump_json(), encoding="utf-8")
    except OSError as error:
        raise folder_error(error, place) from error
    save_settings(ours.settings, load_settings(ours.settings).with_value("gsm", "invent_modules", True))


def _module(invention: Invention, profile: Profile, at_rest: str) -> InventedModule:
    """Build an invention's module, with a model's description quoted: quoted text is data in prompts."""
    proposed = invention.module
    judge, _ = judge_of(proposed, _declared(profile), "")
    description = proposed.description if invention.by == "operator" else repr(proposed.description)
    return InventedModule(
        **dict(proposed.module())
        | {"description": description, "trials": judge.trials if judge is not None else []},
        invention=invention,
        judge=judge.name if judge is not None else "",
        space=judge.learned if judge is not None else None,
        at_rest=at_rest,
    )


def _with(profile: Profile, module: InventedModule) -> Profile:
    skills = profile.skills
    if module.invention.plays and module.judge:
        instead = {"module": module.name}
        skills = [
            skill.model_copy(update=instead) if skill.module == module.judge else skill for skill in skills
        ]
    return profile.model_copy(update={"modules": [*profile.modules, module], "skills": skills})


def _declared(profile: Profile) -> list[Module]:
    return [module for module in profile.modules if not isinstance(module, InventedModule)]


def _switched_on(data: DataFolder) -> bool:
    try:
        return load_settings(data.settings).gsm.invent_modules
    except SettingsError:  # reported wherever settings are read; here "off" is safe
        return False


def _fault(file: Path) -> PitwallError | None:
    try:
        read_invention(file)
    except PitwallError as error:
        return error
    return None
