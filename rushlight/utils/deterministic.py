"""`torch.utils.deterministic`: settings of deterministic algorithms, which all are here."""

from __future__ import annotations

# Whether memory that is not filled is filled with NaN under deterministic algorithms. Programs set
# and read it; memory of `torch.empty` is as the machine gave it either way.
fill_uninitialized_memory = True
