"""The general set: questions for any run, from the part of the log that every game has.

Actions, routes, state-reader fields, escalations, places by descriptor, and keywords in reasons.
"""
