"""Thin commands over the same calls the console makes. Each prints for people, or JSON on request."""
