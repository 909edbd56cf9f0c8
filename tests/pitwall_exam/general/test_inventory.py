"""Truths of the general set, against an episode that is small enough to be reckoned by hand."""

from __future__ import annotations

import pytest

from pitwall_exam.episode.keywords import mentions, vocabulary
from pitwall_exam.episode.states import FieldState
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.template import Truth

_PLACED = " (Places count from 1; another begins once the picture changed as much as between two scenes.)"
_DONE = ("up", "jump", "jump", "wait", "jump", "up")
_WHY = ("Door ahead.", "The guard; jump!", "", "Guarded: wait.", "Guard near.", "Door.")
_SCORES = (0, 0, 2, 2, 1, 4, 4)
_MOODS = ("calm", "calm", "angry", None, "angry", "calm", "calm")
_ROUTES = ("strategic", "reactive", "reactive", "strategic", "reflex", "reactive", "reactive")
_ASKED = (("refresh",), (), (), ("stall", "loop"), (), (), ())
_PLACES = (1, 1, 2, 2, 2, 3, 3)


def episode() -> Trace[FieldState]:
    """Six moments; the field "mood" could not be read at step 4."""
    states = [
        FieldState(
            fields={"score": score, "mood": mood, "steady": 1}, route=route, escalations=asked, place=place
        )
        for score, mood, route, asked, place in zip(_SCORES, _MOODS, _ROUTES, _ASKED, _PLACES, strict=True)
    ]
    return Trace(
        [
            Moment(number + 1, _DONE[number], _WHY[number], states[number], states[number + 1])
            for number in range(6)
        ]
    )


def found(question: str, trace: Trace[FieldState]) -> Truth:
    """What the one template whose form the question has says."""
    read = [(item, slots) for item in GENERAL.templates if (slots := item.form.read(question)) is not None]
    assert len(read) == 1, [element.name for element, _ in read]
    template, slots = read[0]
    return template.find(trace, slots)


@pytest.mark.parametrize(
    ("question", "answer", "steps"),
    [
        ("Which action was carried out at step 4?", "wait", (4,)),
        ("Which reason was given for step 3?", None, ()),
        ("On which route was step 5 decided?", "reflex", (5,)),
        ("Because of what was the planner asked at step 4? Answer as a list.", "stall, loop", (4,)),
        ("What did the field 'score' read at step 5, as a number?", "1", (5,)),
        ("What did the field 'mood' read at step 4, in words?", None, ()),
        ("Give the number of the third step at which 'jump' was carried out.", "5", (5,)),
        ("Give the number of the second step whose reason has the word 'guard'.", "5", (5,)),
        ("Give the number of the last step decided on the reactive route.", "6", (6,)),
        ("Give the number of the second step at which the field 'mood' read 'angry'.", "5", (5,)),
        ("Give the number of the first step after which the field 'score' fell.", "4", (4,)),
        (
            "Which action was carried out 2 step(s) before the last step at which 'jump' was carried out?",
            "jump",
            (3, 5),
        ),
        (
            "Which action was carried out 1 step(s) after the last step decided on the reactive route?",
            None,
            (),
        ),
        (
            "What did the field 'score' read 1 step(s) after the first step after which the field 'score' "
            "fell?",
            "1",
            (4, 5),
        ),
        ("From steps 1 to 4, how many steps are there at which 'jump' was carried out?", "2", (1, 4)),
        ("From steps 2 to 6, which action was carried out most often?", "jump", (2, 6)),
        ("From steps 1 to 6, how many times in a row was 'jump' carried out at most?", "2", (1, 6)),
        ("From steps 4 to 4, how many times in a row was 'jump' carried out at most?", "0", (4,)),
        ("From steps 1 to 6, how many times in a row was 'dig' carried out at most?", None, ()),
        ("From steps 1 to 6, how many different values did the field 'mood' read?", "2", (1, 6)),
        ("From steps 2 to 5, by how much did the field 'score' change in all?", "4", (2, 5)),
        ("After which step did the field 'score' first read the highest value that it rose to?", "5", (5,)),
        (f"In which place were you at step 5?{_PLACED}", "2", (5,)),
        (f"At which step did you come to place 3?{_PLACED}", "6", (6,)),
        (f"How many steps were decided in place 2?{_PLACED}", "3", (3, 5)),
        (f"Were you in the same place at steps 2 and 3? Answer in 'yes' or 'no'.{_PLACED}", "no", (2, 3)),
        (f"At which step did you come to place 4?{_PLACED}", None, ()),
        (
            "Did the first step at which 'wait' was carried out come before the first step decided on the "
            "reflex route? Answer in 'yes' or 'no'.",
            "yes",
            (4, 5),
        ),
        (
            "How many steps lie between the first step at which 'jump' was carried out and the first step at "
            "which the planner was asked because of 'loop'?",
            "2",
            (2, 4),
        ),
        (
            "After the first step at which 'up' was carried out, how many steps later did such a step come "
            "again?",
            "5",
            (1, 6),
        ),
        (
            "How many steps at which 'jump' was carried out are also steps after which the field 'score' "
            "rose?",
            "2",
            (2, 5),
        ),
        (
            "Is every step at which 'jump' was carried out also one after which the field 'score' rose? "
            "Answer in 'yes' or 'no'.",
            "no",
            (3,),
        ),
        (
            "Is every step at which 'up' was carried out also one after which the field 'steady' fell? "
            "Answer in 'yes' or 'no'.",
            "no",
            (1,),
        ),
        (
            "Is every step at which 'dig' was carried out also one after which the field 'score' rose? "
            "Answer in 'yes' or 'no'.",
            None,
            (),
        ),
        ("Did the field 'score' read more than 2 at any step? Answer in 'yes' or 'no'.", "yes", (6,)),
        ("Which fields changed from before step 1 to after it? Answer as a list.", "none", (1,)),
        ("Which fields changed from before step 2 to after it? Answer as a list.", "mood, score", (2,)),
        ("At which steps was the planner asked because of 'stall'? Answer as a list.", "4", (4,)),
        ("At which steps was the planner asked because of 'scene'? Answer as a list.", None, ()),
    ],
)
def test_a_truth_is_what_one_reckons_by_hand(
    question: str, answer: str | None, steps: tuple[int, ...]
) -> None:
    truth = found(question, episode())
    assert (truth.answers[:1], truth.steps) == (() if answer is None else (answer,), steps)


def test_several_actions_that_come_equally_often_are_all_right() -> None:
    truth = found("From steps 1 to 2, which action was carried out most often?", episode())
    assert truth.answers == ("jump", "up")


def test_the_set_has_every_ability_but_the_adversarial_one_which_breaks_the_others() -> None:
    assert {template.ability for template in GENERAL.templates} == set(Ability) - {Ability.ADVERSARIAL}
    assert len({item.name for item in GENERAL.templates}) == len(GENERAL.templates)


def test_keywords_are_whole_words() -> None:
    assert mentions("The GUARD sleeps.", "guard")
    assert not mentions("Guarded: wait.", "guard")
    assert mentions("a way out (now)", "way out")
    assert vocabulary(["Guard the guard door", "door"]) == ["door", "guard"]
