"""`pitwall exam answer`: an answerer sits an exam; with --json, one line per answer."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pitwall.cli.options import INTERRUPTED, DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.core.errors import SettingsError, UnknownRun
from pitwall.core.paths import DataFolder

if TYPE_CHECKING:
    from pitwall_exam.answering.answerer import Answerer, Progress, ShouldStop
    from pitwall_exam.questions.folder import ExamFolder
    from pitwall_exam.questions.paper import Exam, Question
    from pitwall_exam.questions.sheet import Answer, AnswererKind, Answers, Sheet

PERSONS = ("person-closed", "person-open")
KINDS = ("recall", "in-context", "retrieval", "system", *PERSONS)

_System = Annotated[
    Literal["turns", "facts", "notes", "stores", "hybrid", "mem0"],
    typer.Option(help="Memory system that observed the episode, for the answerer `system`."),
]


def answer(
    exam: Annotated[str, typer.Argument(help="Id of an exam, or the beginning of one.")],
    answerer: Annotated[str, typer.Option(help=f"One of {', '.join(KINDS)}.")] = "recall",
    model: Annotated[str, typer.Option(help="Model of the registry that answers (or plans recall).")] = "",
    system: _System = "turns",
    memory: Annotated[
        str, typer.Option(help="Snapshot of the memory that retrieval asks; default: the current memory.")
    ] = "",
    turns: Annotated[int, typer.Option(min=0, max=200, help="Newest turns only; 0: the whole episode.")] = 0,
    retrieved: Annotated[int, typer.Option(min=1, max=64, help="Memories per question.")] = 8,
    batch: Annotated[int, typer.Option(min=1, max=32, help="Questions of one model call.")] = 4,
    deadline: Annotated[float, typer.Option(min=1, help="Seconds for one model call.")] = 120.0,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds a person has for a question.")] = 60.0,
    declared: Annotated[
        bool, typer.Option("--declared", help="Ask in the templates' own words, not in paraphrases.")
    ] = False,
    short: Annotated[
        bool,
        typer.Option("--short", help="Ask a person ten questions, and tell the right answer after each."),
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not continue an unfinished sitting.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Answer an exam. Ctrl+C ends it cleanly; the same command continues where it ended."""
    from pitwall_exam.answering.opening import AnswererSpec, open_answerer
    from pitwall_exam.cli.person import asker_of_person, show_book
    from pitwall_exam.questions.folder import open_exam

    kind, folder = _kind(answerer, short=short), data_folder(data)
    exam_folder = open_exam(folder, exam)
    exam_asked = exam_folder.exam()
    sheet, also = _sheet_of(exam_asked, kind, declared=declared, short=short)
    _check_run(folder, sheet)
    report = Reporter(json)
    seen_s = exam_folder.seen_s(kind) if kind in PERSONS and not fresh else {}
    wanted = AnswererSpec(
        kind=kind,
        model=model,
        system=system,
        memory=memory,
        turns=turns,
        retrieved=retrieved,
        batch=batch,
        deadline_s=deadline,
        seconds=seconds,
        ask=asker_of_person(report, lambda: stopping(), seen_s),
    )
    with open_answerer(wanted, folder, sheet) as sitter, stop_requested() as stopping:
        if kind == "person-open":
            show_book(folder, sheet, exam_folder.root, report)
        truths = {question.id: question for question in exam_asked.questions} if short else {}
        _sit(sitter, exam_folder, sheet, also, report, stopping, truths=truths, fresh=fresh)
        if kind in PERSONS:
            exam_folder.save_seen(kind, seen_s)
        stopped = stopping()
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _sheet_of(
    exam: Exam, kind: AnswererKind, *, declared: bool, short: bool
) -> tuple[Sheet, tuple[str, ...]]:
    """Return the questions to ask, and sentences about how they are asked."""
    from pitwall_exam.answering.session import IN_DECLARED_WORDS
    from pitwall_exam.questions.attempt import SHORT, for_persons, short_paper

    sheet = exam.sheet(worded="declared" if declared else "asked")
    also = (IN_DECLARED_WORDS,) if declared and exam.paraphrased else ()
    if kind not in PERSONS:
        return sheet, also
    chosen = {question.id for question in (short_paper if short else for_persons)(exam)}
    questions = tuple(question for question in sheet.questions if question.id in chosen)
    return sheet.model_copy(update={"questions": questions}), (SHORT, *also) if short else also


