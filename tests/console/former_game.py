"""A game and a run of which a console was told everything, to see what of it stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.console.scripted_calls import MIND, TRUST, call_began, call_ended, mind_story
from tests.console.scripted_play import TAUGHT, Scene, ScriptedPlay, began_beside, shadow_note
from tests.console.scripted_session import STATE, event, note, opened, state

from pitwall.core import telemetry
from pitwall.core.clock import NS_PER_S
from pitwall.core.model_telemetry import ModuleState
from pitwall.core.retrieval import Retrieval

SECONDS = 50.0


def everything(began_ns: int) -> list[Any]:
    """Return a record of every kind that an engine tells of the game flappy and its run 128."""
    story = ScriptedPlay(began_ns)
    records = [*story.opening(), *story.beginning(), began_beside(), state(STATE.PLAYING)]
    for number in range(int(SECONDS * 4)):
        records += story.moment(number / 4)[0]
    now_ns = began_ns + int(SECONDS * NS_PER_S)
    return [
        *records,
        *mind_story(story, SECONDS, dropped=True),
        TAUGHT,
        replace(TAUGHT, complete=True),
        shadow_note(),
        call_began(900, at_ns=now_ns),
        call_ended(900, at_ns=now_ns),
        event("takeover", "you moved the mouse over the former game", 5, began_ns, 3),
        telemetry.Retrieved(retrieval=Retrieval(step=7, query="the former game")),
        *of_the_game(now_ns),
    ]


def of_the_game(at_ns: int) -> list[Any]:
    """Return what holds in each run of the game flappy: who thinks, modules, memory, the newest frame."""
    modules = (ModuleState(name="former", version="", driven_by="nothing", made=("v1",)),)
    return [
        MIND,
        TRUST,
        telemetry.ModulesNote(modules=modules),
        telemetry.ProbeResult(name="capture", passed=True, text="the former game"),
        telemetry.MemoryOpened(game_id="flappy"),
        note(at_ns, readings=Scene().readings(1.0)),
    ]


def other_game() -> telemetry.GameOpened:
    """Return the record of another game that was opened."""
    fields = {"player_x": "px", "lanes": ""}
    return replace(
        opened(),
        game_id="snake",
        name="Snake",
        role="runner",
        actions=("left", "right"),
        fields=fields,
        modules=(),
    )
