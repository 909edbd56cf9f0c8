"""Benchmarks and their peers: the one room that may watch keys and load peers from outside."""
