"""Campaigns: hundreds of hostile cases drawn from a seed, each with a reproducible verdict."""
