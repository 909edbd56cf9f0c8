"""Widgets, formats and small models that several pages share."""
