"""Answers exams from the agent's sight and memory, never from a game's true state.

Fenced: nothing here may import `pitwall.evaluation`, nor the questions with their truths (`exam.paper`).
"""
