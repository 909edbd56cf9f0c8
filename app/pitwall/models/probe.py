"""Asks a model a few short questions when it is added: its abilities decide how it is asked from then on.

Every question is answered with the likeliest token, so a probe of the same file gives the same result again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pitwall.core.errors import RequestFailed
from pitwall.core.prompts import ChatRole, Layer, Message, Span
from pitwall.models.grammars.gbnf import Rules, either, literal
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Choose, Complete, Completed
from pitwall.models.language import is_language
from pitwall.models.probed import CHOOSES_WELL, Favours, Probed, PromptForm
from pitwall.models.spec import ModelSpec

Progress = Callable[[int, int], None]
_SLOT = "probe"
_DEADLINE_MS = 120_000
_LANGUAGE = "Describe in three plain English sentences what a bird does all day."
_SHORT, _LONG = 24, 64
_THINKING = 2048
"""Further tokens for a model that thinks before it replies."""
_FAVOURED = 0.6
"""Share of choices at one place from which on a model favours it; chance gives a third."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A short instruction, and a regular expression (lower case) for right replies."""

    text: str
    right: str


_FACTS = (
    _Question("What is the capital of France?", r"\bparis\b"),
    _Question("Which animal says meow, a dog or a cat?", r"^(?!.*\bdog\b).*\bcat\b"),
    _Question("What colour is the sky on a clear day?", r"\bblue\b"),
)
_INSTRUCTIONS = (
    _Question("Write the word stone and nothing else.", r"^\W*stone\W*$"),
    _Question("Answer only yes or no: is fire hot?", r"^\W*yes\W*$"),
    _Question("Count from 1 to 5.", r"(?s)1.*2.*3.*4.*5"),
)
_OBJECTS = (
    _Question('Write the colour of grass as a JSON object with the key "colour".', "colour"),
    _Question('Reply with one JSON object and nothing else: {"action": "jump"}', "action"),
    _Question('Write a JSON object whose key "count" has the value 3.', "count"),
)
_CHOICES = (
    ("The task is to collect wood. What helps?", ("cut the tree", "sleep in the bed", "look at the sky")),
    ("The player is hungry. What helps?", ("eat the food", "throw the stone", "close the door")),
    ("The door is locked. What helps?", ("use the key", "drink the water", "sit on the ground")),
)
"""A question with three options, of which the first is right; each is asked with it in every place."""
_ASIDE = "You help the player of a game. Answer briefly."


