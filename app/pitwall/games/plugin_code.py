"""The plugin loader: Python of a game's folder, in this process, once the operator trusted the folder.

The one place where code is imported by a name that is not written in the source. `[python] module` is
a Python file of the folder, or a package's `__init__.py`; only a package's own files can be imported
beside it, relatively (`from .tiles import …`). It offers

    def reader(folder: Path) -> object  # with read(pixels) -> Mapping[str, Value]

`read` takes a frame's pixels ((height, width, 4) uint8, BGRX, not to be written into) and gives the
fields that the profile declares with `kind = "python"`. Compiled code in the folder is never used: it
is no part of what was trusted.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from pitwall.core.errors import PluginFailed
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.profile import Game
from pitwall.games.trust import require_trust


class PluginReader(Protocol):
    """What a game's code offers to perception."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """The values of this frame: field name → value."""
        ...


def load_reader(game: Game) -> PluginReader:
    """The reader of a game's own code, made anew.

    Raises:
        UntrustedPlugin: the operator has not trusted the folder as it is now.
        PluginFailed: the code does not load, or offers no reader; names the file and the cause.
    """
    require_trust(game)
    assert game.profile.python is not None
    file = (game.folder / game.profile.python.module).resolve()
    try:
        make = getattr(_load(game.game_id, file), "reader", None)
        if not callable(make):
            raise TypeError("it has no function reader(folder)")
        reader = make(game.folder)
        if not callable(getattr(reader, "read", None)):
            raise TypeError(f"reader(folder) gave {type(reader).__name__}, which has no read(pixels)")
    except Exception as error:
        raise PluginFailed(
            f"{file} cannot be used: {type(error).__name__}: {error}.",
            game.profile.launch.install_hint if game.profile.launch is not None else "",
        ) from error
    return cast(PluginReader, reader)


def _load(game_id: str, file: Path) -> types.ModuleType:
    name = f"pitwall_plugin_{game_id.replace('-', '_')}"
    for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "package", None) != name]
    package = file.name == "__init__.py"
    if package:
        sys.meta_path.append(_PackageFiles(name, file.parent))
    spec = importlib.util.spec_from_file_location(name, file, loader=_FromSource(name, str(file)))
    assert spec is not None
    assert spec.loader is not None
    if package:
        spec.submodule_search_locations = []  # the usual finders look there, and would take compiled code
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class _FromSource(importlib.machinery.SourceFileLoader):
    """Compiles the source each time: caches lie outside what was trusted."""

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _PackageFiles(importlib.abc.MetaPathFinder):
    """Finds the files of one plugin's package, and nothing else."""

    def __init__(self, package: str, folder: Path) -> None:
        self.package = package
        self._folder = folder

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: types.ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        file = self._folder / f"{name}.py"
        if package != self.package or not file.is_file():
            return None
        return importlib.util.spec_from_file_location(fullname, file, loader=_FromSource(fullname, str(file)))
