"""Lists Pitwall's optional components, and whether each is installed or on its way.

The first start installs only the needs of a bundled game (`installer/run`); the other components follow
during play (`pitwall components install`). `absence` describes the effect of a missing component in a
sentence.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.bounded_reading import read_json
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import embedder_dir, environment_dir, write_whole
from pitwall.store.lease import holder_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A part of Pitwall that is installed after the first start.

    Attributes:
        key: its name in commands. title: its name on the screen.
        modules: Python modules that it brings. files: files that it brings.
        meanwhile: a sentence on the effect of its absence.
        packages: installed with their dependencies. alone: installed without them, as these would
            overwrite ours.
        debian: required system packages. optional: useful system packages.
        weight: its share of the work, in seconds on a fast machine. size_mb: size of the download.
        on_demand: installed only when it is asked for by name; it is large, and many never need it.
    """

    key: str
    title: str
    meanwhile: str
    weight: int
    size_mb: int
    modules: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    packages: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    on_demand: bool = False

    @property
    def present(self) -> bool:
        """Return whether it can be used."""
        packages = (*self.packages, *self.alone)
        return all(map(installed, packages)) and all(file.exists() for file in self.files)


def installed(package: str) -> bool:
    """Return whether a package is completely installed: its installer's last file exists."""
    try:
        return importlib.metadata.distribution(package).read_text("INSTALLER") is not None
    except importlib.metadata.PackageNotFoundError:
        return False


_COMPILER = ("gcc", "g++", "make", "libc6-dev", "linux-libc-dev")

COMPONENTS = (
    Component(
        key="reflexes",
        title="Trained reflexes",
        meanwhile="The rules of the game's folder steer its reflexes.",
        modules=("onnxruntime",),
        packages=("onnxruntime-gpu",),
        weight=25,
        size_mb=280,
    ),
    Component(
        key="text",
        title="Text reading",
        meanwhile="Fields of text read none.",
        modules=("rapidocr", "onnxruntime"),
        packages=(
            "onnxruntime-gpu",
            "pyclipper",
            "shapely",
            "omegaconf",
            "colorlog",
            "requests",
            "six",
            "tqdm",
        ),
        alone=("rapidocr",),
        weight=10,
        size_mb=25,
    ),
    Component(
        key="recordings",
        title="Demonstrations and statistics",
        meanwhile="Demonstrations cannot be read or learned from, nor suites compared.",
        modules=("pyarrow", "scipy"),
        packages=("pyarrow", "scipy"),
        optional=("graphviz",),
        weight=15,
        size_mb=90,
    ),
    Component(
        key="sentences",
        title="Comparing texts by meaning",
        meanwhile="The memory compares texts by hashed words.",
        modules=("onnx", "tokenizers", "onnxruntime"),
        files=(embedder_dir() / "about.json",),
        packages=("onnxruntime-gpu", "onnx", "tokenizers", "huggingface-hub"),
        weight=40,
        size_mb=115,
    ),
    Component(
        key="models",
        title="Local models",
        meanwhile="The skill planner plays.",
        modules=("llama_cpp",),
        packages=("llama-cpp-python", "gguf", "huggingface-hub"),
        optional=_COMPILER,
        weight=300,
        size_mb=75,
    ),
    Component(
        key="games",
        title="Further games",
        meanwhile="Crafter, Shooting, Story and Freedoom cannot be opened.",
        modules=("crafter", "vizdoom", "opensimplex", "ruamel.yaml"),
        packages=("vizdoom", "imageio", "opensimplex", "ruamel.yaml"),
        alone=("crafter",),
        optional=("chocolate-doom", "freedoom"),
        weight=30,
        size_mb=60,
    ),
    Component(
        key="adventures",
        title="Text adventures",
        meanwhile="Story cannot be opened.",
        modules=("jericho",),
        alone=("jericho",),
        optional=_COMPILER,
        weight=60,
        size_mb=1,
    ),
    Component(
        key="training",
        title="Training",
        meanwhile="Game sense modules cannot be trained, so nothing is learned from play.",
        modules=("torch", "gymnasium", "pydantic_monty", "tensorboardX", "onnx"),
        packages=("torch", "gymnasium", "pydantic-monty", "tensorboardX", "onnx"),
        weight=90,
        size_mb=220,
        on_demand=True,
    ),
)
"""All components, in the order of installation."""

