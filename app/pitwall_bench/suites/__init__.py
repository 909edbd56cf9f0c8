"""Suites: tasks × agents × seeds × repeats, what came of each run, and what that says (SPEC §6)."""
