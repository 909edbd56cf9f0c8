"""Says which components are installed in this environment, and which are still on their way.

The first start installs what a bundled game needs (`installer/run`); the other components follow beside the
play (`pitwall components install`). Where one is missing, `absence` says in a sentence what does without it.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.bounded_reading import read_json
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import embedder_dir, environment_dir
from pitwall.core.whole_file import write_whole
from pitwall.store.lease import holder_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A part of Pitwall that is installed after the first start.

    Attributes:
        key: its name in commands. title: the same in words.
        modules: what can be imported once it is there. files: what else lies there then.
        meanwhile: what happens without it.
        packages: installed with what they ask for. alone: installed without, for they ask for packages that
            overwrite ours.
        debian: system packages. optional: those it can do without.
        weight: its share of the work, in seconds of a quick machine. size_mb: what is downloaded.
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

    @property
    def present(self) -> bool:
        """Whether it can be used."""
        packages = (*self.packages, *self.alone)
        return all(map(installed, packages)) and all(file.exists() for file in self.files)


def installed(package: str) -> bool:
    """Whether a package lies in this environment whole: what its installer writes last is there."""
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
        meanwhile="Demonstrations cannot be recorded or learned from, nor suites compared.",
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
        key="input",
        title="Input without X11",
        meanwhile="On Linux nothing is missing: keys go by X11.",
        modules=("pynput",),
        packages=("pynput",),
        optional=_COMPILER,
        weight=10,
        size_mb=1,
    ),
)
"""In the order in which they are installed."""

STATE_FILE = environment_dir() / "components.json"
"""What the installing process says of itself: the component's key, what it does, its share; what failed."""
LOCK_FILE = environment_dir() / "components.lock"
_ELSEWHERE = "Install Pitwall into a virtual environment, or start it by installer/run."
_INSTALL = "Install it on the Models page, or with: pitwall components install {key}."


def component_of(module: str) -> Component | None:
    """Find the component that brings a module; None where it is none's."""
    top = module.partition(".")[0]
    return next((one for one in COMPONENTS if top in {name.partition(".")[0] for name in one.modules}), None)


def component(key: str) -> Component:
    """Return the component of a key.

    Raises:
        PitwallError: there is none.
    """
    found = next((one for one in COMPONENTS if one.key == key), None)
    if found is None:
        raise PitwallError(
            f"there is no component {key!r}.", f"There are: {', '.join(one.key for one in COMPONENTS)}."
        )
    return found


def missing_components() -> tuple[Component, ...]:
    """Return the components that are not installed, in the order in which they are installed."""
    return tuple(one for one in COMPONENTS if not one.present)


@dataclass(frozen=True, slots=True)
class Installing:
    """Tells what the installing process does: a component, in words, and the share of the whole, 0 to 1."""

    key: str
    doing: str
    share: float


def installing() -> Installing | None:
    """Return what is being installed now; None where nothing is."""
    if holder_of(LOCK_FILE) is None:
        return None
    told = _told()
    return Installing(str(told.get("key", "")), str(told.get("doing", "")), float(told.get("share", 0.0)))


def failures() -> dict[str, str]:
    """Return what went wrong when a component was last installed, by its key."""
    found = _told().get("failed")
    return {str(key): str(why) for key, why in found.items()} if isinstance(found, dict) else {}


def absence(key: str, *, meanwhile: bool = True) -> tuple[str, str]:
    """Say that a component is missing or on its way, and what to do; two empty texts where it is there.

    Args:
        meanwhile: also say what happens without it.
    """
    one = component(key)
    if one.present:
        return "", ""
    now, more = installing(), f" {one.meanwhile}" if meanwhile else ""
    if now is None and not can_install():
        return f"{one.title}: not part of this installation.{more}", _ELSEWHERE
    if now is None:
        return f"{one.title}: not installed yet.{more}", _INSTALL.format(key=key)
    doing = now.doing if now.key == key else f"after {now.doing}"
    return f"{one.title}: on its way ({doing}).{more}", "It is used as soon as it is there."


def note_state(**told: Any) -> None:
    """Write what the installing process says of itself; only the lock's holder may."""
    write_whole(STATE_FILE, json.dumps(told))


def _told() -> dict[str, Any]:
    try:
        told = read_json(STATE_FILE)
    except (OSError, DamagedFile):
        return {}
    return told if isinstance(told, dict) else {}


def can_install() -> bool:
    """Whether packages can be added to this environment: it is one of its own, and not a frozen folder."""
    return sys.prefix != sys.base_prefix
