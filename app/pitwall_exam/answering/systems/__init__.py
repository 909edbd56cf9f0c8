"""Memory systems of the literature behind one small protocol: they observe turns, and recall for a question.

Each is our reading of its paper, with its constants named; none is the published program. Rules extract
facts, because no model that writes well ships here.
"""
