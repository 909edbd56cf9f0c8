"""Suites: tasks × agents × seeds × repeats, the results of their runs, and their statistics (SPEC §6)."""
