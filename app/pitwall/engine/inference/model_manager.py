"""Manages the engine's models: follows the registry on disk, loads models in the host, reports who thinks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.commands import PlayMode
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import ModelSettings, Settings
from pitwall.core.telemetry import ControllersNote, Fault, ModelHeld
from pitwall.engine.control.baselines import LONE
from pitwall.engine.inference.host_link import HostConnection
from pitwall.games.schema.profile import Profile
from pitwall.models.host_requests import HostFault, Loaded, LoadModel, UnloadModel
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import NAME as SHIPPED
from pitwall.models.shipped import llama_is_installed, with_shipped
from pitwall.models.spec import ModelSpec
from pitwall.store.components import absence

_LOOK_EVERY_NS = NS_PER_S
_REFUSED_FOR_NS = 60 * NS_PER_S
_UNREMARKABLE = ("model", "person", *LONE)
_PLAYS_ON = "The skill planner plays."
NO_MODEL = "No model is installed: the skill planner plays."
SHIPPED_THINKS = f"{SHIPPED}, the model that ships with Pitwall, thinks."


def tier_models(models: ModelSettings) -> dict[str, str]:
    """Return the name of each tier's model; tiers without a model are left out."""
    tiers = {tier: str(getattr(models, tier)) for tier in ("fast", "strategic", "analysis", "evolution")}
    return {tier: name for tier, name in tiers.items() if name}


def wanted_planner(settings: Settings) -> Literal["skills", "model", "explore", "random", "idle"]:
    """Return the strategic planner that the settings ask for."""
    wanted = settings.control.planner
    return ("model" if settings.models.strategic else "skills") if wanted == "auto" else wanted


def explores(profile: Profile) -> bool:
    """Return whether the default agent plays a game without a model: by profile, or for lack of skills."""
    return profile.game.without_skill == "explore" or not profile.skills


def settled(settings: Settings, profile: Profile) -> Settings:
    """Return the settings for a game, with an open choice of planner and model made.

    Where neither was chosen, the default agent plays a game that it is to explore; else the shipped model
    thinks, if allowed.
    """
    control = settings.control
    plain = control.planner == "auto" and control.interface == "semantic" and not settings.models.strategic
    if plain and explores(profile):
        return settings.with_value("control", "planner", "explore")
    return with_shipped(settings)


def decider_name(settings: Settings) -> str:
    """Return the decider's name for a run's manifest: the planner that is wanted, or "person"."""
    return "person" if PlayMode.chosen_in(settings).by_person else wanted_planner(settings)


def thinker_name(settings: Settings) -> str:
    """Return the name of the planner that works, also beside a playing person in shadow mode."""
    return "person" if PlayMode.chosen_in(settings) is PlayMode.PERSON else wanted_planner(settings)


def wanted_reactive(settings: Settings) -> Literal["rules", "model"]:
    """Return the reactive controller that the settings ask for; baselines have none beside them."""
    if wanted_planner(settings) in LONE:
        return "rules"
    wanted = settings.control.reactive
    return ("model" if settings.models.fast else "rules") if wanted == "auto" else wanted


