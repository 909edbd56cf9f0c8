"""Answers exams from the agent's sight and memory, never from a game's true state.

An import fence keeps `pitwall_evaluation` and the questions with their truths (`questions.paper`) out.
"""
