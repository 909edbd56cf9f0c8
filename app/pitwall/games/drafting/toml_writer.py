"""Writes a draft as a commented `plugin.toml`, its rules and its prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from pitwall.core.signals import Thresholds
from pitwall.games.drafting.draft import Draft, DraftAction, DraftTask
from pitwall.games.drafting.learned_module import learned_module, learned_skill
from pitwall.games.drafting.play import Play
from pitwall.games.drafting.signs import finished_passages, shows_pause
from pitwall.games.schema.actions import MouseLook
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
"""Shortest duration of an action, long enough to see its effect."""
READY = (
    "globalThis.gameAPI ? ['ready', 'playing', 'menu'].includes(gameAPI.getState().status) "
    ": document.readyState === 'complete'"
)
"""JavaScript condition under which a page can be played, with or without a gameAPI."""
_KIND_WORDS = {
    "bar": "Filled share of the bar, 0 … 100 %.",
    "digits": "A number, by pictures of its digits.",
    "text": "Text, by optical character recognition: slower than the other kinds.",
    "colour": "Share of the box that has the colour (true or false with at_least).",
    "template": "Whether the picture is seen in the box.",
    "sprite": "Place of the picture.",
    "change": "Change of the box since the step before.",
    "blob": "Place of the largest patch of the colour.",
    "cells": "Cells of the board that have the colour, as actions on them.",
}


def manifest_text(draft: Draft) -> str:
    """Return the whole `plugin.toml`."""
    play = draft.play
    parts = [
        f"# {_on_a_line(draft.name)}: added from its {'page' if draft.url else 'window'}. "
        "Everything here may be changed by hand;",
        "# `pitwall games check` lists what does not fit.",
        "",
        *_head(draft, play),
        *_controls(draft, play),
        *_actions(draft),
        *(line for action in play.actions for line in _table("[[actions]]", action)),
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
    """Yield the lines of one [[fields]] table."""
    values = field.model_dump(exclude_defaults=True, exclude={"name", "kind"})
    yield from _section("[[fields]]", {"name": field.name, "kind": field.kind, **values})


def toml_value(value: Any) -> str:
    """Return a value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_pairs(value))} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(part) for part in value)}]"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}"
    return repr(value)


def _section(heading: str, values: Mapping[str, Any], comment: str = "") -> Iterator[str]:
    """Yield the lines of one table, under a comment."""
    if comment:
        yield f"# {comment}"
    yield heading
    yield from _pairs(values)
    yield ""


def _table(heading: str, model: BaseModel) -> Iterator[str]:
    """Yield the lines of a model's table, without default values."""
    yield from _section(heading, model.model_dump(mode="json", exclude_defaults=True))


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        name = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)
        yield f"{name} = {toml_value(value)}"


