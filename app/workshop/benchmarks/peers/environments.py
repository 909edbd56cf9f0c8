"""Peers that may not be installed beside Pitwall: each benchmark's in an environment of its own."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

from pitwall.core.errors import PitwallError

VARIABLE = "PITWALL_PEERS"
_LOG = logging.getLogger(__name__)
_INSTALL_S = 900
_LAST_WORDS = 600


def peers_dir() -> Path:
    """Return the folder of the peers' environment: $PITWALL_PEERS, or `.venv-peers` beside Pitwall's own."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path(sys.prefix).parent / ".venv-peers"


def peer_python(*requirements: str) -> Path:
    """Return the Python of an environment with these packages ("chromadb==1.5.9"), created if missing."""
    folder = peers_dir()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        _LOG.warning("making an environment for peers in %s", folder)
        _run([sys.executable, "-m", "venv", str(folder)], f"{folder} cannot be made")
    stamp = folder / "pitwall-peers.txt"
    have = set(stamp.read_text(encoding="utf-8").split()) if stamp.exists() else set[str]()
    missing = [requirement for requirement in requirements if requirement not in have]
    if missing:
        _LOG.warning("installing %s into %s (once; chromadb takes some 500 MB)", ", ".join(missing), folder)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        _run([*pip, *missing], f"{', '.join(missing)} cannot be installed into {folder}")
        stamp.write_text("\n".join(sorted({*have, *missing})) + "\n", encoding="utf-8")
    return python


def _run(command: list[str], problem: str) -> None:
    fix = f"Name another folder in ${VARIABLE}, or mend what pip says and run the benchmark again."
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PitwallError(f"{problem}: {error}.", fix) from None
    if done.returncode:
        raise PitwallError(f"{problem}: {done.stderr.strip()[-_LAST_WORDS:]}", fix)
