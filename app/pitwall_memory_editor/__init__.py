"""The memory editor (SPEC §3): page and commands that show, explain and change what the agent remembers.

The memory itself is `pitwall.memory`; an engine or the memory keeper holds it and takes the edits.
"""
