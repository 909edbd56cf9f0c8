"""`pitwall exam list`, `show`, `score` and `compare`: exams and their marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import counted, duration_text
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.folder import ExamFolder, exams_of, open_exam
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.sheet import Answer, Answers

if TYPE_CHECKING:
    from pitwall_exam.marking.agreement import Agreement
    from pitwall_exam.marking.comparison import AnswererMarks, Difference
    from pitwall_exam.marking.distances import DistanceMark
    from pitwall_exam.marking.scoring import Mark, Marks

ExamArgument = Annotated[str, typer.Argument(help="Id of an exam, or the beginning of one.")]
KeyArgument = Annotated[
    str, typer.Argument(help="An answer sheet, like recall-1, or a name for its newest; default: all.")
]


def list_exams(
    game: Annotated[str, typer.Option("--game", help="Id of a game; empty: every game.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the exams that were made here, newest first."""
    rows, damaged = [], []
    for folder in exams_of(data_folder(data)):
        try:
            exam = folder.exam()
            rows += [(folder, exam)] if game in ("", exam.game_id) else []
        except PitwallError as error:
            damaged.append(str(error))
    sheets = {folder.exam_id: [sheet.key for sheet in folder.sheets()] for folder, _ in rows}
    exams = [
        {
            **exam.model_dump(mode="json", exclude={"questions"}),
            "questions": len(exam.questions),
            "sheets": sheets[folder.exam_id],
        }
        for folder, exam in rows
    ]
    lines: list[str | Line] = [
        f"{exam.exam_id}  {headline(exam)}  {', '.join(sheets[folder.exam_id]) or 'not answered'}"
        for folder, exam in rows
    ]
    lines += [Line(line, colour="red") for line in damaged]
    none = ["No exam was made here yet. Make one: pitwall exam make RUN"]
    Reporter(json).result({"exams": exams, "damaged": damaged}, lines or none)


