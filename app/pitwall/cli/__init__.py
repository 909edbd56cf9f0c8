"""Thin commands over the calls that the console makes. Each prints for people, or JSON on request."""
