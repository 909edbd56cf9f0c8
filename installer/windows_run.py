"""Sets Pitwall up on Windows and starts the console with a bundled game. Called by run.cmd and run.ps1.

    py -3.11 installer\\windows_run.py [--only-install] [ARGUMENTS OF pitwall console]

What a first game needs is installed into .venv; the console installs the rest beside the play. Only the
standard library is there when it runs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # an embeddable Python does not look beside a script

from base import ROOT, first_requirements

VENV = ROOT / ".venv"
STAMP = VENV / ".pitwall-base"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
CONSTRAINTS = ROOT / "installer" / "constraints.txt"


def main() -> int:
    """Install what is missing, then play; returns the console's exit status."""
    wanted = sys.argv[1:]
    python = sys.executable if _is_whole() else _environment()
    if "--only-install" in wanted:
        return 0
    console = [python, "-m", "pitwall", "console", "--game", "flappy", "--start", "--install"]
    return subprocess.run([*console, *wanted], check=False).returncode


def _is_whole() -> bool:
    """Whether it has Pitwall and can make no environment: an embeddable Python, filled by hand."""
    return importlib.util.find_spec("venv") is None and importlib.util.find_spec("pitwall") is not None


def _environment() -> str:
    """The Python of .venv, set up where it is not or is not what pyproject.toml asks for."""
    wanted = hashlib.sha256(CONSTRAINTS.read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if STAMP.is_file() and STAMP.read_text(encoding="ascii") == wanted:
        return str(PYTHON)
    if not (3, 11) <= sys.version_info[:2] < (3, 14):
        raise SystemExit("pitwall: Python 3.11, 3.12 or 3.13 is needed: winget install Python.Python.3.11")
    if not PYTHON.is_file():
        _do("making .venv", sys.executable, "-m", "venv", str(VENV))
    pip = (str(PYTHON), "-m", "pip", "--disable-pip-version-check", "-qq", "install", "-c", str(CONSTRAINTS))
    _do("installing what a first game needs (some 260 MB)", *pip, *first_requirements())
    _do("installing Pitwall itself", *pip, "--no-deps", "-e", str(ROOT))
    STAMP.write_text(wanted, encoding="ascii")
    return str(PYTHON)


def _do(step: str, *command: str) -> None:
    sys.stderr.write(f"pitwall: {step}\n")
    sys.stderr.flush()
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit(f"pitwall: failed: {step}. Its output is above. Run the command again to continue.")


if __name__ == "__main__":
    sys.exit(main())
