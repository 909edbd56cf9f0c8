"""Defines models for the rest of the program: requests, client, grammars, tiers. No model is loaded here."""
