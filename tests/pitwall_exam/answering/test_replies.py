"""Batches of answers: the grammar and the reading of it agree, and no reply is believed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.models.replies.reply_object import BadReply
from pitwall_exam.answering.answerer import ShouldStop
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller, prompts
from pitwall_exam.answering.paraphrase import Paraphrase, Paraphraser, fault_of
from pitwall_exam.answering.person import CANNOT_REMEMBER, TIME_UP, Reply, _answer
from pitwall_exam.answering.replies import batch_shape, read_batch
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, SheetQuestion

TWO = (SheetQuestion(id="001", text="One?"), SheetQuestion(id="002", text="Two?"))


def _reply(*answers: object) -> str:
    return json.dumps({"answers": list(answers)})


def test_each_answer_goes_to_its_question() -> None:
    result = read_batch(
        _reply({"id": "002", "answer": "b", "explanation": "x"}, {"id": "001", "answer": 12}), TWO
    )
    assert result["001"].text == "12"
    assert (result["002"].text, result["002"].explanation) == ("b", "x")


@pytest.mark.parametrize(("given", "text"), [(1234567, "1234567"), (-0.0625, "-0.0625"), (12.0, "12")])
def test_a_number_keeps_its_digits(given: float, text: str) -> None:
    assert read_batch(_reply({"id": "001", "answer": given}), TWO)["001"].text == text


def test_one_answer_without_an_id_is_the_only_question_s() -> None:
    (answer,) = read_batch('Sure: {"answer": "left", "explanation": ""}', TWO[:1]).values()
    assert (answer.id, answer.text) == ("001", "left")


@pytest.mark.parametrize("said", ["Not answerable", "N/A", "not answerable.", "Unanswerable"])
def test_ways_of_saying_that_there_is_no_answer_are_one(said: str) -> None:
    assert read_batch(_reply({"id": "001", "answer": said}), TWO)["001"].text == NOT_ANSWERABLE


def test_what_belongs_to_no_question_is_left_out() -> None:
    reply = _reply({"id": "009", "answer": "x"}, {"id": "001", "answer": ["a"]}, "002", {"id": "002"})
    assert read_batch(reply, TWO) == {}


def test_the_first_of_two_answers_counts() -> None:
    reply = _reply({"id": "001", "answer": "first"}, {"id": "001", "answer": "second"})
    assert read_batch(reply, TWO)["001"].text == "first"


def test_an_answer_counts_although_it_or_its_explanation_goes_in_circles() -> None:
    circles = "The answer is 191. " * 15
    reply = _reply(
        {"id": "001", "answer": circles, "explanation": "x"},
        {"id": "002", "answer": "129", "explanation": [circles]},
    )
    answers = read_batch(reply, TWO)
    assert answers["001"].text == circles.strip()
    assert answers["002"].text == "129"


@given(st.text(max_size=400))
@settings(max_examples=200)
def test_any_reply_is_read_or_refused(text: str) -> None:
    for reply in (text, f'{{"answers": {text}}}', f'{{"answer": {json.dumps(text)}}}'):
        try:
            result = read_batch(reply, TWO)
        except BadReply:
            continue
        assert set(result) <= {"001", "002"}


def test_the_shape_names_every_question_in_order() -> None:
    shape = batch_shape(TWO)
    assert shape.grammar.index("001") < shape.grammar.index("002")
    schema = json.loads(shape.schema)["properties"]["answers"]
    assert schema["minItems"] == schema["maxItems"] == 2


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("On step 12, how much wood had you?", ""),
        ("On step 13, how much wood had you?", "other numbers"),
        ("On step 12, how much stone had you?", "lost"),
        ("How many wood did you have at step 12?", "same sentence"),
        ("You had wood. How much at step 12?", "more than one"),
        ("Had you wood at step 12?", "another kind of answer"),
        ("An Schritt 12, wie viel wood hättest du?", "plain English"),
        ("wood 12", "shorter"),
    ],
)
def test_a_paraphrase_passes_or_its_fault_is_named(said: str, fault: str) -> None:
    result = fault_of(said, "How many wood did you have at step 12?", ("wood", "12"))
    assert fault in result if fault else result == ""


def test_what_stands_in_quotes_and_small_numbers_are_kept() -> None:
    text = "What is the action 3 steps before the first step whose action is 'move left'?"
    assert (
        fault_of("Three steps before the first 'move left', what was done?", text) == "it has other numbers"
    )
    assert "lost" in fault_of("What was done 3 steps before the first step left?", text)
    assert not fault_of("What was done 3 steps before the first time of 'move left'?", text)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("Whose reason mentions 'lamp': which step comes second?", ""),
        ("The second step whose reason mentions 'lamp' was taken.", "another kind of answer"),
        ("The second step whose reason mentions 'lamp' is which step.", "is no question"),
        ("Which step is the third step whose reason mentions 'lamp'?", "lost or added 'second'"),
        ("Which step is the second last step whose reason mentions 'lamp'?", "lost or added 'last'"),
        ("How many steps have a second reason that mentions 'lamp'?", "another kind of answer"),
    ],
)
def test_what_is_asked_must_stay(said: str, fault: str) -> None:
    result = fault_of(said, "Which step is the second step whose reason mentions 'lamp'?", ("lamp",))
    assert fault in result if fault else result == ""


class _Scripted(ModelCaller):
    """A model that says what it is told to; keeps what it was asked, and how."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.heard: list[tuple[str, float]] = []

    def ask(
        self,
        asked: ModelCall,
        stopped: ShouldStop,  # noqa: ARG002
        *,
        seed: int | None = None,  # noqa: ARG002
        temperature: float = 0.0,
    ) -> str | None:
        self.heard.append((asked.user, temperature))
        return json.dumps({"text": self.replies.pop(0)})


