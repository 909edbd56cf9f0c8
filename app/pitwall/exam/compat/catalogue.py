"""The 66 published templates by name (SPEC §7)."""

from __future__ import annotations

from dataclasses import replace

from pitwall.exam.compat.question import Kind
from pitwall.exam.compat.rules import (
    counts as counted,
)
from pitwall.exam.compat.rules import (
    logic as concluded,
)
from pitwall.exam.compat.rules import (
    order as happened,
)
from pitwall.exam.compat.rules import (
    space as placed,
)
from pitwall.exam.compat.rules import (
    steps as recalled,
)
from pitwall.exam.compat.span import OCCURRENCES
from pitwall.exam.compat.template import Effort, Range, Rule, Template
from pitwall.exam.questions.forms import Form

_TYPES = {
    "<which>": f"{{which:{'|'.join(OCCURRENCES)}}}",
    "<step>": "{step:int}",
    "<n>": "{offset:int}",
    "<side>": "{side:before|after}",
    "<terrain>": "{terrain:word}",
    "<resource>": "{resource:word}",
    "<keyword>": "'{keyword:name}'",
    "<event>": "the step when {event:name}",
    "<other>": "the step when {other:name}",
    "<counted>": "{counted:name}",
    "<stat>": f"{{stat:{'|'.join(recalled.STATS)}}}",
    "<state>": f"{{state:{'|'.join(happened.STATES)}}}",
    "<craft>": f"{{craft:{'|'.join(concluded.RECIPES)}}}",
}
"""Shorthand of the words below for what a form's slots may hold."""

_WAY = (
    "At step <step>, starting from your current position, how should you move to reach the nearest <terrain>?"
    " Answer in 'X steps left/right and Y steps up/down', or 'not answerable' if never see the target,"
    " or 0 if you are on the target"
)
_PEAK = "At which step did <resource> reach its maximum quantity (at least 1)?"
_TIE = "If multiple steps tie, answer the first step."
_OCCURRED = {
    "action": "Which step is the <which> step whose action is '{action:name}'?",
    "keyword": "Which step is the <which> step whose reason mentions <keyword>?",
    "terrain": "Which step is the <which> step which you stood on <terrain> terrain?",
}
_BESIDE = {
    "action": "the <which> step whose action is '{action:name}'?",
    "keyword": "the <which> step whose reason mentions <keyword>?",
    "terrain": "the <which> step whose terrain you stand on is '<terrain>'?",
}


def _one(
    name: str,
    kind: Kind,
    words: str,
    rule: Rule,
    *,
    prefixed: bool = True,
    covers: Range = "stretch",
    effort: Effort = "range",
) -> Template:
    for short, slot in _TYPES.items():
        words = words.replace(short, slot)
    return Template(name, kind, Form(words), rule, prefixed, covers, effort)


def _at_step(name: str, words: str, rule: Rule) -> Template:
    return _one(name, "Single‑Hop", words, rule, prefixed=False, effort="one, or the horizon")


def _occurrences() -> list[Template]:
    templates: list[Template] = []
    for subject, words in _OCCURRED.items():
        template = _one("", "Single‑Hop", words, recalled.when)
        templates += [
            replace(template, name=f"A_occ_{subject}_{which}") for which in (*OCCURRENCES, "missing")
        ]
    for subject, words in _BESIDE.items():
        template = _one("", "Multi‑Hop", f"What is the action <n> steps <side> {words}", recalled.beside)
        templates += [replace(template, name=f"B_{subject}_{which}") for which in OCCURRENCES]
        templates.append(replace(template, name=f"B_missing_{subject}"))
    return templates


def _counting(name: str, words: str, rule: Rule) -> Template:
    return _one(name, "Inducing", words, rule)


def _placing(name: str, words: str, rule: Rule) -> Template:
    return _one(name, "Spatial", words, rule)


def _moment(name: str, words: str, rule: Rule, effort: Effort = "one") -> Template:
    return _one(name, "Spatial", words, rule, prefixed=False, covers="step", effort=effort)


def _event(name: str, words: str, rule: Rule, covers: Range, effort: Effort = "range") -> Template:
    return _one(name, "Time", words, rule, prefixed=False, covers=covers, effort=effort)


def _logical(
    name: str, words: str, rule: Rule, *, prefixed: bool = False, covers: Range = "episode"
) -> Template:
    return _one(
        name,
        "Logical",
        words,
        rule,
        prefixed=prefixed,
        covers=covers,
        effort="one" if covers == "step" else "range",
    )


