"""The wordings of the published text-adventure templates, each with its rule."""

from __future__ import annotations

import re

from pitwall.exam.compat.adventure import rules
from pitwall.exam.compat.adventure.episode import Adventure
from pitwall.exam.compat.adventure.rules import Rule
from pitwall.exam.compat.question import Truth
from pitwall.exam.questions.forms import Form

_BEGINNING = re.compile(r"From steps \d+ to \d+, ")
_SOURCE = "{source:reason|observation} mentions '{keyword:name}'"
_LATER = f"what {{what:{'|'.join(rules.READ)}}} {{offset:int}} step(s) later?"
_NOW = "before performing the action"
_YES = "Answer in 'yes' or 'no'"

WORDINGS: tuple[tuple[Form, Rule], ...] = tuple(
    (Form(words), rule)
    for words, rule in (
        ("At step {step:int}, what action did you execute?", rules.at_step(lambda step: step.action)),
        (
            "At step {step:int}, what is the first sentence of your reasoning?",
            rules.at_step(rules.first_sentence),
        ),
        (
            "Before performing the action at step {step:int}, what is your location?",
            rules.at_step(lambda step: step.location),
        ),
        (
            "After performing the action at step {step:int}, what is the cumulative reward so far?",
            rules.at_step(lambda step: str(step.total)),
        ),
        (
            f"At step {{step:int}}, what observation did you see {_NOW}?",
            rules.at_step(lambda step: step.observation),
        ),
        (
            "At step {step:int}, what observation did you see after performing the action?",
            rules.at_step(lambda step: step.outcome),
        ),
        (f"At step {{step:int}}, is '{{action:name}}' a valid action? {_YES}", rules.valid_action),
        (
            f"Which step is the {{which:first|second|third|last|second last}} step whose {_SOURCE}?",
            rules.mentioning,
        ),
        (
            "At which step does the player {which:first|last} start being at '{location:name}' " + _NOW + "?",
            rules.entering,
        ),
        (
            "At which step does the player {which:first|last} leave '{location:name}' " + _NOW + "?",
            rules.leaving,
        ),
        ("At which step did you {which:first|last} gain '{item:name}'?", rules.gaining),
        (
            "At which step did you gain '{item:name}' for the {which:first|second|third|last} time?",
            rules.gaining,
        ),
        (f"After the first step whose {_SOURCE}, {_LATER}", rules.after_mention),
        (f"After obtaining '{{item:name}}' for the first time, {_LATER}", rules.after_gain),
        ("How many observations mention '{keyword:name}'?", rules.count_mentions("observation")),
        ("How many reasoning sentences mention '{keyword:name}'?", rules.count_mentions("reason")),
        ("What is the most frequent action taken?", rules.commonest_action),
        ("How many distinct locations were visited?", rules.distinct_locations),
        ("What is the most frequently visited location?", rules.most_entered),
        ("Which is the location with the longest duration of stay in total?", rules.longest_stay),
        (
            "What is the shortest path length between the locations at steps {step:int} and {other:int}?",
            rules.moves_between_steps,
        ),
        (
            "What is the shortest path length from '{start:name}' to '{end:name}'?",
            rules.moves_between,
        ),
        (
            "At step {step:int}, is it possible to reach '{location:name}' within {most:int} steps? " + _YES,
            rules.reachable,
        ),
        (
            "At step {step:int}, excluding your current location, how many distinct locations are reachable"
            " within {most:int} steps?",
            rules.reachable_count,
        ),
        (
            "At step {step:int}, how many distinct directions can you move from your current location based"
            " on your knowledge?",
            rules.direction_count,
        ),
        (
            "From the location at step {step:int}, which is closer in terms of fewer steps to reach,"
            " '{one:name}' or '{other:name}'?",
            rules.closer,
        ),
        (
            "At step {step:int}, if you move {ways:name}, which location do you reach?",
            rules.walking,
        ),
        (
            f"Before first time entering '{{location:name}}', have you ever been to '{{other:name}}'? {_YES}",
            rules.been_before,
        ),
        (
            f"Before first time obtaining '{{item:name}}', have you ever obtained '{{other:name}}'? {_YES}",
            rules.had_before,
        ),
        (
            f"Before first time obtaining '{{item:name}}', have you ever left '{{location:name}}'? {_YES}",
            rules.left_before,
        ),
        (
            "After the step which you first gained '{item:name}', how many steps later does the cumulative"
            " reward increase for the first time?",
            rules.rise_after_gain,
        ),
        (
            "After first time entering '{location:name}', how many steps did you stay in this location?",
            rules.first_stay,
        ),
        (
            "After performing the action at step {step:int}, what are all the items you carried?",
            rules.inventory,
        ),
        (
            "After performing the action at step {step:int}, did you have '{item:name}' in inventory? "
            + _YES,
            rules.had,
        ),
        ("After completing which step does the inventory contain the most items?", rules.fullest_step),
        (
            "Within the observed steps, at which location did you pick up the largest number of new items?",
            rules.richest_location,
        ),
        (
            f"At which step did you first leave '{{location:name}}' {_NOW} '{{action:name}}'?",
            rules.leaving_by,
        ),
    )
)


def answered(adventure: Adventure, question: str) -> Truth:
    """The answer to a published question.

    The template's name is not asked for: questions without an answer have the words of those with one.

    Raises:
        ValueError: it is worded in no published way; names it.
    """
    words = question[found.end() :] if (found := _BEGINNING.match(question)) else question
    for form, rule in WORDINGS:
        slots = form.read(words)
        if slots is not None:
            return rule(adventure, slots)
    raise ValueError(f"no template about text adventures is worded like this: {question[:120]!r}")
