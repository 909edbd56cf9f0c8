"""Lets the evolution tier's model invent a rule-based module, if the operator allows it.

Its reply is data, checked like an author's table and kept by `modules.inventing`.
The model is told why a proposal was refused and may try again; after three tries nothing is kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TypeVar

from pydantic import ValidationError

from pitwall.core.calls import Purpose
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.settings import Settings
from pitwall.core.validation import first_fault
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.invention import Invention, InventionRefused, ProposedModule
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.layer_entries import call_text
from pitwall.memory.prompt.layers import ask, protocol
from pitwall.models.replies.reply_object import BadReply
from pitwall_lab.improvement.changes import NoProposal
from pitwall_lab.improvement.evolution_model import evolution_model
from pitwall_lab.improvement.invention_replies import parse_module_draft
from pitwall_lab.improvement.proposers import as_refusal
from pitwall_lab.improvement.reply_shapes import module_reply_shape
from pitwall_lab.modules.inventing import invent, require_invention_allowed

_TRIES = 3
_DESCRIPTIONS = (160, 60, 0)
"""Possible lengths of each description in a prompt, in characters; the longest that fits is used."""
_MOST_FIELDS, _MOST_TASKS, _MOST_RULES = 60, 6, 8
FILE = "the model's proposal"
_Accepted = TypeVar("_Accepted")


def invent_by_model(
    data: DataFolder, game: Game, settings: Settings, *, on_refused: Callable[[str], None] = lambda _: None
) -> Invention:
    """Ask for a module, and add it to the game.

    Args:
        on_refused: called with the reason of each refusal.

    Raises:
        InventionRefused: invention is switched off, or the game has as many as it may have.
        NoProposal: no model is chosen, its context is too short, or no proposal was fit.
        RequestFailed, ChildDied: the host could not answer.
    """
    require_invention_allowed(data, game, settings)

    def accept(proposed: ProposedModule, model: str, prompt: str) -> Invention:
        return invent(data, game, proposed, settings, by="model", model=model, prompt=prompt, file=FILE)

    return proposed_by_model(data, game, settings, accept, on_refused=on_refused)


def proposed_by_model(
    data: DataFolder,
    game: Game,
    settings: Settings,
    accept: Callable[[ProposedModule, str, str], _Accepted],
    *,
    task: str = "",
    on_refused: Callable[[str], None] = lambda _: None,
) -> _Accepted:
    """Ask for a module until a proposal is accepted, three times at most.

    Args:
        accept: takes a proposal, the model's name and the whole prompt; raises InventionRefused where unfit.
        task: what the module shall do, in words.

    Raises:
        NoProposal, RequestFailed, ChildDied: see `invent_by_model`.
    """
    purpose, refused = Purpose.INVENT_MODULE, tuple[str, ...]()
    fields = [field.name for field in game.profile.fields]
    shape = module_reply_shape(purpose, Vocabulary(game.profile).forms, fields)
    otherwise = "give a module of your own (--by operator --module FILE.json)"
    with evolution_model(data, settings, otherwise=otherwise) as model:
        while len(refused) < _TRIES:
            written = functools.partial(prompt_of, game, refused, task=task)
            asked = model.ask(purpose, shape, written, _DESCRIPTIONS, seed=0, again=len(refused))
            prompt = "\n".join(message.text for message in asked.prompt.messages)
            try:
                return accept(proposal_of(asked.reply), model.spec.name, prompt)
            except InventionRefused as error:
                refused = (*refused, as_refusal(error))
                on_refused(refused[-1])
    raise NoProposal(f"{_TRIES} proposals were refused, the last one because {refused[-1]}")


def proposal_of(reply: str) -> ProposedModule:
    """Read the proposal from a reply.

    Raises:
        InventionRefused: the reply holds no readable proposal.
    """
    try:
        draft = parse_module_draft(reply)
        rules = [
            {"when": rule.when, "action": rule.action, "cooldown_ms": rule.cooldown_ms}
            for rule in draft.rules
        ]
        return ProposedModule.model_validate(
            {
                "name": draft.name,
                "description": draft.description,
                "ends": draft.ends,
                "why": draft.why,
                "rules": rules,
            }
        )
    except BadReply as error:
        raise InventionRefused(f"{FILE} cannot be read: {error.what}") from None
    except ValidationError as error:
        where, problem = first_fault(error)
        raise InventionRefused(f"{FILE}: {where}: {problem}.") from None


def prompt_of(
    game: Game, refused: tuple[str, ...] = (), most: int = _DESCRIPTIONS[0], *, task: str = ""
) -> Prompt:
    """Write the model's prompt with at most `most` characters of each description."""
    purpose = Purpose.INVENT_MODULE
    system = (
        Span(layer=Layer.PROTOCOL, text=protocol(purpose), item="protocol"),
        Span(layer=Layer.SCHEMA, text="\n".join(_schema(game, most)) + "\n", item="schema"),
    )
    parts = list(_now(game, most))
    if task:
        parts.append(f"The routine that is wanted: {task[:300]}")
    if refused:
        parts.append(f"Your last proposal was refused: {refused[-1][:400]!r}. Propose another one.")
    state = Span(layer=Layer.STATE, text="\n".join(parts) + "\n", item="modules")
    last = Span(layer=Layer.PROTOCOL, text=ask(purpose), item="ask")
    return Prompt(messages=(Message(role="system", spans=system), Message(role="user", spans=(state, last))))


def _schema(game: Game, most: int) -> Iterator[str]:
    profile = game.profile
    yield "Fields of a frame:"
    for field in profile.fields[:_MOST_FIELDS]:
        unit = f" ({field.unit})" if field.unit else ""
        yield f"- {field.name}{unit}{_about(field.description, most)}"
    yield "- status: 'playing', 'terminal', 'menu', 'paused', 'loading' or 'ready'"
    yield "Legal actions:"
    for form in Vocabulary(profile).forms:
        yield f"- {call_text(form)}{_about(form.description, most)}"


def _now(game: Game, most: int) -> Iterator[str]:
    profile = game.profile
    yield f"The game: {profile.game.name}{_about(profile.game.summary, max(most, 60))}"
    if profile.tasks:
        yield "What is asked of its player:"
        yield from (f"- {task.instruction[:160]}" for task in profile.tasks[:_MOST_TASKS])
    there = {module.name: module for module in (*profile.modules, *game.invented)}
    yield "The routines that there are:" if there else "There are no routines yet."
    for module in there.values():
        yield f"- {module.name}{_about(module.description, most)}; ends when {module.ends}"
        if most:
            yield from (f"    when {rule.when} -> {rule.action}" for rule in module.rules[:_MOST_RULES])


def _about(description: str, most: int) -> str:
    return f": {description[:most]}" if description and most else ""
