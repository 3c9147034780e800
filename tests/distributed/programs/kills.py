"""Kill ranks of a job at random moments: each kill must be named, nothing may be left, and the job
must go on from its checkpoint and end with the bits of an undisturbed one.

python kills.py KILLS [RANKS [SEED]]

Jobs of RANKS ranks (4) run under `rushlight.distributed.run --max-restarts`; a job is killed up to
5 times and then left alone. A rank is killed anywhere between the start of its process and the end
of its program. Printed at last: how many kills, how long it took until the launcher and other ranks
had named the rank, what was left.
"""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

EACH, STEPS, EVERY = 5, 60, 5
NAMED = 10.0  # seconds within which a kill must be named
DEADLINE = 60.0  # for an attempt


# -- the job ---------------------------------------------------------------------------------------


def train(folder):
    import rushlight as torch
    import rushlight.distributed as dist
    from rushlight import nn

    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    path, first = folder / "checkpoint.pt", 0
    if path.exists():
        state = torch.load(path)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    model = nn.parallel.DistributedDataParallel(net)
    for step in range(first, STEPS):
        torch.manual_seed(1000 * step + rank)
        x, y = torch.randn(8, 16), torch.randint(4, (8,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % EVERY == 0 and rank == 0:
            state = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save(state, folder / "new.pt")
            os.replace(folder / "new.pt", path)  # whole, or the former one
        time.sleep(0.005)
    dist.barrier()
    if rank == 0:
        text = "".join(f"{k} {v.flatten().tolist()}\n" for k, v in net.state_dict().items())
        (folder / "result").write_text(text)
    dist.destroy_process_group()


# -- the killer ------------------------------------------------------------------------------------


def processes(run):
    """(attempt, rank) -> process, of all processes that the launcher has started for a run; others
    of the run under (attempt, None)."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            raw = Path("/proc", pid, "environ").read_bytes().decode(errors="replace")
            parent = int(Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        env = dict(v.partition("=")[::2] for v in raw.split("\0"))
        if env.get("TORCHELASTIC_RUN_ID") == run and "RANK" in env:
            key = (int(env["TORCHELASTIC_RESTART_COUNT"]), int(env["RANK"]))
            found.setdefault(key, []).append((int(pid), parent))
    return found


class Job:
    """One run of the launcher, whose lines are kept with their times."""

    def __init__(self, folder, restarts, ranks):
        self.run = f"kills-{os.getpid()}-{folder.name}"
        self.lines = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rushlight.distributed.run", "--nproc-per-node", str(ranks),
             "--max-restarts", str(restarts), "--rdzv-backend", "c10d", "--rdzv-endpoint",
             "localhost:0", "--rdzv-id", self.run, __file__, "train", str(folder)],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.append((time.monotonic(), line))

    def rank(self, attempt, rank):
        """The process of a rank, when the launcher has started it; None once the job is over."""
        deadline = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            there = processes(self.run).get((attempt, rank))
            if there:
                return next(pid for pid, parent in there if parent == self.process.pid)
            assert time.monotonic() < deadline, "the job does not start again:\n" + self.text()
            time.sleep(0.05)
        return None

    def text(self):
        return "".join(line for _, line in self.lines)

    def named(self, since, patterns):
        """Seconds until a line with each pattern had come; None for those that have not."""
        found = []
        for pattern in patterns:
            times = [t - since for t, line in list(self.lines) if re.search(pattern, line)]
            found.append(times[0] if times else None)
        return found


def disturbed(folder, count, ranks, chance):
    """Run a job and kill ranks of it; for each kill the seconds until it was named, by the launcher
    and by other ranks (None: they were still starting, or computing)."""
    job = Job(folder, count, ranks)
    kills = []
    try:
        for attempt in range(count):
            rank = chance.randrange(ranks)
            pid = job.rank(attempt, rank)
            if pid is None:
                break
            time.sleep(chance.uniform(0.0, 3.0))
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                break  # the job has ended before
            since = time.monotonic()
            launcher = rf"rank {rank} on \S+ \(process {pid}\) was ended by SIGKILL"
            others = rf"Error: .*rank {rank} on \S+ \(process {pid}\) is gone"
            while job.named(since, [launcher])[0] is None and job.process.poll() is None:
                assert time.monotonic() < since + NAMED, f"not named:\n{job.text()}"
                time.sleep(0.01)
            kills.append((since, [launcher, others]))
        assert job.process.wait(DEADLINE) == 0, job.text()
    finally:
        if job.process.poll() is None:
            job.process.terminate()
            job.process.wait(60)
    job.reader.join(10)
    left = processes(job.run)
    assert not left, left
    found = [job.named(*kill) for kill in kills]
    if found and found[-1][0] is None:
        found.pop()  # it was ending already, and well
    assert all(launcher is not None for launcher, _ in found), job.text()
    return found


def main():
    from rushlight.distributed import leftovers

    total = int(sys.argv[1])
    ranks = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    began = time.time()
    home = Path(tempfile.mkdtemp(prefix="kills-"))
    (home / "undisturbed").mkdir()
    job = Job(home / "undisturbed", 0, ranks)
    assert job.process.wait(DEADLINE) == 0, job.text()
    wanted = (home / "undisturbed" / "result").read_text()
    kills, jobs = [], 0
    while len(kills) < total:
        folder = home / f"job{jobs}"
        folder.mkdir()
        more = disturbed(folder, min(EACH, total - len(kills)), ranks, chance)
        jobs += 1
        kills += more
        assert (folder / "result").read_text() == wanted, f"other bits in {folder}"
        print(f"{len(kills)} kills, {jobs} jobs, {time.time() - began:.0f} s", flush=True)
    time.sleep(0.5)
    left = sorted(leftovers.orphans(began))
    by_ranks = [r for _, r in kills if r is not None]
    print(
        f"named by the launcher: {len(kills)}, after {max(k for k, _ in kills):.2f} s at most; "
        f"by other ranks: {len(by_ranks)}, after {max(by_ranks, default=0.0):.2f} s at most"
    )
    assert not left, left
    print(f"well: {len(kills)} kills of {jobs} jobs, each with the bits of an undisturbed one; "
          "nothing is left")  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1] == "train":
        train(Path(sys.argv[2]))
    else:
        main()
