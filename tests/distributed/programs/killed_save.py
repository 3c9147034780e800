"""A rank that is killed while it saves: the former checkpoint is whole, and the next save works.

python killed_save.py
"""

import datetime
import os
import signal
import sys
import tempfile
import time

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight.distributed.checkpoint import filesystem
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import Shard, distribute_tensor


def state(step):
    rows = torch.arange(6000.0).reshape(60, 100) + step
    if not dist.is_initialized():
        return {"w": rows, "step": step}
    return {"w": distribute_tensor(rows, init_device_mesh("cpu", (2,)), [Shard(0)]), "step": step}


def die():
    os.kill(os.getpid(), signal.SIGKILL)


class Dies(dcp.DefaultSavePlanner):
    def resolve_data(self, write_item):
        data = super().resolve_data(write_item)
        if write_item.index.fqn == "w":
            die()
        return data


def dies_when(where, rank):
    """Arrange that this process is killed in its next save."""
    if where == "writing" and rank == 1:
        return Dies()
    if where == "metadata" and rank == 0:  # when all is written but the last file
        filesystem.metadata_file.written = lambda value: die()
    if where == "renaming" and rank == 0:  # when it is written and has not its name yet
        os.replace = lambda a, b: die()
    return None


def run(rank, folder, where, in_background):
    dist.init_process_group(
        init_method=f"file://{folder}/meet-{where}-{in_background}", rank=rank, world_size=2,
        timeout=datetime.timedelta(seconds=20),
    )  # fmt: skip
    where_to = f"{folder}/checkpoint"
    dcp.save(state(1), checkpoint_id=where_to)
    planner = dies_when(where, rank)
    began = time.monotonic()
    try:
        if in_background:
            dcp.async_save(state(2), checkpoint_id=where_to, planner=planner).result()
        else:
            dcp.save(state(2), checkpoint_id=where_to, planner=planner)
    except (dist.DistBackendError, dcp.CheckpointException) as error:
        text = str(error)
        assert "gone" in text or "ended" in text, text
        assert time.monotonic() - began < 10, text
        with open(f"{folder}/told", "a") as file:
            file.write("told\n")


def check(folder, step):
    into = {"w": torch.zeros(60, 100), "step": 0}
    dcp.load(into, checkpoint_id=f"{folder}/checkpoint")
    assert into["step"] == step, into["step"]
    assert torch.equal(into["w"], state(step)["w"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for where, in_background in (("writing", False), ("writing", True), ("metadata", False),
                                     ("renaming", False)):  # fmt: skip
            context = start_ranks(run, (folder, where, in_background), nprocs=2, join=False)
            for process in context.processes:
                process.join(40)
            codes = sorted(process.exitcode for process in context.processes)
            assert codes == [-9, 0], codes
            check(folder, 1)
            assert len(os.listdir(f"{folder}/checkpoint")) > 3  # what the save has left
            dcp.save(state(3), checkpoint_id=f"{folder}/checkpoint")
            check(folder, 3)
            assert len(os.listdir(f"{folder}/checkpoint")) == 2, os.listdir(f"{folder}/checkpoint")
        with open(f"{folder}/told") as file:
            assert len(file.readlines()) == 4
    print("well")
    sys.stdout.flush()
