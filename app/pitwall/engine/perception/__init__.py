"""From pixels to fields: what the profile's state reader declares, read from one frame."""
