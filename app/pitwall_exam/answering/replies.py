"""Answers to several questions in one reply: the reply's grammar, and reading it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.grammars.gbnf import an_object, free_text, string_of
from pitwall.models.replies.reply_object import BadReply, ReplyObject, clean, read_object
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, SheetQuestion

ANSWER_LENGTH, EXPLANATION_LENGTH = 300, 100
TOKENS_A_QUESTION = 480
"""Enough for both at one token per character, with the JSON around them."""
_SAME = frozenset({"not answerable", "unanswerable", "not answerable.", "n/a", "cannot be answered"})


def batch_shape(questions: Sequence[SheetQuestion]) -> Shape:
    """Build the grammar of an object with one answer per question, in order, each under its id."""
    ways = [
        an_object(
            [
                ("id", string_of(question.id)),
                ("answer", free_text(1, ANSWER_LENGTH)),
                ("explanation", free_text(0, EXPLANATION_LENGTH)),
            ]
        )
        for question in questions
    ]
    listed = ' "," '.join(ways)
    grammar = f'root ::= "{{\\"answers\\":[" {listed} "]}}"\n'
    schema_of_one: dict[str, Any] = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": [question.id for question in questions]},
            "answer": {"type": "string", "minLength": 1, "maxLength": ANSWER_LENGTH},
            "explanation": {"type": "string", "maxLength": EXPLANATION_LENGTH},
        },
        "required": ["id", "answer", "explanation"],
        "additionalProperties": False,
    }
    count = len(questions)
    schema = {
        "type": "object",
        "properties": {
            "answers": {"type": "array", "items": schema_of_one, "minItems": count, "maxItems": count}
        },
        "required": ["answers"],
        "additionalProperties": False,
    }
    return Shape(grammar, json.dumps(schema))


def read_batch(text: str, questions: Sequence[SheetQuestion]) -> dict[str, Answer]:
    """Read the answers of a reply by question id; questions without an answer are missing.

    A reply that is a single answer without an id belongs to the only question.

    Raises:
        BadReply: the reply contains no readable object.
    """
    reply = read_object(text, invalid=None)
    wanted = {question.id for question in questions}
    entries = reply.items("answers") if reply.has("answers") else [reply]
    answers: dict[str, Answer] = {}
    for entry in entries[: 4 * len(questions)]:
        reply_entry = entry if isinstance(entry, ReplyObject) else _object(entry)
        if reply_entry is None:
            continue
        answer = _answer(reply_entry, questions)
        if answer is not None and answer.id in wanted:
            answers.setdefault(answer.id, answer)
    return answers


def _object(entry: object) -> ReplyObject | None:
    return ReplyObject(entry, None) if isinstance(entry, dict) else None


def _answer(reply: ReplyObject, questions: Sequence[SheetQuestion]) -> Answer | None:
    try:
        named = _text(reply, "id", 40)
        text = _text(reply, "answer", ANSWER_LENGTH)
        explanation = clean(str(reply.value("explanation") or ""), EXPLANATION_LENGTH)
    except BadReply:
        return None
    if not text:
        return None
    named = named or (questions[0].id if len(questions) == 1 else "")
    if text.lower() in _SAME:
        text = NOT_ANSWERABLE
    return Answer(id=named, text=text, explanation=explanation)


def _text(reply: ReplyObject, name: str, most: int) -> str:
    """Read a text, or a number as text; a text that repeats itself is kept, for the exam's marks to judge."""
    try:
        return clean(reply.name(name), most)
    except BadReply:
        value = reply.number(name, -1e15, 1e15)
        return clean(f"{value:.15g}", most)  # a score of 1234567 is not 1.23457e+06
