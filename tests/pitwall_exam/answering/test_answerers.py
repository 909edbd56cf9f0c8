"""Each answerer sits a real exam: recall by rules and by a model, in context, retrieval; ends and faults."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from tests.pitwall_exam.answering.conftest import MODEL

from pitwall.core.errors import RequestFailed, SettingsError, UnknownModel
from pitwall.core.memories import Provenance
from pitwall.core.memory_kinds import ActionMemory, EpisodeMemory, GlobalNote, MemoryContent
from pitwall.core.paths import DataFolder
from pitwall.memory.database.faults import UnknownSnapshot
from pitwall.memory.store import AgentWrite, MemoryStore
from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.registry import ModelRegistry
from pitwall_exam.answering.answerer import Answerer
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller
from pitwall_exam.answering.opening import AnswererSpec, open_answerer
from pitwall_exam.answering.session import all_answered, answer_sheet, same_answerer
from pitwall_exam.marking.scoring import marks
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answers, Sheet
from workshop.fixtures.tiny_models import tiny_text_model


def _part(exam: Exam, count: int, *, start: int = 0) -> Sheet:
    sheet = exam.sheet()
    return sheet.model_copy(update={"questions": sheet.questions[start : start + count]})


def _sit(answerer: Answerer, sheet: Sheet, before: Answers | None = None) -> Answers:
    return answer_sheet(answerer, sheet, before=before, keep=lambda _: None)


def _learnt(content: MemoryContent, by: Provenance) -> AgentWrite:
    return AgentWrite(game_id="flappy", content=content, provenance=by)


def test_recall_answers_declared_questions_as_the_truth_has_them(data: DataFolder, exam: Exam) -> None:
    """The general set's truth is the log itself, so that nothing may be lost on the way."""
    with open_answerer(AnswererSpec(kind="recall"), data, exam.sheet(worded="declared")) as answerer:
        answers = _sit(answerer, exam.sheet())
    assert [answer.id for answer in answers.answers] == [question.id for question in exam.questions]
    assert not [item.problem for item in answers.answers if item.problem]
    assert marks(exam, answers).overall.accuracy == 1.0
    assert answers.model == "" and answers.prompt_tokens == 0
    assert any("run log" in use for use in answers.uses)


@pytest.mark.usefixtures("llama")
def test_a_model_answers_in_batches_under_a_grammar(data: DataFolder, exam: Exam) -> None:
    sheet = _part(exam, 3)
    with open_answerer(AnswererSpec(kind="in-context", model=MODEL, batch=2), data, sheet) as answerer:
        answers = _sit(answerer, sheet)
        again = _sit(answerer, _part(exam, 2))
    assert [answer.id for answer in answers.answers] == [question.id for question in sheet.questions]
    assert all(item.text and not item.problem for item in answers.answers)
    assert [element.text for element in again.answers] == [part.text for part in answers.answers[:2]]
    assert answers.prompt_tokens > 0 and answers.output_tokens > 0
    assert "steps 1 to 39" in answers.uses[0] and "the whole episode" in answers.uses[0]


def test_the_last_turns_are_told_and_none_after_the_horizon(data: DataFolder, exam: Exam) -> None:
    sheet = exam.sheet().model_copy(update={"last_step": 20})
    with open_answerer(AnswererSpec(kind="in-context", model=MODEL, turns=5), data, sheet) as answerer:
        message = answerer.context(sheet.questions[:1], 1.0).user  # type: ignore[attr-defined]
    assert "Step 16:" in message and "Step 20:" in message
    assert "Step 15:" not in message and "Step 21:" not in message
    assert "\nAfter step 20: bird_y 230, score 2, " in message and "place " in message
    assert "route" not in message.split("After step 20:")[1].splitlines()[0]


