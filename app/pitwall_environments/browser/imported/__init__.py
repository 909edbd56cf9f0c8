"""Turns a published benchmark's pages and task files into games."""
