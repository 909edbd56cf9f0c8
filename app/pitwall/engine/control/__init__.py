"""Control: which controller drives, what it does next, and what to do when that fails (SPEC §1, §2).

Pure: no input, no output and no clock in here; times are passed in.
"""