@pytest.mark.usefixtures("llama")
def test_retrieval_asks_the_memory_and_says_which(data: DataFolder, exam: Exam) -> None:
    sheet = _part(exam, 1)
    with MemoryStore.open(data, role="test") as store:
        by = Provenance(author="agent", run_id=1, step=7, reason="learnt")
        late = Provenance(author="agent", run_id=1, step=40, reason="the run is over")
        undated = Provenance(author="agent", run_id=1, reason="written after the run")
        store.write(
            [
                _learnt(GlobalNote(about="progress", text="a gap was met"), by),
                _learnt(GlobalNote(about="failure", text="it fell"), late),
                _learnt(EpisodeMemory(key="e", text="a run that ended", run_id=1), undated),
                _learnt(ActionMemory(state="playing bird_low", action="flap", attempts=2), by),
            ]
        )
        taken = store.keep_snapshot("flappy", "before")
    with open_answerer(AnswererSpec(kind="retrieval", model=MODEL, retrieved=2), data, sheet) as answerer:
        prompt = answerer.context(sheet.questions[:1], 1.0).user  # type: ignore[attr-defined]
        answers = _sit(answerer, sheet)
    assert prompt.count("\n- ") == 2
    assert answers.memory == taken
    assert all(answer.text for answer in answers.answers)
    wanted = AnswererSpec(kind="retrieval", model=MODEL)
    with open_answerer(wanted, data, sheet) as answerer:
        whole = answerer.context(sheet.questions[:1], 1.0).user  # type: ignore[attr-defined]
    assert "it fell" in whole and "a run that ended" in whole
    early = sheet.model_copy(update={"last_step": 10})
    wanted = AnswererSpec(kind="retrieval", model=MODEL, memory="before")
    with open_answerer(wanted, data, early) as answerer:
        prompt = answerer.context(early.questions[:1], 1.0).user  # type: ignore[attr-defined]
    assert "run 1, step 7" in prompt and "it fell" not in prompt and "a run that ended" not in prompt
    with pytest.raises(UnknownSnapshot):
        open_answerer(AnswererSpec(kind="retrieval", model=MODEL, memory="nobody's"), data, sheet)


@pytest.mark.usefixtures("llama")
def test_a_model_plans_queries_only_for_what_no_form_declares(data: DataFolder, exam: Exam) -> None:
    declared = _part(exam, 3)
    free = declared.model_copy(
        update={
            "questions": tuple(
                item.model_copy(update={"text": text})
                for item, text in zip(
                    declared.questions,
                    ("What did you do at step 9?", "How often did you flap from step 1 to 30?", "Nonsense"),
                    strict=True,
                )
            )
        }
    )
    with open_answerer(AnswererSpec(kind="recall", model=MODEL), data, declared) as answerer:
        assert _sit(answerer, declared).prompt_tokens == 0
        answers = _sit(answerer, free)
    assert answers.prompt_tokens > 0
    assert answers.model == MODEL
    assert all(
        MODEL in answer.explanation or "rules" in answer.explanation or answer.problem
        for answer in answers.answers
    )