def _on_a_line(text: str) -> str:
    """Return a text on one line, as a comment can hold it."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _head(draft: Draft, play: Play) -> Iterator[str]:
    yield f"schema = {SCHEMA}"
    yield ""
    game = {"id": draft.game_id, "name": draft.name, **({"summary": draft.summary} if draft.summary else {})}
    yield "[game]"
    yield from _pairs(game)
    if not play.steers:
        yield "# Where no skill applies, the default agent tries actions and keeps what raises the score."
        yield from _pairs({"without_skill": "explore"})
    yield ""
    if draft.url:
        page = {"url": draft.url, "ready": READY}
        page |= {"init": draft.init} if draft.init else {}
        page |= {"fit": "page"} if draft.own_size else {}
        yield from _section(
            "[browser]",
            page,
            "The page, in a browser of its own. A page with a gameAPI reports itself when it can be played.",
        )
        if draft.state:
            comment = "The page's true state, as JavaScript; for the evaluator alone."
            yield from _section("[browser.state]", draft.state, comment)
    elif draft.command:
        comment = "How Pitwall starts the game when its window is not open."
        yield from _section("[launch]", {"command": draft.command}, comment)
    if match := {key: text for key, text in draft.window if text}:
        comment = "How to find its window: regular expressions; case does not matter."
        yield from _section("[window]", match, comment)
    yield from _section(
        "[screen]",
        {"width": draft.screen.width, "height": draft.screen.height},
        "Boxes and points below are in pixels of this size; they scale with the window.",
    )


def _controls(draft: Draft, play: Play) -> Iterator[str]:
    pressed = [action.keys for action in draft.actions] + [draft.pause if shows_pause(draft) else []]
    keys = list(dict.fromkeys(key for chord in pressed for key in chord))
    holds = [action.hold_ms for action in draft.actions]
    clicks = bool(play.actions) or any(action.click is not None or action.looks for action in draft.actions)
    values = {"keys": keys, "mouse": clicks, "hold_ms": [_shortest(draft), max([1_000, *holds])]}
    if draft.keys_mean != "auto":
        values["keys_mean"] = draft.keys_mean
    yield from _section("[controls]", values, "The only inputs that are allowed; all others are refused.")
    if draft.mouse_look is not None or any(action.looks for action in draft.actions):
        look = (draft.mouse_look or MouseLook()).model_dump(exclude_defaults=True)
        comment = "Its view turns with the mouse. How far: pitwall games calibrate measures it."
        yield from _section("[mouse_look]", look, comment)


def _shortest(draft: Draft) -> int:
    """Return the shortest hold: as measured, else that of the shortest action and at most the usual."""
    usual = Draft.model_fields["shortest_hold_ms"].default
    holds = [action.hold_ms for action in draft.actions]
    return draft.shortest_hold_ms if draft.shortest_hold_ms > usual else min([usual, *holds])


def _actions(draft: Draft) -> Iterator[str]:
    for action in draft.actions:
        hold_ms = max(action.hold_ms, _shortest(draft))
        values: dict[str, Any] = {"name": action.name}
        if action.description:
            values["description"] = action.description
        if action.click is not None:
            values["click"] = action.click
            if action.button != "left":
                values["button"] = action.button
        elif action.keys:
            values["keys"] = action.keys
        elif action.looks:
            values |= _look(action)
        else:
            values["wait"] = True
        if action.presses:
            values["hold_ms"] = hold_ms
        yield from _section("[[actions]]", {**values, "duration_ms": max(LONG_WAIT_MS, 2 * hold_ms)})


def _look(action: DraftAction) -> dict[str, Any]:
    """Return the values of an action that looks or turns."""
    if action.look == "any":
        limits = {"type": "int", "minimum": -2000, "maximum": 2000, "default": 0}
        return {"look": ["$dx", "$dy"], "parameters": {"dx": limits, "dy": limits}}
    if action.turn == "any":
        return {
            "turn": "$degrees",
            "parameters": {"degrees": {"type": "float", "minimum": -180, "maximum": 180}},
        }
    return {"look": action.look} if action.look is not None else {"turn": action.turn}


def _reader(fields: Sequence[ReaderField]) -> Iterator[str]:
    if fields:
        yield "# ---- state reader: values that are read from each picture"
        yield ""
    for field in fields:
        if words := _KIND_WORDS.get(field.kind):
            yield f"# {words}"
        yield from field_lines(field)


def _status(status: StatusRules) -> Iterator[str]:
    if given := {name: text for name, text in status if text}:
        yield from _section(
            "[status]", given, "The state of the game; where nothing holds, it is being played."
        )


def _passages(draft: Draft) -> Iterator[str]:
    passages = finished_passages(draft)
    if passages:
        yield "# Steps by which the engine leaves menus and end screens, whoever plays."
    for passage in passages:
        yield "[[passages]]"
        yield from _pairs(passage.model_dump(mode="json", exclude_defaults=True, exclude={"steps"}))
        yield "steps = ["
        for step in passage.steps:
            yield f"  {toml_value(step.model_dump(mode='json', exclude_defaults=True))},"
        yield "]"
        yield ""
    if shows_pause(draft):
        yield from _section("[pause]", {"keys": draft.pause}, "Keys that pause the game.")


def counted_fields(draft: Draft) -> list[str]:
    """Return the names of fields that read a number."""
    return [
        field.name
        for field in draft.fields
        if isinstance(field, DigitsField) or (isinstance(field, TextField) and field.number)
    ]


def _progress(draft: Draft) -> Iterator[str]:
    counted = counted_fields(draft)
    located = (field for field in draft.fields if isinstance(field, BlobField | SpriteField))
    places = [field.name for field in located if field.value not in ("seen", "area")]
    if not counted and not places:
        return
    values = {"position": places} if places else {}
    values |= {"inventory": counted} if counted else {}
    comment = "A change of these fields counts as progress; without progress the trigger reports a stall."
    yield from _section("[progress]", values, comment)
    if places:
        yield from _section("[progress.tolerance]", dict.fromkeys(places, 4.0))


def _trigger(draft: Draft) -> Iterator[str]:
    usual = Thresholds().model_dump()
    given = {name: value for name, value in draft.thresholds.model_dump().items() if value != usual[name]}
    if not given and not draft.why:
        return
    yield "# When the strategic controller is called."
    for name, why in draft.why.items():
        yield f"# {name}: {_on_a_line(why)}"
    yield from _section("[trigger]", given or {"scene_change": draft.thresholds.scene_change})


def _play(draft: Draft, play: Play) -> Iterator[str]:
    learns = None if play.steers else learned_module(draft)
    yield "# ---- how the agent plays without a model"
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
    yield from _section("[[roles]]", {"name": "player", "prompt": "prompts/player.md"})


def _tasks(draft: Draft) -> Iterator[str]:
    for task in draft.tasks:
        yield from _section(
            "[[tasks]]",
            {
                "id": task.id,
                "instruction": task.instruction or instruction_of(task),
                "score": score_path(draft, task.score),
                "start": task.start,
                "target": task.target,
                "steps": task.steps,
            },
        )
    yield from _truth(draft)
    yield "[knowledge]"
    yield from _pairs({"rules": "rules.md"})


def _truth(draft: Draft) -> Iterator[str]:
    names = list(dict.fromkeys(task.score for task in draft.tasks))
    scores = [score_path(draft, name) for name in names]
    if not scores:
        return
    if draft.truth == "file":
        comment = "The state that the page reports itself, written for the evaluator alone."
        yield from _section("[truth]", {"kind": "file", "score": scores[0]}, comment)
        return
    comment = "Scores are read from the picture, so they are shown as read, never as verified."
    yield from _section("[truth]", {"kind": "fields", "score": scores[0]}, comment)
    yield from _section("[truth.fields]", dict(zip(scores, names, strict=True)))


def score_path(draft: Draft, score: str) -> str:
    """Return the path of a task's score in the true state: a field's value is in its game_state."""
    return score if draft.truth == "file" else f"game_state.{score}"


def instruction_of(task: DraftTask) -> str:
    """Return the default instruction of a task."""
    return f"Bring {task.score.rsplit('.', 1)[-1].replace('_', ' ')} to {task.target:g}."


def rules_text(draft: Draft) -> str:
    """Return `rules.md`: knowledge of the game for a model, one item under each heading."""
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
        yield from (f"- {field.name}: {_reading_words(field)}" for field in draft.fields)
        yield ""
    if draft.tasks:
        yield "## Goal"
        yield ""
        yield from (f"- {task.instruction or instruction_of(task)}" for task in draft.tasks)


def _reading_words(field: ReaderField) -> str:
    words = field.description or _KIND_WORDS.get(field.kind, field.kind)
    unit = "" if isinstance(field, ChangeField) or not field.unit else f" ({field.unit})"
    return words.rstrip(".") + unit


def prompt_text(draft: Draft) -> str:
    """Return `prompts/player.md`: the agent's role."""
    goals = " ".join(task.instruction or instruction_of(task) for task in draft.tasks)
    return f"You play {draft.name}. {goals or 'Play as well as you can.'}\n"
