"""Builds prompts from layers L1 to L5 with their caps and switches, and keeps what a run leaves to the
next."""
