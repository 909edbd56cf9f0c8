"""A long run of a generated game whose layers hold more than their caps allow, for the prompt benchmark."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus, Value
from pitwall.core.prompts import Layer
from pitwall.core.runs import Episode
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.core.signals import Failure, Reason, Signals
from pitwall.engine.control.failure import TRACE_LENGTH, FailureNote
from pitwall.engine.control.planner import PastStep
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.manifest import load_profile, manifest_hash
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.layer_entries import HEADINGS, PromptLayers
from pitwall.memory.prompt.layers import LayerItem
from pitwall.memory.prompt.state_format import plan_state
from pitwall.memory.prompt.state_parts import Scene
from pitwall.models.replies.plan import SITUATION_LENGTH, SUBGOAL_LENGTH

_ACTIONS, _FIELDS, _MORE = 30, 60, 3
_WORDS = "the door to the north leads past two bats and a well of water that heals what the cave has taken "

Count = Callable[[str], int]


def filled_book(folder: Path, count: Count) -> tuple[PromptLayers, LayerSettings]:
    """Return a game whose every layer fills its caps, in items and in tokens, and the caps.

    The caps of L3 to L5 and of the state are the default ones, with three times as many entries as may enter.
    L1 and L2 never change; their caps are their sizes.
    """
    usual = LayerSettings()
    folder.mkdir(parents=True)
    game = _game(folder, usual, count)
    size = _entry_size(Layer.EPISODES, usual.l4_tokens, usual.l4_items, count)
    episodes = [
        Episode(
            episode_id=number,
            run_id=number,
            game_id=game.game_id,
            key="role=",
            text=_text(count, size - count(f'- run {number}: ""\n'), number),
            author="rules",
            created_at=f"2025-01-01T00:{number // 60:02d}:{number % 60:02d}.000000Z",
        )
        for number in range(100, 100 + _MORE * usual.l4_items)
    ]
    book = PromptLayers(
        game,
        forms=Vocabulary(game.profile).forms,
        layers=usual,
        memory=MemorySettings(),
        episodes=episodes,
        instruction="Collect wood, make a table and a pickaxe, and stay alive.",
    )
    caps = {"l1_tokens": Layer.PROTOCOL, "l2_tokens": Layer.SCHEMA}
    taken = {
        name: _taken(book.items(layer, purpose=Purpose.PLAN, values={}), count)
        for name, layer in caps.items()
    }
    layers = usual.model_copy(update=taken)
    return book.with_settings(layers, MemorySettings()), layers


class Play:
    """A made-up run, decision by decision; the same seed gives the same run."""

    def __init__(self, book: PromptLayers, *, seed: int) -> None:
        self._book = book
        self._random = np.random.default_rng(seed)
        self._steps: deque[PastStep] = deque(maxlen=5)
        self._trace: deque[FailureNote] = deque(maxlen=TRACE_LENGTH)
        self.values: dict[str, Value] = dict.fromkeys(book.fields, 0)
        self.decision = 0
        for _ in range(TRACE_LENGTH):
            self.go_on()
        self.decision = 0

    def go_on(self) -> None:
        """Advance to the next decision: fields changed, a step was taken, and it failed."""
        self.decision += 1
        readings = self._random.integers(0, 1000, len(self._book.fields))
        before = self.values
        self.values = {name: int(value) for name, value in zip(self._book.fields, readings, strict=True)}
        self.values["status"] = "playing"
        changed = {name: (before.get(name), self.values[name]) for name in self._book.fields[:4]}
        action = self._action(self.decision)
        step = 10_000 + self.decision
        self._steps.append(PastStep(step=step, action=action, effect=Effect.UNVERIFIED, changed=changed))
        problem = f"no effect seen at the {_WORDS.split()[self.decision % 20]}"
        self._trace.append(
            FailureNote(number=step, step=step, action=str(action), source="model", problem=problem)
        )

    def state(self) -> str:
        """Return the state's text, longer than its cap."""
        scene = Scene(
            status=GameStatus.PLAYING,
            values=self.values,
            units=self._book.units,
            signals=Signals(change=0.4, progress=3, stall=4, repetition=5, failure=Failure.ERROR),
            steps=tuple(self._steps),
        )
        proposal = Proposal(
            proposal_id=self.decision,
            situation=_WORDS[:SITUATION_LENGTH],
            subgoal=_WORDS[:SUBGOAL_LENGTH],
            candidates=tuple(self._action(number) for number in range(5)),
            stop="field_01 > 10",
        )
        reasons = (Reason.STALL, Reason.FAILURE)
        text = (_WORDS * 5)[:400]
        return plan_state(
            scene,
            reasons=reasons,
            proposal=proposal,
            trace=tuple(self._trace),
            reflection=text,
            inference=text,
        )

    def reply(self) -> str:
        """Build a model's answer: a plan of usual length."""
        plan = {
            "situation": _WORDS[:SITUATION_LENGTH],
            "subgoal": _WORDS[:SUBGOAL_LENGTH],
            "actions": [str(self._action(number)) for number in range(5)],
            "stop": "field_01 > 10",
            "steps": 8,
        }
        return json.dumps(plan, separators=(",", ":"))

    def _action(self, number: int) -> SemanticAction:
        return SemanticAction(name=f"act_{number % _ACTIONS:02d}", arguments={"ms": 100 + number % 400})