def test_without_a_model_it_is_said_which_there_are_and_how_to_add_one(
    data: DataFolder, exam: Exam, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for kind in ("in-context", "retrieval"):
        with pytest.raises(SettingsError, match=f"--model: {MODEL}"):
            open_answerer(AnswererSpec(kind=kind), data, exam.sheet())
    with pytest.raises(SettingsError, match="pitwall models add"):
        open_answerer(
            AnswererSpec(kind="retrieval"), DataFolder(tmp_path_factory.mktemp("bare")), exam.sheet()
        )
    with pytest.raises(UnknownModel):
        open_answerer(AnswererSpec(kind="in-context", model="tinny"), data, exam.sheet())


def test_a_sitting_that_was_stopped_goes_on_where_it_was(data: DataFolder, exam: Exam) -> None:
    sheet = _part(exam, 12)
    given: list[str] = []
    kept: list[Answers] = []
    with open_answerer(AnswererSpec(kind="recall"), data, sheet) as answerer:
        first = answer_sheet(
            answerer,
            sheet,
            keep=kept.append,
            on_progress=lambda progress: given.append(progress.answer.id),
            stopped=lambda: len(given) >= 4,
        )
        assert (
            [answer.id for answer in first.answers]
            == given
            == [question.id for question in sheet.questions[:4]]
        )
        assert kept[-1] == first
        assert not all_answered(first, answerer, sheet)
        assert same_answerer(first, answerer)
        more: list[int] = []
        last = answer_sheet(
            answerer,
            sheet,
            before=first,
            keep=kept.append,
            on_progress=lambda progress: more.append(progress.done),
        )
    assert more == list(range(5, 13))
    assert all_answered(last, answerer, sheet)
    assert last.answers[:4] == first.answers


def test_a_sheet_does_not_go_on_with_another_file_of_the_same_name(data: DataFolder, exam: Exam) -> None:
    sheet = _part(exam, 1)
    wanted = AnswererSpec(kind="recall", model="changing")
    registry = ModelRegistry(data)
    sheets = []
    for seed in (5, 6):
        path = tiny_text_model(data.root / f"changing-{seed}.gguf", seed=seed)
        registry.add_file(path, name="changing", context=4096, threads=1)
        with open_answerer(wanted, data, sheet) as answerer:
            sheets.append(answer_sheet(answerer, sheet, keep=lambda _: None, stopped=lambda: True))
            same = [same_answerer(other, answerer) for other in sheets]
            kept_before = same_answerer(sheets[0].model_copy(update={"model_hash": ""}), answerer)
        registry.remove("changing")
    assert sheets[0].model == sheets[1].model and same == [False, True]
    assert kept_before, "a sheet without a hash is of an earlier Pitwall"


def test_what_was_given_is_kept_however_a_sitting_ends(data: DataFolder, exam: Exam) -> None:
    sheet = _part(exam, 6)
    kept: list[Answers] = []

    def told(_: object) -> None:
        raise KeyboardInterrupt

    with (
        open_answerer(AnswererSpec(kind="recall"), data, sheet) as answerer,
        pytest.raises(KeyboardInterrupt),
    ):
        answer_sheet(answerer, sheet, keep=kept.append, on_progress=told)
    assert [answer.id for answer in kept[-1].answers] == [sheet.questions[0].id]


@pytest.mark.usefixtures("llama")
def test_a_call_that_is_late_is_a_problem_and_is_asked_again(data: DataFolder, exam: Exam) -> None:
    sheet = _part(exam, 1)
    wanted = AnswererSpec(kind="in-context", model=MODEL, deadline_s=0.001)
    with open_answerer(wanted, data, sheet) as answerer:
        late = _sit(answerer, sheet)
    assert all("did not finish" in answer.problem and not answer.text for answer in late.answers)
    assert all(answer.seconds > 0 for answer in late.answers), "the time of a failed call counts"
    with open_answerer(AnswererSpec(kind="in-context", model=MODEL), data, sheet) as answerer:
        assert not all_answered(late, answerer, sheet)
        better = _sit(answerer, sheet, late)
    assert all(item.text and not item.problem for item in better.answers)
    assert better.prompt_tokens > late.prompt_tokens


@pytest.mark.usefixtures("llama")
def test_a_prompt_that_is_too_long_is_told_less(data: DataFolder, exam: Exam) -> None:
    registry = ModelRegistry(data)
    registry.change(MODEL, context=2048)
    try:
        sheet = _part(exam, 1)
        with open_answerer(AnswererSpec(kind="in-context", model=MODEL, turns=39), data, sheet) as answerer:
            answers = _sit(answerer, sheet)
    finally:
        registry.change(MODEL, context=4096)
    assert all(answer.text and not answer.problem for answer in answers.answers)


@pytest.mark.usefixtures("llama")
def test_an_asker_can_be_stopped_within_a_reply(data: DataFolder) -> None:
    entry = ModelRegistry(data).get(MODEL)
    endless = ModelCall(system="", user="Go on.", shape=Shape("root ::= [a-z]*", ""), max_tokens=3000)
    with ModelCaller(data, entry, deadline_s=60) as asker:
        answers: Iterator[bool] = iter([False, False, True])
        assert asker.ask(endless, lambda: next(answers, True)) is None
        began = time.monotonic()
        short = ModelCall(system="", user="Say a.", shape=Shape('root ::= "a"', ""), max_tokens=4)
        assert asker.ask(short, lambda: False) == "a"
        assert time.monotonic() - began < 30
        with pytest.raises(RequestFailed):
            asker.ask(
                ModelCall(system="", user="", shape=Shape("root ::= (", ""), max_tokens=4), lambda: False
            )
