"""Reads a freely worded question back into a template and its slots, without a model.

The question is split into tokens (`tokens`), and its numbers and named values are found (`mentions`, with the
episode's `vocabulary`). Each wording of each template is aligned with it (`wordings`, `alignment`).
Alignments with an empty slot are discarded; the rest are ranked by likeness (`similarity`, `matcher`).
"""
