"""Decides when to think again: the event trigger of SPEC §1, from pixels and fields to reasons."""
