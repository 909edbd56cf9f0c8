"""Presses what a command line names in the game that is being added, and keeps what each press did."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pitwall.core.clock import now_ns
from pitwall.core.paths import DataFolder
from pitwall.engine.drafting.input_trial import InputTrial, Trial
from pitwall.engine.drafting.rehearsal import (
    held_words,
    rehearsed,
    told_apart,
    with_hold,
    with_pause,
)
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.signs import with_passage_step, without_passage
from pitwall.games.schema.passages import PassageStep


@dataclass(slots=True)
class Rehearsal:
    """Records passages by doing them once, and tries the keys of play; without a trial only notes them.

    Attributes:
        said: a line for each press, and for each screen that cannot be told from play.
        facts: what each press did, for JSON.
    """

    trial: InputTrial | None
    said: list[str] = field(default_factory=list)
    facts: list[dict[str, object]] = field(default_factory=list)

    def passage(self, draft: Draft, name: str, steps: Sequence[PassageStep], *, now: bool) -> Draft:
        """The draft with a passage; `now`: the game shows its first screen, so it is recorded by doing it."""
        draft = without_passage(draft, name) if steps else draft
        for step in steps:
            tried = self.press(name, step) if now else None
            if tried is not None and not tried.changed and self.trial is not None:
                self.trial.settle()  # it was still loading, or fading: a person would press again
                tried = self.press(name, step)
            if tried is None:
                draft = with_passage_step(draft, name, step)
            else:
                draft = rehearsed(draft, name, step, tried)
        return draft

    def play(self, draft: Draft) -> Draft:
        """Try each action, and tell the passages' screens from the pictures of play."""
        for action in draft.actions if self.trial is not None else ():
            if not action.keys and action.click is None:
                continue
            step = PassageStep(**action.model_dump(include={"keys", "click", "button", "hold_ms"}))
            assert self.trial is not None
            tried, step = self.trial.held(step)
            self._tell(action.name, step, tried, held_words(tried, step))
            draft, alike = told_apart(with_hold(draft, step), tried.before)
            self.said += [f"{one}: its screen looks like play; give it a sign (--status)." for one in alike]
        return draft

    def pause(self, draft: Draft, keys: Sequence[str]) -> Draft:
        """The draft with what pauses it; tried once, and again, so that it goes on."""
        step = PassageStep(keys=list(keys))
        tried = self.press("pause", step)
        self.press("go on", step)
        return with_pause(draft, step, tried) if tried is not None and tried.changed else draft

    def press(self, name: str, step: PassageStep) -> Trial | None:
        """Press once where anything may be tried."""
        if self.trial is None:
            return None
        tried = self.trial.press(step)
        self._tell(name, step, tried, tried.words)
        return tried

    def _tell(self, name: str, step: PassageStep, tried: Trial, words: str) -> None:
        self.said.append(f"{name}: {step.words}: {words}")
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
    """A rehearsal on the game in view; None: nothing is pressed."""
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
