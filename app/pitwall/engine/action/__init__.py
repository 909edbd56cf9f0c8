"""Act: turns resolved actions into timed events, and watches the next frames for their effect."""
