"""The published exam, answer for answer (SPEC §7, rule set `compat`): its files, its rules, its errors.

Kept apart from the `paper` rules on purpose: what is wrong here is meant to be wrong, so that marks can be
compared with published ones.
"""
