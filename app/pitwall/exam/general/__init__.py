"""The general set: questions for any run, from what its log says of every game.

Actions, routes, state-reader fields, escalations, places by descriptor, and keywords in reasons.
"""
