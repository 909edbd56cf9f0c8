"""The episodic-memory exam (SPEC §7): what is asked about a run, in which words, and how answers are scored.

Pure: nothing here opens a game's true state or asks a model. `evaluation/exam_*.py` makes truths,
`answering/` answers; both speak the words of this room.
"""
