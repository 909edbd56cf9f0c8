"""Comparing with published answers, by the command; and whatever may be wrong with its files."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.pitwall_exam.compat.published_episodes import Play, ground, line, write_lines
from typer.testing import CliRunner

from pitwall.core.errors import ExamError
from pitwall_exam.cli.compat import compat
from pitwall_exam.compat.agreement import compared as compared_over
from pitwall_exam.compat.answers import answered
from pitwall_exam.compat.catalogue import TEMPLATES
from pitwall_exam.compat.episode import Span
from pitwall_exam.compat.log_reader import read_episode
from pitwall_exam.compat.template import PublishedQuestion
from pitwall_exam.compat.world import World

PUBLISHED = os.environ.get("PITWALL_PUBLISHED_EXAMS", "")


@pytest.fixture
def played() -> Play:
    play = Play().go("MOVE_RIGHT", blocked=True, reason="Chop — a trée").go("DO", earn="collect_wood", wood=1)
    return play.many("MOVE_RIGHT", "NOOP", "MOVE_UP")


@pytest.fixture
def files(tmp_path: Path, played: Play) -> dict[str, Path]:
    on = ground({(33, 32): 5, (30, 32): 0})
    log, chart = played.written(tmp_path, on)
    world = played.world(on)
    questions = [
        line(world, "A_action", step=2),
        line(world, "C_collect_res", resource="wood"),
        line(world, "D_nearest_dir", step=1, terrain="lake"),
        line(world, "A_occ_keyword_first", which="first", keyword="tree"),
    ]
    rows = [question.model_dump() for question in questions]
    return {"log": log, "map": chart, "questions": write_lines(tmp_path / "questions_-1.jsonl", rows)}


def run(*arguments: object) -> Any:
    app = typer.Typer()
    app.command()(compat)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def compared(files: dict[str, Path]) -> dict[str, Any]:
    named = [part for name, file in files.items() for part in (f"--{name}", file)]
    result: dict[str, Any] = json.loads(run(*named, "--json").stdout)
    return result


def sentence(files: dict[str, Path]) -> str:
    """What is said instead of a comparison."""
    named = [part for name, file in files.items() for part in (f"--{name}", file)]
    error = run(*named).exception
    assert isinstance(error, ExamError), error
    assert "\n" not in str(error)
    return str(error)


def rewritten(file: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    rows = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    change(rows)
    write_lines(file, rows)


def test_agreement_is_counted_in_all_and_by_template(files: dict[str, Path]) -> None:
    result = compared(files)
    assert (result["items"], result["agreed"], result["share"]) == (4, 4, 1.0)
    assert result["templates"]["C_collect_res"] == {"items": 1, "agreed": 1}
    assert result["disagreements"] == []
    folder = run(files["log"].parent)
    assert folder.exit_code == 0
    assert "4 of 4 items agree: 100.0 %" in folder.stdout


def test_every_disagreement_is_shown_with_both_answers(files: dict[str, Path]) -> None:
    rewritten(files["questions"], lambda rows: rows[1].update(gt=7))
    result = compared(files)
    assert (result["agreed"], result["share"]) == (3, 0.75)
    [one] = result["disagreements"]
    assert (one["line"], one["template"], one["published"], one["ours"]) == (2, "C_collect_res", 7, 1)
    shown = run(files["log"].parent)
    assert shown.exit_code == 1
    assert f"{files['questions']}:2: C_collect_res: How many times did you collect wood?" in shown.stdout
    assert "published 7" in shown.stdout
    assert "ours      1" in shown.stdout


def test_a_number_does_not_agree_with_its_text(files: dict[str, Path]) -> None:
    rewritten(files["questions"], lambda rows: rows[1].update(gt="1"))
    assert compared(files)["agreed"] == 3


def test_questions_that_cannot_be_answered_count_and_say_why(files: dict[str, Path]) -> None:
    def broken(rows: list[dict[str, Any]]) -> None:
        rows.append({**rows[0], "template": "A_acton"})
        rows.append({**rows[0], "template": "A_reason"})
        rows.append({**rows[0], "range": [7, 9]})
        rows.append({**rows[0], "difficulty": "hard"})
        rows.append({"template": "A_action"})
        rows.append({"question": "Who are you?"})
        flown = (
            "Did the step when you first flew happen before or after the step when you first ate any food?"
        )
        rows.append({**rows[0], "template": "E_event_order", "question": flown})

    rewritten(files["questions"], broken)
    result = compared(files)
    assert (result["items"], result["agreed"]) == (11, 4)
    file = files["questions"]
    assert [item["problem"] for item in result["disagreements"]] == [
        f"{file}:5: no template is called 'A_acton' (did you mean 'A_action'?).",
        f"{file}:6: the question is not worded as A_reason's are: 'What is the action at step 2?'.",
        f"{file}:7: steps 8 to 10 are none of the episode's 5.",
        f"{file}:8: the question has 'hard' for 'difficulty'; expected a whole number.",
        f"{file}:9: the question has no 'type'.",
        f"{file}:10: the question has no 'type'.",
        f"{file}:11: no event is called 'you first flew'.",
    ]


_WORDS = (
    *("tree", "lake", "DO", "wood", "drink", "health", "your health value", "the terrain directly under you"),
    *("you died at the end of the episode", "your water was below 3", "place_table", "build a wood_sword"),
)
_NUMBERS = st.one_of(st.integers(-2, 8), st.integers(-(10**30), 10**30))


@given(
    template=st.sampled_from(sorted(TEMPLATES)),
    words=st.one_of(st.text(max_size=40), st.sampled_from(_WORDS)),
    numbers=st.lists(_NUMBERS, min_size=4, max_size=4),
    gt=st.one_of(
        st.none(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
        st.lists(st.text()),
        st.booleans(),
    ),
)
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_line_of_json_ends_the_comparison(
    tmp_path: Path, played: Play, template: str, words: str, numbers: list[int], gt: object
) -> None:
    step, lo, hi, offset = numbers
    slots: dict[str, str | int] = dict.fromkeys(TEMPLATES[template].form.slots, words)
    slots |= {"step": abs(step), "offset": abs(offset), "which": "last", "side": "before", "turn": "up"}
    text = f"From step {abs(lo)} to {abs(hi)}, {TEMPLATES[template].form.ask(slots)}"
    row = {"template": template, "type": words, "difficulty": 1, "range": [lo, hi], "gt": gt}
    rows = [{**row, "question": item} for item in (text, text.split(", ", 1)[1], words)]
    world = played.world()
    file = write_lines(tmp_path / "questions.jsonl", rows)
    result = compared_over(lambda question, _: answered(world, question), file)
    assert len(result.items) == 3


def test_files_may_be_packed_and_marked(files: dict[str, Path]) -> None:
    log = files["log"].read_bytes()
    files["log"].write_bytes(gzip.compress(log))
    assert compared(files)["agreed"] == 4
    files["log"].write_bytes(b"\xef\xbb\xbf" + log.replace(b"\n", b"\r\n"))
    assert compared(files)["agreed"] == 4
    files["log"].write_text(log.decode(), encoding="utf-16")
    assert compared(files)["agreed"] == 4


def test_a_log_that_is_cut_off_is_named_by_its_line(files: dict[str, Path]) -> None:
    log = files["log"]
    log.write_bytes(log.read_bytes()[:-40])
    assert sentence(files).startswith(f"{log}:5: the line is cut off in its middle.")
    log.write_bytes(gzip.compress(log.read_bytes())[:-30])
    assert sentence(files).startswith(f"{log} is a gzip archive that cannot be unpacked")


def test_a_foreign_encoding_is_named_by_its_line(files: dict[str, Path]) -> None:
    log = files["log"]
    log.write_bytes(log.read_text(encoding="utf-8").replace("—", "-").encode("latin-1"))
    assert sentence(files) == f"{log}:1: byte 0xe9 is not utf-8. Save the file as UTF-8."


def test_steps_out_of_order_are_named(files: dict[str, Path]) -> None:
    rewritten(files["log"], lambda rows: rows.reverse())
    assert f"{files['log']}:1: step 5 comes first; expected step 1." in sentence(files)
    rewritten(files["log"], lambda rows: rows.sort(key=lambda row: (row["step"] == 3, row["step"])))
    assert f"{files['log']}:3: step 4 comes after step 2; expected step 3." in sentence(files)
    rewritten(files["log"], lambda rows: rows.sort(key=lambda row: int(row["step"])))
    rewritten(files["log"], lambda rows: rows[4].update(episode=1))
    assert f"{files['log']}:5: episode 1 begins after episode 0." in sentence(files)


@pytest.mark.parametrize("content", ["", "\n\n"])
@pytest.mark.parametrize("name", ["log", "map", "questions"])
def test_empty_files_are_named(files: dict[str, Path], name: str, content: str) -> None:
    files[name].write_text(content, encoding="utf-8")
    assert sentence(files).startswith(f"{files[name]} is empty.")


@pytest.mark.parametrize("name", ["log", "map", "questions"])
def test_missing_files_are_named(files: dict[str, Path], name: str) -> None:
    files[name].unlink()
    assert sentence(files) == f"{files[name]} is not there."
    files[name].mkdir()
    assert sentence(files) == f"{files[name]} is no regular file; expected a file."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "3: the line holds '[1]', no JSON object."),
        ("{]", "3: the line is no JSON ("),
        ('{"step": 3}', "3: the step has no 'action_name'"),
        ('{"step": 3, "action_name": "DO", "info": {"inventory": {"wood": "x"}}}', "3: the step has 'x' for"),
    ],
)
def test_what_is_no_step_is_named(files: dict[str, Path], text: str, said: str) -> None:
    rows = files["log"].read_text(encoding="utf-8").splitlines()
    rows[2] = text
    files["log"].write_text("\n".join(rows), encoding="utf-8")
    assert f"{files['log']}:{said}" in sentence(files)


def test_a_map_of_another_world_is_named(files: dict[str, Path]) -> None:
    rows = files["map"].read_text(encoding="utf-8").splitlines()
    files["map"].write_text("\n".join(row[:20] for row in rows[:20]), encoding="utf-8")
    assert f"{files['log']}:1: the player is at (32, 32), outside the map of 20 × 20 tiles." in sentence(
        files
    )
    files["map"].write_text("\n".join([*rows[:4], rows[4][:-1], *rows[5:]]), encoding="utf-8")
    assert f"{files['map']}:5: the row has 63 tiles; expected 64." in sentence(files)
    files["map"].write_text("\n".join([*rows[:4], "#" * 64, *rows[5:]]), encoding="utf-8")
    assert f"{files['map']}:5: '#' is no tile." in sentence(files)


def test_what_is_to_be_compared_must_be_named(tmp_path: Path, files: dict[str, Path]) -> None:
    assert "There is nothing to compare." in str(run().exception)
    assert "A folder names its log" in str(run(tmp_path, "--log", files["log"]).exception)
    assert "is no folder" in str(run(tmp_path / "none").exception)
    (empty := tmp_path / "empty").mkdir()
    assert "holds no published log" in str(run(empty).exception)
    files["map"].unlink()
    lacking = str(run(tmp_path).exception)
    assert f"{files['log']}:1: the step has no 'game'." in lacking
    assert "Crafter's needs its map" in lacking


@pytest.mark.skipif(not PUBLISHED, reason="PITWALL_PUBLISHED_EXAMS names no folder of published exams")
def test_published_exams_are_answered_to_the_last_item() -> None:
    result = run(PUBLISHED, "--json")
    assert result.exit_code == 0, result.stdout[:2000]
    assert json.loads(result.stdout)["share"] == 1.0


@pytest.mark.skipif(not PUBLISHED, reason="PITWALL_PUBLISHED_EXAMS names no folder of published exams")
def test_published_lines_are_written_anew_word_for_word() -> None:
    from pitwall_exam.compat.answers import asked
    from pitwall_exam.compat.question_sets import sets_in

    for item in sets_in(Path(PUBLISHED)):
        if item.ground is None:
            continue
        world = World(read_episode(item.log, item.ground))
        for file in item.questions:
            horizon = int(file.stem.split("_")[-1])
            for text in file.read_text(encoding="utf-8").splitlines():
                published = PublishedQuestion.model_validate_json(text)
                template = TEMPLATES[published.template]
                read = template.read(published.question)
                assert read is not None
                assert asked(template, world, Span.until(world.last, horizon), read[0]) == published
