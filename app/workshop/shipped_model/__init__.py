"""Teaches the shipped model: lessons from the project's own composers, its tokens, file and scores.

It stands beside `bench`: it plays games headless with the engine's controllers, has the trainer learn what
was written down, and asks the host what the model makes of it. torch stays in `trainer`, models in `host`.
"""
