"""The parts of `utils.data` that programs reach by PyTorch's path to them, and the machinery of
workers.

In reading order: `collate`, `fetch` (one batch), `iterators` (one pass), `worker` (what a worker
does), `process_pool` and `process_worker` (the two ends of worker processes), `start`, `template`,
`patches`, `transport`, `shared` (how they start, how batches come), `thread_pool`, `resume`.
"""

from . import collate, fetch, pin_memory, worker
from .wrapper import ExceptionWrapper

HAS_NUMPY = True  # arrays are NumPy's here
MP_STATUS_CHECK_INTERVAL = 5.0  # PyTorch's; here the end of a worker is noticed at once

__all__ = [
    "HAS_NUMPY",
    "MP_STATUS_CHECK_INTERVAL",
    "ExceptionWrapper",
    "collate",
    "fetch",
    "pin_memory",
    "worker",
]
