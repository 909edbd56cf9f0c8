"""Tries the presses of a command line in the game that is being added, and records their effects."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pitwall.core.clock import now_ns
from pitwall.core.paths import DataFolder
from pitwall.engine.drafting.input_trial import InputTrial, Trial
from pitwall.engine.drafting.rehearsal import (
    distinct_from_play,
    held_words,
    rehearsed,
    shows_start,
    with_hold,
    with_pause,
)
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.signs import passage_of, with_passage_step, without_passage
from pitwall.games.schema.passages import PassageStep


@dataclass(slots=True)
class Rehearsal:
    """Presses each step of a passage and each action once; without a trial it presses nothing.

    Attributes:
        lines: one for each press, and one for each screen that looks like play.
        facts: the effect of each press, for JSON.
    """

    trial: InputTrial | None
    lines: list[str] = field(default_factory=list)
    facts: list[dict[str, object]] = field(default_factory=list)

    def passage(self, draft: Draft, name: str, steps: Sequence[PassageStep], *, now: bool) -> Draft:
        """Add a passage to the draft.

        Args:
            now: the game shows the passage's first screen, so that each step is pressed and its screen kept.
        """
        draft = without_passage(draft, name) if steps else draft
        for step in steps:
            tried = self.press(name, step) if now else None
            if tried is not None and not tried.changed and self.trial is not None:
                self.trial.settle()  # the game was still loading or fading: press again, as a person would
                tried = self.press(name, step)
            if tried is None:
                draft = with_passage_step(draft, name, step)
            else:
                draft = rehearsed(draft, name, step, tried)
        return draft

    def play(self, draft: Draft) -> Draft:
        """Try each action, and make the passages' screens differ from the pictures of play.

        A short game may be over before all are tried: it is started again, and the action tried again.
        """
        if self.trial is None:
            return draft
        for action in draft.actions:
            if not action.presses:
                continue
            press = PassageStep(**action.model_dump(include={"keys", "click", "button", "hold_ms"}))
            tried, step = self.trial.held(press)
            start = passage_of(draft, "start")
            if start is not None and shows_start(draft, tried.before):
                for leaving in start.steps:
                    self.press("start again", leaving)
                tried, step = self.trial.held(press)
            self._record(action.name, step, tried, held_words(tried, step))
            draft, alike = distinct_from_play(
                with_hold(draft, step, self.trial.shortest_hold_ms), tried.before
            )
            self.lines += [
                f"{name}: its screen looks like play; give it a sign (--status)." for name in alike
            ]
        return draft

    def pause(self, draft: Draft, keys: Sequence[str]) -> Draft:
        """Try the keys that pause the game, press them again to continue it, and add them to the draft."""
        step = PassageStep(keys=list(keys))
        tried = self.press("pause", step)
        self.press("go on", step)
        return with_pause(draft, step, tried) if tried is not None and tried.changed else draft

    def press(self, name: str, step: PassageStep) -> Trial | None:
        """Press a step once and record its effect; without a trial, return None."""
        if self.trial is None:
            return None
        tried = self.trial.press(step)
        self._record(name, step, tried, tried.words)
        return tried

    def _record(self, name: str, step: PassageStep, tried: Trial, words: str) -> None:
        self.lines.append(f"{name}: {step.words}: {words}")
        self.facts.append(
            {
                "name": name,
                "press": step.words,
                "changed": tried.changed,
                "change": round(tried.change, 4),
                "share_percent": round(tried.share_percent, 2),
                "idle_percent": round(tried.idle_percent, 2),
                "took_s": round(tried.took_s, 2),
                "hold_ms": step.hold_ms,
            }
        )


@contextlib.contextmanager
def rehearsal(view: GameView | None, draft: Draft, data: DataFolder) -> Iterator[Rehearsal]:
    """Open a rehearsal on the game in view; without a view nothing is pressed."""
    if view is None:
        yield Rehearsal(None)
        return
    trial = InputTrial(view, draft.screen, data)
    try:
        if view.may_load(now_ns()):
            trial.settle()
        yield Rehearsal(trial)
    finally:
        trial.close()
