"""All of full shard in one start of processes: what each of the programs beside this one checks.

python full_shard.py RANKS
"""

import datetime
import warnings

import fully_sharded
import fully_sharded_more
import sharded
import sharded_memory
import sharded_more
import sharded_overlap

import rushlight.distributed as dist

FEW = [sharded.twenty_steps, fully_sharded.twenty_steps]
PARTS = {
    1: [*FEW, sharded_more.steps_of_their_own],
    2: [*FEW, *sharded_more.PARTS, *fully_sharded_more.PARTS, *sharded_overlap.PARTS],
    3: FEW,
    4: [sharded_memory.bytes_of_a_rank, *FEW, sharded_more.hybrid, fully_sharded_more.hybrid,
        fully_sharded_more.ways, sharded_overlap.same_bits],
}  # fmt: skip


def run(rank, n, path, names):
    warnings.filterwarnings("ignore", category=FutureWarning)
    dist.init_process_group(
        "gloo", init_method=f"file://{path}/meet", rank=rank, world_size=n,
        timeout=datetime.timedelta(seconds=60),
    )  # fmt: skip
    for part in PARTS[n]:
        part(rank, n)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    sharded.start(run)
