"""The published exam, answer for answer (SPEC §7, rule set `compat`): its files, its rules, its errors.

It is separate from the `paper` rules on purpose: its errors are kept, so that marks can be compared with
published ones.
"""
