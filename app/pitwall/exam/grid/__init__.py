"""The grid world's inventory: every template of the source's Table 15, over Trace[GridState].

`inventory.grid_inventory` is its door. Two conventions hold throughout. "At step t" is the moment in which
step t was decided, and what step t changed holds "after completing" it. And a place or a thing counts only
once it was in sight: nothing is asked of tiles that were not discovered by then.
"""
