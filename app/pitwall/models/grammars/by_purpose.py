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

from pitwall.core.actions import ActionForm, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus
from pitwall.models.grammars.argument_shapes import arguments_shape, escaped
from pitwall.models.grammars.gbnf import (
    Rules,
    a_list,
    branching,
    either,
    inside_string,
)
from pitwall.models.grammars.shape_parts import (
    Members,
    Part,
    Schema,
    choice_part,
    either_part,
    object_part,
    share_part,
    steps_part,
    text_part,
    truth_part,
)
from pitwall.models.replies.plan import (
    MOST_ACTIONS,
    REASON_LENGTH,
    SITUATION_LENGTH,
    STOP_LENGTH,
    SUBGOAL_LENGTH,
    TEXT_LENGTH,
)
from pitwall.models.replies.stages import LEVELS

_NUMBER = '"-"? ("0" | [1-9] [0-9]{0,3}) ("." [0-9]{1,2})?'
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
    writer = ReplyWriter(forms, fields, modules, most_actions, candidates, alone)
    return writer.shape(
        either_part([*_short_plans(skills, keeps), *([writer.reply(purpose)] if writes else [])])
    )


class ReplyWriter:
    """Writes the form of a reply, as GBNF and as schema. Packages extend it by purposes of their own."""

    def __init__(
        self,
        forms: tuple[ActionForm, ...],
        fields: tuple[str, ...],
        modules: tuple[str, ...] = (),
        most_actions: int = MOST_ACTIONS,
        candidates: tuple[str, ...] | None = None,
        alone: bool = False,
    ) -> None:
        self.rules = Rules()
        self._forms = forms
        self._fields = tuple(dict.fromkeys(name for name in fields if name != "status"))
        self._modules = modules
        self._most = most_actions
        self._candidates = candidates
        self._alone = alone

    def shape(self, part: Part) -> Shape:
        """Return a whole reply with the rules that it uses."""
        return Shape(self.rules.text(part[0]), json.dumps(part[1], separators=(",", ":")))

    def reply(self, purpose: Purpose) -> Part:
        """Write the reply to a purpose."""
        match purpose:
            case Purpose.PLAN:
                head = [
                    ("situation", text_part(1, SITUATION_LENGTH)),
                    ("subgoal", text_part(1, SUBGOAL_LENGTH)),
                ]
                tail = [("stop", self._stop()), ("steps", steps_part())]
                return self._deed(head, self.action_part(), tail)
            case Purpose.REACT:
                asks = [] if self._alone else [object_part([("escalate", text_part(1, REASON_LENGTH))])]
                return either_part([object_part([("action", self.action_part())]), *asks])
            case Purpose.REFLECT:
                return self._reflection()
            case Purpose.ANALYSE_SCREEN:
                screen = choice_part(("gameplay", "interface"))
                return object_part([("screen", screen), ("observation", text_part(1, TEXT_LENGTH))])
            case Purpose.REFLECT_TASK:
                return self._task_reflection()
            case Purpose.REFLECT_ACTIONS:
                lesson = [
                    ("action", self._names()),
                    ("worked", truth_part()),
                    ("lesson", text_part(1, SITUATION_LENGTH)),
                ]
                return object_part([("actions", self._list_of(object_part(lesson)))])
            case Purpose.PLAN_TASK:
                return self._task_plan()
            case Purpose.PLAN_ACTIONS:
                return self._deed(
                    [], object_part([("action", self._names()), ("aim", text_part(1, REASON_LENGTH))]), []
                )
            case Purpose.CONSTRUCT:
                return object_part(
                    [("actions", self._list_of(self.action_part(bare=False))), ("steps", steps_part())]
                )
            case Purpose.PROPOSE_SKILL | Purpose.JUDGE_SKILL:
                return self._skill(purpose)
        return object_part([("text", text_part(1, TEXT_LENGTH))])

    # ---- replies

    def _skill(self, purpose: Purpose) -> tuple[str, Schema]:
        if purpose is Purpose.JUDGE_SKILL:
            return object_part([("same", truth_part()), ("why", text_part(1, REASON_LENGTH))])
        head = [
            ("name", text_part(1, SUBGOAL_LENGTH)),
            ("when", self.condition_part()),
            ("situation", text_part(1, SITUATION_LENGTH)),
            ("subgoal", text_part(1, SUBGOAL_LENGTH)),
        ]
        return self._deed(head, self.action_part(), [("stop", self._stop()), ("steps", steps_part())])

    def _deed(self, head: Members, action: Part, tail: Members) -> Part:
        acts = [*head, ("actions", self._list_of(action))]
        if not self._modules:
            return object_part([*acts, *tail])
        drives: Members = [
            *head,
            ("actions", ('"[]"', {"type": "array", "const": []})),
            ("module", choice_part(self._modules)),
        ]
        ways = [[*acts, ("module", choice_part(("",)))], drives] if self._forms else [drives]
        return either_part([object_part([*way, *tail]) for way in ways])

    def _reflection(self) -> Part:
        return object_part(
            [
                ("effect", truth_part()),
                ("cause", text_part(0, SITUATION_LENGTH)),
                ("next", text_part(1, SITUATION_LENGTH)),
                ("done", truth_part()),
                ("failure", ("[0-3]", {"type": "integer", "enum": [0, 1, 2, 3]})),
                ("confidence", share_part()),
            ]
        )

    def _task_reflection(self) -> Part:
        return object_part(
            [
                ("done", truth_part()),
                ("evidence", text_part(1, SITUATION_LENGTH)),
                ("level", choice_part(LEVELS)),
                ("issue", text_part(0, SITUATION_LENGTH)),
                ("next", text_part(1, SITUATION_LENGTH)),
            ]
        )

    def _task_plan(self) -> Part:
        return object_part(
            [
                ("situation", text_part(1, SITUATION_LENGTH)),
                ("goal", text_part(1, SUBGOAL_LENGTH)),
                ("needs", text_part(0, SITUATION_LENGTH)),
                ("stop", self._stop()),
            ]
        )

    # ---- parts

    def _names(self) -> Part:
        return choice_part([form.name for form in self._forms])

    def _list_of(self, part: Part) -> Part:
        return self.list_part(part, self._most)

    def list_part(self, part: Part, most: int, called: str = "entry") -> Part:
        """Write a list of 1 to `most` parts."""
        name = self.rules.add(called, part[0])
        schema: Schema = {"type": "array", "items": part[1], "minItems": 1, "maxItems": most}
        return a_list(name, 1, most), schema

    def action_part(self, *, bare: bool = True) -> Part:
        """Write a legal action as a JSON string. `bare`: arguments with a default may all be left out."""
        if self._candidates is not None:
            return choice_part(self._candidates)
        ways = []
        patterns = []
        for form in self._forms:
            written = arguments_shape(form, bare=bare)
            if written is not None:
                ways.append((form.name, written[0]))
                patterns.append(escaped(form.name) + written[1])
        name = self.rules.add("action", branching(ways))
        schema: Schema = {"type": "string", "pattern": f"^({'|'.join(patterns)})$"}
        if not any(form.arguments for form in self._forms):
            schema = {"type": "string", "enum": [form.name for form in self._forms]}
        return f'"\\"" {name} "\\""', schema

    def _stop(self) -> Part:
        return f'"\\"" ({self._joined()})? "\\""', text_part(0, STOP_LENGTH)[1]

    def condition_part(self) -> Part:
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


def _short_plans(skills: Sequence[str], keeps: bool) -> list[Part]:
    """Write a stored skill by its name, or the plan in force."""
    named = [object_part([("skill", choice_part(skills))])] if skills else []
    kept: Part = ('"true"', {"type": "boolean", "const": True})
    return [*named, object_part([("keep", kept)])] if keeps else named
