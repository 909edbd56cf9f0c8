"""`pitwall exam`: asks what an agent remembers of a run, and marks the answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder
from pitwall_exam.cli.answer import answer
from pitwall_exam.cli.compat import compat
from pitwall_exam.cli.show import compare, exam_lines, list_exams, question_counts, score, show

if TYPE_CHECKING:
    from pitwall_exam.answering.paraphrase import Paraphrase
    from pitwall_exam.questions.paper import Exam

_DEADLINE_S = 120.0
"""Seconds for a model to word one question."""


def make(
    run: Annotated[int, typer.Argument(help="Id of a run, as `pitwall runs` lists them.")],
    rules: Annotated[
        Literal["paper", "compat"],
        typer.Option(help="The published rules, their errors corrected, or the published generator's."),
    ] = "paper",
    inventory: Annotated[
        Literal["own", "general", "both"],
        typer.Option(help="Questions of the game's own kind, the general ones that any run has, or both."),
    ] = "own",
    horizon: Annotated[int, typer.Option(min=0, help="Ask about steps 1 to N only; 0: all of them.")] = 0,
    seed: Annotated[int, typer.Option(help="Draws the questions.")] = 42,
    per_template: Annotated[int, typer.Option(min=1, max=50, help="Most questions of one template.")] = 2,
    persons: Annotated[
        bool, typer.Option("--persons", help="Leave out questions about reasons: persons give none.")
    ] = False,
    reworded: Annotated[
        bool, typer.Option("--reworded", help="Ask in freer words than the templates'.")
    ] = False,
    paraphrase: Annotated[
        str, typer.Option(help="Model of the registry that rewords each question; checked.")
    ] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Make an exam over a run. The same run, seed and options give the same exam everywhere."""
    from pitwall_exam.making.making import exam_of_run
    from pitwall_exam.questions.folder import ExamFolder
    from pitwall_exam.questions.rewording import reworded as freely

    if reworded and paraphrase:
        raise SettingsError("--reworded and --paraphrase exclude each other.", "Choose one.")
    folder, began_s, report = data_folder(data), time.monotonic(), Reporter(json)
    made = exam_of_run(
        folder,
        run,
        rule_set=rules,
        wanted=inventory,
        seed=seed,
        horizon=horizon,
        per_template=per_template,
        persons=persons,
    )
    result, seconds, notes = made.exam, time.monotonic() - began_s, list(made.notes)
    if reworded:
        result = freely(result)
    if paraphrase:
        result, spoilt = _paraphrased(result, paraphrase, folder, report)
        notes += [spoilt] if spoilt else []
    path = ExamFolder(folder, result.exam_id).save(result)
    body = result.model_dump(mode="json", exclude={"questions"})
    counts = question_counts(result)
    lines: list[str | Line] = [
        *(Line(note, colour="yellow") for note in notes),
        *exam_lines(result),
        f"made in {seconds:.2f} s; answer it: pitwall exam answer {result.exam_id}",
    ]
    report.result({**body, "questions": counts, "seconds": seconds, "notes": notes, "file": path}, lines)


def _paraphrased(exam: Exam, model: str, data: DataFolder, report: Reporter) -> tuple[Exam, str]:
    """Return the exam in a model's words, and a sentence about questions whose wording failed its checks.

    Raises:
        UnknownModel: there is none of this name. SettingsError: it writes no text.
    """
    from pitwall.models.registry import ModelRegistry
    from pitwall_exam.answering.model_calls import ModelCaller
    from pitwall_exam.answering.paraphrase import Paraphraser
    from pitwall_exam.questions.making import paraphrased

    entry = ModelRegistry(data).get(model)
    if entry.kind == "onnx":
        raise SettingsError(
            f"{entry.name} is an ONNX model: it writes no text.", "Choose a GGUF or an endpoint."
        )
    paraphrases: dict[str, Paraphrase] = {}
    with ModelCaller(data, entry, deadline_s=_DEADLINE_S) as asker:
        paraphraser = Paraphraser(asker)
        for question in exam.questions:
            terms = tuple(str(value) for value in question.slots.values())
            paraphrase_ = paraphraser.paraphrase(question.text, terms, lambda: False)
            assert paraphrase_ is not None  # nobody stops it but by a signal, which ends it all
            paraphrases[question.id] = paraphrase_
            done, of = len(paraphrases), len(exam.questions)
            report.progress(done, of, f"{done} of {of} questions worded")
    texts = {name: paraphrase_.text for name, paraphrase_ in paraphrases.items() if paraphrase_.text}
    return paraphrased(exam, texts, by=f"model {entry.name}"), _spoilt(paraphrases)


def _spoilt(paraphrases: dict[str, Paraphrase]) -> str:
    kept = [wording.problem for wording in paraphrases.values() if not wording.text]
    if not kept:
        return ""
    usual = max(sorted(set(kept)), key=kept.count)
    return f"{len(kept)} of {len(paraphrases)} questions keep the template's words (mostly: {usual})."


app = command_group(
    "Exams: what an agent remembers of a run, asked, answered and marked.",
    list_exams,
    *(make, answer, score, show, compare, compat),
)