def _game(folder: Path, caps: LayerSettings, count: Count) -> Game:
    (folder / "plugin.toml").write_text(_manifest(caps, count), encoding="utf-8")
    size = _entry_size(Layer.KNOWLEDGE, caps.l3_tokens, caps.l3_items, count)
    rules = [
        f"## Part {number}\n{_text(count, size - count(f'## Part {number}' + chr(10) * 2), number)}\n"
        for number in range(100, 100 + _MORE * caps.l3_items)
    ]
    (folder / "rules.md").write_text("\n".join(rules), encoding="utf-8")
    return Game(
        profile=load_profile(folder),
        folder=folder,
        profile_hash=manifest_hash(folder),
        trusted=True,
        source="path",
    )


def _manifest(caps: LayerSettings, count: Count) -> str:
    size = _entry_size(Layer.SKILLS, caps.l5_tokens, caps.l5_items, count)
    skill = "- skill 100: when status == 'playing' -> ; act_00(ms=200); 8 steps\n"
    parts = [_HEAD]
    parts += [_ACTION.format(number=number) for number in range(_ACTIONS)]
    parts += [_FIELD.format(number=number) for number in range(_FIELDS)]
    parts += [
        _SKILL.format(number=number, subgoal=_text(count, size - count(skill), number))
        for number in range(100, 100 + _MORE * caps.l5_items)
    ]
    return "".join(parts)


_HEAD = """schema = 1
[game]
id = "long-run"
name = "Long run"
[window]
title = "Long run"
[screen]
width = 100
height = 100
[controls]
keys = ["a"]
[knowledge]
rules = "rules.md"
"""
_ACTION = """
[[actions]]
name = "act_{number:02d}"
description = "walk on, towards the nearest thing of kind {number}"
keys = ["a"]
hold_ms = "$ms"
parameters.ms = {{ type = "int", minimum = 50, maximum = 900, default = 200 }}
"""
_FIELD = """
[[fields]]
name = "field_{number:02d}"
kind = "bar"
box = [0, 0, 9, 9]
colour = [9, 9, 9]
unit = "px"
description = "where thing {number} is"
"""
_SKILL = """
[[skills]]
name = "skill {number}"
when = "status == 'playing'"
subgoal = "{subgoal}"
actions = ["act_00"]
"""


def _entry_size(layer: Layer, tokens: int, items: int, count: Count) -> int:
    """Return the tokens of an entry, so that the allowed number of entries fills the layer's cap."""
    return (tokens - count(HEADINGS[layer])) // items


def _text(count: Count, tokens: int, seed: int) -> str:
    """Return words that take at most, and nearly, a number of tokens."""
    words = _WORDS.split()
    text = ""
    for number in range(seed, seed + 10_000):
        longer = f"{text} {words[number % len(words)]}".strip()
        if count(longer) > tokens:
            break
        text = longer
    return text


def _taken(items: tuple[LayerItem, ...], count: Count) -> int:
    return sum(count(item.text) for item in items)
