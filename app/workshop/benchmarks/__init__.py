"""Benchmarks and their peers: the one room that may watch keys and load peers from outside.

Peers are to live in an environment of their own. Those measured so far (Pillow, mss with XTEST, the
headless loop, writing inside the loop) need nothing beyond the development set-up and clash with
nothing in it, so that environment is theirs too; the first peer that clashes brings its own.
"""
