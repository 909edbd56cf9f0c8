"""An entry of a prompt's layer, and the texts that belong to the project itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pitwall.core.calls import Purpose, Tier
from pitwall.core.paths import resources_dir
from pitwall.core.prompts import Layer

_ALONE, _CLOSED = " alone", " among given replies"
"""Endings of the headings of variants: without a planner, and for a choice among replies."""
_JSON_ANSWER = re.compile(r"Answer with one JSON object.*|^- If no action .* escalate .*\n", re.MULTILINE)
_HEADING = re.compile(r"^##[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)

GAMESENSE = frozenset(
    {
        Purpose.ANALYSE_SCREEN,
        Purpose.REFLECT_TASK,
        Purpose.REFLECT_HISTORY,
        Purpose.REFLECT_ACTIONS,
        Purpose.PLAN_TASK,
        Purpose.PLAN_ACTIONS,
        Purpose.CONSTRUCT,
    }
)
"""The stages of the strategic workflow's second form (SPEC §8)."""
IMPROVING = frozenset({Purpose.IMPROVE_REWARD, Purpose.IMPROVE_RULES, Purpose.IMPROVE_LABELS})
"""Changes to a game sense module (SPEC §8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerItem:
    """An entry of a layer; a prompt contains it whole or not at all.

    Attributes:
        item: its id within the layer.
        text: its text in the prompt, with the line break at the end.
        brief: shorter text for prompts without room for the whole one; empty for none.
        entry_id: id of its entry in the memory; 0 for none.
        rank: entries of a lower rank enter first; all of them stand in the layer's own order.
    """

    layer: Layer
    item: str
    text: str
    brief: str = ""
    entry_id: int = 0
    rank: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCut:
    """The parts of the layers that a budget leaves out.

    Attributes:
        fields: fields that no condition uses. schema: "brief" lists only names; "none" leaves L2 out.
        brief: short forms of L1 and the skills. closed: the model chooses among given replies.
    """

    fields: bool = False
    schema: Literal["full", "brief", "none"] = "full"
    brief: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a Markdown file. The part before the first `## heading` has an empty heading."""

    heading: str
    text: str


def sections_of(markdown: str) -> tuple[Section, ...]:
    """Return the sections of a file, in order, without headings and empty sections."""
    pieces = _HEADING.split(markdown)
    pairs = [("", pieces[0]), *zip(pieces[1::2], pieces[2::2], strict=True)]
    return tuple(Section(heading, text.strip()) for heading, text in pairs if text.strip())


def family(purpose: Purpose) -> str:
    """Return the protocol of a purpose: equal ones share the beginning of their prompts."""
    if purpose in GAMESENSE:
        return "gamesense"
    if purpose in IMPROVING:
        return "improve"
    if purpose is Purpose.INVENT_MODULE:
        return "invent"
    names = {Tier.FAST: "reactive", Tier.STRATEGIC: "strategic", Tier.EVOLUTION: "evolution"}
    return names.get(purpose.tier, "after")


def protocol(purpose: Purpose, *, stripped: bool = False, alone: bool = False, closed: bool = False) -> str:
    """Return L1: the model's role, what it may trust, and the form of its answer. Ends with a line break.

    Args:
        alone: there is no planner to ask.
        closed: the model chooses among given replies; the short form only.
    """
    heading = family(purpose)
    if stripped:
        return _text("protocol_stripped", heading, alone, closed) + "\n"
    return _text("protocol", heading, alone) + "\n"


def without_answer(text: str) -> str:
    """Return a protocol without its sentences about JSON and escalation: the last line names the form."""
    return _JSON_ANSWER.sub("", text).rstrip() + "\n"


def ask(purpose: Purpose, *, alone: bool = False, closed: bool = False) -> str:
    """Return the last line of a prompt, which names the wanted reply. Empty for the operator's questions.

    Args:
        alone: there is no planner to ask. closed: the model chooses among given replies.
    """
    text = _text("asks", purpose.value, alone, closed)
    return f"\n{text}\n" if text else ""


def _text(name: str, heading: str, alone: bool, closed: bool = False) -> str:
    """Return a section of a file of `resources/prompts`; empty if the file does not have the heading."""
    texts = _texts(name)
    usual = texts.get(heading, "")
    usual = texts.get(heading + _CLOSED, usual) if closed else usual
    return texts.get(heading + _ALONE, usual) if alone else usual


@cache
def _texts(name: str) -> dict[str, str]:
    """Return the sections of a file of `resources/prompts` by heading."""
    markdown = (resources_dir() / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    return {section.heading: section.text for section in sections_of(markdown) if section.heading}
