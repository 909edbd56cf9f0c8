"""A Python environment in which a component is not installed, though this one has it."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from pitwall.core.paths import installer_dir
from pitwall.store.components import component


def environment_without(folder: Path, key: str) -> Path:
    """Make a virtual environment of links to this one's packages, without those of a component.

    pip installs into it as into any other; the links' targets stay as they are.

    Returns:
        Its Python.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    gone = _top_folders(component(key).packages)
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if entry.name not in gone and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    return python


def can_be_installed(python: Path, key: str) -> str:
    """Return pip's error if it cannot install a component's packages from where it looks; empty if it can."""
    pins = ["-c", str(installer_dir() / "constraints.txt")]
    words = [str(python), "-m", "pip", "install", "--dry-run", "-qq", *pins, *component(key).packages]
    tried = subprocess.run(words, capture_output=True, text=True, check=False)
    return tried.stderr.strip()[-300:] if tried.returncode else ""


def _top_folders(packages: tuple[str, ...]) -> set[str]:
    files = [file for name in packages for file in importlib.metadata.distribution(name).files or ()]
    return {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}


if sys.platform == "win32":
    raise ImportError("an environment of links needs a system with symbolic links")
