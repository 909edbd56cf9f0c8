"""A page for the phone: what is played now, read-only unless pause and stop were switched on."""
