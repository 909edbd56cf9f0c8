"""What a model is to the rest: requests, and later client, grammars, tiers. No model is loaded here."""
