"""Declares the Exam page for the console's navigation."""

from __future__ import annotations

from pitwall.console.kit.places import Place

EXAM = Place(
    key="exam",
    title="Exam",
    icon="mdi6.head-question-outline",
    page="pitwall_exam.console.page:ExamPage",
    order=60,
    keys=(
        ("Ctrl+N", "New exam"),
        ("Ctrl+Enter", "Have the exam answered"),
        ("Ctrl+T", "Take the exam yourself"),
        ("Ctrl+F", "Search the questions"),
        ("Ctrl+R", "Show the evidence step in the replay"),
        ("Alt+Y, Alt+C", "During an exam: not answerable, cannot remember"),
        ("Esc", "Leave the exam; it continues later at the same question"),
    ),
    keys_title="On the Exam page",
    run_command="Make an exam of this run…",
)
