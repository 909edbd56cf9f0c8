"""The console in another language: its catalogue, and the edge at which texts are exchanged."""
