"""Builds the shipped model: lessons from the project's own prompt composers, tokens, model file, evaluation.

It plays games headless with the engine's controllers, trains on the recorded prompts and replies, and asks
the model host to evaluate the result. torch is used only in `language`, models run only in `host`.
"""