TEMPLATES: dict[str, Template] = {
    template.name: template
    for template in (
        _at_step("A_action", "What is the action at step <step>?", recalled.action),
        _at_step("A_reason", "What was the reasoning at step <step>?", recalled.reason),
        _at_step("A_stat", "What was your <stat> value at step <step>?", recalled.stat),
        _at_step("A_terrain", "What terrain was under you at step <step>?", recalled.terrain),
        _at_step("A_inventory", "How many <resource> did you have at step <step>?", recalled.inventory),
        *_occurrences(),
        _counting(
            "C_keyword_count", "How many steps have reasons that mention <keyword>?", counted.keyword_count
        ),
        _counting("C_most_move", "What was the most common movement direction?", counted.most_move),
        _counting(
            "C_longest_run", "What was the longest consecutive run of {action:word}?", counted.longest_run
        ),
        _counting("C_collect_res", "How many times did you collect <resource>?", counted.collected),
        _counting("C_resource_change", "What was the change in <resource> quantity?", counted.change),
        _one("C_resource_peak", "Inducing", _PEAK, counted.peak, prefixed=False, covers="episode"),
        _counting(
            "C_visible_count",
            "In how many steps could you see any <terrain> in the frame?",
            counted.visible_count,
        ),
        _counting(
            "C_adjacent_count",
            "In how many steps were you adjacent to any <terrain>?",
            counted.adjacent_count,
        ),
        _counting(
            "C_distinct_trees", "How many distinct trees did you see in total?", counted.distinct_trees
        ),
        _placing(
            "D_displacement",
            "What was the total displacement of you?"
            " Answer in 'x step(s) left/right and/or x step(s) up/down.'",
            placed.displacement,
        ),
        _placing(
            "D_path_length", "How many total movement steps did you successfully take?", placed.path_length
        ),
        _placing(
            "D_min_dist",
            f"At which step were you closest to the nearest <terrain>? {_TIE}",
            placed.closest,
        ),
        _placing(
            "D_max_dist",
            f"At which step were you furthest from the nearest <terrain>? {_TIE}",
            placed.furthest,
        ),
        _moment(
            "D_predict_terrain",
            "At step <step>, if you walked {turn:up|down|left|right} <n> steps,"
            " what terrain would be underfoot?",
            placed.predict_terrain,
            "stretch",
        ),
        _moment(
            "D_nearest_dir",
            "At step <step>, in which direction is the nearest <terrain> relative to you?",
            placed.nearest_direction,
        ),
        _moment("D_nav_to_target", _WAY, placed.way_to_target),
        _event("E_event_order", "Did <event> happen before or after <other>?", happened.order, "episode"),
        _event(
            "E_event_interval",
            "After <event>, after how many steps did <other> occur?",
            happened.interval,
            "events",
            "between",
        ),
        _event(
            "E_event_count",
            "Starting from the step where <event> happened up to and including the step where <other>"
            " happened, how many steps were there where <counted>?",
            happened.count,
            "events",
        ),
        _event(
            "E_state_before_event",
            "<n> {unit:step|steps} before <event>, what was <state>?",
            happened.state_before,
            "state",
        ),
        _event(
            "E_state_after_event",
            "<n> {unit:step|steps} after <event>, what was <state>?",
            happened.state_after,
            "state",
        ),
        _one(
            "F_craft_feasibility",
            "Logical",
            "At step <step>, are the collected resources enough to <craft>?",
            concluded.craft,
            prefixed=False,
        ),
        _logical(
            "F_event_loc",
            "At which steps did you {event:drink|eat} any resource?",
            concluded.event_steps,
            prefixed=True,
            covers="stretch",
        ),
        _logical(
            "F_attack_count",
            "How many times were you attacked?",
            concluded.attack_count,
            prefixed=True,
            covers="stretch",
        ),
        _logical(
            "F_death_reason",
            "What was the cause of your death at the end of the game?",
            concluded.death_reason,
        ),
        _logical(
            "F_first_attack_step",
            "At which step were you attacked for the first time?",
            concluded.first_attack,
        ),
        _logical(
            "F_last_attack_step",
            "At which step were you attacked for the last time?",
            concluded.last_attack,
        ),
        _logical(
            "F_inventory_contents",
            "At step <step>, what was the content of your inventory? Answer as a comma-separated list of"
            " 'item:quantity' pairs, or 'empty' if there were no items.",
            concluded.contents,
            covers="step",
        ),
        _one("G_unreachable_nav", "adversarial", _WAY, placed.way_to_unseen),
        _one("G_unused_keyword", "adversarial", _OCCURRED["keyword"], recalled.when),
        _one("G_unused_resource_peak", "adversarial", _PEAK, counted.peak, prefixed=False, covers="episode"),
    )
}
"""By name, in the published order."""