def probe(client: HostClient, spec: ModelSpec, *, template: bool, progress: Progress | None = None) -> Probed:
    """Find out in which form a model answers best, and what it can do in that form.

    Args:
        template: the model, or its endpoint, has a chat template.
        progress: called with the number of questions asked so far, and the most there can be.

    Raises:
        RequestFailed: it could not be asked. ChildDied: it killed the host.
    """
    asker = _Asker(client, spec, progress)
    forms = _forms(spec, template=template)
    asker.most = len(forms) * (len(_FACTS) + 3 * len(_CHOICES)) + len(_INSTRUCTIONS) + len(_OBJECTS) + 1
    by_form: dict[PromptForm, float] = {}
    chosen: dict[PromptForm, tuple[float, Favours]] = {}
    for form in forms:
        asker.form = form
        facts, chosen[form] = asker.share(_FACTS), asker.choices()
        by_form[form] = (facts + chosen[form][0]) / 2
        if facts == 1.0 and chosen[form][0] >= CHOOSES_WELL:
            break
    asker.form = max(by_form, key=lambda form: by_form[form])
    choice, favours = chosen[asker.form]
    probed = Probed(
        language=is_language(asker.written(_LANGUAGE, _LONG)),
        instruction=asker.share(_INSTRUCTIONS),
        json=sum(_is_object(asker.written(object.text, _LONG), object.right) for object in _OBJECTS)
        / len(_OBJECTS),
        choice=choice,
        favours=favours,
        form=asker.form,
        right_by_form=by_form,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    asker.finish()
    return probed


def _forms(spec: ModelSpec, *, template: bool) -> tuple[PromptForm, ...]:
    """Return the forms to try, the likeliest first: among equals the first wins."""
    own = (PromptForm.TEMPLATE, PromptForm.FOLDED) if template else ()
    if spec.kind == "remote":
        return own
    return (*own, PromptForm.CHATML, PromptForm.CHATML_FOLDED, PromptForm.PLAIN, PromptForm.RAW)


class _Asker:
    """Asks one model, in one form at a time."""

    def __init__(self, client: HostClient, spec: ModelSpec, progress: Progress | None) -> None:
        self._client = client
        self._spec = spec
        self._progress = progress or (lambda _done, _most: None)
        self._asked = 0
        self._thinks = False
        self.most = 0
        self.form = PromptForm.AUTO

    def finish(self) -> None:
        """Tell that no question is left, where forms were not tried."""
        self._progress(self.most, self.most)

    def share(self, questions: Sequence[_Question]) -> float:
        """Return the share of questions that it answers right."""
        right = sum(
            bool(re.search(question.right, self.written(question.text, _SHORT).lower()))
            for question in questions
        )
        return right / len(questions)

    def choices(self) -> tuple[float, Favours]:
        """Return the share of right choices, and the place that the model favours whatever is there."""
        right, places = 0, Counter[int]()
        for question, options in _CHOICES:
            for turn in range(len(options)):
                listed = [*options[turn:], *options[:turn]]
                taken = self._chosen(question, listed)
                right += taken == options[0]
                places.update([listed.index(taken)] if taken in listed else [])
        asked = sum(len(options) for _, options in _CHOICES)
        favours: Favours = ""
        for place, name in ((0, "first"), (len(_CHOICES[0][1]) - 1, "last")):
            favours = name if places[place] >= _FAVOURED * asked else favours  # type: ignore[assignment]
        return right / asked, favours

    def written(self, text: str, tokens: int) -> str:
        """Return the reply to a question; it may be empty."""
        return self._answer(
            Complete(
                request_id=self._client.number(),
                model=self._model,
                messages=self._messages(text),
                slot=_SLOT,
                max_tokens=tokens,
                deadline_ms=_DEADLINE_MS,
                stream=False,
            )
        )

    def _chosen(self, question: str, options: Sequence[str]) -> str:
        replies = tuple(json.dumps({"choice": option}, separators=(",", ":")) for option in options)
        schema = {
            "type": "object",
            "properties": {"choice": {"enum": list(options)}},
            "required": ["choice"],
            "additionalProperties": False,
        }
        listed = "".join(f"- {option}\n" for option in options)
        text = f'{question}\n{listed}Choose one. Reply: {{"choice":"..."}}'
        reply = self._answer(
            Choose(
                request_id=self._client.number(),
                model=self._model,
                messages=self._messages(text),
                slot=_SLOT,
                max_tokens=_LONG,
                options=replies,
                grammar=Rules().text(either([literal(reply) for reply in replies])),
                schema=json.dumps(schema),
                deadline_ms=_DEADLINE_MS,
                stream=False,
            )
        )
        parsed = _object_in(reply)
        return str(parsed.get("choice", "")) if parsed is not None else ""

    def _messages(self, text: str) -> tuple[Message, ...]:
        turns: tuple[tuple[ChatRole, str], ...] = (("system", f"{_ASIDE}\n"), ("user", f"{text}\n"))
        return tuple(Message(role=role, spans=(Span(layer=Layer.STATE, text=text),)) for role, text in turns)

    @property
    def _model(self) -> ModelSpec:
        return replace(self._spec, probed=Probed(language=True, form=self.form))

    def _roomy(self, request: Complete | Choose) -> Complete | Choose:
        """Return a request with room for thinking, if the model thinks before it replies."""
        return replace(request, max_tokens=_THINKING + request.max_tokens) if self._thinks else request

    def _answer(self, request: Complete | Choose) -> str:
        self._progress(self._asked, self.most)
        self._asked += 1
        try:
            answer = self._client.answer(self._roomy(request), kind=Completed)
        except RequestFailed as error:
            if error.error == "ThoughtOnly" and not self._thinks:
                self._thinks = True
                return self._answer(request)
            if error.error == "EmptyReply":
                return ""
            raise
        if answer.finish == "deadline" and not answer.text:
            raise RequestFailed(
                f"{self._spec.name} wrote nothing within {_DEADLINE_MS // 1000} s.", "Try a smaller model."
            )
        return answer.text


def _is_object(text: str, key: str) -> bool:
    parsed = _object_in(text)
    return parsed is not None and key in parsed


def _object_in(text: str) -> dict[str, object] | None:
    start = text.find("{")
    try:
        parsed = json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
