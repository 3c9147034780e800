"""What the other ranks say when one is gone, hangs, does not come, or calls something else.

python faults.py RANKS [KIND ...]

Each kind is a job of its own, of forked processes. The last rank (in some kinds another) does what
the kind says; all others must name it, with its machine, what it was doing and the line, within
seconds. Nothing may be left: no process, no shared memory.
"""

import datetime
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import rushlight as torch
import rushlight.distributed as dist
import rushlight.multiprocessing as mp
from rushlight.distributed import leftovers, mpi

LIMIT = 1.0  # seconds that a collective may take here
DEADLINE = 15.0  # for a whole kind


def die(after=0.0):
    time.sleep(after)
    os.kill(os.getpid(), signal.SIGKILL)


def computing(bad, n):
    if bad:
        die(0.3)  # in which it tells where it is
    dist.all_reduce(torch.ones(4))


def inside(bad, n):
    if bad:
        threading.Thread(target=die, args=(0.3,)).start()
    if dist.get_rank() == 0:
        time.sleep(0.6)
    dist.all_reduce(torch.ones(4))


def receiving(bad, n):
    if bad:
        die(0.3)
    dist.recv(torch.ones(4), n - 1)


def sending(bad, n):
    if bad:
        die(0.3)
    dist.send(torch.ones(1 << 20), n - 1)


def keeper(bad, n):
    if bad:
        die(0.3)
    dist.broadcast(torch.ones(4), 0)


def hanging(bad, n):
    if bad:
        time.sleep(DEADLINE)  # it computes
    dist.all_reduce(torch.ones(4))


def raising(bad, n):
    if bad:
        raise ValueError("no such data")
    dist.all_reduce(torch.ones(4))


def leaving(bad, n):
    if bad:
        sys.exit(3)
    dist.all_reduce(torch.ones(4))


def other_call(bad, n):
    dist.broadcast(torch.ones(5), 0) if bad else dist.all_reduce(torch.ones(4))


def other_type(bad, n):
    dist.all_reduce(torch.ones(4, dtype=torch.float64 if bad else torch.float32))


def other_size(bad, n):
    dist.all_reduce(torch.ones(5 if bad else 4))


def other_root(bad, n):
    dist.broadcast(torch.ones(4), n - 1 if bad else 0)


def subgroup(bad, n):
    group = dist.new_group([n - 2, n - 1])
    if bad:
        die(0.3)
    if dist.get_rank() == n - 2:
        dist.all_reduce(torch.ones(4), group=group)
    dist.barrier()


def grouping(bad, n):
    if bad:
        die(0.3)
    dist.new_group(list(range(n)))


def without_waiting(bad, n):
    if bad:
        die(0.3)
    work = dist.all_reduce(torch.ones(4), async_op=True)
    work.wait()


def with_child(bad, n):
    """A child of the killed process lives on, as a loader's workers do for a while."""
    if bad and os.fork() == 0:
        time.sleep(5)
        os._exit(0)
    if bad:
        die(0.3)
    dist.all_reduce(torch.ones(4))


def starting(bad, n):
    """Between its joining and MPI's start."""


def starting_keeper(bad, n):
    """Likewise, rank 0."""


def finishing(bad, n):
    dist.destroy_process_group()
    if bad:
        die()


# Who is bad, what the others must say of it, and how it ends.
GONE = ["rank {r} on {host} (process ", "is gone; it was last seen ", "faults.py:"]
KINDS = {
    computing: (-1, [*GONE, "time.sleep(after)"], -9),
    inside: (-1, [*GONE, "all_reduce of float32 [4], SUM (call 2) at "], -9),
    receiving: (-1, [*GONE, "recv"], -9),
    sending: (-1, [*GONE, "send"], -9),
    keeper: (0, ["rank 0 on {host} (process ", "is gone, and the job's book with it",
                 "time.sleep(after)"], -9),
    hanging: (-1, ["all_reduce of float32 [4], SUM", "time.sleep(DEADLINE)",
                   "rank {r} on {host} (process "], -9),
    raising: (-1, ["rank {r} on {host} (process ", "raised ValueError: no such data, at ",
                   'raise ValueError("no such data")'], 1),
    leaving: (-1, ["rank {r} on {host} (process ", "has ended its program, "], 3),
    other_call: (-1, ["rank 0: all_reduce of float32 [4], SUM",
                      "rank {r}: broadcast of float32 [5], root 0", "faults.py:"], 0),
    other_type: (-1, ["rank 0: all_reduce of float32 [4]", "rank {r}: all_reduce of float64 [4]"],
                 0),
    other_size: (-1, ["rank 0: all_reduce of float32 [4]", "rank {r}: all_reduce of float32 [5]"],
                 0),
    other_root: (-1, ["rank 0: broadcast of float32 [4], root 0", "[4], root {r} (call 2)"], 0),
    subgroup: (-1, GONE, -9),
    grouping: (-1, [*GONE, "new_group"], -9),
    without_waiting: (-1, GONE, -9),
    with_child: (-1, GONE, -9),
    starting_keeper: (0, ["rank 0 on {host} (process ", "is gone", "init_process_group"], -9),
    starting: (-1, ["rank {r} on {host} (process ", "is gone", "init_process_group"], -9),
    finishing: (-1, [], -9),
}  # fmt: skip


def run(rank, kind, n, folder):
    bad = rank == KINDS[kind][0] % n
    if bad and kind in (starting, starting_keeper):
        mpi.initialize = lambda *given: die(0.3)
    try:
        dist.init_process_group(
            init_method=f"file://{folder}/meet", rank=rank, world_size=n,
            timeout=datetime.timedelta(seconds=10),
        )  # fmt: skip
        dist.group.WORLD.set_timeout(datetime.timedelta(seconds=LIMIT if kind is hanging else 10))
        dist.barrier()
        kind(bad, n)
    except dist.DistBackendError as error:
        Path(folder, f"told{rank}").write_text(str(error))


def check(kind, n):
    bad, wanted, code = KINDS[kind]
    bad %= n
    folder = tempfile.mkdtemp()
    began = time.monotonic()
    context = mp.start_processes(run, (kind, n, folder), nprocs=n, join=False, start_method="fork")
    over = lambda: [p.exitcode for r, p in enumerate(context.processes) if r != bad]  # noqa: E731
    while None in over() and time.monotonic() < began + DEADLINE:
        time.sleep(0.01)
    took = time.monotonic() - began
    if kind is hanging:
        context.processes[bad].kill()
    for process in context.processes:
        process.join(2)
    codes = [p.exitcode for p in context.processes]
    for process in context.processes:
        process.kill()
    assert None not in codes, f"{kind.__name__}: still running after {took:.1f} s: {codes}"
    assert codes == [code if r == bad else 0 for r in range(n)], (kind.__name__, codes)
    for r in range(n):
        if r != bad and wanted:
            text = Path(folder, f"told{r}").read_text()
            for part in wanted:
                part = part.format(r=bad, host=socket.gethostname())
                assert part in text, f"{kind.__name__}: rank {r}, without {part!r}:\n{text}"
    return took


def left(since):
    """Shared memory that killed processes have left behind; what others are making just now is in
    use a moment later."""
    for _ in range(20):
        found = leftovers.orphans(since)
        if not found:
            break
        time.sleep(0.1)
    return sorted(found)


if __name__ == "__main__":
    ranks, began = int(sys.argv[1]), time.time()
    for kind in KINDS:
        if kind.__name__ in (sys.argv[2:] or [kind.__name__]):
            print(f"{kind.__name__}: {check(kind, ranks):.1f} s", flush=True)
    print("left", left(began))
