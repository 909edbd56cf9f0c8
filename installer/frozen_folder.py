"""Makes a folder that runs without Python: the interpreter, what is installed of Pitwall, shared libraries.

The interpreter finds its library beside itself, so that every process that Pitwall starts (by
`sys.executable`) is one of this folder's. Left out: the C library and what belongs to the graphics driver.
"""

from __future__ import annotations

import compileall
import importlib.metadata
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

from base import ROOT, normal_name

NAME = "pitwall-console"
BESIDE = ("rapidocr", "crafter", "jericho")
"""Installed without what they ask for, so that nothing names them."""
LEFT_OUT = ("pyarrow", "scipy", "vizdoom", "onnx", "ml-dtypes", "sympy", "mpmath", "pip", "setuptools")
"""What a game is played without: demonstrations and statistics, building the embedder, Shooting; 500 MB."""
_NO_STANDARD = (
    "site-packages",
    "dist-packages",
    "test",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
)
_NO_PARTS = (
    "PySide6/Qt/qml",
    "PySide6/Qt/libexec",
    "PySide6/Qt/translations",
    "PySide6/*.pyi",
    "PySide6/lib*.abi3.a",
    "PySide6/Qt/lib/libQt6Quick*",
    "PySide6/Qt/lib/libQt6Qml*",
    "PySide6/Qt/lib/libQt6Designer*",
    "PySide6/QtQuick*",
    "PySide6/QtQml*",
    "PySide6/QtDesigner*",
    "PySide6/designer",
    "PySide6/linguist",
    "PySide6/assistant",
    "PySide6/lupdate",
    "PySide6/lrelease",
    "PySide6/qml*",
    "onnxruntime/capi/libonnxruntime_providers_cuda.so",
    "onnxruntime/capi/libonnxruntime_providers_tensorrt.so",
)
"""Qt's declarative half and tools; the CUDA half of onnxruntime, 250 MB."""
_SYSTEM = re.compile(
    r"(linux-vdso|ld-linux\S*|lib(c|m|dl|rt|pthread|resolv|util|nsl|GL|EGL|GLX|GLdispatch|drm\S*|gbm|cuda\S*))\.so"
)
_LAUNCHER = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
unset PYTHONHOME PYTHONPATH
export PYTHONNOUSERSITE=1 LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/bin/python" -m pitwall "$@"
"""
_SITE = '''"""Takes packages from this folder alone."""
import site
import sys

sys.path[:] = [place for place in sys.path if place.startswith(sys.prefix)]
site.addsitedir(f"{sys.prefix}/lib/python%s/site-packages")
'''


def make(folder: Path) -> None:
    """Make the folder anew, and pack it."""
    shutil.rmtree(folder, ignore_errors=True)
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    standard, packages = folder / "lib" / python, folder / "lib" / python / "site-packages"
    _copy_interpreter(folder, standard)
    for name in sorted(closure([NAME, *BESIDE], _installed) - {NAME}):
        _copy_distribution(name, packages)
    unpack_project(packages)
    remove_parts(packages, _NO_PARTS)
    shared = Path(sys.prefix) / "share" / "pitwall" / "embedder"
    if shared.is_dir():
        shutil.copytree(shared, folder / "share" / "pitwall" / "embedder")
    _copy_libraries(folder)
    launcher = folder / "pitwall"
    launcher.write_text(_LAUNCHER)
    launcher.chmod(0o755)
    compileall.compile_dir(folder / "lib", stripdir=str(folder), quiet=2, workers=0)
    packed = folder.with_suffix(".tar.xz")
    subprocess.run(
        ["tar", "-C", str(folder.parent), "-I", "xz -T0 -3", "-cf", str(packed), folder.name], check=True
    )
    tell_sizes(folder, packed)


def _copy_interpreter(folder: Path, standard: Path) -> None:
    real = Path(sys.executable).resolve()
    (folder / "bin").mkdir(parents=True)
    shutil.copy2(real, folder / "bin" / "python")
    source = Path(sysconfig.get_path("stdlib"))
    left_out = shutil.ignore_patterns(*_NO_STANDARD, "config-*", "__pycache__")
    shutil.copytree(source, standard, ignore=left_out, symlinks=False)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    (standard / "sitecustomize.py").write_text(_SITE % version)


def closure(asked: list[str], needs_of: Callable[[str], list[str] | None], **system: str) -> set[str]:
    """Return the distributions that these requirements need on a system, without extras.

    Args:
        needs_of: what a distribution asks for; None where there is none of that name.
        system: what its markers are held against where it is not this one.
    """
    from packaging.requirements import Requirement

    result: set[str] = set()
    waiting = list(asked)
    while waiting:
        item = Requirement(waiting.pop())
        name = normal_name(item.name)
        if name in result or name in LEFT_OUT:
            continue
        if item.marker is not None and not item.marker.evaluate({"extra": "", **system}):
            continue
        if (needs := needs_of(name)) is not None:
            result.add(name)
            waiting += [] if name in BESIDE else needs
    return result


def _installed(name: str) -> list[str] | None:
    try:
        return importlib.metadata.distribution(name).requires or []
    except importlib.metadata.PackageNotFoundError:
        return None


def _copy_distribution(name: str, packages: Path) -> None:
    distribution = importlib.metadata.distribution(name)
    home = Path(str(distribution.locate_file("")))
    for file in distribution.files or ():
        source = Path(str(distribution.locate_file(file))).resolve()
        if file.suffix == ".pyc" or not source.is_file() or home.resolve() not in source.parents:
            continue
        target = packages / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def unpack_project(packages: Path) -> None:
    """Lay the project's wheel there: with its resources and games, as it is installed elsewhere."""
    with tempfile.TemporaryDirectory() as aside:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        subprocess.run([*pip, "wheel", "--no-deps", "-w", aside, str(ROOT)], check=True)
        [wheel] = Path(aside).glob("*.whl")
        shutil.unpack_archive(wheel, packages, "zip")


def _copy_libraries(folder: Path) -> None:
    """Copy what the binaries ask the system for, round by round."""
    lib = folder / "lib"
    have = {file.name for file in folder.rglob("*.so*")}
    waiting = [folder / "bin" / "python", *folder.rglob("*.so*")]
    while waiting:
        for name, source in _asked(waiting.pop()).items():
            if name in have or _SYSTEM.match(name):
                continue
            have.add(name)
            shutil.copy2(source, lib / name)
            waiting.append(lib / name)
    for name in ("libxcb.so.1",):  # xcffib looks for it without the number where there is no ldconfig
        if (lib / name).exists():
            (lib / "libxcb.so").symlink_to(name)


def _asked(binary: Path) -> dict[str, Path]:
    message = subprocess.run(["ldd", str(binary)], capture_output=True, text=True).stdout
    return {name: Path(place) for name, place in re.findall(r"([^\s/]+) => (/\S+)", message)}


def remove_parts(packages: Path, patterns: tuple[str, ...]) -> None:
    """Remove what is not needed of the packages."""
    for pattern in patterns:
        for path in packages.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def tell_sizes(folder: Path, packed: Path) -> None:
    """Say how large the folder and its archive are."""
    size = sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
    sys.stderr.write(f"pitwall: {folder}: {size / 1e6:,.0f} MB\n")
    sys.stderr.write(f"pitwall: {packed}: {packed.stat().st_size / 1e6:,.0f} MB\n")


if __name__ == "__main__":
    make(Path(sys.argv[1]).resolve())
