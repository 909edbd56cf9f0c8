"""The words all rooms share: records, commands, settings, errors, paths. No I/O beyond small files."""
