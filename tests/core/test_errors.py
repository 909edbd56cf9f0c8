"""Texts of errors: short whatever they quote."""

from __future__ import annotations

from pitwall.core.errors import Fault, ManifestError


def test_a_fault_cuts_long_values_and_its_file_lists_fifteen() -> None:
    fault = Fault(file="plugin.toml", key="tasks." + "x" * 9_000, problem="y" * 9_000, expected="z" * 9_000)
    assert len(str(fault)) < 1_000
    message = str(ManifestError("plugin.toml", [fault] * 18))
    assert "18 faults" in message
    assert "and 3 more" in message
