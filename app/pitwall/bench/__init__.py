"""Benchmarks and their peers: the one room that may watch keys and load peers from outside.

Peers are to live in an environment of their own. Those measured so far (Pillow, mss with XTEST, the
headless loop, writing inside the loop) need nothing that the program itself does not install, so that
environment is the program's; the first peer whose packages clash with ours brings its own.
"""
