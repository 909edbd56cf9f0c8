"""Benchmarks and their peers: the only package that may watch keys and load peers from outside.

Peers are meant to have an environment of their own. Those measured so far (Pillow, mss with XTEST, the
headless loop, writing inside the loop) need nothing beyond the development set-up, so they share it; the
first peer that conflicts brings its own.
"""
