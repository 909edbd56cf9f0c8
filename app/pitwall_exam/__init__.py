"""The episodic-memory exam (SPEC §7): the questions about a run, their words, and how answers are scored.

Nothing here opens a game's true state or asks a model. `evaluation/exam/` makes truths, `answering/` answers.
"""
