"""Prompts as the two controllers compose them in the long game, for measuring a model host."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus, Value
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.runs import Episode
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.core.signals import Reason
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry
from pitwall.memory.prompt.compose import compose
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.state_format import plan_state, react_state
from pitwall.memory.prompt.state_parts import Scene
from pitwall.models.grammars.by_purpose import grammar_for

GAME = "crafter"
_MAP = ".:_~#TciBC"
_EPISODES = 4


class Prompts:
    """Prompts of one game's book, in rounds: those of one round differ only in their state.

    Args:
        data: data folder, for the games it knows.
        count: counts a text's tokens, as the model does.
        room: tokens that a prompt may take.
    """

    def __init__(self, data: DataFolder, count: Callable[[str], int], room: int) -> None:
        game = Registry(data).load(GAME)
        vocabulary = Vocabulary(game.profile)
        self._layers = LayerSettings()
        self._book = PromptLayers(
            game,
            forms=vocabulary.forms,
            layers=self._layers,
            memory=MemorySettings(),
            episodes=[_episode(number) for number in range(_EPISODES)],
            instruction=game.profile.tasks[0].instruction if game.profile.tasks else "",
        )
        self._count = count
        self._room = room
        self._here = values_of(self._book.fields, seed=0)
        self._forms = vocabulary.forms
        self.grammar = self.grammar_of(Purpose.PLAN)

    def grammar_of(self, purpose: Purpose) -> str:
        """Return the grammar of the replies to one purpose."""
        return grammar_for(purpose, self._forms, fields=self._book.fields, modules=self._book.modules).grammar

    @property
    def options(self) -> tuple[str, ...]:
        """Return the reactions among which a model may choose instead of writing."""
        return tuple(f'{{"action":"{form.name}"}}' for form in self._forms if not form.arguments)

    def prompt(self, number: int, state: int, purpose: Purpose = Purpose.PLAN) -> Prompt:
        """Return the prompt of a round.

        Args:
            number: of the round: prompts of different rounds differ from their first words on.
            state: which state; the layers before it stay the same.
            purpose: a plan, or a reaction.
        """
        scene = Scene(
            status=GameStatus.PLAYING,
            values={**self._here, **values_of(self._book.fields, seed=number * 1_000 + state)},
            units=self._book.units,
        )
        proposal = Proposal(
            proposal_id=state,
            situation="Wood is needed",
            subgoal=f"gather wood, part {state}",
            candidates=(SemanticAction(name="move_left"), SemanticAction(name="interact")),
            source="model",
        )
        if purpose is Purpose.PLAN:
            text = plan_state(scene, reasons=(Reason.REFRESH,), proposal=proposal)
        else:
            text = react_state(scene, proposal=proposal)
        prompt = compose(
            self._book,
            purpose=purpose,
            values=self._here,
            turn=(Message(role="user", spans=(Span(layer=Layer.STATE, text=text, item="state"),)),),
            count=self._count,
            layers=self._layers,
            room=self._room,
        )
        return _begun_with(prompt, f"[{number}] ")


def values_of(fields: tuple[str, ...], *, seed: int) -> Mapping[str, Value]:
    """Generate values of the long game's fields; the same for the same seed."""
    rng = random.Random(seed)
    values: dict[str, Value] = {"status": GameStatus.PLAYING.value}
    for name in fields:
        if name == "view":
            values[name] = "\n".join("".join(rng.choices(_MAP, k=9)) for _ in range(7))
        elif name in ("facing", "moved"):
            values[name] = rng.choice(("left", "right", "up", "down"))
        elif name in ("front", "ground"):
            values[name] = rng.choice(("grass", "sand", "tree"))
        elif name.startswith("way_to"):
            values[name] = ", ".join(rng.choices(("move_left", "move_up", "interact"), k=4))
        else:
            values[name] = rng.randint(0, 9)
    return values


def _begun_with(prompt: Prompt, text: str) -> Prompt:
    first, *rest = prompt.messages
    span, *spans = first.spans
    return Prompt(messages=(replace(first, spans=(replace(span, text=text + span.text), *spans)), *rest))


def _episode(number: int) -> Episode:
    return Episode(
        episode_id=number + 1,
        run_id=number + 1,
        game_id=GAME,
        key="",
        text=f"{90 + number} steps: wood after {8 + number}, a table after {15 + number}; stone was far.",
        author="rules",
        created_at=f"2026-01-0{number + 1}T00:00:00.000000+00:00",
    )
