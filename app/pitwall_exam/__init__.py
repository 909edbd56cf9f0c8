"""The episodic-memory exam (SPEC §7): the questions about a run, their words, and how answers are scored.

`making/` computes truths from a game's true states, `answering/` answers; the rest opens no true state and
asks no model.
"""