def test_other_words_are_drawn_where_the_likeliest_do_not_pass() -> None:
    model = _Scripted("Is Hall near?", "Can 'Hall' be reached from 'Attic' within 3 steps?")
    text = "Is 'Hall' reachable from 'Attic' within 3 steps? Answer in 'yes' or 'no'."
    result = Paraphraser(model).paraphrase(text, ("Hall", "Attic", "3"), lambda: False)
    assert result is not None
    assert result.text == "Can 'Hall' be reached from 'Attic' within 3 steps? Answer in 'yes' or 'no'."
    assert [temperature > 0 for _, temperature in model.heard] == [False, True]
    assert all("Answer in" not in asked for asked, _ in model.heard)


def test_a_question_keeps_its_words_where_none_pass() -> None:
    text = "How many wood did you have at step 12?"
    result = Paraphraser(_Scripted(text, text), tries=2).paraphrase(text, ("wood", "12"), lambda: False)
    assert result == Paraphrase(problem="it is the same sentence")


def test_a_person_s_answers() -> None:
    assert _answer("1", Reply("time-up"), 60).problem == TIME_UP
    assert _answer("1", Reply("cannot-remember"), 3).problem == CANNOT_REMEMBER
    assert _answer("1", Reply("not-answerable"), 3).text == NOT_ANSWERABLE
    assert _answer("1", Reply("text", "  two   words "), 3).text == "two words"
    assert _answer("1", Reply("text", "  "), 3).problem == CANNOT_REMEMBER


def test_the_prompts_take_what_they_are_given() -> None:
    words = prompts()
    assert '{"answers":[{"id"' in words["batch"].format(questions="001: {curly}?")
    assert "001: {curly}?" in words["batch"].format(questions="001: {curly}?")
    assert "{slots}" in words["plan"].format(question="{slots}", forms="")
    for name in ("in_context_grid", "in_context_text", "in_context_general", "retrieval"):
        assert "Crafter" in words[name].format(game="Crafter")
