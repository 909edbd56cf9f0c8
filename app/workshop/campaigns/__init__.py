"""Campaigns: hostile cases by the hundred, drawn from a seed, each with a verdict that can be had again."""
