"""`pitwall exam make --paraphrase MODEL`: a model words each question anew, as the source asks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitwall.cli.reporter import Reporter
from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder

if TYPE_CHECKING:
    from pitwall.answering.paraphrase import Paraphrase
    from pitwall.exam.questions.paper import Exam

_DEADLINE_S = 120.0


def paraphrased_exam(exam: Exam, model: str, data: DataFolder, report: Reporter) -> tuple[Exam, str]:
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
            done, of = len(found), len(exam.questions)
            report.progress(done, of, f"{done} of {of} questions worded")
    texts = {name: one.text for name, one in found.items() if one.text}
    return paraphrased(exam, texts, by=f"model {entry.name}"), _spoilt(found)


def _spoilt(found: dict[str, Paraphrase]) -> str:
    kept = [one.problem for one in found.values() if not one.text]
    if not kept:
        return ""
    usual = max(sorted(set(kept)), key=kept.count)
    return f"{len(kept)} of {len(found)} questions keep the template's words (mostly: {usual})."
