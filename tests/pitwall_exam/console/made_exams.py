"""Exams over recorded runs, and answers of several answerers, written as `pitwall exam` leaves them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from tests.console.recorded_runs import manifest, step, summary

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.paths import DataFolder
from pitwall.core.settings import RecordingSettings
from pitwall.store.frames import FrameStore
from pitwall.store.run_log import RunLog
from pitwall_exam.questions.abilities import Ability, AnswerKind
from pitwall_exam.questions.folder import ExamFolder
from pitwall_exam.questions.making import sealed
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, AnswererKind, Answers

Asked = tuple[str, Ability, str, AnswerKind, tuple[str, ...], tuple[int, ...]]
ASKED: tuple[Asked, ...] = (
    (
        "A_inventory",
        Ability.SINGLE_HOP,
        "How many wood_pickaxe did you have at step {step}?",
        "integer",
        ("1",),
        (57,),
    ),
    ("A_action", Ability.SINGLE_HOP, "What was the action at step {step}?", "string", ("collect",), (31,)),
    (
        "A_reason",
        Ability.SINGLE_HOP,
        "What was the reasoning at step {step}?",
        "string",
        ("The tree is one step to the left.",),
        (12,),
    ),
    (
        "A_occ_action",
        Ability.SINGLE_HOP,
        "Which step is the second step whose action is 'sleep'?",
        "integer",
        ("88",),
        (88,),
    ),
    (
        "B_action",
        Ability.MULTI_HOP,
        "What was the action 4 steps before the first step whose action is 'place_table'?",
        "string",
        ("move_left",),
        (40, 44),
    ),
    (
        "B_keyword",
        Ability.MULTI_HOP,
        "What is the action 2 steps after the first step whose reason mentions 'water'?",
        "string",
        ("drink",),
        (71, 73),
    ),
    (
        "C_longest_run",
        Ability.INDUCTION,
        "From steps {low} to {high}, what was the longest consecutive run of move_up?",
        "integer",
        ("9",),
        (14, 22),
    ),
    (
        "C_count",
        Ability.INDUCTION,
        "From steps {low} to {high}, how many times did your drink value rise?",
        "integer",
        ("6",),
        (20, 73, 74, 75, 120, 121),
    ),
    (
        "D_direction",
        Ability.SPATIAL,
        "At step {step}, in which direction was the nearest water?",
        "string",
        ("right",),
        (103,),
    ),
    (
        "D_nav",
        Ability.SPATIAL,
        "At step {step}, what is the shortest way to the nearest table?",
        "string",
        ("up 3, right 2", "right 2, up 3"),
        (44, 110),
    ),
    (
        "E_before",
        Ability.TEMPORAL,
        "Did your food value first fall below 7 before you first collected wood?",
        "yes-no",
        ("no",),
        (31, 61),
    ),
    (
        "E_order",
        Ability.TEMPORAL,
        "In which order did you first collect sapling, wood and stone?",
        "list",
        ("sapling, wood, stone",),
        (9, 31, 93),
    ),
    (
        "F_unused",
        Ability.LOGICAL,
        "What was the peak count of stone that you never used?",
        "integer",
        ("2",),
        (93, 97),
    ),
    ("F_cause", Ability.LOGICAL, "What was the cause of your death?", "string", ("zombie",), (150,)),
    (
        "A_occ_gain",
        Ability.ADVERSARIAL,
        "At which step did you first collect diamond?",
        "integer",
        (NOT_ANSWERABLE,),
        (),
    ),
    (
        "B_action",
        Ability.ADVERSARIAL,
        "What was the action 3 steps after the second step whose action is 'place_furnace'?",
        "string",
        (NOT_ANSWERABLE,),
        (),
    ),
)
SKILL = {"recall": 0.93, "retrieval": 0.55, "in-context": 0.34, "person-closed": 0.22, "person-open": 0.6}
_ACTIONS = ("move_left", "move_up", "collect", "move_right", "drink", "sleep", "place_table", "noop")
_WRONG = ("3", "up", "move_down", "stone", "yes", "12", "a long way to the left", "wood, stone, sapling")


def record_grid_run(data: DataFolder, count: int = 160, frames: int = 160) -> int:
    """A run with actions and reasons of a grid world, and a frame of each of the first steps."""
    with RunLog.open(data) as log:
        run_id = log.begin(manifest("Crafter"))
        pictures = FrameStore(data.run(run_id), RecordingSettings(frame_format="png"))
        steps = []
        for number in range(1, count + 1):
            shown = pictures.save(number, _picture(number)) if number <= frames else ""
            item = step(number, frame_ref=shown)
            fields = {"health": 9 - number // 40, "food": 8, "drink": 7, "energy": 9, "wood": number // 12}
            changes = {
                "action": SemanticAction(name=_ACTIONS[number * 7 % len(_ACTIONS)]),
                "proposal": Proposal(
                    proposal_id=1,
                    situation=f"the tree is {number % 5 + 1} steps away",
                    subgoal="Collect wood, then place a table",
                    source="skill",
                ),
                "fields": fields,
            }
            steps.append(type(item)(**{**{name: getattr(item, name) for name in item.__slots__}, **changes}))
        log.add_steps(run_id, steps)
        log.finish(run_id, summary(steps))
    return run_id


def make_exam(
    run_id: int, *, repeats: int = 1, horizon: int = 0, steps: int = 159, paraphrased: str = ""
) -> Exam:
    """An exam of all abilities; each round of it asks about other steps."""
    questions: list[Question] = []
    for again in range(repeats):
        for template, ability, words, kind, truth, evidence in ASKED:
            shift = 3 * again
            number = len(questions) + 1
            text = words.format(step=(evidence or (1,))[0] + shift, low=1 + shift, high=120 + shift)
            questions.append(
                Question(
                    id=f"{number:03}",
                    template=template,
                    ability=ability,
                    text=text,
                    paraphrase=f"Thinking back: {text[:1].lower()}{text[1:]}" if paraphrased else "",
                    kind=kind,
                    truth=truth,
                    evidence=tuple(item + shift for item in evidence),
                    lo=max(1, (evidence or (1,))[0] + shift),
                    hi=(evidence or (120,))[-1] + shift,
                )
            )
    return sealed(
        Exam(
            exam_id="",
            rule_set="paper",
            inventory="grid",
            game_id="crafter",
            run_id=run_id,
            seed=42,
            horizon=horizon,
            steps=steps,
            paraphrased=paraphrased,
            questions=tuple(questions),
        )
    )


def make_answers(
    exam: Exam,
    answerer: AnswererKind,
    name: str,
    *,
    skill: float | None = None,
    answered: int | None = None,
    seed: int = 3,
    model: str = "",
    memory: str = "",
) -> Answers:
    """Answers of an answerer that is right as often as its skill says."""
    chance, able = random.Random(f"{seed}/{name}"), SKILL[answerer] if skill is None else skill
    answers = []
    for question in exam.questions[:answered]:
        right = chance.random() < able
        text = question.truth[0] if right else chance.choice((*_WRONG, NOT_ANSWERABLE))
        answers.append(
            Answer(
                id=question.id,
                text=text,
                evidence=question.evidence if right else (chance.randint(1, 150),),
                explanation="Read off the steps where it was done."
                if right
                else "The nearest that was found.",
                seconds=round(chance.uniform(0.01, 0.4), 2),
            )
        )
    return Answers(
        exam_id=exam.exam_id,
        answerer=answerer,
        name=name,
        uses=("the run log: what it saw, did and why, in steps 1 to 159",),
        model=model,
        memory=memory,
        prompt_tokens=18_400 if model else 0,
        output_tokens=2_100 if model else 0,
        at="2026-03-01T12:00:00+00:00",
        answers=tuple(answers),
    )


def write_exam(data: DataFolder, exam: Exam, sheets: Sequence[Answers] = ()) -> list[str]:
    """Put an exam and its answers where the commands put them; returns the sheets' keys."""
    folder = ExamFolder(data, exam.exam_id)
    folder.save(exam)
    return [folder.save_answers(sheet) for sheet in sheets]


def _picture(number: int) -> np.ndarray:
    """A grid of coloured tiles, another one each step."""
    tiles = np.random.default_rng(number // 3).integers(0, 4, (7, 9))
    colours = np.asarray([(86, 141, 72), (60, 110, 58), (120, 119, 116), (60, 92, 160)], np.uint8)
    picture = np.kron(colours[tiles], np.ones((24, 24, 1), np.uint8)).astype(np.uint8)
    picture[72:96, 96:120] = (240, 205, 90)
    return np.dstack([picture[..., ::-1], np.full(picture.shape[:2], 255, np.uint8)]).copy()
