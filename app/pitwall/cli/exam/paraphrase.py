"""`pitwall exam make --paraphrase MODEL`: a model words each question anew, as the source asks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitwall.cli.options import print_json
from pitwall.cli.terminal import print_safely
from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder

if TYPE_CHECKING:
    from pitwall.answering.paraphrase import Paraphrase
    from pitwall.exam.questions.paper import Exam

_DEADLINE_S = 120.0
_EACH = 10
"""A person is told after so many questions."""


def paraphrased_exam(exam: Exam, model: str, data: DataFolder, *, json: bool) -> tuple[Exam, str]:
    """The exam in a model's words, and a sentence on the questions whose wording did not pass its checks.

    Raises:
        UnknownModel: there is none of this name. SettingsError: it writes no text.
    """
    from pitwall.answering.model_calls import ModelCaller
    from pitwall.answering.paraphrase import Paraphraser
    from pitwall.exam.questions.making import paraphrased
    from pitwall.models.registry import ModelRegistry

    entry = ModelRegistry(data).get(model)
    if entry.kind == "onnx":
        raise SettingsError(
            f"{entry.name} is an ONNX model: it writes no text.", "Choose a GGUF or an endpoint."
        )
    found: dict[str, Paraphrase] = {}
    with ModelCaller(data, entry, deadline_s=_DEADLINE_S) as asker:
        paraphraser = Paraphraser(asker)
        for question in exam.questions:
            terms = tuple(str(value) for value in question.slots.values())
            one = paraphraser.paraphrase(question.text, terms, lambda: False)
            assert one is not None  # nobody stops it but by a signal, which ends it all
            found[question.id] = one
            _tell(len(found), len(exam.questions), json=json)
    texts = {name: one.text for name, one in found.items() if one.text}
    return paraphrased(exam, texts, by=f"model {entry.name}"), _spoilt(found)


def _spoilt(found: dict[str, Paraphrase]) -> str:
    kept = [one.problem for one in found.values() if not one.text]
    if not kept:
        return ""
    usual = max(sorted(set(kept)), key=kept.count)
    return f"{len(kept)} of {len(found)} questions keep the template's words (mostly: {usual})."


def _tell(done: int, of: int, *, json: bool) -> None:
    if json:
        print_json({"progress": done, "of": of})
    elif done % _EACH == 0 or done == of:
        print_safely(f"{done} of {of} questions worded", dim=True)
