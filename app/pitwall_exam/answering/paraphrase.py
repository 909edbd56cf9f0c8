"""Questions paraphrased by a model, as in the source (Table 6), with checks that reject changed questions.

A paraphrase must keep every number, quoted text and term of the game, the wanted form of answer, and each
word that decides what is asked (before, first, nearest, most …) or a synonym of it. It must be one sentence,
a question if the original was one, and not identical. Whether the meaning is the same cannot be checked
without understanding, so the exam keeps the template's words too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pitwall.core.errors import PitwallError, RequestFailed
from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.grammars.gbnf import an_object, free_text
from pitwall.models.replies.reply_object import BadReply, read_object
from pitwall_exam.answering.answerer import ShouldStop
from pitwall_exam.answering.model_calls import CUT, ModelCall, ModelCaller, prompts
from pitwall_exam.reading.bare_question import asks_yes_no, bare
from pitwall_exam.reading.tokens import NUMBER_WORDS, stems

LONGEST = 400
TRIES = 3
_TOKENS = 120
_TEMPERATURE = 0.5
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_QUOTED = re.compile(r"(?<!\w)['\"](.+?)['\"](?!\w)")
_MORE = re.compile(r"[.!?]\s+\S")
_SENSES = {
    word: group.split()[0]
    for group in (
        *("before prior earlier preceding previous", "after later following next subsequent since"),
        *("first earliest initial", "second", "third", "last final latest"),
        *("nearest closest", "furthest farthest", "most highest maximum largest greatest biggest peak"),
        *("least fewest lowest minimum smallest", "longest", "shortest", "distinct different unique"),
        *("consecutive row straight", "each every", "not never without", "change difference"),
    )
    for word in group.split()
}
"""Words that decide what is asked → the first word of their synonym group."""
_WANTED = {
    "a number": re.compile(r"\bhow (?:many|much|often|long|far)\b|\b(?:number|count|total|length) of\b"),
    "a step": re.compile(r"\b(?:which|what) (?:\w+ )?steps?\b|\bwhen\b"),
}
_WORD = re.compile(r"[a-z]+")
_SHAPE = Shape(
    f"root ::= {an_object([('text', free_text(1, LONGEST))])}\n",
    '{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":400}},'
    '"required":["text"],"additionalProperties":false}',
)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A question in other words; with empty text, the problem why it keeps its own."""

    text: str = ""
    problem: str = ""


class Paraphraser:
    """Asks a model for a paraphrase: the likeliest first, then, if it is rejected, sampled ones.

    Args:
        tries: for one question.
    """

    def __init__(self, asker: ModelCaller, *, tries: int = TRIES) -> None:
        self._asker = asker
        self._tries = max(1, tries)

    def paraphrase(self, text: str, terms: Iterable[str], stopped: ShouldStop) -> Paraphrase | None:
        """Paraphrase a question; None if stopped.

        Args:
            terms: values of the template's slots, which the paraphrase must contain unchanged.
        """
        kept = tuple(terms)
        end = len(bare(text).rstrip())
        end += text[end : end + 1] in (".", "?", "!")
        asked, form = (text, "") if "   " in bare(text)[:end] else (text[:end], text[end:])
        problem = ""
        for seed in range(self._tries):
            try:
                reply = self._asker.ask(
                    _asked(asked), stopped, seed=seed, temperature=_TEMPERATURE if seed else 0.0
                )
                if reply is None:
                    return None
                wording = read_object(reply, invalid=None).text("text", most=LONGEST, needed=True)
            except BadReply as error:
                problem = error.what
                continue
            except RequestFailed as error:
                if error.error != CUT:
                    return Paraphrase(problem=error.what)
                problem = "it never ends"
                continue
            except PitwallError as error:
                return Paraphrase(problem=error.what)
            problem = fault_of(wording, asked, kept)
            if not problem:
                return Paraphrase(wording + form)
        return Paraphrase(problem=problem)


def fault_of(wording: str, text: str, terms: Iterable[str] = ()) -> str:
    """Describe the fault of a paraphrase, as half a sentence; "" if it passes."""
    if stems(wording) == stems(text):
        return "it is the same sentence"
    if not wording.isascii():
        return "it is not plain English"
    if _MORE.search(wording.strip()):
        return "it is more than one sentence"
    if _numbers(wording) != _numbers(text):
        return "it has other numbers"
    spoken = wording.casefold()
    for term in (*_QUOTED.findall(text), *terms):
        if not _stands(str(term).casefold(), spoken):
            return f"it lost {str(term)!r}"
    if not 0.3 <= len(wording) / max(1, len(text)) <= 3.0:
        return "it is much shorter or longer"
    if asks_yes_no(text) != asks_yes_no(wording) or _wanted(text) != _wanted(wording):
        return "it wants another kind of answer"
    if text.rstrip(". ").endswith("?") and not wording.rstrip().endswith("?"):
        return "it is no question"
    if changed := sorted((_senses(text) - _senses(wording)) | (_senses(wording) - _senses(text))):
        return f"it lost or added {changed[0]!r}"
    return ""


def _asked(text: str) -> ModelCall:
    words = prompts()
    user = words["paraphrase"].format(text=text)
    return ModelCall(system=words["paraphrase_system"], user=user, shape=_SHAPE, max_tokens=_TOKENS)


def _wanted(text: str) -> list[str]:
    plain = _QUOTED.sub("", text.casefold())
    return [kind for kind, asks in _WANTED.items() if asks.search(plain)]


def _senses(text: str) -> Counter[str]:
    words = _WORD.findall(_QUOTED.sub("", text.casefold()))
    return Counter(_SENSES[word] for word in words if word in _SENSES)


def _numbers(text: str) -> Counter[str]:
    return Counter(_NUMBERS.findall(text))


def _stands(term: str, text: str) -> bool:
    """Return whether a term occurs as whole words; a small number may be written as a word."""
    if re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text):
        return True
    return any(word in text.split() for word, number in NUMBER_WORDS.items() if str(number) == term)
