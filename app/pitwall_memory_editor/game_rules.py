"""Judges an entry by its game as well: the actions, fields and modules that it may name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError, IllegalAction, PitwallError, suggestion
from pitwall.core.memory_kinds import MemoryContent, fields_of
from pitwall.core.paths import DataFolder
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import field_of
from pitwall.memory.database.checks import faults_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The names that entries of one game may use.

    Attributes:
        vocabularies: one for each role. Empty: the game is not installed, and only the form is checked.
        missing: why the game is not known; empty if it is.
    """

    game_id: str
    vocabularies: tuple[Vocabulary, ...] = ()
    fields: frozenset[str] | None = None
    modules: tuple[str, ...] = ()
    missing: str = ""

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the names of the legal actions of any role, for completion."""
        return tuple(dict.fromkeys(name for vocabulary in self.vocabularies for name in vocabulary.legal))


def rules_of(data: DataFolder, game_id: str) -> Rules:
    """Read a game's vocabulary and fields from its folder; nothing of the folder is run."""
    try:
        profile = Registry(data).load(game_id).profile
    except PitwallError as error:
        return Rules(game_id=game_id, missing=f"Actions and fields are not checked: {error.what}")
    roles = [role.name for role in profile.roles] or [""]
    return Rules(
        game_id=game_id,
        vocabularies=tuple(Vocabulary(profile, role) for role in roles),
        fields=frozenset(field.name for field in profile.fields),
        modules=tuple(module.name for module in profile.modules),
    )


def check(content: MemoryContent, rules: Rules) -> dict[str, str]:
    """Return the first fault of each field as a sentence; empty if the entry can be saved."""
    faults = {fault.field: fault.sentence for fault in reversed(list(faults_of(content)))}
    for field, sentence in _game_faults(content, rules):
        faults.setdefault(field, sentence)
    return faults


def _game_faults(content: MemoryContent, rules: Rules) -> Iterator[tuple[str, str]]:
    for name, field in fields_of(content.kind).items():
        value = getattr(content, name)
        match field.about.term:
            case "action" if field.type is tuple:
                fault = _actions_fault(value, rules)
            case "action":
                fault = _action_fault(value, rules)
            case "condition":
                fault = _condition_fault(value, rules)
            case "module":
                modules = rules.modules if rules.fields is not None else None
                fault = _unknown("module", value, modules) if value else ""
            case _:
                continue
        if fault:
            yield name, fault


def _actions_fault(actions: Sequence[str], rules: Rules) -> str:
    """Return the first fault of a list of actions; an item may also name the field that holds the action."""
    for number, text in enumerate(actions, start=1):
        named = field_of(text)
        if fault := _unknown("field", named, rules.fields) if named else _action_fault(text, rules):
            return f"Line {number}: {fault}"
    return ""


def _condition_fault(text: str, rules: Rules) -> str:
    try:
        if text.strip():
            parse_condition(text, rules.fields)
    except ConditionError as error:
        return _sentence(error)
    return ""


def _action_fault(text: str, rules: Rules) -> str:
    """Say why a text is no legal action of any role; empty if it is one, or if the game is not known."""
    problem: IllegalAction | None = None
    for vocabulary in rules.vocabularies:
        try:
            vocabulary.parse(text)
        except IllegalAction as error:
            if problem is None or vocabulary.knows(text):
                problem = error
        else:
            return ""
    return _sentence(problem) if problem is not None else ""


def _unknown(noun: str, name: str, known: frozenset[str] | tuple[str, ...] | None) -> str:
    """Say that a name is unknown; empty if it is known, or if the game is not known."""
    if known is None or name in known:
        return ""
    hint = suggestion(name, known, f"There is: {', '.join(sorted(known)) or 'none'}.")
    return f"There is no {noun} {name!r}. {hint}"


def _sentence(error: PitwallError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
