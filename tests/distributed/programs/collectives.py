"""Each collective on each rank, against what NumPy computes of all ranks' numbers.

python collectives.py RANKS METHOD [messages | chunks]

Without a third word arrays go through shared memory, as they do on one machine; `messages` are what
ranks on several machines send; `chunks` makes the shared slots so small that all arrays are cut.
"""

import datetime
import sys
import tempfile

import numpy as np
from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed import ReduceOp

TYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64,
    torch.uint8, torch.bool, torch.complex64,
]  # fmt: skip
SHAPES = [(), (0,), (5,), (3, 4), (40_000,)]


def numbers(rank, shape, dtype):
    x = (np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape) % 3 + rank) % 4
    return torch.tensor(x).to(dtype)


def expected(op, rows):
    if op is ReduceOp.AVG:
        return sum(rows[1:], rows[0]) / len(rows)
    fold = {
        ReduceOp.SUM: torch.add, ReduceOp.PRODUCT: torch.mul, ReduceOp.MIN: torch.minimum,
        ReduceOp.MAX: torch.maximum, ReduceOp.BAND: torch.bitwise_and,
        ReduceOp.BOR: torch.bitwise_or, ReduceOp.BXOR: torch.bitwise_xor,
    }[op]  # fmt: skip
    out = rows[0].clone()
    for row in rows[1:]:
        out = fold(out, row)
    return out


def ops_of(dtype):
    if dtype.is_complex:
        return [ReduceOp.SUM, ReduceOp.AVG]
    found = [ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX]
    if dtype.is_floating_point:
        return [*found, ReduceOp.AVG]
    return [*found, ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR]


def same(a, b):
    assert a.dtype is b.dtype, (a.dtype, b.dtype)
    assert a.shape == b.shape, (a.shape, b.shape)
    assert torch.equal(a, b), (a, b)


def reductions(rank, n):
    for dtype in TYPES:
        for shape in SHAPES:
            rows = [numbers(r, shape, dtype) for r in range(n)]
            for op in ops_of(dtype):
                wanted = expected(op, rows)
                x = rows[rank].clone()
                version = x._version
                assert dist.all_reduce(x, op) is None
                same(x, wanted)
                assert x._version == version + 1
                x = rows[rank].clone()
                dist.reduce(x, n - 1, op)
                same(x, wanted if rank == n - 1 else x)
            out = torch.empty(shape, dtype=dtype)
            dist.reduce_scatter(out, [numbers(rank + r, shape, dtype) for r in range(n)])
            same(out, expected(ReduceOp.SUM, [numbers(rank + r, shape, dtype) for r in range(n)]))
    x = torch.arange(12.0).reshape(3, 4).t()  # not contiguous
    dist.all_reduce(x)
    same(x, torch.arange(12.0).reshape(3, 4).t() * n)
    y = torch.tensor([1.0, 0.0] * 3)
    dist.all_reduce(y[::2])
    same(y, torch.tensor([float(n), 0.0] * 3))


def moves(rank, n):
    for dtype in TYPES:
        for shape in SHAPES:
            rows = [numbers(r, shape, dtype) for r in range(n)]
            mine = rows[rank]
            outs = [torch.empty(shape, dtype=dtype) for _ in range(n)]
            dist.all_gather(outs, mine)
            for a, b in zip(outs, rows, strict=True):
                same(a, b)
            for root in range(n):
                x = mine.clone()
                dist.broadcast(x, root)
                same(x, rows[root])
                outs = [torch.empty(shape, dtype=dtype) for _ in range(n)] if rank == root else None
                dist.gather(mine, outs, root)
                for a, b in zip(outs or [], rows, strict=False):
                    same(a, b)
                x = torch.empty(shape, dtype=dtype)
                dist.scatter(x, rows if rank == root else None, root)
                same(x, mine)
            outs = [torch.empty(shape, dtype=dtype) for _ in range(n)]
            dist.all_to_all(outs, [numbers(rank + r, shape, dtype) for r in range(n)])
            for r, out in enumerate(outs):
                same(out, numbers(rank + r, shape, dtype))
    into = torch.empty(2 * n)
    dist.all_gather_into_tensor(into, torch.full((2,), float(rank)))
    same(into, torch.arange(float(n)).repeat_interleave(2))
    # rank r sends s + 1 numbers to rank s
    cuts = [s + 1 for s in range(n)]
    sent = torch.full((sum(cuts),), float(rank))
    got = torch.empty((rank + 1) * n)
    dist.all_to_all_single(got, sent, [rank + 1] * n, cuts)
    same(got, torch.arange(float(n)).repeat_interleave(rank + 1))
    out = torch.empty(3)
    dist.reduce_scatter_tensor(out, torch.arange(3.0 * n))
    same(out, torch.arange(3.0 * rank, 3.0 * rank + 3) * n)


