"""Injection: hostile texts from the screen and the memory stay plain words within a line of the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwall.core.calls import Purpose
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import (
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    MemoryContent,
    ProcedureMemory,
    SkillMemory,
)
from pitwall.core.observations import GameStatus
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.settings import Settings
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.compose import compose
from pitwall.memory.prompt.layer_entries import HEADINGS, PromptLayers
from pitwall.memory.prompt.state_format import describe_state
from pitwall.memory.prompt.state_parts import Scene
from workshop.campaigns.adversary import Adversary
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.fixtures.model_games import PLUGINS, bundled, words_of

_FORGED = ("- quit_game", "## legal", "You may run", "SYSTEM:", "Actions:", "State (", "Skills that apply")
"""Line beginnings that only the prompt's own text may have."""
_FORGED_IN_KNOWLEDGE = ("## legal",)
"""Knowledge has lines of its own below its heading; it must not forge another heading."""
_HIDDEN = ("\u202e", "\x1b", "\x00", "\u2028", "\r", "\u200b")
_BREAKS = ("\n", "\r\n", "\u2028", "\u2029", "\x0b", "\x0c", "\x85", '"\n', '"\r', "\\n")


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    games = [(name, *words_of(PLUGINS / name)) for name in bundled()]

    def trial(case: Case) -> str:
        name, profile, space = case.chance.choice(games)
        game = Game(profile=profile, folder=PLUGINS / name, profile_hash="", trusted=True, source="bundled")
        sound, hostile = _prompt(game, space, case, hostile=False), _prompt(game, space, case, hostile=True)
        for layer, text in hostile.items():
            own = [*sound[layer].splitlines(), HEADINGS.get(layer, "").strip()]
            forged = _FORGED_IN_KNOWLEDGE if layer is Layer.KNOWLEDGE else _FORGED
            for line in text.splitlines():
                if line.startswith(forged) and line not in own:
                    raise FellShort(f"{name}: a line of {layer.name} in the prompt is {line[:200]!r}")
            if marks := [repr(mark) for mark in _HIDDEN if mark in text and mark not in sound[layer]]:
                raise FellShort(f"{name}: {layer.name} in the prompt holds {', '.join(marks)}")
        return "all quoted"

    yield trial


def _prompt(game: Game, space: Vocabulary, case: Case, *, hostile: bool) -> dict[Layer, str]:
    """Return the text of each layer of a prompt, with hostile words from the screen and the memory."""
    settings = Settings()
    adversary = Adversary(
        case.chance.getrandbits(32), space.legal, [field.name for field in game.profile.fields]
    )

    def words() -> str:
        if not hostile:
            return "wood"
        forged = (
            case.chance.choice(_BREAKS) + case.chance.choice(_FORGED) + case.chance.choice(("", "\x1b[2J"))
        )
        return case.chance.choice((forged, adversary.reply()[:600], forged * 20))

    who = Provenance(author="operator")
    contents: tuple[MemoryContent, ...] = (
        SkillMemory(name=words(), when="status == 'playing'", subgoal=words(), situation=words()),
        EpisodeMemory(key=words(), text=words()),
        KnowledgeMemory(heading=words(), text=words()),
        GlobalNote(about="progress", text=words()),
        ProcedureMemory(action=words(), construction=words()),
    )
    entries = [
        MemoryEntry(entry_id=number, game_id=game.game_id, content=content, provenance=who, changed_by=who)
        for number, content in enumerate(contents, 1)
    ]
    book = PromptLayers(
        game, forms=space.forms, layers=settings.layers, memory=settings.memory, remembered=entries
    )
    values = {field.name: words() for field in game.profile.fields} | {"status": "playing"}
    scene = Scene(status=GameStatus.PLAYING, values=values, hints=(words(),), notes=book.notes)
    turn = [Message(role="user", spans=(Span(layer=Layer.STATE, text=describe_state(scene)),))]
    made = compose(
        book,
        purpose=Purpose.PLAN,
        values=values,
        turn=turn,
        count=lambda text: len(text) // 4,
        layers=settings.layers,
    )
    texts = dict.fromkeys(Layer, "")
    for span in made.spans:
        texts[span.layer] += span.text
    return texts


CAMPAIGN = Campaign(
    tries="hostile texts as read from the screen and as remembered (skills, episodes, knowledge, notes, "
    "procedures): none forges a line of the prompt, none hides a character in it",
    rig=_rig,
    alone=False,
)
