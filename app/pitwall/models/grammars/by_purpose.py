"""Grammars that limit what a model can write, for each purpose (SPEC §2, §5, §8).

A local model's output is constrained by the GBNF, so it can name no illegal action; an endpoint gets the
same as a JSON schema; enumerations and patterns express bounds, which some endpoints overlook.
Replies are one line of compact JSON with a fixed order of keys and bounded texts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pitwall.core.actions import ActionForm, SemanticAction
from pitwall.core.calls import Purpose, Tier
from pitwall.core.observations import GameStatus
from pitwall.models.grammars.argument_shapes import arguments_shape, escaped
from pitwall.models.grammars.gbnf import (
    Rules,
    a_list,
    an_object,
    branching,
    either,
    free_text,
    inside_string,
    one_of_text,
    string_of,
)
from pitwall.models.replies.evolution_limits import (
    CODE_LINE,
    CODE_LINES,
    CODE_START,
    COOLDOWNS_MS,
    LABEL_LENGTH,
    MOST_CHANGES,
    MOST_EDITS,
    MOST_LABELS,
    MOST_RULES,
    NAME_LENGTH,
    TITLE_LENGTH,
    WHY_LENGTH,
)
from pitwall.models.replies.plan import (
    MOST_ACTIONS,
    MOST_STEPS,
    REASON_LENGTH,
    SITUATION_LENGTH,
    STOP_LENGTH,
    SUBGOAL_LENGTH,
    TEXT_LENGTH,
)
from pitwall.models.replies.stages import LEVELS

_Schema = dict[str, Any]
_TRUTH = '("true" | "false")'
_STEPS = "[1-9] [0-9]?"
_SHARE = '("0" ("." [0-9]{1,2})? | "1" (".0")?)'
_NUMBER = '"-"? ("0" | [1-9] [0-9]{0,3}) ("." [0-9]{1,2})?'
_FRACTION = '"." [0-9]{0,2} [1-9]'
_VALUE = f'(("0" | "-"? [1-9] [0-9]{{0,5}}) ({_FRACTION})? | "-0" {_FRACTION})'
_FAR = 999_999
_NUMBER_PATTERN = "-?(0|[1-9][0-9]{0,3})([.][0-9]{1,2})?"
_WORD_PATTERN = "(true|false|none|'[a-z0-9][a-z0-9 ]{0,23}')"
_WORD = '"\'" [a-z0-9] [a-z0-9 ]{0,23} "\'"'


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a reply, as GBNF (ASCII) and as JSON schema; both empty if any reply is allowed."""

    grammar: str
    schema: str


def grammar_for(
    purpose: Purpose,
    forms: Sequence[ActionForm],
    *,
    fields: Sequence[str] = (),
    modules: Sequence[str] = (),
    skills: Sequence[str] = (),
    keeps: bool = False,
    most_actions: int = MOST_ACTIONS,
    candidates: Sequence[SemanticAction] | None = None,
    alone: bool = False,
    writes: bool = True,
) -> Shape:
    """Return the form of a purpose's reply. It is made once for equal arguments.

    Args:
        forms: the role's legal actions.
        fields: names that a stop condition may use; `status` is one always.
        modules: game sense modules that a plan may start instead of acting.
        skills: stored skills that a plan may name. keeps: the plan in force may be kept.
        candidates: only these actions may be written, just so; None: every legal one.
        alone: a reaction must be an action, since there is no planner to escalate to.
        writes: a plan may be written out, where one could also be named or kept.
    """
    texts = None if candidates is None else tuple(str(candidate) for candidate in candidates)
    short = (tuple(skills), keeps) if purpose is Purpose.PLAN else ((), False)
    names = tuple(forms), tuple(fields), tuple(modules)
    whole = writes or not any(short), alone and purpose is Purpose.REACT
    return _shape(purpose, *names, max(1, most_actions), texts, *short, *whole)


@lru_cache(maxsize=64)
def _shape(
    purpose: Purpose,
    forms: tuple[ActionForm, ...],
    fields: tuple[str, ...],
    modules: tuple[str, ...],
    most_actions: int,
    candidates: tuple[str, ...] | None,
    skills: tuple[str, ...],
    keeps: bool,
    writes: bool,
    alone: bool,
) -> Shape:
    if purpose is Purpose.TEST:
        return Shape("", "")
    writer = _Writer(forms, fields, modules, most_actions, candidates, alone)
    root, schema = _either([*_short_plans(skills, keeps), *([writer.reply(purpose)] if writes else [])])
    return Shape(writer.rules.text(root), json.dumps(schema, separators=(",", ":")))


