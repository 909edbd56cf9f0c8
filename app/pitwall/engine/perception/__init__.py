"""From pixels to fields: reads the fields that a profile declares from one frame."""
