"""The conformance checker for authors: it reports all faults of a game's folder at once."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from pitwall.core.bounded_reading import real_path
from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError, Fault, IllegalAction, ManifestError, nearest
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.checks.actions import ActionChecker, FaultFactory
from pitwall.games.checks.browser import BrowserChecker
from pitwall.games.checks.detectors import DetectorChecker
from pitwall.games.checks.modules import ModuleChecker
from pitwall.games.checks.passages import PassageChecker
from pitwall.games.checks.salvage import salvage
from pitwall.games.checks.tasks import TaskChecker
from pitwall.games.manifest import MANIFEST, load_profile, read_table
from pitwall.games.schema import fields as schema
from pitwall.games.schema.modules import Module
from pitwall.games.schema.plugin_table import plugin_tables
from pitwall.games.schema.profile import Profile, field_of
from pitwall.games.trust import LEFT_OUT

_log = logging.getLogger(__name__)
_MOST_WORDS = 200
_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_NAME_ENDS = re.compile(r"""[/\\\s=:;,&|<>()'"]+""")
_RESERVED = frozenset({"status", "true", "false", "none", "and", "or", "not", "abs", "min", "max", "says"})
_KNOWN_PLACEHOLDERS = ("python", "folder", "seed", "data")


def check_game(folder: Path) -> list[Fault]:
    """List every fault of a game's folder, without running any of its code.

    Where some tables have faults of type, the other tables are checked all the same.

    Args:
        folder: the folder, or the plugin.toml in it.
    """
    folder = folder.parent if folder.name == MANIFEST else folder
    try:
        profile = load_profile(folder)
    except ManifestError as error:
        return [*error.faults, *_beside(folder)]
    return _faults_of(_Checker(folder, profile), folder)


def _faults_of(checker: _Checker, folder: Path) -> list[Fault]:
    """Run a checker; an exception, caused by a hostile folder, becomes one more fault."""
    faults: list[Fault] = []
    try:
        faults.extend(checker.faults())
    except Exception as error:
        _log.exception("the folder %s cannot be checked to its end", folder)
        problem = f"cannot be checked further: {type(error).__name__}: {str(error)[:_MOST_WORDS]}"
        faults.append(Fault(file=str(folder / MANIFEST), key="file", problem=problem))
    return faults


def _beside(folder: Path) -> list[Fault]:
    """Return the faults of the tables that have no faults of type."""
    try:
        rest = salvage(read_table(folder / MANIFEST))
    except ManifestError:
        return []
    return _faults_of(_Checker(folder, rest.profile, rest.dropped), folder) if rest is not None else []


def check_module(folder: Path, profile: Profile, module: Module, file: str) -> list[Fault]:
    """Check a module that the manifest does not declare, as if it were declared last.

    Args:
        folder: the game's. file: name of the module's own file, for the faults.
    """
    joined = profile.model_copy(update={"modules": [*profile.modules, module]})
    return list(_Checker(folder, joined, file=file).faults_of_module(module))


class _Checker:
    """Checks one profile beyond its types.

    Args:
        dropped: names that the manifest declares in tables with faults of their own.
        file: file that the faults name; empty: the manifest.
    """

    def __init__(
        self, folder: Path, profile: Profile, dropped: frozenset[str] = frozenset(), *, file: str = ""
    ) -> None:
        self._folder = folder.resolve()
        self._file = file or str(folder / MANIFEST)
        self._blame = FaultFactory(self._file)
        self._fault = self._blame.fault
        self._profile = profile
        self._dropped = dropped
        self._fields = frozenset(field.name for field in profile.fields) | dropped
        self._modules = [module.name for module in profile.modules]
        self._actions = [action.name for action in profile.actions]
        parts = (profile, self._blame, self._folder, self._file_there, dropped)
        self._browser_checker = BrowserChecker(*parts)
        self._action_checker = ActionChecker(*parts)
        self._passage_checker = PassageChecker(*parts)
        self._detector_checker = DetectorChecker(*parts)
        self._module_checker = ModuleChecker(*parts)
        self._task_checker = TaskChecker(*parts)

    def faults(self) -> Iterator[Fault]:
        yield from self._names()
        yield from self._launch()
        yield from self._browser_checker.faults()
        yield from self._blame.no_pattern("window.title", self._profile.window.title)
        yield from self._blame.no_pattern("window.wm_class", self._profile.window.wm_class)
        yield from self._action_checker.faults()
        yield from self._passage_checker.faults()
        yield from self._reader()
        yield from self._detector_checker.faults()
        yield from self._python()
        yield from self._rules()
        yield from self._module_checker.faults()
        keys_are_keys = not any(
            True for _ in self._blame.unknown_keys("controls.keys", self._profile.controls.keys)
        )
        if keys_are_keys:
            yield from self._uses()
        yield from self._roles()
        yield from self._task_checker.faults()
        for table in plugin_tables().values():
            yield from table.check(self._profile, self._file, self._dropped)
        yield from self._files()

    def faults_of_module(self, module: Module) -> Iterator[Fault]:
        """Check that a module's name is free, and that its conditions and actions are the game's."""
        yield from self._twice("modules", self._modules)
        yield from self._module_conditions(module)
        yield from self._module_actions(module, self._legal())

    # ---- names and files

    def _names(self) -> Iterator[Fault]:
        profile = self._profile
        groups = {
            "actions": self._actions,
            "detectors": [detector.name for detector in profile.detectors],
            "fields": [field.name for field in profile.fields],
            "scenarios": [scenario.name for scenario in profile.scenarios],
            "passages": [passage.name for passage in profile.passages],
            "skills": [skill.name for skill in profile.skills],
            "modules": self._modules,
            "roles": [role.name for role in profile.roles],
            "tasks": [task.id for task in profile.tasks],
        }
        for group, names in groups.items():
            yield from self._twice(group, names)
        aliases = [alias.casefold() for action in profile.actions for alias in (action.name, *action.aliases)]
        yield from self._twice("actions.aliases", aliases)

    def _twice(self, key: str, names: list[str]) -> Iterator[Fault]:
        for name, count in Counter(names).items():
            if count > 1:
                yield self._fault(key, f"{name!r} stands {count} times", "each name once")

    def _files(self) -> Iterator[Fault]:
        profile = self._profile
        named = [("knowledge.rules", profile.knowledge.rules)]
        named += [(f"roles.{role.name}.prompt", role.prompt) for role in profile.roles]
        if profile.python is not None:
            named.append(("python.module", profile.python.module))
        for key, name in named:
            if name:
                yield from self._file_there(key, name)

    def _file_there(self, key: str, name: str, *, folder: bool = False) -> Iterator[Fault]:
        faults = list(self._blame.misplaced(key, self._folder, name))
        yield from faults
        path = self._folder / name
        if not faults and not (path.is_dir() if folder else path.is_file()):
            there = [
                str(p.relative_to(self._folder)) for p in self._folder.rglob("*") if p.is_dir() == folder
            ]
            kind = "folder" if folder else "file"
            yield self._fault(key, f"there is no {kind} {name!r}", f"a {kind}", nearest(name, there))

    def _launch(self) -> Iterator[Fault]:
        launch = self._profile.launch
        if launch is None:
            window = self._profile.window
            if self._profile.browser is None and not (window.title or window.wm_class):
                expected = "one of the three"
                yield self._fault("window", "neither [launch], nor [browser], nor a window to find", expected)
            return
        words = [("launch.command", word) for word in launch.command]
        words += [(f"launch.env.{name}", value) for name, value in launch.env.items()]
        for scenario in self._profile.scenarios:
            words += [(f"scenarios.{scenario.name}.arguments", word) for word in scenario.arguments]
        for key, word in words:
            for name in _PLACEHOLDER.findall(word):
                if name not in _KNOWN_PLACEHOLDERS:
                    known = ", ".join(f"{{{known_placeholder}}}" for known_placeholder in _KNOWN_PLACEHOLDERS)
                    yield self._fault(
                        key, f"{{{name}}} is no placeholder", known, nearest(name, _KNOWN_PLACEHOLDERS)
                    )
            if word.startswith("{folder}/"):
                yield from self._file_there(key, word.removeprefix("{folder}/"))
            else:
                yield from self._out_of_sight(key, word)
        for name in launch.copies:
            yield from self._file_there("launch.copies", name)

    def _out_of_sight(self, key: str, word: str) -> Iterator[Fault]:
        """Refuse a word that names files of the folder which trust does not cover."""
        for name in set(LEFT_OUT).intersection(_NAME_ENDS.split(word)):
            yield self._fault(key, f"names {name}, which trust leaves out", "files that trust covers")
        real = real_path(Path(word)) if Path(word).is_absolute() else None
        if real is not None and real.is_relative_to(self._folder):
            expected = f"{{folder}}/{real.relative_to(self._folder).as_posix()}"
            yield self._fault(key, f"{word!r} names the folder by its place", expected)

    # ---- the state reader

    def _reader(self) -> Iterator[Fault]:
        known = set(self._dropped)
        for field in self._profile.fields:
            key = f"fields.{field.name}"
            if field.name in _RESERVED:
                yield self._fault(key, "this name has a meaning of its own in conditions", "another name")
            yield from self._box(key, field)
            yield from self._field(key, field, frozenset(known))
            known.add(field.name)

    def _box(self, key: str, field: schema.ReaderField) -> Iterator[Fault]:
        if field.box is None:
            if isinstance(field, schema.BarField | schema.CellsField | schema.DigitsField | schema.TextField):
                yield self._fault(f"{key}.box", "is missing", "where to read: [x, y, width, height]")
            return
        yield from self._blame.outside(f"{key}.box", field.box, self._profile.screen)

    def _field(self, key: str, field: schema.ReaderField, known: frozenset[str]) -> Iterator[Fault]:
        match field:
            case schema.DigitsField():
                faults = list(self._file_there(f"{key}.templates", field.templates, folder=True))
                yield from faults
                learned = field.ink is not None  # one digit by one
                for digit in () if faults or learned else range(10):
                    yield from self._file_there(f"{key}.templates", f"{field.templates}/{digit}.png")
            case schema.TemplateField() | schema.SpriteField():
                yield from self._file_there(f"{key}.template", field.template)
                if isinstance(field, schema.SpriteField) and field.within is not None:
                    yield from self._blame.outside(f"{key}.within", field.within, self._profile.screen)
            case schema.TextField():
                yield from self._blame.no_pattern(f"{key}.pattern", field.pattern)
            case schema.CellsField():
                if field.action not in {*self._actions, *self._dropped}:
                    yield self._blame.unknown(f"{key}.action", field.action, "action", self._actions)
            case schema.DerivedField():
                yield from self._condition(f"{key}.value", field.value, known)

    def _python(self) -> Iterator[Fault]:
        named = [field.name for field in self._profile.fields if isinstance(field, schema.PythonField)]
        if named and self._profile.python is None and "python" not in self._dropped:
            key = f"fields.{named[0]}"
            yield self._fault(key, "nothing reads it: there is no [python]", 'module = "FILE.py" in [python]')
        elif self._profile.python is not None and not (named or self._dropped):
            yield self._fault("python", "no field takes what it reads", 'fields with kind = "python"')

    # ---- conditions and what uses them

    def _condition(self, key: str, text: str, known: frozenset[str] | None = None) -> Iterator[Fault]:
        if not text:
            return
        try:
            parse_condition(text, self._fields if known is None else known)
        except ConditionError as error:
            expected = "" if error.nearest else error.fix.rstrip(".")
            yield self._fault(key, error.what.rstrip("."), expected, error.nearest)

    def _rules(self) -> Iterator[Fault]:
        profile = self._profile
        for action in profile.actions:
            yield from self._condition(f"actions.{action.name}.expect", action.expect)
        for name, text in profile.status:
            yield from self._condition(f"status.{name}", text)
        for passage in profile.passages:
            yield from self._condition(f"passages.{passage.name}.when", passage.when)
        yield from self._condition("progress.done", profile.progress.done)
        kinds = ("position", "facing", "selection", "inventory", "dialogue", "tolerance")
        named = {f"progress.{kind}": getattr(profile.progress, kind) for kind in kinds}
        for key, names in {**named, "knowledge.state_key": profile.knowledge.state_key}.items():
            for name in names:
                if name not in self._fields:
                    yield self._blame.unknown(key, name, "field", self._fields)
        for name in profile.knowledge.episode_key:
            if name not in {"role", "seed", *self._fields}:
                yield self._blame.unknown(
                    "knowledge.episode_key", name, "field", {"role", "seed", *self._fields}
                )
        for skill in profile.skills:
            yield from self._condition(f"skills.{skill.name}.when", skill.when)
            yield from self._condition(f"skills.{skill.name}.stop", skill.stop)
        for module in profile.modules:
            yield from self._module_conditions(module)

    def _module_conditions(self, module: Module) -> Iterator[Fault]:
        yield from self._condition(f"modules.{module.name}.ends", module.ends)
        for number, rule in enumerate(module.rules, start=1):
            yield from self._condition(f"modules.{module.name}.rules[{number}].when", rule.when)

    def _uses(self) -> Iterator[Fault]:
        legal = self._legal()
        for skill in self._profile.skills:
            key = f"skills.{skill.name}"
            if bool(skill.actions) == bool(skill.module):
                yield self._fault(key, "must act in one way", "either actions or module")
            if skill.module and skill.module not in {*self._modules, *self._dropped}:
                yield self._blame.unknown(f"{key}.module", skill.module, "module", self._modules)
            for text in skill.actions:
                if (field := field_of(text)) and field not in self._fields:
                    yield self._blame.unknown(f"{key}.actions", field, "field", self._fields)
                elif not field:
                    yield from legal(f"{key}.actions", text)
        for module in self._profile.modules:
            yield from self._module_actions(module, legal)
        yield from self._module_checker.actions(legal)

    def _module_actions(
        self, module: Module, legal: Callable[[str, str], Iterator[Fault]]
    ) -> Iterator[Fault]:
        for number, rule in enumerate(module.rules, start=1):
            yield from legal(f"modules.{module.name}.rules[{number}].action", rule.action)

    def _legal(self) -> Callable[[str, str], Iterator[Fault]]:
        names = [role.name for role in self._profile.roles] or [""]
        vocabularies = []
        for name in names:
            try:
                vocabularies.append(Vocabulary(self._profile, name))
            except (IllegalAction, KeyError):
                continue  # reported where the role itself is checked

        def check(key: str, text: str) -> Iterator[Fault]:
            if text.split("(")[0].strip() in self._dropped:
                return
            problem: IllegalAction | None = None
            for vocabulary in vocabularies:
                try:
                    vocabulary.parse(text)
                except IllegalAction as error:
                    if problem is None or vocabulary.knows(text):
                        problem = error
                else:
                    return
            if problem is not None:
                yield self._fault(key, problem.what.rstrip("."), problem.fix.rstrip("."))

        return check

    def _roles(self) -> Iterator[Fault]:
        for role in self._profile.roles:
            for name in role.actions:
                if name not in {*self._actions, *self._dropped}:
                    yield self._blame.unknown(f"roles.{role.name}.actions", name, "action", self._actions)
