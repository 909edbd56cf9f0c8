"""Loads Python of a game's folder into this process, once the operator trusted the folder.

This is the only place where code is imported by a name that is not in the source. `[python] module` is
a Python file of the folder, or a package's `__init__.py`; only the package's own files can be imported
beside it, relatively (`from .tiles import …`). It offers

    def reader(folder: Path) -> object  # with read(pixels) -> Mapping[str, Value]

`read` takes a frame's pixels ((height, width, 4) uint8, BGRX, read-only) and returns the fields that the
profile declares with `kind = "python"`. Compiled code in the folder is never used, because trust does not
cover it.

`modules.learned.twin` is another such file, with `make_twin` (pitwall_lab.environments.twin). It shares the
game's own rules, so it may import any file beside it by its plain name, as the game's program does (`from
rules import …`), at its top or inside `make_twin`.

`GAME_headless.py` beside the manifest (with GAME the game's id, `_` for `-`) offers the whole game without a
window, as pixels and keys: `make_world(*, seed, scenario)` returns a `World`. Lessons and examinations of the
shipped model are played in it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from pitwall.core.errors import PitwallError, PluginFailed
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game
from pitwall.games.trust import require_trust
from pitwall.store.components import absence, component_of


class PluginReader(Protocol):
    """Reads the fields of a frame by the game's own code."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the values of a frame: field name → value."""
        ...


def load_reader(game: Game) -> PluginReader:
    """Load a game's own code again and return its reader.

    Raises:
        UntrustedPlugin: the present content of the folder is not trusted.
        PluginFailed: the code does not load, or offers no reader; names the file and the cause.
    """
    require_trust(game)
    assert game.profile.python is not None
    name = game.profile.python.module
    file = (game.folder / name).resolve()
    try:
        make = getattr(_load(game.game_id, file), "reader", None)
        if not callable(make):
            raise TypeError("it has no function reader(folder)")
        reader = make(game.folder)
        if not callable(getattr(reader, "read", None)):
            raise TypeError(f"reader(folder) gave {type(reader).__name__}, which has no read(pixels)")
    except Exception as error:
        fix = game.profile.launch.install_hint if game.profile.launch is not None else ""
        raise _unusable(game, name, error, fix) from error
    return cast(PluginReader, reader)


class MakeTwin(Protocol):
    """Makes twins for training by the game's own code (pitwall_lab.environments.twin)."""

    def __call__(self, *, module: str, scenario: str, actions: Sequence[str], render: bool) -> Any:
        """Return a new twin, a gymnasium.Env."""
        ...


def load_twin(game: Game, module: Module) -> MakeTwin:
    """Load the function that makes the headless twins a module is judged in.

    Raises:
        PitwallError: the module declares none.
        UntrustedPlugin: the operator has not trusted the folder as it is now.
        PluginFailed: the code does not load, or offers no `make_twin`; names the file and the cause.
    """
    space = module.judged_in
    if space is None or not space.twin:
        raise PitwallError(
            f"{game.game_id}/{module.name} has no headless twin.",
            "Name one in the manifest (modules.learned.twin), or train it from live play.",
        )
    return cast(MakeTwin, _load_beside(game, space.twin, "twin", "make_twin"))


class World(Protocol):
    """A game without a window: keys in, pixels out."""

    def down(self, key: str) -> None:
        """Press a key (canonical name)."""
        ...

    def up(self, key: str) -> None:
        """Release a key."""
        ...

    def frame(self) -> None:
        """Advance by a thirtieth of a second."""
        ...

    @property
    def pixels(self) -> Pixels:
        """Return the picture that the window would show: (height, width, 4) uint8, BGRX."""
        ...

    @property
    def score(self) -> float:
        """Return the true state's score, which no controller sees."""
        ...


class MakeWorld(Protocol):
    """Makes worlds by the code of `GAME_headless.py`."""

    def __call__(self, *, seed: int, scenario: str) -> World:
        """Return a new world."""
        ...


def load_world(game: Game) -> MakeWorld:
    """Load the function that makes headless worlds of a game.

    Raises:
        UntrustedPlugin: the operator has not trusted the folder as it is now.
        PluginFailed: there is no such file, it does not load, or it offers no `make_world`.
    """
    name = f"{game.game_id.replace('-', '_')}_headless.py"
    return cast(MakeWorld, _load_beside(game, name, "headless", "make_world"))


def _load_beside(game: Game, name: str, role: str, function: str) -> Callable[..., Any]:
    """Load a function of a game's file, which may import the files beside it then and in each call."""
    require_trust(game)
    file = (game.folder / name).resolve()
    siblings = _Siblings(file.parent)
    try:
        with siblings:
            made = getattr(_load(game.game_id, file, role), function, None)
        if not callable(made):
            raise TypeError(f"it has no function {function}(…)")
    except Exception as error:
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        part = component_of(absent or "")
        fix = absence(part.key)[1] if part is not None else ""
        raise _unusable(game, name, error, fix) from error

    def call(**arguments: Any) -> Any:
        with siblings:
            return made(**arguments)

    return call


def _unusable(game: Game, name: str, error: Exception, fix: str) -> PluginFailed:
    problem = f"{game.own_folder / name} cannot be used: {type(error).__name__}: {error}."
    return PluginFailed(problem, fix)


def _load(game_id: str, file: Path, role: str = "plugin") -> types.ModuleType:
    name = f"pitwall_{role}_{game_id.replace('-', '_')}"
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
        spec.submodule_search_locations = []  # the usual finders would take compiled code from there
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class _FromSource(importlib.machinery.SourceFileLoader):
    """Compiles the source each time, because trust does not cover caches."""

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


class _Siblings(importlib.abc.MetaPathFinder):
    """Lets code import the files and packages beside it by their plain names, inside `with` only.

    Each instance keeps its own modules, because two games may have files of the same name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: dict[str, types.ModuleType] = {}
        self._others: dict[str, types.ModuleType] = {}

    def __enter__(self) -> None:
        self._others = self._taken_out()
        sys.modules.update(self._own)
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)
        self._own.update(self._taken_out())
        sys.modules.update(self._others)

    def _taken_out(self) -> dict[str, types.ModuleType]:
        """Take the modules with names of this folder out of those that are loaded, and return them."""
        mine = {file.stem for file in self._folder.glob("*.py")}
        mine |= {file.parent.name for file in self._folder.glob("*/__init__.py")}
        return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] in mine}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: types.ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        inside = self._folder.joinpath(*fullname.split("."))
        for file, within in (
            (inside / "__init__.py", [str(inside)]),
            (inside.with_name(f"{inside.name}.py"), None),
        ):
            if file.is_file():
                loader = _FromSource(fullname, str(file))
                return importlib.util.spec_from_file_location(
                    fullname, file, loader=loader, submodule_search_locations=within
                )
        return None
