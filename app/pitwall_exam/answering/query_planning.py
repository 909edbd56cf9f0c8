"""A model plans a query: it picks the declared question with the same meaning, and fills its slots.

A grammar limits its output to the likeliest forms, with values from the episode and its game, values that the
question names, and a short text for an open slot. The plan is checked by asking the form with these slots and
reading it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.grammars.gbnf import Rules, an_object, either, free_text, string_of
from pitwall.models.replies.reply_object import BadReply, ReplyObject, clean, read_object
from pitwall_exam.answering.answerer import ShouldStop
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller, prompts
from pitwall_exam.questions.forms import Slots
from pitwall_exam.reading.matcher import Reading
from pitwall_exam.reading.vocabulary import Sort, Vocabulary

_MOST_VALUES = 40
_LONGEST = 80
_NUMBER = '"0" | [1-9] [0-9]{0,5}'
_TOKENS = 160
_NONE = "none"


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """A model's query; without a reading, the problem why there is none."""

    reading: Reading | None = None
    problem: str = ""


def plan_query(
    asker: ModelCaller,
    question: str,
    readings: Sequence[Reading],
    vocabulary: Vocabulary,
    stopped: ShouldStop,
) -> PlannedQuery | None:
    """Let a model plan the query for a question; None if stopped.

    Args:
        readings: candidates from the rules, one per template, best first.

    Raises:
        RequestFailed, ChildDied: as `ModelCaller.ask`.
    """
    if not readings:
        return PlannedQuery(problem="no declared question is like this one")
    options = [_Option(number, reading, vocabulary) for number, reading in enumerate(readings, start=1)]
    listed = "\n".join(option.line for option in options)
    asked = ModelCall(
        system=prompts()["plan_system"],
        user=prompts()["plan"].format(question=clean(question, 2000), forms=listed),
        shape=_shape(options),
        max_tokens=_TOKENS,
    )
    reply = asker.ask(asked, stopped)
    if reply is None:
        return None
    try:
        return _read(read_object(reply, invalid=None), options)
    except BadReply as error:
        return PlannedQuery(problem=error.what)


class _Option:
    """A form that the model may choose, with the possible values of its slots."""

    def __init__(self, number: int, reading: Reading, vocabulary: Vocabulary) -> None:
        self.number = number
        self.reading = reading
        template = reading.template
        self.slots: dict[str, Sort | None] = {
            slot: None if kind == "int" else vocabulary.sort(reading.inventory, template, slot)
            for slot, kind in template.form.slots.items()
        }

    @property
    def name(self) -> str:
        return f"{self.number}"

    @property
    def line(self) -> str:
        return f"{self.name}. {self.reading.template.form.words}"

    def grammar(self, rules: Rules) -> str:
        members = [(slot, self._value(rules, slot, sort)) for slot, sort in self.slots.items()]
        body = an_object(members) if members else '"{}"'
        return an_object([("form", string_of(self.name)), ("slots", body)])

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                "form": {"type": "string", "enum": [self.name]},
                "slots": {
                    "type": "object",
                    "properties": {slot: self._schema(slot, sort) for slot, sort in self.slots.items()},
                    "required": list(self.slots),
                    "additionalProperties": False,
                },
            },
            "required": ["form", "slots"],
            "additionalProperties": False,
        }

    def read(self, reply: ReplyObject) -> Slots:
        """Read the slots of the query.

        Raises:
            BadReply: a slot is missing or has an impossible value.
        """
        slots: Slots = {}
        for slot, sort in self.slots.items():
            if sort is None:
                slots[slot] = reply.whole(slot, 0, 999_999)
                continue
            text = reply.text(slot, most=_LONGEST, needed=True)
            known = sort.value(text)
            if known is None and not sort.open:
                raise reply.bad(f"{text!r} is none of {', '.join(sort.values)}.")
            slots[slot] = known or text
        if self.reading.template.form.read(self.reading.template.form.ask(slots)) is None:
            raise reply.bad("its slots do not make a question of its form.")
        return slots

    def _values(self, slot: str, sort: Sort) -> list[str]:
        """List the value that the rules found first, then others."""
        by_rules = str(self.reading.slots.get(slot, ""))
        return list(dict.fromkeys(value for value in (by_rules, *sort.values[:_MOST_VALUES]) if value))

    def _value(self, rules: Rules, slot: str, sort: Sort | None) -> str:
        if sort is None:
            return rules.add("number", _NUMBER)
        ways = [string_of(value) for value in self._values(slot, sort)]
        return either([*ways, free_text(1, _LONGEST)] if sort.open else ways)

    def _schema(self, slot: str, sort: Sort | None) -> dict[str, Any]:
        if sort is None:
            return {"type": "integer", "minimum": 0, "maximum": 999_999}
        if sort.open:
            return {"type": "string", "minLength": 1, "maxLength": _LONGEST}
        return {"type": "string", "enum": self._values(slot, sort)}


def _shape(options: Sequence[_Option]) -> Shape:
    import json

    rules = Rules()
    ways = [option.grammar(rules) for option in options]
    none = an_object([("form", string_of(_NONE)), ("slots", '"{}"')])
    schemas: list[dict[str, Any]] = [option.schema() for option in options]
    nothing = {
        "type": "object",
        "properties": {
            "form": {"type": "string", "enum": [_NONE]},
            "slots": {"type": "object", "additionalProperties": False},
        },
        "required": ["form", "slots"],
        "additionalProperties": False,
    }
    return Shape(rules.text(either([*ways, none])), json.dumps({"anyOf": [*schemas, nothing]}))


def _read(reply: ReplyObject, options: Sequence[_Option]) -> PlannedQuery:
    chosen = reply.text("form", most=8, needed=True)
    if chosen == _NONE:
        return PlannedQuery(problem="the model found no declared question that asks the same.")
    option = next((option for option in options if option.name == chosen), None)
    if option is None:
        raise reply.bad(f"there is no form {chosen!r}.")
    slots = option.read(reply.inner("slots"))
    reading = option.reading
    return PlannedQuery(
        Reading(reading.inventory, reading.template, slots, 1.0, reading.horizon, wording=reading.wording)
    )
