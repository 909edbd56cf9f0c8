"""The model that ships with Pitwall: in every registry, and the planner if the operator has chosen none.

Its file is in `resources/models`. The registry's file holds its entry only after its options were changed or
it was measured; if the checkout has moved since, the entry still gets the file's current place.
"""

from __future__ import annotations

import functools
import importlib.metadata
import os
import sys
from pathlib import Path

from pitwall.core.errors import BadModelFile
from pitwall.core.paths import resources_dir
from pitwall.core.settings import Settings
from pitwall.models.entry import ModelEntry
from pitwall.models.entry_from_file import entry_of_file
from pitwall.models.files.integrity import sha256_of, stamp_of
from pitwall.models.probed import Probed
from pitwall.models.spec import FlashAttention

NAME = "pitwall-small"
SOURCE = "ships with Pitwall"
WHAT_IT_IS = "Small, text-only, for the bundled games and for showing how the console works."
SWITCH = "PITWALL_SHIPPED_MODEL"
"""Environment variable; "off" hides the model, as if it had not been shipped (tests do)."""
FLASH_ATTENTION: FlashAttention = "on"
"""How it is loaded, and one of its kind that is examined: prompts are read in two thirds of the time, and a
slot takes 36 MiB less."""
PROBED = Probed(language=True, json=1.0, only="plans and reactions")
"""Its abilities are known: its card states them."""


def shipped_file() -> Path:
    """Return the path of the shipped model; it may be missing."""
    return resources_dir() / "models" / f"{NAME}.gguf"


def card_file() -> Path:
    """Return the path of its card: its training, its scores and its limits, in Markdown."""
    return shipped_file().with_name("card.md")


def shipped_entry() -> ModelEntry | None:
    """Return the model's entry; None if it is hidden, or its file is missing or damaged."""
    path = shipped_file()
    if os.environ.get(SWITCH) == "off" or not path.is_file():
        return None
    try:
        return _entry(path, *stamp_of(path))
    except BadModelFile:
        return None


@functools.cache
def llama_is_installed() -> bool:
    """Return whether GGUF models can be run (Windows does not install packages that need a compiler)."""
    try:
        return sys.platform != "win32" or bool(importlib.metadata.version("llama_cpp_python"))
    except importlib.metadata.PackageNotFoundError:
        return False


def with_shipped(settings: Settings) -> Settings:
    """Return the settings with the shipped model as planner, if nothing speaks against it.

    It is used where no model is chosen, the planner is left open, the agent acts by the game's named actions
    (it knows no others), and llama.cpp is installed (on Windows it may be missing). Chosen or not, it gets
    prompts as its lessons had them.
    """
    models, control = settings.models, settings.control
    wanted = models.shipped and not models.strategic and control.planner in ("auto", "model")
    if wanted and control.interface == "semantic" and llama_is_installed() and shipped_entry() is not None:
        chosen = {"strategic": NAME, "fast": models.fast or NAME}
        return as_in_lessons(settings.model_copy(update={"models": models.model_copy(update=chosen)}))
    return as_in_lessons(settings) if models.strategic == NAME else settings


def as_in_lessons(settings: Settings) -> Settings:
    """Return the settings with the memory in prompts as the model's lessons had it: hints in each of them.

    The choice to compare the controllers' memories (`both`, `swapped`) stands.
    """
    if settings.memory.controllers != "own":
        return settings
    return settings.with_value("memory", "controllers", "shared")


def shipped_model_serves(settings: Settings) -> dict[str, str]:
    """Return tier → shipped model, for tiers that it serves without being chosen; empty for none."""
    models, now = settings.models, with_shipped(settings).models
    served = {tier: str(getattr(now, tier)) for tier in ("fast", "strategic")}
    return {tier: name for tier, name in served.items() if name != getattr(models, tier)}


@functools.lru_cache(maxsize=4)
def _entry(path: Path, size_bytes: int, mtime_ns: int) -> ModelEntry:
    facts = {"sha256": sha256_of(path), "size_bytes": size_bytes, "mtime_ns": mtime_ns, "source": SOURCE}
    return entry_of_file(path, NAME).model_copy(
        update={**facts, "flash_attention": FLASH_ATTENTION, "probed": PROBED}
    )
