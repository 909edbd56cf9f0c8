"""Declares the [exam] table of `plugin.toml`."""

from __future__ import annotations

from pitwall.games.schema.plugin_table import PluginTable
from pitwall_exam.plugin_table.checks import exam_faults
from pitwall_exam.plugin_table.schema import ExamTable

EXAM = PluginTable(
    model=ExamTable, description="What the exam can ask about", check=exam_faults, reads_true_states=True
)
