"""Frequent texts of prompts and replies, each a single token of the shipped model."""

from __future__ import annotations

from collections.abc import Iterable

from pitwall.core.calls import Purpose
from pitwall.core.prompts import Layer
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.core.signals import Reason
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.layer_entries import HEADINGS, PromptLayers
from pitwall.memory.prompt.layers import ask, protocol
from workshop.shipped_model.dataset.teacher import (
    ESCALATION,
    LEFT_TO_A_MODULE,
    REMEMBERED,
    TRY_LEGAL,
    UNKNOWN,
    WRITTEN_PLANS,
)

PURPOSES = (Purpose.INFER, Purpose.REFLECT, Purpose.PLAN, Purpose.REACT)
"""Purposes for which the shipped model is asked."""

# Of two phrases as long as each other neither may end as the other begins where both can stand side by side:
# which of them llama.cpp takes first is then left to chance.
_STATE = (
    "State (playing):\n", "State (menu):\n", "State (terminal):\n", "State (ready):\n",
    "- you are asked because: ", " steps were taken since the last plan", "the screen changed at once (by ",
    " of 2)", "no progress for ", " steps", "the same action ", " times without progress",
    "failures reached level ", " of 3", "the fast controller asked for a plan", "- failure level ",
    "Plan: none\n", "Plan in force:\n- subgoal: ", "- made for: ",
    "- follows the skill ", " drives\n", "- candidates: ",
    "- stops when ", "- next in turn: ", "- choose one of the candidates, or escalate\n",
    "- the last action: took effect\n", "- the last action: no effect seen\n",
    "- the last action: nothing was sent\n", "Fields:\n",
    "Recent steps, newest last:\n", "- step ", "- steps ", ": took effect", ": no effect seen",
    ": nothing was sent", "Last action: none\n", "Last action: ", "; progress",
    "What failed (do not repeat it as it was):\n", "Memory, best first:\n",
    "Known from before, newest first:\n",
    "- \"in a like state '", "- \"in this state '", "' worked ", " times", "' failed ",
    "worked when it was tried once", "failed when it was tried once", "was not tried yet",
    " of the times", "Inferred: ", "Reflection: ",
    "the last action took effect", "the last action had no effect", "; likely cause",
    "; the subgoal is not done", "; the subgoal is done", "; failure level ", "; next: ",
    "Earlier plans misled the agent and are forgotten. Plan from the top.\n",
    "Your last reply was not valid: ", " Do not repeat it.\n", ". Make the plan.\n",
    "\nThe operator's task: ",
    "Left to try: ", "Modules that can drive now: ",
    "- run ", ": \"A run of ", " reached its end after ", " was stopped after ",
    " was stopped in an emergency after ", " ended with the game's window after ",
    " ended with a fault after ",
    " s; reached ", " s; made progress ", "; made progress ", "; the game ended ", "It was stuck ",
    " times and recovered ", "Most often ", "; most often ", "lans were asked for by ",
    *(f"{reason.value} (" for reason in Reason), "; the last subgoal was ", " times.", " time.",
)  # fmt: skip
_SKILLS = (
    ": when ", " -> ", "; the actions that ", " names", "; until ", '; first "', "; module ", " and ", " or ",
    " == ", " != ", " >= ", " <= ", " > ", " < ", " = ", " == true", " == false", " != none", " == none",
    "status == '", "; ", ", ", ": ", "\n- ", ' = "', '"; ',
    " tiles", " turns", " px", " %", " frames", " changed",
)  # fmt: skip
_REPLIES = (
    '{"skill":"', '{"keep":true}', '{"action":"', '"}', '{"escalate":"', f'{ESCALATION}"}}',
    '{"text":"Next: ', '."}', UNKNOWN, '"subgoal":"', f'{{"situation":"{REMEMBERED.situation}",',
    f'{{"situation":"{TRY_LEGAL.situation}",', LEFT_TO_A_MODULE.subgoal, '"],"module":"","stop":"',
    '"],"stop":"', '","stop":"', *(f'","steps":{plan.steps}}}' for plan in WRITTEN_PLANS),
    '{"effect":true,"cause":"', '{"effect":false,"cause":"', '","next":"', '","done":false,"failure":',
    '","done":true,"failure":', ',"confidence":', "}",
)  # fmt: skip
"""Longest phrase of a reply: llama-cpp-python returns no text for a token of more than 32 bytes."""
_BEST = f"{HEADINGS[Layer.SKILLS]}- "
_ACTIONS, _MODULES = "\nLegal actions:", "\nModules that may drive instead:"
_LEFT, _DRIVE = "Left to try: ", "Modules that can drive now: "
_WORKED = "- \"in this state '"
SIMILAR_PHRASES = {
    '{"skill":"': _BEST,
    '{"text":"Next: ': _BEST,
    '{"action":"': "- next in turn: ",
    '; first "': "- next in turn: ",
    '","done":false,"failure":': "- failure level ",
    "- \"in a like state '": _WORKED,
    f'{REMEMBERED.subgoal}","actions":["': _WORKED,
    f'{TRY_LEGAL.subgoal}","actions":["': _LEFT,
    f"{_ACTIONS} ": f"{_ACTIONS}\n- ",
    '","actions":[],"module":"': _DRIVE,
    f"{_MODULES} ": f"{_MODULES}\n- ",
}
"""Phrase → a similar phrase in prompts: at first the model copies what follows the latter."""


def phrases_of(games: Iterable[Game]) -> tuple[str, ...]:
    """Return the phrases of every prompt, and those of these games' own schema and knowledge."""
    phrases = [
        protocol(purpose, stripped=short, alone=alone)
        for purpose in (Purpose.PLAN, Purpose.REACT)
        for short in (True, False)
        for alone in (True, False)
    ]
    phrases += [ask(purpose, alone=alone) for purpose in PURPOSES for alone in (True, False)]
    phrases += [HEADINGS[Layer.KNOWLEDGE], "\nFields of the state:\n- "]
    phrases += [*_STATE, *_SKILLS, *_REPLIES, *SIMILAR_PHRASES, *SIMILAR_PHRASES.values()]
    for game in games:
        phrases += _of_game(game)
    return tuple(dict.fromkeys(text for text in phrases if len(text) > 1))


def _of_game(game: Game) -> list[str]:
    profile = game.profile
    forms = Vocabulary(profile).forms
    book = PromptLayers(game, forms=forms, layers=LayerSettings(), memory=MemorySettings())
    knowledge = [item.text for item in book.items(Layer.KNOWLEDGE, purpose=Purpose.PLAN, values={})]
    knowledge += [f"{before}{field.name} = " for field in profile.fields for before in ("- ", "; ")]
    about = [described.description for described in (*forms, *profile.fields) if described.description]
    about += [f"{module.description}; ends when {module.ends}" for module in profile.modules]
    return knowledge + [f": {text}\n" for text in about] + [f": {text}\n- " for text in about]
