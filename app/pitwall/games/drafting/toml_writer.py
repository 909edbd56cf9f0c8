"""A draft as the `plugin.toml` that a person would have written, comments and all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from pitwall.core.signals import Thresholds
from pitwall.games.drafting.draft import Draft, DraftAction, DraftTask
from pitwall.games.drafting.learned_module import learned_module, learned_skill
from pitwall.games.drafting.play import Play
from pitwall.games.drafting.signs import finished_passages, shows_pause
from pitwall.games.schema.fields import (
    BlobField,
    ChangeField,
    DigitsField,
    ReaderField,
    SpriteField,
    TextField,
)
from pitwall.games.schema.profile import SCHEMA, StatusRules

LONG_WAIT_MS = 250
"""How long one action lasts: time enough to see what it did."""
READY = (
    "globalThis.gameAPI ? ['ready', 'playing', 'menu'].includes(gameAPI.getState().status) "
    ": document.readyState === 'complete'"
)
"""When a page can be played, whether it has a gameAPI or not."""
_KIND_WORDS = {
    "bar": "How much of the bar is filled, 0 … 100 %.",
    "digits": "A number, by pictures of its digits.",
    "text": "Text, by optical character recognition: slower than the other kinds.",
    "colour": "How much of the box has the colour (true or false with at_least).",
    "template": "Whether the picture is seen in the box.",
    "sprite": "Where the picture is.",
    "change": "How much the box changed since the step before.",
    "blob": "Where the largest patch of the colour is.",
    "cells": "Which cells of the board have the colour, as actions on them.",
}


def manifest_text(draft: Draft) -> str:
    """The whole `plugin.toml`."""
    play = draft.play
    parts = [
        f"# {_on_a_line(draft.name)}: added from its {'page' if draft.url else 'window'}. "
        "Everything here may be changed by hand;",
        "# `pitwall games check` says what does not fit.",
        "",
        *_head(draft, play),
        *_controls(draft, play),
        *_actions(draft.actions),
        *(line for one in play.actions for line in _table("[[actions]]", one)),
        *_reader(draft.readings),
        *_status(draft.status),
        *_passages(draft),
        *_progress(draft),
        *_trigger(draft),
        *_play(draft, play),
        *_tasks(draft),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def field_lines(field: ReaderField) -> Iterator[str]:
    """Write one [[fields]] table."""
    said = {"name": field.name, "kind": field.kind}
    plain = field.model_dump(exclude_defaults=True, exclude={"name", "kind"})
    yield "[[fields]]"
    yield from _pairs({**said, **plain})
    yield ""


def toml_value(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_pairs(value))} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(one) for one in value)}]"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}"
    return repr(value)


def _table(heading: str, model: BaseModel) -> Iterator[str]:
    """Write one table as its type has it, without what goes without saying."""
    yield heading
    yield from _pairs(model.model_dump(mode="json", exclude_defaults=True))
    yield ""


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        name = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)
        yield f"{name} = {toml_value(value)}"


def _on_a_line(text: str) -> str:
    """A text as a comment can hold it."""
    return "".join(one if one.isprintable() else " " for one in text)


def _head(draft: Draft, play: Play) -> Iterator[str]:
    yield f"schema = {SCHEMA}"
    yield ""
    yield "[game]"
    yield from _pairs({"id": draft.game_id, "name": draft.name})
    if draft.summary:
        yield from _pairs({"summary": draft.summary})
    if not play.steers:
        yield "# Where no skill applies, the default agent tries actions and keeps what raises the score."
        yield from _pairs({"without_skill": "explore"})
    yield ""
    if draft.url:
        yield "# The page, in a browser of its own. One with a gameAPI says itself when it can be played."
        yield "[browser]"
        yield from _pairs({"url": draft.url, "ready": READY})
        yield from _pairs({name: text for name, text in (("init", draft.init),) if text})
        yield from _pairs({"fit": "page"} if draft.own_size else {})
        yield ""
        if draft.state:
            yield "# What it says of itself, as JavaScript; for the evaluator alone."
            yield "[browser.state]"
            yield from _pairs(draft.state)
            yield ""
    elif draft.command:
        yield "# How Pitwall starts it where its window is not open."
        yield "[launch]"
        yield from _pairs({"command": draft.command})
        yield ""
    match = {key: text for key, text in draft.window if text}
    if match:
        yield "# How its window is known: regular expressions, case does not matter."
        yield "[window]"
        yield from _pairs(match)
        yield ""
    yield "# Boxes and points below are in pixels of this size; they scale with the window."
    yield "[screen]"
    yield from _pairs({"width": draft.screen.width, "height": draft.screen.height})
    yield ""


def _controls(draft: Draft, play: Play) -> Iterator[str]:
    pressed = [action.keys for action in draft.actions] + [draft.pause if shows_pause(draft) else []]
    keys = list(dict.fromkeys(key for chord in pressed for key in chord))
    holds = [action.hold_ms for action in draft.actions]
    clicks = bool(play.actions) or any(action.click is not None for action in draft.actions)
    yield "# What may be pressed at all; anything else is refused."
    yield "[controls]"
    yield from _pairs({"keys": keys, "mouse": clicks})
    yield from _pairs({"hold_ms": [min([20, *holds]), max([1_000, *holds])]})
    yield ""


def _actions(actions: Sequence[DraftAction]) -> Iterator[str]:
    for action in actions:
        yield "[[actions]]"
        yield from _pairs({"name": action.name})
        if action.description:
            yield from _pairs({"description": action.description})
        if action.click is not None:
            yield from _pairs({"click": action.click})
            if action.button != "left":
                yield from _pairs({"button": action.button})
        elif action.keys:
            yield from _pairs({"keys": action.keys})
        else:
            yield from _pairs({"wait": True})
        if action.click is not None or action.keys:
            yield from _pairs({"hold_ms": action.hold_ms})
        yield from _pairs({"duration_ms": max(LONG_WAIT_MS, action.hold_ms)})
        yield ""


def _reader(fields: Sequence[ReaderField]) -> Iterator[str]:
    if fields:
        yield "# ---- state reader: what is read from each picture"
        yield ""
    for field in fields:
        if words := _KIND_WORDS.get(field.kind):
            yield f"# {words}"
        yield from field_lines(field)


def _status(status: StatusRules) -> Iterator[str]:
    given = {name: text for name, text in status if text}
    if given:
        yield "# What the game is doing; where nothing here holds, it is being played."
        yield "[status]"
        yield from _pairs(given)
        yield ""


def _passages(draft: Draft) -> Iterator[str]:
    passages = finished_passages(draft)
    if passages:
        yield "# How menus and end screens are left: by the engine itself, whoever plays."
    for passage in passages:
        yield "[[passages]]"
        yield from _pairs(passage.model_dump(mode="json", exclude_defaults=True, exclude={"steps"}))
        yield "steps = ["
        for step in passage.steps:
            yield f"  {toml_value(step.model_dump(mode='json', exclude_defaults=True))},"
        yield "]"
        yield ""
    if shows_pause(draft):
        yield "# How it is made to stand still."
        yield "[pause]"
        yield from _pairs({"keys": draft.pause})
        yield ""


def counted_fields(draft: Draft) -> list[str]:
    """Names of the fields that hold a number which is counted on the screen."""
    return [field.name for field in draft.fields if isinstance(field, DigitsField) or _is_number(field)]


def _progress(draft: Draft) -> Iterator[str]:
    counted = counted_fields(draft)
    located = (one for one in draft.fields if isinstance(one, BlobField | SpriteField))
    places = [one.name for one in located if one.value not in ("seen", "area")]
    if not counted and not places:
        return
    yield "# A change of these counts as progress: while nothing counts, the trigger calls it a stall."
    yield "[progress]"
    if places:
        yield from _pairs({"position": places})
    if counted:
        yield from _pairs({"inventory": counted})
    yield ""
    if places:
        yield "[progress.tolerance]"
        yield from _pairs(dict.fromkeys(places, 4.0))
        yield ""


def _is_number(field: ReaderField) -> bool:
    return isinstance(field, TextField) and field.number


def _trigger(draft: Draft) -> Iterator[str]:
    usual = Thresholds().model_dump()
    given = {name: value for name, value in draft.thresholds.model_dump().items() if value != usual[name]}
    if not given and not draft.why:
        return
    yield "# When the strategic controller is called."
    for name, why in draft.why.items():
        yield f"# {name}: {_on_a_line(why)}"
    yield "[trigger]"
    yield from _pairs(given or {"scene_change": draft.thresholds.scene_change})
    yield ""


def _play(draft: Draft, play: Play) -> Iterator[str]:
    learns = None if play.steers else learned_module(draft)
    yield "# ---- how it plays without a model"
    yield ""
    for skill in (*play.skills, *([learned_skill()] if learns is not None else [])):
        yield from _table("[[skills]]", skill)
    for module in play.modules:
        yield from _table("[[modules]]", module.model_copy(update={"rules": []}))
        yield from (line for rule in module.rules for line in _table("[[modules.rules]]", rule))
    if learns is not None and learns.learned is not None:
        yield "# Recorded play teaches it: pitwall gsm train GAME/learned --live --minutes 10"
        yield from _table("[[modules]]", learns.model_copy(update={"learned": None}))
        yield from _table("[modules.learned]", learns.learned)
    yield "[[roles]]"
    yield from _pairs({"name": "player", "prompt": "prompts/player.md"})
    yield ""


def _tasks(draft: Draft) -> Iterator[str]:
    for task in draft.tasks:
        yield "[[tasks]]"
        yield from _pairs(
            {
                "id": task.id,
                "instruction": task.instruction or instruction_of(task),
                "score": score_path(draft, task.score),
                "start": task.start,
                "target": task.target,
                "steps": task.steps,
            }
        )
        yield ""
    yield from _truth(draft)
    yield "[knowledge]"
    yield from _pairs({"rules": "rules.md"})


def _truth(draft: Draft) -> Iterator[str]:
    named = list(dict.fromkeys(task.score for task in draft.tasks))
    scores = [score_path(draft, name) for name in named]
    if not scores:
        return
    if draft.truth == "file":
        yield "# The page's own word: its state, written down for the evaluator alone."
        yield "[truth]"
        yield from _pairs({"kind": "file", "score": scores[0]})
    else:
        yield "# Read from the picture, so shown as read: it is not the game's own word."
        yield "[truth]"
        yield from _pairs({"kind": "fields", "score": scores[0]})
        yield ""
        yield "[truth.fields]"
        yield from _pairs(dict(zip(scores, named, strict=True)))
    yield ""


def score_path(draft: Draft, score: str) -> str:
    """Return the path of a task's score in the true state: a field that is read stands in its game_state."""
    return score if draft.truth == "file" else f"game_state.{score}"


