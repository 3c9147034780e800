"""Checkpoints that several ranks write and others read.

python checkpoint.py RANKS
"""

import os
import sys
import tempfile
import time

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight.distributed.checkpoint.format_utils import (
    BroadcastingTorchSaveReader,
    DynamicMetaLoadPlanner,
)
from rushlight.distributed.checkpoint.state_dict_loader import _load_state_dict_from_keys
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor


def whole(shape=(7, 5), seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def placements(n):
    return [Replicate(), Shard(0), Shard(1)]


def fails(call):
    try:
        call()
    except dcp.CheckpointException as error:
        return error.failures
    raise AssertionError("there was no error")


def written_once(rank, n, folder):
    """What all ranks have alike is spread over their files."""
    state = {f"w{i}": whole((100, 100), i) for i in range(2 * n)}
    state["small"] = 1
    metadata = dcp.save(state, checkpoint_id=folder)
    sizes = [os.path.getsize(f"{folder}/__{r}_0.distcp") for r in range(n)]
    assert len(os.listdir(folder)) == n + 1
    assert max(sizes) < 1.1 * min(sizes), sizes
    assert len(metadata.storage_data) == len(state)  # on all ranks
    into = {k: torch.zeros_like(v) if k != "small" else 0 for k, v in state.items()}
    dcp.load(into, checkpoint_id=folder)
    assert all(torch.equal(torch.as_tensor(into[k]), torch.as_tensor(state[k])) for k in state)


def every_cut(rank, n, folder):
    """Saved lying in one way, loaded lying in another, on as many ranks, fewer, and one."""
    mesh = init_device_mesh("cpu", (n,))
    fewer = DeviceMesh("cpu", list(range(n - 1))) if n > 1 else mesh
    shapes = {"w": (7, 5), "thin": (2, 9), "even": (8, 8), "empty": (0, 3)}
    for i, place in enumerate(placements(n)):
        where = f"{folder}/{i}"
        saved = {
            name: distribute_tensor(whole(shape), mesh, [place]) for name, shape in shapes.items()
        }
        dcp.save({"net": saved, "step": i}, checkpoint_id=where)
        for other in placements(n):
            into = {
                name: DTensor.from_local(
                    distribute_tensor(torch.zeros(shape), mesh, [other]).to_local(),
                    mesh, [other], shape=shape, stride=(shape[1], 1),
                )
                for name, shape in shapes.items()
            }  # fmt: skip
            state = {"net": into, "step": -1}
            dcp.load(state, checkpoint_id=where)
            assert state["step"] == i
            for name, shape in shapes.items():
                assert torch.equal(into[name].full_tensor(), whole(shape)), (name, place, other)
        if n > 2:
            some = {k: distribute_tensor(torch.zeros(s), fewer, [Shard(0)])
                    for k, s in shapes.items()}  # fmt: skip
            dcp.load({"net": some}, checkpoint_id=where)
            if rank < n - 1:
                for name, shape in shapes.items():
                    assert torch.equal(some[name].full_tensor(), whole(shape))
        if rank == 0:
            alone = {k: torch.zeros(s) for k, s in shapes.items()}
            dcp.load({"net": alone}, checkpoint_id=where, no_dist=True)
            assert all(torch.equal(alone[k], whole(s)) for k, s in shapes.items())
        dist.barrier()
    # one process writes, all read
    if rank == 0:
        dcp.save({"w": whole()}, checkpoint_id=f"{folder}/one", no_dist=True)
    dist.barrier()
    into = {"w": distribute_tensor(torch.zeros(7, 5), mesh, [Shard(1)])}
    dcp.load(into, checkpoint_id=f"{folder}/one")
    assert torch.equal(into["w"].full_tensor(), whole())
    if n == 4:
        grid = init_device_mesh("cpu", (2, 2))
        for here, there in (((Shard(0), Shard(1)), (Replicate(), Shard(0))),
                            ((Shard(0), Shard(0)), (Shard(1), Shard(0)))):  # fmt: skip
            dcp.save({"w": distribute_tensor(whole(), grid, here)}, checkpoint_id=f"{folder}/two")
            into = {"w": distribute_tensor(torch.zeros(7, 5), grid, there)}
            dcp.load(into, checkpoint_id=f"{folder}/two")
            assert torch.equal(into["w"].full_tensor(), whole())
    partial = {"w": DTensor.from_local(torch.ones(2), mesh, [Partial()])}
    failed = fails(lambda: dcp.save(partial, checkpoint_id=f"{folder}/no"))
    assert len(failed) == n
    assert "partial placements" in str(failed[0][0])


def one_rank_fails(rank, n, folder):
    last = n - 1

    class Odd(Exception):
        def __init__(self, a, b):  # cannot be unpickled
            super().__init__(f"{a} and {b}")

    class Fails(dcp.DefaultSavePlanner):
        def resolve_data(self, write_item):
            if rank == last:
                raise Odd("no", "no")
            return super().resolve_data(write_item)

    mesh = init_device_mesh("cpu", (n,))
    w = distribute_tensor(whole((8, 8)), mesh, [Shard(0)])
    state = {"w": w}
    dcp.save(state, checkpoint_id=folder)
    failed = fails(lambda: dcp.save(state, checkpoint_id=folder, planner=Fails()))
    assert list(failed) == [last]
    assert "Odd: no and no" in str(failed[last][0])
    done = dcp.async_save(state, checkpoint_id=folder, planner=Fails())
    assert "Odd: no and no" in str(fails(done.result)[last][0])
    dist.barrier()
    names = os.listdir(folder)
    assert len(names) == n + 1 + 2 * (n if n > 1 else 1)
    # the former checkpoint is whole; a load that fails on one rank changes nothing on others
    into = {"w": distribute_tensor(torch.zeros(8, 8), mesh, [Shard(0)])}
    dcp.load(into, checkpoint_id=folder)
    assert torch.equal(into["w"].full_tensor(), whole((8, 8)))
    dist.barrier()
    if rank == 0:
        with open(f"{folder}/__{last}_0.distcp", "r+b") as file:
            data = file.read()
            file.seek(data.index(whole((8, 8)).chunk(n)[last].numpy().tobytes()))
            file.write(b"\xff\xff")
    dist.barrier()
    into = {"w": distribute_tensor(torch.zeros(8, 8), mesh, [Shard(0)])}
    failed = fails(lambda: dcp.load(into, checkpoint_id=folder))
    assert list(failed) == [last]
    assert "checksum" in str(failed[last][0])
    assert not into["w"].to_local().any()
    dcp.save(state, checkpoint_id=folder)
    dist.barrier()
    assert len(os.listdir(folder)) == n + 1  # what was left over is gone
    dcp.load(into, checkpoint_id=folder)
    missing = fails(lambda: dcp.load(into, checkpoint_id=f"{folder}/nowhere"))
    assert len(missing) == n
    assert "there is no checkpoint here" in str(missing[last][0])
    if n > 1:
        x = torch.ones(2 + rank)
        disagree = fails(lambda: dcp.save({"x": x}, checkpoint_id=f"{folder}/x"))
        assert "disagree about 'x'" in str(disagree[0][0])


def meanwhile(rank, n, folder):
    """Collectives of the program go on while a save does, in groups and orders of their own."""

    class Slow(dcp.DefaultSavePlanner):
        def resolve_data(self, write_item):
            time.sleep(0.05 * (rank + 1))
            return super().resolve_data(write_item)

    mesh = init_device_mesh("cpu", (n,))
    w = distribute_tensor(whole((8, 8)), mesh, [Shard(0)])
    x = torch.ones(3)
    done = dcp.async_save({"w": w, "x": x, "rows": [1, {"y": torch.ones(2)}]},
                          checkpoint_id=f"{folder}/1", planner=Slow())  # fmt: skip
    w.to_local().zero_()
    x.zero_()
    count = 0
    flag = torch.ones(1)
    while flag.item():
        flag = torch.tensor([0.0 if done.done() else 1.0])
        dist.all_reduce(flag, dist.ReduceOp.MAX)
        dist.barrier()
        count += 1
    assert count > 3, count
    assert set(done.result().state_dict_metadata) == {"w", "x", "rows.0", "rows.1.y"}
    dcp.async_save({"w": w}, checkpoint_id=f"{folder}/2")
    last = dcp.async_save({"w": w}, checkpoint_id=f"{folder}/2")  # after the one before
    last.result()
    into = {"w": distribute_tensor(torch.zeros(8, 8), mesh, [Shard(1)]), "x": torch.zeros(3)}
    dcp.load(into, checkpoint_id=f"{folder}/1")
    assert torch.equal(into["w"].full_tensor(), whole((8, 8)))
    assert into["x"].all()
    dist.barrier()
    assert len(os.listdir(f"{folder}/2")) == n + 1


def by_themselves(rank, n, folder):
    dcp.save({"mine": torch.full((3,), float(rank))}, checkpoint_id=folder, use_collectives=False)
    assert f"__{rank}.metadata" in os.listdir(folder)
    into = {"mine": torch.zeros(3)}
    dcp.load(into, checkpoint_id=folder)
    assert into["mine"].tolist() == [rank] * 3
    group = dist.new_group([0])
    if rank == 0:
        dcp.save({"w": torch.ones(2)}, checkpoint_id=f"{folder}/group", process_group=group)
        found = _load_state_dict_from_keys("w", checkpoint_id=f"{folder}/group",
                                           process_group=group)  # fmt: skip
        assert found["w"].all()
    dist.barrier()


def from_a_file(rank, n, folder):
    """A file of torch.save, read by one rank, into tensors that are spread."""
    if rank == 0:
        os.mkdir(folder)
        torch.save({"net": {"w": whole(), "v": torch.ones(3)}, "step": 1}, f"{folder}/a.pt")
    dist.barrier()
    mesh = init_device_mesh("cpu", (n,))
    for place in (Shard(0), Shard(1), Replicate()):
        w = distribute_tensor(torch.zeros(7, 5), mesh, [place])
        state = {"net": {"w": w, "v": torch.zeros(3)}}
        reader = BroadcastingTorchSaveReader(f"{folder}/a.pt")
        dcp.load(state, storage_reader=reader, planner=DynamicMetaLoadPlanner())
        assert torch.equal(w.full_tensor(), whole())
        assert state["net"]["v"].all()
    for state, words in (({"net": {"w": torch.zeros(5, 7)}}, "no tensor 'net.w'"),
                         ({"step": 1}, "Non-tensor value identified at step")):  # fmt: skip
        reader = BroadcastingTorchSaveReader()
        failed = fails(lambda state=state, reader=reader: dcp.load(
            state, checkpoint_id=f"{folder}/a.pt", storage_reader=reader,
            planner=DynamicMetaLoadPlanner()))  # fmt: skip
        assert words in str(failed[0][0]), failed
    failed = fails(lambda: dcp.load({"w": whole()}, checkpoint_id=f"{folder}/none.pt",
                                    storage_reader=BroadcastingTorchSaveReader(),
                                    planner=DynamicMetaLoadPlanner()))  # fmt: skip
    assert isinstance(failed[0][0], FileNotFoundError)


def run(rank, n, folder):
    dist.init_process_group(init_method=f"file://{folder}/meet", rank=rank, world_size=n)
    for part in (written_once, every_cut, one_rank_fails, meanwhile, by_themselves, from_a_file):
        part(rank, n, f"{folder}/{part.__name__}")
        dist.barrier()
    dcp.async_save({"last": torch.ones(2)}, checkpoint_id=f"{folder}/last")
    dist.destroy_process_group()  # the save goes on, and the process waits for it


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        start_ranks(run, (ranks, folder), nprocs=ranks)
        last = {"last": torch.zeros(2)}
        dcp.load(last, checkpoint_id=f"{folder}/last")
        assert last["last"].all()
    print("well", ranks)
