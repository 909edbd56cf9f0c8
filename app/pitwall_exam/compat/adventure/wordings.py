"""The wordings of the published text-adventure templates, each with its rule."""

from __future__ import annotations

import re

from pitwall_exam.compat.adventure import rules
from pitwall_exam.compat.adventure.episode import Adventure
from pitwall_exam.compat.adventure.rules import Rule
from pitwall_exam.compat.template import Truth
from pitwall_exam.questions.forms import Form

_KINDS = {
    **dict.fromkeys(("step", "to_step", "offset", "most"), "int"),
    "source": "reason|observation",
    "which": "first|second|third|last|second last",
    "what": "|".join(rules.READ),
}
"""The type of a slot, if it is not any name."""
_BARE = re.compile(r"\{(\w+)\}")
_BEGINNING = re.compile(r"From steps \d+ to \d+, ")
_LATER = "what {what} {offset} step(s) later?"
_NOW = "before performing the action"
_YES = "Answer in 'yes' or 'no'"


def _form(words: str) -> Form:
    return Form(_BARE.sub(lambda slot: f"{{{slot[1]}:{_KINDS.get(slot[1], 'name')}}}", words))


WORDINGS: tuple[tuple[Form, Rule], ...] = tuple(
    (_form(words), rule)
    for words, rule in {
        "At step {step}, what action did you execute?": rules.at_step(lambda step: step.action),
        "At step {step}, what is the first sentence of your reasoning?": rules.at_step(rules.first_sentence),
        f"{_NOW} at step {{step}}, what is your location?": rules.at_step(lambda step: step.location),
        "After performing the action at step {step}, what is the cumulative reward so far?": rules.at_step(
            lambda step: str(step.total)
        ),
        f"At step {{step}}, what observation did you see {_NOW}?": rules.at_step(
            lambda step: step.observation
        ),
        "At step {step}, what observation did you see after performing the action?": rules.at_step(
            lambda step: step.outcome
        ),
        f"At step {{step}}, is '{{action}}' a valid action? {_YES}": rules.valid_action,
        "Which step is the {which} step whose {source} mentions '{keyword}'?": rules.mentioning,
        f"At which step does the player {{which}} start being at '{{location}}' {_NOW}?": rules.occurring(
            "entered", "location"
        ),
        f"At which step does the player {{which}} leave '{{location}}' {_NOW}?": rules.occurring(
            "left", "location"
        ),
        "At which step did you {which} gain '{item}'?": rules.occurring("gained", "item"),
        "At which step did you gain '{item}' for the {which} time?": rules.occurring("gained", "item"),
        f"After the first step whose {{source}} mentions '{{keyword}}', {_LATER}": rules.after_mention,
        f"After obtaining '{{item}}' for the first time, {_LATER}": rules.after_gain,
        "How many observations mention '{keyword}'?": rules.count_mentions("observation"),
        "How many reasoning sentences mention '{keyword}'?": rules.count_mentions("reason"),
        "What is the most frequent action taken?": rules.commonest_action,
        "How many distinct locations were visited?": rules.distinct_locations,
        "What is the most frequently visited location?": rules.most_entered,
        "Which is the location with the longest duration of stay in total?": rules.longest_stay,
        "What is the shortest path length between the locations at steps {step} and {to_step}?": (
            rules.moves_between_steps
        ),
        "What is the shortest path length from '{start}' to '{end}'?": rules.moves_between,
        f"At step {{step}}, is it possible to reach '{{location}}' within {{most}} steps? {_YES}": (
            rules.reachable
        ),
        "At step {step}, excluding your current location, how many distinct locations are reachable within"
        " {most} steps?": rules.reachable_count,
        "At step {step}, how many distinct directions can you move from your current location based on your"
        " knowledge?": rules.direction_count,
        "From the location at step {step}, which is closer in terms of fewer steps to reach, '{one}' or"
        " '{other}'?": rules.closer,
        "At step {step}, if you move {ways}, which location do you reach?": rules.walking,
        f"Before first time entering '{{location}}', have you ever been to '{{other}}'? {_YES}": (
            rules.came_before(("entered", "location"), ("entered", "other"))
        ),
        f"Before first time obtaining '{{item}}', have you ever obtained '{{other}}'? {_YES}": (
            rules.came_before(("gained", "item"), ("gained", "other"))
        ),
        f"Before first time obtaining '{{item}}', have you ever left '{{location}}'? {_YES}": (
            rules.came_before(("gained", "item"), ("left", "location"))
        ),
        "After the step which you first gained '{item}', how many steps later does the cumulative reward"
        " increase for the first time?": rules.rise_after_gain,
        "After first time entering '{location}', how many steps did you stay in this location?": (
            rules.first_stay
        ),
        "After performing the action at step {step}, what are all the items you carried?": rules.inventory,
        f"After performing the action at step {{step}}, did you have '{{item}}' in inventory? {_YES}": (
            rules.had
        ),
        "After completing which step does the inventory contain the most items?": rules.fullest_step,
        "Within the observed steps, at which location did you pick up the largest number of new items?": (
            rules.richest_location
        ),
        f"At which step did you first leave '{{location}}' {_NOW} '{{action}}'?": rules.leaving_by,
    }.items()
)


def answered(adventure: Adventure, question: str) -> Truth:
    """Answer a published question.

    The template's name is not needed: questions without an answer are worded like those with one.

    Raises:
        ValueError: the question has no published wording; the message quotes it.
    """
    words = question[prefix.end() :] if (prefix := _BEGINNING.match(question)) else question
    for form, rule in WORDINGS:
        slots = form.read(words)
        if slots is not None:
            return rule(adventure, slots)
    raise ValueError(f"no template about text adventures is worded like this: {question[:120]!r}")
