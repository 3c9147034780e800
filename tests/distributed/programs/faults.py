"""What the other ranks say when one is gone, does not come, or calls something else.

python faults.py killed|late|different
"""

import datetime
import os
import signal
import sys
import tempfile
import time

import rushlight as torch
import rushlight.distributed as dist
import rushlight.multiprocessing as mp


def run(rank, kind, address):
    limit = 30 if kind != "late" else 1.5
    dist.init_process_group(
        init_method=address, rank=rank, world_size=3, timeout=datetime.timedelta(seconds=30)
    )
    dist.group.WORLD.set_timeout(datetime.timedelta(seconds=limit))
    dist.barrier()
    began = time.monotonic()
    try:
        if rank == 1 and kind == "killed":
            time.sleep(0.5)  # in which it tells where it is
            os.kill(os.getpid(), signal.SIGKILL)
        if rank == 1 and kind == "late":
            time.sleep(3)  # the line that the others name
        x = torch.ones(5 if rank == 1 and kind == "different" else 4)
        if rank == 1 and kind == "different":
            dist.broadcast(x, 0)
        else:
            dist.all_reduce(x)
    except dist.DistBackendError as error:
        text = str(error)
        assert time.monotonic() - began < 10, text
        if kind == "killed":
            assert "rank 1 on" in text, text
            assert "is gone" in text, text
            assert "os.kill(os.getpid()" in text or "time.sleep(0.5)" in text, text
        elif kind == "late" and rank != 1:
            assert "Timed out: all_reduce of float32 [4], SUM" in text or "in vain" in text, text
            assert "time.sleep(3)" in text or "in vain" in text, text
        elif kind == "different":
            assert "rank 0: all_reduce of float32 [4], SUM" in text, text
            assert "rank 1: broadcast of float32 [5], root 0" in text, text
            assert "faults.py:" in text, text
        print(f"rank {rank} was told", flush=True)


if __name__ == "__main__":
    address = f"file://{tempfile.mkdtemp()}/meet"
    context = mp.spawn(run, (sys.argv[1], address), nprocs=3, join=False)
    for process in context.processes:
        process.join(40)
    print([process.exitcode for process in context.processes])
    left = (
        [n for n in os.listdir("/dev/shm") if n.startswith("mpich")]
        if os.path.isdir("/dev/shm")
        else []
    )
    print("left", left)
