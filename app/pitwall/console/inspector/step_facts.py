"""The facts of one step as a card: its reason in a sentence, then route, trigger, action, effect by name."""

from __future__ import annotations

from pitwall.console.kit import format as words
from pitwall.console.kit.elements import Card, KeyValue, Label
from pitwall.console.kit.theme import ROUTE_SIGNS, STEP, Tone, route_tone
from pitwall.core.quantities import NONE
from pitwall.core.signals import Reason
from pitwall.core.steps import StepRecord


class StepFacts(Card):
    """Shows a step.

    Args:
        names: of the facts to show, in order (Route, Trigger, Subgoal, Planned by, Action, Sent, Refused,
            Effect, Observation); a fact that a step has not is left out.
        no_step: the sentence that is shown while there is no step.
    """

    def __init__(self, names: tuple[str, ...], no_step: str) -> None:
        self._why = Label("", wrap=True)
        self._lines = {name: KeyValue(name) for name in names}
        super().__init__(self._why, *self._lines.values(), gap=STEP + 2)
        self._no_step = no_step
        self.show_step(None)

    def show_step(self, step: StepRecord | None) -> None:
        """Show the facts of a step; None: there is none."""
        why = step.why if step is not None else self._no_step
        self._why.show_text(why)
        facts = step_facts(step) if step is not None else {}
        for name, line in self._lines.items():
            text, tone = facts.get(name, ("", "neutral"))
            line.set_value(text, tone)
            line.setVisible(bool(text))


def step_facts(step: StepRecord) -> dict[str, tuple[str, Tone]]:
    """Return facts of a step by name, each as text and tone; empty texts for missing ones."""
    sent, refused = words.sent_text(step.sent)
    trigger: Tone = "stop" if Reason.FAILURE in step.reasons else "strategic" if step.reasons else "neutral"
    invalid = f" · invalid: {step.invalid.value}" if step.invalid is not None else ""
    age, reaction = step.timings.frame_age_ms, step.timings.reaction_ms
    times = (
        f"{age:.1f} ms old" if age is not None else "",
        f"reaction {reaction:.1f} ms" if reaction is not None else "",
    )
    return {
        "Route": (f"{ROUTE_SIGNS[step.route]} {step.route.value}", route_tone(step.route)),
        "Trigger": (words.reasons(step.reasons) if step.reasons else "nothing called", trigger),
        "Subgoal": (step.proposal.subgoal if step.proposal is not None else "", "neutral"),
        "Planned by": (
            words.planned_by(step.proposal.source) if step.proposal is not None else "",
            "neutral",
        ),
        "Action": (f"{step.action}{invalid}", "stop" if invalid else "neutral"),
        "Sent": (sent or "nothing", "neutral"),
        "Refused": (refused, "stop"),
        "Effect": (words.effect(step), "neutral"),
        "Observation": (" · ".join(filter(None, times)) or NONE, "neutral"),
    }
