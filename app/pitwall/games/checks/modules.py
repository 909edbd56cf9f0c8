"""The conformance checker's part for game sense modules, their trials, and scenarios. No code is run."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from pitwall.core.bounded_reading import read_bytes
from pitwall.core.errors import DamagedFile, Fault, nearest
from pitwall.games.checks.actions import PartChecker
from pitwall.games.schema.modules import Learned, Module, Trial

_MOST_BYTES = 4_000_000
_REWARD, _TWIN = "reward", "make_twin"
"""Functions that a reward file and a twin file must define: those of the lab's contracts."""


class ModuleChecker(PartChecker):
    """Checks [[modules]] beyond their rules, and [[scenarios]]."""

    def faults(self) -> Iterator[Fault]:
        """Check everything but the legality of the actions."""
        startable = self._profile.launch is not None or self._profile.browser is not None
        if self._profile.scenarios and not startable:
            yield self._blame.fault("scenarios", "nothing starts the game", "a [launch] or [browser] table")
        for module in self._profile.modules:
            key = f"modules.{module.name}"
            yield from self._trials(key, module)
            if module.learned is not None:
                yield from self._learned(f"{key}.learned", module.learned)

    def actions(self, legal: Callable[[str, str], Iterator[Fault]]) -> Iterator[Fault]:
        """Check that policies choose among legal actions; "" starts nothing new."""
        for module in self._profile.modules:
            key = f"modules.{module.name}.learned.actions"
            for action, count in Counter(module.learned.actions if module.learned else ()).items():
                if count > 1:
                    yield self._blame.fault(key, f"{action!r} stands {count} times", "each action once")
                if action:
                    yield from legal(key, action)

    def _learned(self, key: str, learned: Learned) -> Iterator[Fault]:
        for entry in learned.state:
            for name in filter(None, (entry.field, entry.minus, *(entry.at or ()))):
                yield from self._field(f"{key}.state", name)
        if learned.vision is not None and learned.vision.box is not None:
            yield from self._blame.outside(f"{key}.vision.box", learned.vision.box, self._profile.screen)
        yield from self._code(f"{key}.reward", learned.reward, _REWARD)
        if learned.twin:
            yield from self._code(f"{key}.twin", learned.twin, _TWIN)
        if learned.policy:
            yield from self._blame.misplaced(f"{key}.policy", self._folder, learned.policy)
        training = learned.training
        for name in training.scenarios:
            yield from self._scenario(f"{key}.training.scenarios", name)
        for name in training.noise:
            yield from self._field(f"{key}.training.noise", name)
        if training.learn_from > training.replay:
            yield self._blame.fault(
                f"{key}.training.learn_from",
                f"found {training.learn_from}, but only {training.replay} transitions are remembered",
                "at most training.replay",
            )

    def _trials(self, key: str, module: Module) -> Iterator[Fault]:
        for name, count in Counter(trial.name for trial in module.trials).items():
            if count > 1:
                yield self._blame.fault(f"{key}.trials", f"{name!r} stands {count} times", "each name once")
        for trial in module.trials:
            yield from self._trial(f"{key}.trials.{trial.name}", trial)

    def _trial(self, key: str, trial: Trial) -> Iterator[Fault]:
        if trial.scenario:
            yield from self._scenario(f"{key}.scenario", trial.scenario)
        if trial.higher and trial.cap is not None and trial.cap < trial.success:
            yield self._blame.fault(
                f"{key}.cap",
                f"a run ends at {trial.cap:g}, before it succeeds",
                f"at least {trial.success:g}",
            )

    def _field(self, key: str, name: str) -> Iterator[Fault]:
        known = {field.name for field in self._profile.fields} | self._dropped
        if name not in known:
            yield self._blame.unknown(key, name, "field", known)

    def _scenario(self, key: str, name: str) -> Iterator[Fault]:
        scenarios = [scenario.name for scenario in self._profile.scenarios]
        if name in scenarios or name in self._dropped:
            return
        if scenarios:
            yield self._blame.unknown(key, name, "scenario", scenarios)
        else:
            yield self._blame.fault(key, f"there is no scenario {name!r}", "[[scenarios]]")

    def _code(self, key: str, name: str, function: str) -> Iterator[Fault]:
        """Check that a Python file parses and defines a function, without running it."""
        if not name.endswith(".py"):
            yield self._blame.fault(key, f"found {name!r}", "a Python file of the folder, NAME.py")
            return
        faults = list(self._file_there(key, name))
        yield from faults
        if faults:
            return
        try:
            tree = ast.parse(read_bytes(self._folder / name, most_bytes=_MOST_BYTES))
        except DamagedFile as error:
            yield self._blame.fault(key, f"{name} {error.problem}", error.expected)
            return
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            place = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
            problem = error.msg if isinstance(error, SyntaxError) else error
            yield self._blame.fault(key, f"{name} does not parse: {problem}{place}", "Python")
            return
        defined = _defined(tree)
        if function not in defined:
            yield self._blame.fault(
                key, f"{name} defines no {function}", f"def {function}(…)", nearest(function, defined)
            )


def _defined(tree: ast.Module) -> set[str]:
    """Return the names that a file defines or imports at its top."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names
