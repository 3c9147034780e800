"""How the programs beside this one start their ranks.

Where processes can be forked safely (Linux), a rank begins with what its parent has imported. Ranks
that are spawned import everything again, four of them on two cores for as long as most of these
programs take; that is how users start theirs, and what tests/distributed/test_examples.py does.
RUSHLIGHT_TEST_START=spawn has it here too.
"""

import os
import sys

import rushlight.multiprocessing as mp

METHOD = os.environ.get("RUSHLIGHT_TEST_START", "fork" if sys.platform == "linux" else "spawn")


def start_ranks(run, args, nprocs, join=True):
    return mp.start_processes(run, args, nprocs=nprocs, join=join, start_method=METHOD)
