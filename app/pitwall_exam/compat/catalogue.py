"""The 66 published templates by name (SPEC §7): rows of `resources/exam/templates.toml`, and their rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from pitwall_exam.compat.episode import OCCURRENCES
from pitwall_exam.compat.rules import counts, logic, order, space, steps
from pitwall_exam.compat.template import Kind, Rule, Template
from pitwall_exam.questions.forms import Form
from pitwall_exam.questions.template import templates_table

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
    "<stat>": f"{{stat:{'|'.join(steps.STATS)}}}",
    "<state>": f"{{state:{'|'.join(order.STATES)}}}",
    "<craft>": f"{{craft:{'|'.join(logic.RECIPES)}}}",
}
"""Shorthand in the table of templates → the slot that it abbreviates."""

_OCCURRENCES: dict[str, Rule] = {
    **dict.fromkeys(("A_occ_action", "A_occ_keyword", "A_occ_terrain"), steps.when),
    **dict.fromkeys(("B_action", "B_keyword", "B_terrain"), steps.beside),
}
"""Rows of the table that become one template per occurrence, and one for what never occurs."""
_RULES: dict[str, Rule] = {
    "A_action": steps.action,
    "A_reason": steps.reason,
    "A_stat": steps.stat,
    "A_terrain": steps.terrain,
    "A_inventory": steps.inventory,
    **_OCCURRENCES,
    "C_keyword_count": counts.keyword_count,
    "C_most_move": counts.most_move,
    "C_longest_run": counts.longest_run,
    "C_collect_res": counts.collected,
    "C_resource_change": counts.change,
    "C_resource_peak": counts.peak,
    "C_visible_count": counts.visible_count,
    "C_adjacent_count": counts.adjacent_count,
    "C_distinct_trees": counts.distinct_trees,
    "D_displacement": space.displacement,
    "D_path_length": space.path_length,
    "D_min_dist": space.closest,
    "D_max_dist": space.furthest,
    "D_predict_terrain": space.predict_terrain,
    "D_nearest_dir": space.nearest_direction,
    "D_nav_to_target": space.way_to_target,
    "E_event_order": order.order,
    "E_event_interval": order.interval,
    "E_event_count": order.count,
    "E_state_before_event": order.state_before,
    "E_state_after_event": order.state_after,
    "F_craft_feasibility": logic.craft,
    "F_event_loc": logic.event_steps,
    "F_attack_count": logic.attack_count,
    "F_death_reason": logic.death_reason,
    "F_first_attack_step": logic.first_attack,
    "F_last_attack_step": logic.last_attack,
    "F_inventory_contents": logic.contents,
    "G_unreachable_nav": space.way_to_unseen,
    "G_unused_keyword": steps.when,
    "G_unused_resource_peak": counts.peak,
}


def _templates() -> Iterator[Template]:
    for kind, rows in templates_table()["compat"].items():
        for name, row in rows.items():
            words = row["asks"]
            for short, slot in _TYPES.items():
                words = words.replace(short, slot)
            settings = {key: value for key, value in row.items() if key != "asks"}
            template = Template(name, cast(Kind, kind), Form(words), _RULES[name], **settings)
            names = _names(name) if name in _OCCURRENCES else [name]
            yield from (replace(template, name=each) for each in names)


def _names(row: str) -> list[str]:
    missing = f"{row}_missing" if row.startswith("A_") else row.replace("B_", "B_missing_")
    return [*(f"{row}_{which}" for which in OCCURRENCES), missing]


TEMPLATES: dict[str, Template] = {template.name: template for template in _templates()}
"""By name, in the published order."""
