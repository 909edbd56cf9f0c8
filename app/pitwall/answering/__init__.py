"""Who answers an exam: from what the agent saw and remembers, never from a game's true state.

Fenced: nothing here may import `pitwall.evaluation`, nor the questions with their truths (`exam.paper`).
"""