def without_waiting(rank, n):
    xs = [torch.full((k + 1,), float(rank)) for k in range(20)]
    works = [dist.all_reduce(x, async_op=True) for x in xs]
    dist.barrier()
    for k, (x, work) in enumerate(zip(xs, works, strict=True)):
        assert work.wait()
        assert work.is_completed()
        assert work.is_success()
        assert work.get_future().value()[0] is x
        same(x, torch.full((k + 1,), float(sum(range(n)))))


def messages(rank, n):
    if n == 1:
        return
    right, left = (rank + 1) % n, (rank - 1) % n
    got, sent = torch.empty(3), torch.full((3,), float(rank))
    works = dist.batch_isend_irecv(
        [dist.P2POp(dist.isend, sent, right), dist.P2POp(dist.irecv, got, left)]
    )
    for work in works:
        work.wait()
    same(got, torch.full((3,), float(left)))
    big = torch.full((LARGE[0],), float(rank))
    if rank == 0:
        for r in range(1, n):
            dist.send(big, r, tag=r)
        seen = set()
        for _ in range(1, n):
            x = torch.empty(2)
            source = dist.recv(x)  # from any rank
            assert x[0] == source
            seen.add(source)
        assert seen == set(range(1, n))
    else:
        x = torch.empty(LARGE[0])
        assert dist.recv(x, 0, tag=rank) == 0
        same(x, torch.zeros(LARGE[0]))
        dist.send(torch.full((2,), float(rank)), 0)


def objects(rank, n):
    found = [None] * n
    dist.all_gather_object(found, {"rank": rank, "text": "x" * rank})
    assert found == [{"rank": r, "text": "x" * r} for r in range(n)]
    things = ["a", {"b": 2}, None] if rank == n - 1 else [None] * 3
    dist.broadcast_object_list(things, n - 1)
    assert things == ["a", {"b": 2}, None]
    found = [None] * n if rank == 0 else None
    dist.gather_object((rank,), found, 0)
    assert found is None or found == [(r,) for r in range(n)]
    out = [None]
    dist.scatter_object_list(out, [["to", r] for r in range(n)] if rank == 0 else None, 0)
    assert out == [["to", rank]]
    if n > 1 and rank == 0:
        dist.send_object_list([1, "two"], 1)
    elif rank == 1:
        got = [None, None]
        assert dist.recv_object_list(got, 0) == 0
        assert got == [1, "two"]


def groups(rank, n):
    assert dist.get_rank() == rank
    assert dist.get_world_size() == n
    assert dist.get_backend() == "mpi"
    assert dist.get_process_group_ranks(None) == list(range(n))
    last = dist.new_group([n - 1])
    assert dist.get_rank(last) == (0 if rank == n - 1 else -1)
    backwards = dist.new_group(list(reversed(range(n))), sort_ranks=False)
    assert dist.get_rank(backwards) == n - 1 - rank
    x = torch.full((1,), float(rank))
    dist.broadcast(x, 0, backwards)  # src is a rank of the world
    assert x.item() == 0
    x = torch.full((1,), float(rank))
    dist.broadcast(x, group=backwards, group_src=0)
    assert x.item() == n - 1
    mine, every = dist.new_subgroups(1)
    assert len(every) == n
    x = torch.ones(2)
    dist.all_reduce(x, group=mine)
    same(x, torch.ones(2))
    halves = [list(range(n))[: n // 2], list(range(n))[n // 2 :]] if n > 1 else [[0]]
    half = dist.split_group(None, halves)
    x = torch.ones(1)
    dist.all_reduce(x, group=half)
    assert x.item() == half.size()
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=20))


LARGE = [300_000]  # elements of a message that is no short one


def prepare(way):
    from rushlight.distributed import local, shared

    if way == "messages":  # dist.group is the class
        sys.modules["rushlight.distributed.group"].slots = lambda world, comm: None
    elif way == "chunks":
        shared.SLOT, local.SMALL = 1024, 0
        LARGE[0] = 20_000  # each chunk is a change from one process to another


def run(rank, n, address, way):
    prepare(way)
    dist.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=n, timeout=datetime.timedelta(seconds=60)
    )
    for part in (reductions, moves, without_waiting, messages, objects, groups):
        part(rank, n)
    dist.destroy_process_group()
    assert not dist.is_initialized()
    dist.init_process_group(init_method=address + "2", rank=rank, world_size=n)
    dist.barrier()
    assert (dist.group.WORLD.slots is None) == (way == "messages" or n == 1)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks, method, way = int(sys.argv[1]), sys.argv[2], (*sys.argv[3:], "shared")[0]
    start_ranks(run, (ranks, f"{method}://{tempfile.mkdtemp()}/meet", way), nprocs=ranks)
    print("well", ranks)
