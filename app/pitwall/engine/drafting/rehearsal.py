"""Makes steps of passages of presses that were tried: how their screen is known again, and told from play."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pitwall.core.frames import Pixels
from pitwall.engine.drafting.input_trial import Trial, small_picture
from pitwall.engine.drafting.overlay_signs import picture_of, with_overlay_sign, without_seen_in
from pitwall.engine.session.passages import MOST_LEVELS, levels_apart
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.signs import PASSAGES, RESUME, with_passage_step, without_passage
from pitwall.games.schema.passages import PassageStep

_LEAST_UNLIKE, _IDLE_TIMES = 0.04, 2.0
"""A screen is known again up to this d, or up to so many times what changes in it by itself,"""
_MOST_UNLIKE, _LARGE, _LARGE_PERCENT = 0.15, 0.5, 25.0
"""or up to this d where a press changes so much of the picture: a button under the pointer shines."""
_OF_PLAY = 0.6
"""It has to be nearer than this part of the way to the picture of play."""
_ALIKE = 0.02
"""Nearer to play than this, a screen cannot be told from it."""
_PAUSE_APART = 0.1
_DARKENED = 2 * MOST_LEVELS
"""A screen that is so much darker or lighter than play is told from it by that."""
_WAIT_MS = (1_500, 10_000)


def rehearsed(draft: Draft, name: str, step: PassageStep, tried: Trial) -> Draft:
    """The draft with a tried press as the next step of a passage, after the screen it was pressed on."""
    wait_ms = min(max(round(1000 + 2000 * tried.took_s), _WAIT_MS[0]), _WAIT_MS[1])
    of_press = _MOST_UNLIKE * min(1.0, max(tried.change / _LARGE, tried.share_percent / _LARGE_PERCENT))
    unlike = min(1.0, round(max(_LEAST_UNLIKE, of_press, _IDLE_TIMES * tried.idle), 3))
    known = step.model_copy(update={"unlike": unlike, "wait_ms": wait_ms})
    made = with_passage_step(draft, name, known, small_picture(tried.before))
    if PASSAGES[name] != "terminal":
        return made
    steps = made.passages[-1].steps
    other = made.pictures[steps[-2].screen] if len(steps) > 1 else small_picture(tried.after)
    return with_overlay_sign(made, name, tried, picture_of(other))


def answer_of(tried: Trial, draft: Draft, role: str, step: PassageStep) -> dict[str, Any]:
    """What the window is told of a press that was tried for a role: a passage's name, "play" or "pause"."""
    alike: list[str] = []
    if role in PASSAGES:
        draft = rehearsed(draft, role, step, tried)
    elif role == "pause" and tried.changed:
        draft = with_pause(draft, step, tried)
    elif role == "play":
        draft, alike = told_apart(with_hold(draft, step), tried.before)
    return {
        "words": held_words(tried, step) if role == "play" else tried.words,
        "changed": tried.changed,
        "before": small_picture(tried.before),
        "after": small_picture(tried.after),
        "draft": draft.model_dump(
            mode="json", include={"actions", "passages", "pictures", "fields", "status"}
        ),
        "alike": alike,
    }


def with_hold(draft: Draft, step: PassageStep) -> Draft:
    """The draft with the actions of a step's keys held for as long as the step was."""
    actions = [
        one.model_copy(update={"hold_ms": step.hold_ms}) if one.keys == step.keys and step.keys else one
        for one in draft.actions
    ]
    return draft.changed(actions=[one.model_dump() for one in actions])


def held_words(tried: Trial, step: PassageStep) -> str:
    """Say what a press of play did, and where it took longer than a tap."""
    usual = PassageStep.model_fields["hold_ms"].default
    return f"{tried.words}, held for {step.hold_ms} ms" if step.hold_ms > usual else tried.words


def with_pause(draft: Draft, step: PassageStep, paused: Trial) -> Draft:
    """The draft with what pauses it; what is seen then is known again, and the same press goes on.

    A pause that hardly changes the picture would be taken for play, and play for it: it wants a sign. A game
    that had paused itself, because its window lost the focus, goes on by the press, and grows lighter.
    """
    if paused.after.mean() - paused.before.mean() > _DARKENED:
        paused = replace(paused, before=paused.after, after=paused.before)
    plain = without_passage(draft.with_pause(step.keys), RESUME)
    darkened = levels_apart(paused.before, paused.after) > _DARKENED
    if paused.change < _PAUSE_APART and not darkened:
        return plain
    return told_apart(rehearsed(plain, RESUME, step, replace(paused, before=paused.after)), paused.before)[0]


def told_apart(draft: Draft, play: Pixels) -> tuple[Draft, list[str]]:
    """The draft with screens that cannot be taken for play, and those of its steps that look like it.

    Args:
        play: a picture of play, (height, width, 4) uint8, blue first.
    """
    seen, alike, passages = describe(play), [], []
    for passage in draft.passages:
        steps = []
        for number, step in enumerate(passage.steps, start=1):
            screen = picture_of(draft.pictures[step.screen]) if step.screen else None
            apart = change(describe(screen), seen) if screen is not None else 2.0
            if screen is not None and levels_apart(screen, play) > _DARKENED:
                steps.append(step)
            elif apart < _ALIKE:
                alike.append(f"{passage.name}, step {number}")
                steps.append(step.model_copy(update={"screen": ""}))
            else:
                steps.append(step.model_copy(update={"unlike": min(step.unlike, round(_OF_PLAY * apart, 4))}))
        passages.append(passage.model_copy(update={"steps": steps}))
    return without_seen_in(draft.changed(passages=passages), play).tidy(), alike