def _sit(
    sitter: Answerer,
    exam_folder: ExamFolder,
    sheet: Sheet,
    also: tuple[str, ...],
    report: Reporter,
    stopping: ShouldStop,
    *,
    truths: Mapping[str, Question],
    fresh: bool,
) -> None:
    """Let the answerer answer, continuing its unfinished sitting unless `fresh`; report the answers.

    Args:
        truths: questions whose right answers are told after the answer.
    """
    from pitwall_exam.answering.session import all_answered, answer_sheet
    from pitwall_exam.questions.folder import KeptAnswers

    key, before = ("", None) if fresh else _unfinished(exam_folder, sitter, sheet, also)
    _begun(report, sitter, before)
    kept = KeptAnswers(exam_folder, key)
    answers = answer_sheet(
        sitter,
        sheet,
        keep=kept.keep,
        before=before,
        on_progress=lambda progress: _answered(report, progress, truths.get(progress.answer.id)),
        stopped=stopping,
        also=also,
    )
    _end(answers, kept.key, exam_folder, report, whole=all_answered(answers, sitter, sheet))


def _kind(answerer: str, *, short: bool) -> AnswererKind:
    if short and not answerer.startswith("person"):
        raise SettingsError("--short is for a person.", "Add --answerer person-closed or person-open.")
    for kind in KINDS:
        if answerer == kind:
            return kind  # type: ignore[return-value]
    raise SettingsError(f"there is no answerer {answerer!r}.", f"There are: {', '.join(KINDS)}.")


def _check_run(folder: DataFolder, sheet: Sheet) -> None:
    from pitwall.store.run_reader import RunReader

    with contextlib.closing(RunReader(folder)) as reader:
        row = reader.run(sheet.run_id)
    if row.manifest.game_id != sheet.game_id:
        raise UnknownRun(
            f"run {sheet.run_id} is of {row.manifest.game_id!r}, and the exam is about {sheet.game_id!r}.",
            "Answer it in the data folder in which it was made.",
        )


def _unfinished(
    exam_folder: ExamFolder, sitter: Answerer, sheet: Sheet, also: tuple[str, ...]
) -> tuple[str, Answers | None]:
    """Return the newest unfinished sitting of this answerer, by its key; none if all are finished."""
    from pitwall_exam.answering.session import all_answered, same_answerer

    for key, answers in exam_folder.kept():
        if same_answerer(answers, sitter, also) and not all_answered(answers, sitter, sheet):
            return key, answers
    return "", None


def _begun(report: Reporter, sitter: Answerer, before: Answers | None) -> None:
    about, done = sitter.about, 0 if before is None else len(before.answers)
    again = [f"{done} answers were given before; it continues there."] if done else []
    body = {"answerer": about.kind, "name": about.name, "uses": about.uses, "kept": done}
    report.event(body, f"{about.name}, with {'; '.join(about.uses)}", *again)


def _answered(report: Reporter, progress: Progress, question: Question | None) -> None:
    answer = progress.answer.model_dump(mode="json")
    body: dict[str, Any] = {
        "progress": progress.done,
        "of": progress.of,
        "left_s": progress.left_s,
        "answer": answer,
    }
    lines = [f"{progress.done:4d} of {progress.of}  {_line(progress.answer)}"]
    if question is not None:
        from pitwall_exam.marking.scoring import score

        mark = score(question, progress.answer.text)
        body |= {"score": mark, "truth": question.truth, "evidence": question.evidence}
        steps = f"  [steps {_steps(question.evidence)}]" if question.evidence else ""
        verdict = "Right." if mark >= 1 else "Partly right." if mark > 0 else "Wrong."
        lines.append(f"      {verdict} The right answer: {' | '.join(question.truth)}{steps}")
    report.event(body, *lines)


def _line(answer: Answer) -> str:
    text = answer.text or f"no answer: {answer.problem}"
    steps = f"  [steps {_steps(answer.evidence)}]" if answer.evidence else ""
    return f"{answer.id}: {text}{steps}"


def _steps(steps: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, steps[:6]))
    return f"{shown} …" if len(steps) > 6 else shown


def _end(answers: Answers, key: str, exam_folder: ExamFolder, report: Reporter, *, whole: bool) -> None:
    problems = sum(1 for answer in answers.answers if answer.problem)
    body = {
        "exam": exam_folder.exam_id,
        "answers": key,
        "given": len(answers.answers),
        "problems": problems,
        "whole": whole,
        "prompt_tokens": answers.prompt_tokens,
        "output_tokens": answers.output_tokens,
    }
    mark = f"pitwall exam score {exam_folder.exam_id} {key}"
    lines = [
        f"{len(answers.answers)} answers, {problems} questions without one; kept as {key}",
        f"mark them: {mark}" if whole else f"repeat the command to continue; mark the answers so far: {mark}",
    ]
    report.result(body, lines if answers.answers else ["Nothing was answered."])