class _Writer:
    """Writes one shape, as GBNF and as schema side by side."""

    def __init__(
        self,
        forms: tuple[ActionForm, ...],
        fields: tuple[str, ...],
        modules: tuple[str, ...],
        most_actions: int,
        candidates: tuple[str, ...] | None,
        alone: bool,
    ) -> None:
        self.rules = Rules()
        self._forms = forms
        self._fields = tuple(dict.fromkeys(name for name in fields if name != "status"))
        self._modules = modules
        self._most = most_actions
        self._candidates = candidates
        self._alone = alone

    def reply(self, purpose: Purpose) -> tuple[str, _Schema]:
        match purpose:
            case Purpose.PLAN:
                head = [("situation", _text(1, SITUATION_LENGTH)), ("subgoal", _text(1, SUBGOAL_LENGTH))]
                tail = [("stop", self._stop()), ("steps", _steps())]
                return self._deed(head, self._action(), tail)
            case Purpose.REACT:
                asks = [] if self._alone else [_object([("escalate", _text(1, REASON_LENGTH))])]
                return _either([_object([("action", self._action())]), *asks])
            case Purpose.REFLECT:
                return self._reflection()
            case Purpose.ANALYSE_SCREEN:
                screen = _choice(("gameplay", "interface"))
                return _object([("screen", screen), ("observation", _text(1, TEXT_LENGTH))])
            case Purpose.REFLECT_TASK:
                return self._task_reflection()
            case Purpose.REFLECT_ACTIONS:
                lesson = [
                    ("action", self._names()),
                    ("worked", _truth()),
                    ("lesson", _text(1, SITUATION_LENGTH)),
                ]
                return _object([("actions", self._list_of(_object(lesson)))])
            case Purpose.PLAN_TASK:
                return self._task_plan()
            case Purpose.PLAN_ACTIONS:
                return self._deed(
                    [], _object([("action", self._names()), ("aim", _text(1, REASON_LENGTH))]), []
                )
            case Purpose.CONSTRUCT:
                return _object([("actions", self._list_of(self._action(bare=False))), ("steps", _steps())])
        if purpose.tier is Tier.EVOLUTION:
            return self._evolution(purpose)
        return _object([("text", _text(1, TEXT_LENGTH))])

    # ---- replies

    def _evolution(self, purpose: Purpose) -> _Part:
        if purpose in (Purpose.PROPOSE_SKILL, Purpose.JUDGE_SKILL):
            return self._skill(purpose)
        return self._module() if purpose is Purpose.INVENT_MODULE else self._improvement(purpose)

    def _skill(self, purpose: Purpose) -> tuple[str, _Schema]:
        if purpose is Purpose.JUDGE_SKILL:
            return _object([("same", _truth()), ("why", _text(1, REASON_LENGTH))])
        head = [
            ("name", _text(1, SUBGOAL_LENGTH)),
            ("when", self._condition()),
            ("situation", _text(1, SITUATION_LENGTH)),
            ("subgoal", _text(1, SUBGOAL_LENGTH)),
        ]
        return self._deed(head, self._action(), [("stop", self._stop()), ("steps", _steps())])

    def _deed(self, head: _Members, action: _Part, tail: _Members) -> _Part:
        acts = [*head, ("actions", self._list_of(action))]
        if not self._modules:
            return _object([*acts, *tail])
        drives: _Members = [
            *head,
            ("actions", ('"[]"', {"type": "array", "const": []})),
            ("module", _choice(self._modules)),
        ]
        ways = [[*acts, ("module", _choice(("",)))], drives] if self._forms else [drives]
        return _either([_object([*way, *tail]) for way in ways])

    def _reflection(self) -> _Part:
        return _object(
            [
                ("effect", _truth()),
                ("cause", _text(0, SITUATION_LENGTH)),
                ("next", _text(1, SITUATION_LENGTH)),
                ("done", _truth()),
                ("failure", ("[0-3]", {"type": "integer", "enum": [0, 1, 2, 3]})),
                ("confidence", _share()),
            ]
        )

    def _task_reflection(self) -> _Part:
        return _object(
            [
                ("done", _truth()),
                ("evidence", _text(1, SITUATION_LENGTH)),
                ("level", _choice(LEVELS)),
                ("issue", _text(0, SITUATION_LENGTH)),
                ("next", _text(1, SITUATION_LENGTH)),
            ]
        )

    def _task_plan(self) -> _Part:
        return _object(
            [
                ("situation", _text(1, SITUATION_LENGTH)),
                ("goal", _text(1, SUBGOAL_LENGTH)),
                ("needs", _text(0, SITUATION_LENGTH)),
                ("stop", self._stop()),
            ]
        )

    def _improvement(self, purpose: Purpose) -> _Part:
        reason: _Members = [("title", _text(1, TITLE_LENGTH)), ("why", _text(1, WHY_LENGTH))]
        if purpose is Purpose.IMPROVE_REWARD:
            return _object([*reason, ("reward", self._code())])
        if purpose is Purpose.IMPROVE_RULES:
            ways = [("changes", self._numbers()), ("edits", self._edits())]
            return _either([_object([*reason, way]) for way in ways])
        labels = self._some(_text(1, LABEL_LENGTH), MOST_LABELS)
        return _object([*reason, ("labels", labels), ("confidence", _share())])

    def _module(self) -> _Part:
        """Write a module of rules: conditions on fields, legal actions, cool-downs, and its end."""
        more = f"{{2,{NAME_LENGTH - 1}}}"
        name = f'"\\"" [a-z] [a-z_]{more} "\\""', {"type": "string", "pattern": f"^[a-z][a-z_]{more}$"}
        rule = [("when", self._condition()), ("action", self._action()), ("cooldown_ms", _cooldown())]
        head = [("name", name), ("description", _text(1, SITUATION_LENGTH)), ("why", _text(1, WHY_LENGTH))]
        rules = self._some(_object(rule), MOST_RULES)
        return _object([*head, ("ends", self._condition()), ("rules", rules)])

    def _edits(self) -> _Part:
        """Write edits of rules that are counted from 1, and of the end."""
        rule: tuple[str, _Part] = ("rule", _place())
        when: tuple[str, _Part] = ("when", self._condition())
        kinds: list[_Members] = [
            [("edit", _choice(("remove",))), rule],
            [("edit", _choice(("move",))), rule, ("to", _place())],
            [("edit", _choice(("when", "also"))), rule, when],
            [("edit", _choice(("ends",))), when],
        ]
        if self._forms:
            action: tuple[str, _Part] = ("action", self._action())
            kinds.append([("edit", _choice(("action",))), rule, action])
            kinds.append([("edit", _choice(("add",))), rule, when, action, ("cooldown_ms", _cooldown())])
        return self._some(_either([_object(kind) for kind in kinds]), MOST_EDITS, "edit")

    def _code(self) -> _Part:
        """Write a function named reward: lines of printable ASCII without double quotes and backslashes."""
        line = self.rules.add("line", f"{one_of_text()}{{0,{CODE_LINE}}}")
        more = f"{{1,{CODE_LINES - 1}}}"
        gbnf = f'"\\"" {inside_string(CODE_START)} {line} ({inside_string(chr(10))} {line}){more} "\\""'
        matched = rf"[ !#-\[\]-~]{{0,{CODE_LINE}}}"
        pattern = rf"^{escaped(CODE_START)}{matched}(\n{matched}){more}$"
        return gbnf, {"type": "string", "pattern": pattern}

    def _numbers(self) -> _Part:
        """Write rules and numbers counted from 1, each with its new value."""
        value = {"type": "number", "minimum": -_FAR, "maximum": _FAR}
        return self._some(
            _object([("rule", _place()), ("number", _place()), ("value", (_VALUE, value))]), MOST_CHANGES
        )

    # ---- parts

    def _names(self) -> _Part:
        return _choice([form.name for form in self._forms])

    def _list_of(self, part: _Part) -> _Part:
        return self._some(part, self._most)

    def _some(self, part: _Part, most: int, called: str = "entry") -> _Part:
        name = self.rules.add(called, part[0])
        schema: _Schema = {"type": "array", "items": part[1], "minItems": 1, "maxItems": most}
        return a_list(name, 1, most), schema

    def _action(self, *, bare: bool = True) -> _Part:
        """Write a legal action as a JSON string. `bare`: arguments with a default may all be left out."""
        if self._candidates is not None:
            return _choice(self._candidates)
        ways = []
        patterns = []
        for form in self._forms:
            written = arguments_shape(form, bare=bare)
            if written is not None:
                ways.append((form.name, written[0]))
                patterns.append(escaped(form.name) + written[1])
        name = self.rules.add("action", branching(ways))
        schema: _Schema = {"type": "string", "pattern": f"^({'|'.join(patterns)})$"}
        if not any(form.arguments for form in self._forms):
            schema = {"type": "string", "enum": [form.name for form in self._forms]}
        return f'"\\"" {name} "\\""', schema

    def _stop(self) -> _Part:
        return f'"\\"" ({self._joined()})? "\\""', _text(0, STOP_LENGTH)[1]

    def _condition(self) -> _Part:
        """Write a condition on fields. An endpoint gets it as a pattern, since a skill needs a trigger."""
        status = "|".join(status.value for status in GameStatus)
        compare = f"status (==|!=) '({status})'"
        if self._fields:
            names = "|".join(self._fields)
            compare += f"|({names}) ((<|<=|>|>=|==|!=) {_NUMBER_PATTERN}|(==|!=) {_WORD_PATTERN})"
        pattern = f"^({compare})(( and | or )({compare}))?$"
        return f'"\\"" {self._joined()} "\\""', {"type": "string", "pattern": pattern}

    def _joined(self) -> str:
        status = either([inside_string(status.value) for status in GameStatus])
        equal = self.rules.add("equal", '" == " | " != "')
        comparisons = [f'"status" {equal} "\'" {status} "\'"']
        if self._fields:
            field = self.rules.add("field", branching([(name, "") for name in self._fields]))
            compare = self.rules.add("compare", '" < " | " <= " | " > " | " >= " | " == " | " != "')
            number = self.rules.add("number", _NUMBER)
            word = self.rules.add("word", f'"true" | "false" | "none" | {_WORD}')
            comparisons.append(f"{field} ({compare} {number} | {equal} {word})")
        condition = self.rules.add("condition", " | ".join(comparisons))
        return f'{condition} ((" and " | " or ") {condition})?'