def show(
    exam: ExamArgument,
    answers: Annotated[str, typer.Option(help="An answer sheet to show beside the truths.")] = "",
    ability: Annotated[Ability | None, typer.Option(help="Only questions of this ability.")] = None,
    sheet: Annotated[
        bool, typer.Option("--sheet", help="The questions as an answerer gets them, without truths.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show an exam's questions with their truths and answers."""
    folder = open_exam(data_folder(data), exam)
    paper = folder.exam()
    report = Reporter(json)
    if sheet:
        shown = paper.sheet()
        report.result(shown, (f"{question.id}  {question.text}" for question in shown.questions))
        return
    given = folder.answers(answers) if answers else None
    asked = [question for question in paper.questions if ability is None or question.ability is ability]
    body = paper.model_dump(mode="json", exclude={"questions"})
    questions = (line for question in asked for line in ("", *_question_lines(question, given)))
    report.result(
        lambda: {**body, "questions": [_question_json(question, given) for question in asked]},
        (*exam_lines(paper), *questions),
    )


def score(
    exam: ExamArgument, key: KeyArgument = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Mark answer sheets: accuracy and F1 for each ability, with 95 % intervals."""
    from pitwall_exam.marking.baselines import best_of
    from pitwall_exam.marking.comparison import marks_of
    from pitwall_exam.marking.distances import by_distance

    folder = open_exam(data_folder(data), exam)
    paper = folder.exam()
    named_sheets, damaged = _sheets(folder, key)
    sides = [marks_of(paper, answers, sheet_key) for sheet_key, answers in named_sheets]
    best = best_of(
        "text" if paper.inventory.startswith("text") else "visual",
        "steps 1 to 50" if paper.horizon else "whole episode",
    )
    distances = [by_distance([(paper, side.marks.scores)]) for side in sides]
    sheets = [
        {**_marks_json(side), "distances": [mark.model_dump() for mark in far]}
        for side, far in zip(sides, distances, strict=True)
    ]
    published = {"name": best.name, "accuracy": best.overall / 100, "f1": best.f1 / 100}
    body = {"exam_id": paper.exam_id, "sheets": sheets, "published_best": published}
    lines: list[str | Line] = [Line(line, colour="red") for line in damaged]
    if not sides and not damaged:
        lines.append(f"The exam {paper.exam_id} is not answered yet: pitwall exam answer {paper.exam_id}")
    for side, far in zip(sides, distances, strict=True):
        lines.append(Line(f"{side.key}: {side.name}, {sheet_summary(side)}", bold=True))
        lines += [*mark_lines(side.marks), *map(_distance_line, far), ""]
    if sides and paper.inventory != "general":
        best_figures = f"{best.overall:.1f} %, F1 {best.f1:.1f} (Table {best.table})"
        lines.append(f"published best, of other runs: {best.name}: {best_figures}")
    Reporter(json).result({**body, "damaged": damaged}, lines)


def compare(
    exam: ExamArgument,
    a: Annotated[str, typer.Argument(help="An answer sheet, like recall-1.")],
    b: Annotated[str, typer.Argument(help="The other one.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Compare two answer sheets of an exam, question by question, and say which differences are noise."""
    from pitwall_exam.marking.agreement import agreements
    from pitwall_exam.marking.comparison import answered_by_both
    from pitwall_exam.marking.comparison import compare as compared
    from pitwall_exam.marking.scoring import marks

    folder = open_exam(data_folder(data), exam)
    sheets = [folder.answers(key) for key in (a, b)]
    paper = answered_by_both(folder.exam(), *sheets)
    first, other = (marks(paper, sheet) for sheet in sheets)
    agree = agreements(paper, (first, sheets[0]), (other, sheets[1]))
    differences = compared(paper, first, other)
    rows = [{**row.model_dump(mode="json"), "differs": row.differs} for row in differences]
    head = f"{'':14s}{'n':>5s}{a:>16s}{b:>16s}   a - b, 95 % interval"
    body = {"exam_id": paper.exam_id, "a": a, "b": b, "differences": rows}
    body["agreement"] = [row.model_dump() for row in agree]
    Reporter(json).result(body, [head, *map(_difference_line, differences), *map(_agreement_line, agree)])


def _sheets(folder: ExamFolder, key: str) -> tuple[list[tuple[str, Answers]], list[str]]:
    """Return the named sheet, or every sheet, and the faults of those that cannot be read."""
    if key:
        return [(key, folder.answers(key))], []
    sheets, damaged = [], []
    for sheet in folder.sheets():
        try:
            sheets.append((sheet.key, folder.answers(sheet.key)))
        except PitwallError as error:
            damaged.append(str(error))
    return sheets, damaged


# ---- in words


def headline(exam: Exam) -> str:
    """Describe an exam in half a line: run, rules and questions."""
    horizon = f", steps 1 to {exam.horizon}" if exam.horizon else ""
    worded = f", worded by {exam.paraphrased}" if exam.paraphrased else ""
    rules = f"{exam.rule_set}/{exam.inventory}{horizon}, seed {exam.seed}{worded}"
    return f"run {exam.run_id} {exam.game_id}  {rules}  {len(exam.questions)} questions"


def exam_lines(exam: Exam) -> list[str]:
    """Describe an exam, with its number of questions of each ability."""
    counts, steps = question_counts(exam), counted(exam.last_step, "step")
    abilities = ", ".join(f"{counts[ability]} {ability}" for ability in Ability if counts[ability])
    return [f"exam {exam.exam_id}: {headline(exam)} over {steps}", f"  {abilities}"]


def question_counts(exam: Exam) -> dict[str, int]:
    """Count the questions of each ability."""
    return {
        ability.value: sum(question.ability is ability for question in exam.questions) for ability in Ability
    }


def mark_lines(marks: Marks) -> list[str]:
    """Format marks as a table, the overall mark first."""
    head = f"{'':14s}{'n':>5s}{'accuracy':>10s}   95 % interval{'F1':>8s}"
    return [head, *(_mark_line(mark) for mark in (marks.overall, *marks.abilities))]


def sheet_summary(side: AnswererMarks) -> str:
    """Summarise a sheet: who answered, from what, and how long it took."""
    tokens = side.sheet.prompt_tokens + side.sheet.output_tokens
    asked = f", {tokens:,} tokens" if tokens else ""
    done = f"{len(side.answers)} of {side.of} answered in {duration_text(side.seconds)}{asked}"
    return f"{done}; {'; '.join(side.sheet.uses)}"


def _mark_line(mark: Mark) -> str:
    return _figures_line(mark.ability or "overall", mark)


def _distance_line(mark: DistanceMark) -> str:
    return _figures_line(f"{mark.span} back", mark)


def _agreement_line(agreement: Agreement) -> str:
    figures = {"r": agreement.pearson, "ICC": agreement.icc, "MAE": agreement.mae, "RMSE": agreement.rmse}
    words = ", ".join(f"{name} {'—' if value is None else f'{value:.2f}'}" for name, value in figures.items())
    return f"agreement of {agreement.of} over {counted(agreement.n, 'ability', 'abilities')}: {words}"


def _figures_line(name: str, mark: Mark | DistanceMark) -> str:
    if mark.accuracy is None or mark.low is None or mark.high is None:
        return f"{name:14s}{0:5d}{'—':>10s}"
    of_f1 = getattr(mark, "f1", None)
    f1 = "—" if of_f1 is None else f"{100 * of_f1:.1f}"
    reach = f"{100 * mark.low:5.1f} … {100 * mark.high:.1f}"
    return f"{name:14s}{mark.n:5d}{100 * mark.accuracy:8.1f} %   {reach:13s}{f1:>8s}"


def _difference_line(row: Difference) -> str:
    name = row.ability or "overall"
    if row.a is None or row.b is None or row.difference is None or row.low is None or row.high is None:
        return f"{name:14s}{0:5d}{'—':>16s}{'—':>16s}"
    verdict = "" if row.differs else "   inside the noise"
    reach = f"{100 * row.low:+.1f} … {100 * row.high:+.1f}"
    figures = f"{100 * row.a:14.1f} %{100 * row.b:14.1f} %"
    return f"{name:14s}{row.n:5d}{figures}   {100 * row.difference:+.1f} points, {reach}{verdict}"


def _question_lines(question: Question, given: Answers | None) -> Sequence[str]:
    lines = [f"{question.id}  {question.ability}  {question.template}", f"  {question.asked}"]
    if question.paraphrase:
        lines.append(f"  declared: {question.text}")
    lines.append(f"  truth: {' | '.join(question.truth)}{_steps(question.evidence)}")
    if given is None:
        return lines
    answer = _answer_to(question, given)
    if answer is None:
        return [*lines, "  not answered"]
    note = answer.problem or answer.explanation
    given_text = f"{answer.text or 'no answer'}{f' ({note})' if note else ''}"
    return [*lines, f"  {_scored(question, answer):.2f}  {given_text}{_steps(answer.evidence)}"]


def _question_json(question: Question, given: Answers | None) -> dict[str, Any]:
    body: dict[str, Any] = question.model_dump(mode="json")
    if given is not None:
        answer = _answer_to(question, given)
        body["answer"] = answer
        body["score"] = _scored(question, answer) if answer else 0.0
    return body


def _marks_json(side: AnswererMarks) -> dict[str, Any]:
    about = side.sheet.model_dump(mode="json", exclude={"answers", "exam_id"})
    marks = side.marks.model_dump(mode="json", exclude={"exam_id"})
    return {"key": side.key, **about, "answered": len(side.answers), "of": side.of, **marks}


def _answer_to(question: Question, given: Answers) -> Answer | None:
    return next((answer for answer in given.answers if answer.id == question.id), None)


def _scored(question: Question, answer: Answer) -> float:
    from pitwall_exam.marking.scoring import score as scored

    return scored(question, answer.text)


def _steps(steps: Sequence[int]) -> str:
    if not steps:
        return ""
    shown = ", ".join(map(str, steps[:8]))
    return f"  [step{'s' if len(steps) > 1 else ''} {shown}{' …' if len(steps) > 8 else ''}]"
