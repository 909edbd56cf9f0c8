"""Pieces the pages are built from. They draw what they are given; none of them does I/O."""
