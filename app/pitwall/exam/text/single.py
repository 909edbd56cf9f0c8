"""Text-game templates that ask about one step or one event (Table 14, single-hop)."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.exam.episode.states import TextState
from pitwall.exam.episode.trace import Moment, Trace
from pitwall.exam.questions.abilities import Ability, AnswerKind
from pitwall.exam.questions.forms import Form, Slots
from pitwall.exam.questions.template import NO_ANSWER, Template, Truth
from pitwall.exam.text import choosing as choosing
from pitwall.exam.text.commands import command_of, first_sentence, folded, meant
from pitwall.exam.text.index import indexed

Episode = Trace[TextState]
Step = Moment[TextState]

_NTH = {"first": 0, "second": 1, "last": -1, "second last": -2}


def commands(moment: Step) -> tuple[str, ...]:
    """Return a step's action, in words and as it is written in the log."""
    return tuple(dict.fromkeys(text for text in (command_of(moment.action), moment.action) if text))


def location(state: TextState) -> tuple[str, ...]:
    """Return the location in a state; empty if it is unknown."""
    return (state.location,) if state.location else ()


def observation(state: TextState) -> tuple[str, ...]:
    """Return the printed text of a state, as one line."""
    plain = " ".join(state.observation.split())
    return (plain,) if plain else ()


def reward(moment: Step) -> tuple[str, ...]:
    """The score after the action, or what was collected until then."""
    value = moment.after.score if moment.after.score is not None else moment.reward
    return (f"{value:g}",) if value is not None else ()


def _truth(answers: tuple[str, ...], *steps: int) -> Truth:
    return Truth(answers, steps) if answers else NO_ANSWER


def _at_step(answers: Callable[[Step], tuple[str, ...]]) -> Callable[[Episode, Slots], Truth]:
    def find(trace: Episode, slots: Slots) -> Truth:
        step = int(slots["step"])
        moment = trace.at(step)
        return _truth(answers(moment), step) if moment is not None else NO_ANSWER

    return find


def _reason(moment: Step) -> tuple[str, ...]:
    sentence = first_sentence(moment.reason)
    return (sentence,) if sentence else ()


def _valid(trace: Episode, slots: Slots) -> Truth:
    step = int(slots["step"])
    moment = trace.at(step)
    if moment is None or moment.before.valid is None:
        return NO_ANSWER
    known = {meant(command) for command in moment.before.valid}
    return Truth(("yes" if meant(str(slots["action"])) in known else "no",), (step,))


def _gain(trace: Episode, slots: Slots) -> Truth:
    steps = indexed(trace).gains.get(folded(str(slots["item"])), [])
    return nth(steps, str(slots["which"]))


def nth(steps: list[int], which: str) -> Truth:
    """The first, second, last or second last of some steps."""
    place = _NTH[which.casefold()]
    if not -len(steps) <= place < len(steps):
        return NO_ANSWER
    return Truth((str(steps[place]),), (steps[place],))


def _enter_leave(trace: Episode, slots: Slots) -> Truth:
    here, which = folded(str(slots["location"])), str(slots["which"]).casefold()
    index = indexed(trace)
    starts = [stay.first for stay in index.stays if stay.location == here]
    if which == "first leave":
        starts = [
            after.first
            for stay, after in zip(index.stays, index.stays[1:], strict=False)
            if stay.location == here and after.first == stay.last + 1
        ]
    return nth(starts, "last" if which.startswith("last") else "first")


def _keyword(trace: Episode, slots: Slots) -> Truth:
    return nth(indexed(trace).reasons_with(str(slots["keyword"])), str(slots["which"]))


def _step_template(
    name: str,
    words: str,
    answers: Callable[[Step], tuple[str, ...]],
    kind: AnswerKind = "string",
    *,
    by_reason: bool = False,
) -> Template[TextState]:
    return Template(
        name, Ability.SINGLE_HOP, Form(words), kind, choosing.at_steps, _at_step(answers), by_reason=by_reason
    )


SINGLE: tuple[Template[TextState], ...] = (
    _step_template("A_action", "At step {step:int}, what action did you execute?", commands),
    _step_template(
        "A_reason",
        "At step {step:int}, what is the first sentence of your reasoning?",
        _reason,
        by_reason=True,
    ),
    _step_template(
        "A_location",
        "Before performing the action at step {step:int}, what is your location?",
        lambda moment: location(moment.before),
    ),
    _step_template(
        "A_obs_before",
        "Before performing the action at step {step:int}, what is the observation?",
        lambda moment: observation(moment.before),
    ),
    _step_template(
        "A_obs_after",
        "After performing the action at step {step:int}, what is the resulting observation?",
        lambda moment: observation(moment.after),
    ),
    _step_template(
        "A_reward",
        "After performing the action at step {step:int}, what is the cumulative reward so far?",
        reward,
        "integer",
    ),
    Template(
        "A_valid_action",
        Ability.SINGLE_HOP,
        Form("At step {step:int}, is '{action:name}' a valid action? Answer in 'yes' or 'no'."),
        "yes-no",
        choosing.command_at_step,
        _valid,
    ),
    Template(
        "A_gain_item",
        Ability.SINGLE_HOP,
        Form("At which step did you {which:first|last} gain '{item:name}'?"),
        "integer",
        choosing.named(choosing.items, "item", ("first", "last")),
        _gain,
        ranged=True,
    ),
    Template(
        "A_enter_leave",
        Ability.SINGLE_HOP,
        Form(
            "At which step did you {which:first start being at|first leave|last start being at} "
            "'{location:name}' before performing the action?"
        ),
        "integer",
        choosing.named(
            choosing.places, "location", ("first start being at", "first leave", "last start being at")
        ),
        _enter_leave,
        ranged=True,
    ),
    Template(
        "A_keyword_occurrence",
        Ability.SINGLE_HOP,
        Form(
            "Which step is the {which:first|second|last|second last} step whose reason mentions "
            "'{keyword:name}'?"
        ),
        "integer",
        choosing.named(choosing.reason_keywords, "keyword", tuple(_NTH)),
        _keyword,
        ranged=True,
        by_reason=True,
    ),
)