def instruction_of(task: DraftTask) -> str:
    """Write the instruction of a task for which the operator named none."""
    return f"Bring {task.score.rsplit('.', 1)[-1].replace('_', ' ')} to {task.target:g}."


def rules_text(draft: Draft) -> str:
    """`rules.md`: what is known of the game, for a model; each heading is one item of knowledge."""
    return "\n".join(_rules(draft)).rstrip("\n") + "\n"


def _rules(draft: Draft) -> Iterator[str]:
    yield f"{draft.name}. {draft.summary}".rstrip()
    yield ""
    yield "## Actions"
    yield ""
    yield from (f"- {action.name}: {action.description or action.words}" for action in draft.actions)
    yield ""
    if draft.fields:
        yield "## What the screen tells"
        yield ""
        yield from (f"- {field.name}: {_told(field)}" for field in draft.fields)
        yield ""
    if draft.tasks:
        yield "## Goal"
        yield ""
        yield from _goals(draft.tasks)


def _goals(tasks: Iterable[DraftTask]) -> Iterator[str]:
    yield from (f"- {task.instruction or instruction_of(task)}" for task in tasks)


def _told(field: ReaderField) -> str:
    words = field.description or _KIND_WORDS.get(field.kind, field.kind)
    unit = "" if isinstance(field, ChangeField) or not field.unit else f" ({field.unit})"
    return words.rstrip(".") + unit


def prompt_text(draft: Draft) -> str:
    """`prompts/player.md`: who the agent is."""
    goals = " ".join(task.instruction or instruction_of(task) for task in draft.tasks)
    return f"You play {draft.name}. {goals or 'Play as well as you can.'}\n"
