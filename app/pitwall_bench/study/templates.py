"""Mode B of AgenticSTS: five templates of skills that a model fills for a game, beside the skills by hand.

Filled templates live in a namespace of their own, so that they replace no other skill. They are written under
a lock, so that two authors never mix theirs.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.core.memories import Provenance, PutEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.compose import compose
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.skills import SkillTerms, as_profile_skill, usable_skill
from pitwall.memory.store import MemoryStore
from pitwall.models.grammars.by_purpose import Shape, grammar_for
from pitwall.models.replies.reply_object import BadReply
from pitwall.models.replies.skills import parse_skill
from pitwall.store.lease import FileLock
from pitwall_bench.suites.memories import keep_snapshot

NAMESPACE = "template/"
_PRIORITY = 50
"""Priority of a filled template (choice); the usual priority of a skill is 0."""
_NEVER = "status == 'out of use'"
_CHARACTERS_A_TOKEN = 3
Ask = Callable[[Sequence[Message], Shape], str]
"""Asks a model; takes the prompt and the form of its reply."""


@dataclass(frozen=True, slots=True)
class Template:
    """A stub of a skill: its name, and what the model is to fill in."""

    name: str
    asks: str


TEMPLATES: tuple[Template, ...] = (
    Template("opening", "The first moves of a run: a trigger that holds only at its beginning."),
    Template("danger", "The run is about to be lost: a trigger on the fields that show it; act to survive."),
    Template(
        "gain", "Something worth having is within reach: a trigger on the fields that show it; take it."
    ),
    Template("stuck", "Nothing has changed for some steps: a trigger that shows it; do something else."),
    Template("finish", "The goal is near: a trigger on the fields that show it; do what ends the task."),
)


@dataclass(frozen=True, slots=True)
class FilledTemplates:
    """Skills that a model filled in, and why templates stayed empty, a sentence each."""

    skills: tuple[SkillMemory, ...]
    problems: tuple[str, ...]


def fill_templates(
    game: Game, model: str, ask: Ask, *, role: str = "", instruction: str = ""
) -> FilledTemplates:
    """Ask a model to fill each template for a role of a game; each reply is checked as any other skill."""
    profile = game.profile
    role = role or (profile.roles[0].name if profile.roles else "")
    space = Vocabulary(profile, role)
    fields = tuple(field.name for field in profile.fields)
    modules = tuple(module.name for module in profile.modules)
    shape = grammar_for(Purpose.PROPOSE_SKILL, space.forms, fields=fields, modules=modules)
    terms = SkillTerms.of(profile, role)
    skills, problems = [], []
    for template in TEMPLATES:
        try:
            reply = ask(_prompt(game, role, space, template, instruction), shape)
            draft = parse_skill(reply, space, fields=fields, modules=modules)
            skill = SkillMemory(
                name=f"{NAMESPACE}{template.name}",
                when=draft.when,
                situation=draft.situation,
                subgoal=draft.subgoal,
                actions=draft.actions,
                module=draft.module,
                stop=draft.stop,
                steps=draft.steps,
                priority=_PRIORITY,
                evidence=(f"The model {model} filled the template {template.name!r} for {game.game_id}.",),
            )
            usable_skill(as_profile_skill(skill), terms)
        except (BadReply, PitwallError) as error:
            problems.append(f"{template.name}: {error}")
        else:
            skills.append(skill)
    return FilledTemplates(tuple(skills), tuple(problems))


def _prompt(
    game: Game, role: str, space: Vocabulary, template: Template, instruction: str
) -> tuple[Message, ...]:
    layers = LayerSettings(l4="disable", l5="disable")
    book = PromptLayers(
        game, role, forms=space.forms, layers=layers, memory=MemorySettings(), instruction=instruction
    )
    text = f"Fill this template of a skill, {template.name}. {template.asks}\n"
    turn = [Message(role="user", spans=(Span(layer=Layer.STATE, text=text),))]
    prompt = compose(
        book,
        purpose=Purpose.PROPOSE_SKILL,
        values={},
        turn=turn,
        count=lambda text: len(text) // _CHARACTERS_A_TOKEN,
        layers=layers,
    )
    return tuple(prompt.messages)


@contextlib.contextmanager
def library_lock(data: DataFolder, game_id: str) -> Iterator[None]:
    """Hold the lock of a game's filled templates for the time of the block.

    Raises:
        DataFolderError: another process fills them.
    """
    data.suites.mkdir(parents=True, exist_ok=True)
    lock = FileLock(
        data.suites / f"templates-{game_id}.lock", role="templates", subject=f"the templates of {game_id}"
    )
    with lock:
        yield


def write_templates(game: Game, filled: FilledTemplates, model: str, file: Path) -> str:
    """Write filled templates as a memory to begin with, in which the folder's own skills are out of use.

    Returns:
        The hash of the memory.

    Raises:
        DataFolderError: the file cannot be written.
    """
    own = [
        SkillMemory(
            name=skill.name,
            when=_NEVER,
            subgoal=skill.subgoal,
            actions=tuple(skill.actions),
            module=skill.module,
        )
        for skill in game.profile.skills
    ]
    edits = [PutEntry(game_id=game.game_id, content=skill) for skill in (*filled.skills, *own)]
    with tempfile.TemporaryDirectory(prefix="pitwall-templates-") as folder:
        data = DataFolder(Path(folder))
        with MemoryStore.open(data, role="templates") as store:
            result = store.apply(edits, Provenance(author="agent", source=model))
            if result.what:
                raise PitwallError(result.what, result.fix)
        return keep_snapshot(data, game.game_id, file, role="templates", name=f"templates of {model}")
