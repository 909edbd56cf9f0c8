"""The grid world's inventory: every template of the source's Table 15, over Trace[GridState].

`inventory.grid_inventory` builds it. Two conventions hold throughout. "At step t" means the moment in which
step t was decided; the changes of step t hold "after completing" it. And a place or a thing counts only once
it was in sight: nothing is asked about tiles not discovered by then.
"""