class ModelManager:
    """Follows the registry on disk, and loads the models that the tiers need."""

    def __init__(self, data: DataFolder, host: HostConnection, tell: Callable[[Any], None]) -> None:
        self._file: Path = data.model_registry
        self._registry = ModelRegistry(data)
        self._host = host
        self._tell = tell
        self._look_at_ns = 0
        self._stamp: tuple[int, int] | None = (0, 0)
        self._specs: dict[str, ModelSpec] = {}
        self._unreadable: PitwallError | None = None
        self._asked: dict[int, tuple[str, int]] = {}
        self._wanted: set[ModelSpec] = set()
        self._failed: dict[str, str] = {}
        self._lacking: str | None = ""
        self._refused_until_ns: dict[str, int] = {}
        self._reported_problems: dict[str, str] = {}
        self._last_id = 0
        self._reported: ControllersNote | None = None

    def resolve(self, name: str) -> ModelSpec:
        """Return the model of a name.

        Raises:
            PitwallError: there is none, the registry cannot be read, or the host could not load it.
        """
        if not self._specs:
            self._read_registry()
        spec = self._specs.get(name)
        if spec is None:
            raise self._unreadable or PitwallError(
                f"there is no model {name!r}.", "Add it on the Models page, or with: pitwall models add FILE"
            )
        if name in self._failed:
            raise PitwallError(self._failed[name])
        return spec

    def writes(self, name: str) -> bool:
        """Return whether there is a model of this name that may write free text."""
        try:
            return not self.resolve(name).no_text
        except PitwallError:
            return False

    def identity(self, chosen: ModelSettings) -> str:
        """Return an identity of the playing models: file hashes or endpoints; empty for no model."""
        if not self._specs:
            self._read_registry()
        names = dict.fromkeys(filter(None, (chosen.strategic, chosen.fast)))
        specs = {name: self._specs.get(name) for name in names}
        return " + ".join(
            name if spec is None else spec.sha256 or f"{spec.url} {spec.remote_model}"
            for name, spec in specs.items()
        )

    def follow(self, settings: Settings, now: int) -> None:
        """Take the host's answers; once a second read the registry and load the models that tiers need."""
        answered = self._take_answers()
        if now >= self._look_at_ns:
            self._look_at_ns = now + _LOOK_EVERY_NS
            self._read_registry()
            self._look_for_library()
            for name in [name for name, until_ns in self._refused_until_ns.items() if now >= until_ns]:
                del self._refused_until_ns[name]  # memory may be free by now
                self._failed.pop(name, None)
            self._preload(settings)
        elif not answered:
            return
        self._report(settings)

    def load(self, name: str) -> None:
        """Load a model into the host now.

        Raises:
            PitwallError: there is no such model.
        """
        self._failed.pop(name, None)
        self._read_registry()
        self._load(self.resolve(name))

    def unload(self, name: str) -> None:
        """Unload a model. A tier that uses it loads it again with its next call."""
        self._last_id += 1
        self._host.send(UnloadModel(request_id=self._last_id, name=name))

    def _report(self, settings: Settings) -> None:
        """Report who thinks, if that changed."""
        tiers = tier_models(settings.models)
        planner, reactive = thinker_name(settings), wanted_reactive(settings)
        if planner == "model" and not self._usable(tiers.get("strategic", "")):
            planner = "skills"
        if not self._usable(tiers.get("fast", "")):
            reactive = "rules"
        note = ControllersNote(
            planner=planner,
            reactive=reactive,
            tiers=tiers,
            held=tuple(
                ModelHeld(
                    name=model.name,
                    device=model.device,
                    memory_bytes=model.memory_bytes,
                    context=model.context,
                    slots=model.slots,
                    note=model.note,
                )
                for model in self._host.loaded
            ),
            loading=next((name for name, _ in self._asked.values()), ""),
            text=self._status_text(settings, tiers, planner),
        )
        if note != self._reported:
            self._reported = note
            self._tell(note)

    def _usable(self, name: str) -> bool:
        return name in self._specs and name not in self._failed

    def _status_text(self, settings: Settings, tiers: dict[str, str], planner: str) -> str:
        name = tiers.get("strategic", "")
        if planner == "model" and name == SHIPPED:
            return SHIPPED_THINKS
        if planner in _UNREMARKABLE or settings.control.planner == "skills":
            return ""
        if not self._specs:
            return NO_MODEL
        if not name and SHIPPED in self._specs and settings.models.shipped and not llama_is_installed():
            return f"No model is chosen, and the one that ships with Pitwall needs llama.cpp. {_PLAYS_ON}"
        if not name and SHIPPED in self._specs:
            return f"No model is chosen, and the one that ships with Pitwall is switched off. {_PLAYS_ON}"
        if not name:
            return f"No model is chosen for the strategic tier. {_PLAYS_ON}"
        return f"{self._failed.get(name) or f'There is no model {name!r}.'} {_PLAYS_ON}"

    def _read_registry(self) -> None:
        """Read the registry if its file changed."""
        try:
            stat = self._file.stat()
            stamp: tuple[int, int] | None = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            stamp = None
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._specs = {entry.spec.name: entry.spec for entry in self._registry.all()}
            self._unreadable = None
        except PitwallError as error:
            self._specs, self._unreadable = {}, error
            self._tell(Fault.of(error))
        self._failed.clear()
        self._reported_problems.clear()

    def _preload(self, settings: Settings) -> None:
        """Load the tiers' models before they are first asked."""
        plans, grounds = thinker_name(settings) == "model", wanted_reactive(settings) == "model"
        needed = [settings.models.strategic] if plans else []
        needed += [settings.models.fast] if grounds else []
        for name in dict.fromkeys(filter(None, needed)):
            spec = self._specs.get(name)
            held = spec is None or spec.kind == "remote" or spec in self._wanted
            if spec is not None and not held and name not in self._failed:
                self._load(spec)

    def _load(self, spec: ModelSpec) -> None:
        self._last_id += 1
        if self._host.send(LoadModel(request_id=self._last_id, model=spec)):
            self._wanted.add(spec)
            self._asked[self._last_id] = (spec.name, self._host.generation)

    def _look_for_library(self) -> None:
        """Mark GGUF models as failed while llama.cpp is not installed."""
        if self._lacking is None:
            return
        self._lacking = " ".join(filter(None, absence("models", meanwhile=False))) or None
        for name in [spec.name for spec in self._specs.values() if spec.kind == "gguf"]:
            if self._lacking:
                self._failed[name] = self._lacking
            else:
                self._failed.pop(name, None)

    def _take_answers(self) -> bool:
        changed = False
        for reply in self._host.pump():
            asked = self._asked.pop(reply.request_id, None)
            if isinstance(reply, HostFault) and asked is not None:
                self._refuse(asked[0], f"{reply.what} {reply.fix}".strip(), reply)
                changed = True
            changed |= isinstance(reply, Loaded)
        if self._host.fileno() is None and (self._asked or self._wanted):
            for name, _ in self._asked.values():
                self._refuse(name, f"The model host died while it loaded {name}.", None)
            self._asked.clear()
            self._wanted.clear()
            changed = True
        return changed

    def _refuse(self, name: str, problem: str, fault: HostFault | None) -> None:
        """Do not load a model again until the registry changes, or a minute has passed."""
        self._failed[name] = problem
        self._refused_until_ns[name] = now_ns() + _REFUSED_FOR_NS
        if self._reported_problems.get(name) == problem:
            return
        self._reported_problems[name] = problem
        if fault is None:
            self._tell(Fault(what=problem, fix="Choose another model on the Models page.", error="ChildDied"))
        else:
            self._tell(Fault(what=fault.what, fix=fault.fix, traceback=fault.traceback, error=fault.error))
