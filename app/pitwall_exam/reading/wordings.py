"""The wordings of a template: its declared form, and examples written for it.

An example is written like a form; slots that it does not mention are given in brackets after it:
"What did you do right after the first {action}? [offset=1, side=after, rank=first]".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import Inventory, Template
from pitwall_exam.reading.bare_question import bare
from pitwall_exam.reading.numbers import Role, numbers
from pitwall_exam.reading.tokens import tokens

_SLOT = re.compile(r"\{([a-z_]+)(?::[^{}]+)?\}")
_GIVEN = re.compile(r"\s*\[([^\[\]]*)\]\s*$")
_FIRST_NUMBER = 700_001
_MARK = "qz"


@dataclass(frozen=True)
class Wording:
    """One wording of a question template, split into tokens so that a question can be compared with it.

    Attributes:
        inventory: name of the inventory (set of templates) that the template belongs to.
        sentence: its words without a range of steps; a slot's name stands for the slot's value.
        pieces: its tokens without a range of steps: stems of words, and slots as "<name>".
        counted: its whole-number slots except those of the range, each with its role in the sentence
            (`numbers.Role`: a step, a count …).
        named: its other slots. low, high: slots of its range; empty: it has none.
        given: values of the slots that the wording does not mention; "{item}": that of the slot `item`.
        yes_no: it asks for yes or no.
    """

    inventory: str
    template: Template[Any]
    text: str
    sentence: str
    pieces: tuple[str, ...]
    counted: tuple[tuple[str, Role], ...]
    named: tuple[str, ...]
    low: str = ""
    high: str = ""
    given: Slots = field(default_factory=dict)
    yes_no: bool = False
    declared: bool = False

    @property
    def literals(self) -> frozenset[str]:
        return frozenset(piece for piece in self.pieces if not piece.startswith("<"))


def wordings_of(inventory: Inventory[Any], examples: Mapping[str, Iterable[str]]) -> list[list[Wording]]:
    """Return, for each template of an inventory, its declared form and then its examples.

    Raises:
        ValueError: an example names a slot that the form lacks, or leaves one unfilled.
    """
    wordings: list[list[Wording]] = []
    for template in inventory.templates:
        form = _wording(inventory.name, template, template.form.words, ("", ""), declared=True)
        ends = (form.low, form.high)
        more = [_wording(inventory.name, template, text, ends) for text in examples.get(template.name, ())]
        wordings.append([form, *more])
    return wordings


def _wording(
    inventory: str,
    template: Template[Any],
    text: str,
    ends: tuple[str, str],
    *,
    declared: bool = False,
) -> Wording:
    kinds = template.form.slots
    asked, given = _given(text, kinds)
    slots = _SLOT.findall(asked)
    for name in slots:
        if name not in kinds:
            raise ValueError(f"{template.name} has no slot {name!r}: {text!r}")
    values = {name: _FIRST_NUMBER + number for number, name in enumerate(slots) if kinds[name] == "int"}
    marks = {name: _mark(number) for number, name in enumerate(slots) if kinds[name] != "int"}
    filled = _SLOT.sub(lambda slot: str(values.get(slot[1]) or marks[slot[1]]), asked)
    words = tokens(bare(filled))
    counted, ranges = numbers(bare(filled), words)
    by_value = {value: name for name, value in values.items()}
    by_mark = {mark: name for name, mark in marks.items()}
    low, high, inside = "", "", set[int]()
    is_range = bool(ends[1]) or (declared and bool(ranges) and ranges[0].lo in by_value)
    if is_range and ranges and ranges[0].hi in by_value:
        low, high = by_value.get(ranges[0].lo, ""), by_value[ranges[0].hi]
        inside = set(range(ranges[0].first, ranges[0].last + 1))
    missing = set(kinds) - set(slots) - set(given) - set(ends)
    if missing:
        raise ValueError(f"{template.name} leaves {', '.join(sorted(missing))} open: {text!r}")
    roles = {by_value[number.value]: number.role for number in counted if number.value in by_value}
    for stretch in ranges:  # two steps that are no stretch: "the same from step 3 to step 9"
        roles |= {
            by_value[end]: "step"
            for end in (stretch.lo, stretch.hi)
            if end in by_value and by_value[end] not in (low, high)
        }
    kept = [
        (by_mark.get(word.raw) or by_value.get(word.number or 0, ""), word)
        for place, word in enumerate(words)
        if place not in inside
    ]
    return Wording(
        inventory=inventory,
        template=template,
        text=asked,
        sentence=" ".join(slot.replace("_", " ") or word.raw for slot, word in kept),
        pieces=tuple(f"<{slot}>" if slot else word.stem for slot, word in kept),
        counted=tuple((name, roles.get(name, "bare")) for name in values if name not in (low, high)),
        named=tuple(marks),
        low=low or ends[0],
        high=high or ends[1],
        given=given,
        yes_no=template.kind == "yes-no",
        declared=declared,
    )


def _given(text: str, kinds: Mapping[str, str]) -> tuple[str, Slots]:
    """Split an example into its text and the slots given in brackets."""
    match = _GIVEN.search(text)
    if match is None:
        return text, {}
    given: Slots = {}
    for pair in match.group(1).split(","):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or name not in kinds:
            raise ValueError(f"{pair!r} gives no slot of the form: {text!r}")
        given[name] = int(value) if kinds[name] == "int" else value
    return text[: match.start()], given


def _mark(number: int) -> str:
    """Return an unused word, of letters alone, unique to each slot."""
    return f"{_MARK}{chr(ord('a') + number)}{_MARK}"
