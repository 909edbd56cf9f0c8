"""Games that are web pages: each in its own Chromium, with seeded chance and a steered clock."""