STATE_FILE = environment_dir() / "components.json"
"""The installing process's report: the component's key, its activity, the share done, and failures."""
LOCK_FILE = environment_dir() / "components.lock"
_ELSEWHERE = "Install Pitwall into a virtual environment, or start it by installer/run."
_INSTALL = "Install it on the Models page, or with: pitwall components install {key}."


def component_of(module: str) -> Component | None:
    """Return the component that brings a module; None where none does."""
    top = module.partition(".")[0]
    for component in COMPONENTS:
        if top in {name.partition(".")[0] for name in component.modules}:
            return component
    return None


def component(key: str) -> Component:
    """Return the component of a key.

    Raises:
        PitwallError: there is none.
    """
    by_key = {component.key: component for component in COMPONENTS}
    if key not in by_key:
        raise PitwallError(f"there is no component {key!r}.", f"There are: {', '.join(by_key)}.")
    return by_key[key]


def missing_components(names: Collection[str] = ()) -> tuple[Component, ...]:
    """Return the components that are not installed, in the order of installation.

    Args:
        names: keys of the components; none: all but those that are installed on demand.
    """
    wanted = {component(name).key for name in names}
    return tuple(
        entry
        for entry in COMPONENTS
        if (entry.key in wanted if wanted else not entry.on_demand) and not entry.present
    )


def missing_on_demand() -> tuple[Component, ...]:
    """Return the components on demand that are not installed."""
    return tuple(entry for entry in COMPONENTS if entry.on_demand and not entry.present)


@dataclass(frozen=True, slots=True)
class Installing:
    """The installing process's progress: its component, its activity in words, and the share done, 0 to 1."""

    key: str
    doing: str
    share: float


def installing() -> Installing | None:
    """Return the progress of the installation; None where nothing is being installed."""
    if holder_of(LOCK_FILE) is None:
        return None
    state = _read_state()
    return Installing(str(state.get("key", "")), str(state.get("doing", "")), float(state.get("share", 0.0)))


def failures() -> dict[str, str]:
    """Return the faults of the last installation, by component key."""
    faults = _read_state().get("failed")
    return {str(key): str(why) for key, why in faults.items()} if isinstance(faults, dict) else {}


def absence(key: str, *, meanwhile: bool = True) -> tuple[str, str]:
    """Return a sentence on a missing component and one on the remedy; two empty texts if it is present.

    Args:
        meanwhile: also describe the effect of its absence.
    """
    part = component(key)
    if part.present:
        return "", ""
    now, more = installing(), f" {part.meanwhile}" if meanwhile else ""
    if now is None and not can_install():
        return f"{part.title}: not part of this installation.{more}", _ELSEWHERE
    if now is None:
        return f"{part.title}: not installed yet.{more}", _INSTALL.format(key=key)
    doing = now.doing if now.key == key else f"after {now.doing}"
    return f"{part.title}: on its way ({doing}).{more}", "It is used as soon as it is there."


def note_state(**state: Any) -> None:
    """Write the installing process's report; only the lock's holder may."""
    write_whole(STATE_FILE, json.dumps(state))


def _read_state() -> dict[str, Any]:
    try:
        state = read_json(STATE_FILE)
    except (OSError, DamagedFile):
        return {}
    return state if isinstance(state, dict) else {}


def can_install() -> bool:
    """Return whether packages can be added: this is a virtual environment, not a frozen folder."""
    return sys.prefix != sys.base_prefix