_Part = tuple[str, _Schema]
"""A piece of a reply: GBNF and schema."""
_Members = list[tuple[str, _Part]]


def _short_plans(skills: Sequence[str], keeps: bool) -> list[_Part]:
    """Write a stored skill by its name, or the plan in force."""
    named = [_object([("skill", _choice(skills))])] if skills else []
    kept: _Part = ('"true"', {"type": "boolean", "const": True})
    return [*named, _object([("keep", kept)])] if keeps else named


def _either(parts: Sequence[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    return either([gbnf for gbnf, _ in parts]), {"anyOf": [schema for _, schema in parts]}


def _object(members: _Members) -> _Part:
    return an_object([(name, part[0]) for name, part in members]), {
        "type": "object",
        "properties": {name: part[1] for name, part in members},
        "required": [name for name, _ in members],
        "additionalProperties": False,
    }


def _text(least: int, most: int) -> _Part:
    """Write free text. The pattern is complete: some endpoints read nothing else where there is one."""
    first, more = r"[!#-\[\]-~]", r"[ !#-\[\]-~]"
    pattern = f"^{first}{more}{{0,{most - 1}}}$" if least else f"^{more}{{0,{most}}}$"
    schema = {"type": "string", "minLength": least, "maxLength": most, "pattern": pattern}
    return free_text(least, most), schema


def _share() -> _Part:
    return _SHARE, {"type": "number", "enum": [number / 10 for number in range(11)]}


def _truth() -> _Part:
    return _TRUTH, {"type": "boolean"}


def _steps() -> _Part:
    return _STEPS, {"type": "integer", "minimum": 1, "maximum": MOST_STEPS}


def _cooldown() -> _Part:
    return either([f'"{ms}"' for ms in COOLDOWNS_MS]), {"type": "integer", "enum": [*COOLDOWNS_MS]}


def _place() -> _Part:
    """Write a place in a list, counted from 1."""
    return _STEPS, {"type": "integer", "enum": list(range(1, MOST_STEPS + 1))}


def _choice(options: Sequence[str]) -> _Part:
    return either([string_of(option) for option in options]), {"type": "string", "enum": list(options)}
