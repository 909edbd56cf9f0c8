"""Reads a freely worded question back into a template and its slots, without a model.

A question is cut into tokens (`words`), its numbers and named things are found (`mentions`, by the episode's
own `vocabulary`), each wording of each template is laid over it (`wordings`, `aligning`), and what cannot be
filled is discarded; the rest is ranked by likeness (`likeness`, `matching`).
"""
