"""Loads the ops and publishes them: what the package consists of.

`rushlight/__init__.py` imports this before anything else. All that is made here stays, so it would
be in vain to look for garbage meanwhile.
"""

from __future__ import annotations

import gc

collecting = gc.isenabled()
gc.disable()
try:
    from . import ops, publish

    ops.load()
    publish.derive()
    publish.operators()
    publish.give_names()
    namespaces = publish.namespaces
    if not gc.get_freeze_count():  # at once to the oldest generation, unseen
        gc.freeze()
        gc.unfreeze()
finally:
    if collecting:
        gc.enable()
