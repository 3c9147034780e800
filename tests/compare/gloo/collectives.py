"""Every call of torch.distributed. Numbers are small whole ones, so that the order in which they
are added does not matter."""

import datetime

import torch
import torch.distributed as dist

NUMBERS = ("float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64")
TYPES = (*NUMBERS, "bool", "complex64")
SHAPES = ((), (0,), (5,), (2, 3))
REDUCTIONS = ("SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "AVG")


def numbers(rank, shape, kind, k=0):
    size = 1
    for n in shape:
        size *= n
    x = (torch.arange(size).reshape(shape) + rank + k) % 3
    return x.to(getattr(torch, kind))


def reductions(t, rank, n):
    for kind in TYPES:
        for op in REDUCTIONS:
            red = getattr(dist.ReduceOp, op)
            for shape in SHAPES:
                x = numbers(rank, shape, kind)
                name = f"{op} {kind} {shape}"
                if op == "AVG":  # gloo has none
                    continue
                if kind == "bool" and op == "BXOR" and n > 2:
                    continue  # gloo has it for two ranks: with more it is True where any are
                t.attempt(f"all_reduce {name}", dist.all_reduce, x, red)
                t.note("then", x)
                x = numbers(rank, shape, kind)
                t.attempt(f"reduce {name}", dist.reduce, x, n - 1, red)
                if rank == n - 1:
                    t.note("then", x)


def moves(t, rank, n):
    for kind in TYPES:
        for shape in SHAPES:
            name = f"{kind} {shape}"
            x = numbers(rank, shape, kind)
            t.attempt(f"broadcast {name}", dist.broadcast, x, n - 1)
            t.note("then", x)
            out = [numbers(9, shape, kind) for _ in range(n)]
            t.attempt(f"all_gather {name}", dist.all_gather, out, numbers(rank, shape, kind))
            t.note("then", out)
            if shape:
                out = numbers(9, (n * shape[0], *shape[1:]), kind)
                t.attempt("all_gather_into_tensor", dist.all_gather_into_tensor, out,
                          numbers(rank, shape, kind))  # fmt: skip
                t.note("then", out)
            if kind == "complex64":
                continue  # gloo gathers and scatters none
            out = [numbers(9, shape, kind) for _ in range(n)] if rank == 0 else None
            t.attempt(f"gather {name}", dist.gather, numbers(rank, shape, kind), out, 0)
            t.note("then", out)
            rows = [numbers(r, shape, kind, 1) for r in range(n)] if rank == 0 else None
            x = numbers(9, shape, kind)
            t.attempt(f"scatter {name}", dist.scatter, x, rows, 0)
            t.note("then", x)
    x = torch.arange(12.0).reshape(3, 4).t() * (rank + 1)  # with gaps
    t.attempt("all_reduce of a transposed tensor", dist.all_reduce, x)
    t.note("then", x)


def parts(t, rank, n):
    for kind in ("float32", "int64"):
        rows = [numbers(rank, (4,), kind, r) for r in range(n)]
        out = numbers(9, (4,), kind)
        t.attempt("reduce_scatter", dist.reduce_scatter, out, rows)
        t.note("then", out)
        out = numbers(9, (4,), kind)
        t.attempt("reduce_scatter_tensor", dist.reduce_scatter_tensor, out, torch.cat(rows))
        t.note("then", out)
        out = numbers(9, (2 * n,), kind)
        t.attempt("all_to_all_single", dist.all_to_all_single, out, numbers(rank, (2 * n,), kind))
        t.note("then", out)
        sizes = [r + 1 for r in range(n)]
        out = numbers(9, (n * (rank + 1),), kind)
        t.attempt("uneven", dist.all_to_all_single, out, numbers(rank, (sum(sizes),), kind),
                  [rank + 1] * n, sizes)  # fmt: skip
        t.note("then", out)


def objects(t, rank, n):
    out = [None] * n
    t.attempt("all_gather_object", dist.all_gather_object, out, {"rank": rank})
    t.note("then", [o["rank"] for o in out])
    things = ["a", 2.5, None] if rank == 0 else [None] * 3
    t.attempt("broadcast_object_list", dist.broadcast_object_list, things, 0)
    t.note("then", things)
    out = [None] * n if rank == 0 else None
    t.attempt("gather_object", dist.gather_object, rank, out, 0)
    t.note("then", out)
    out = [None]
    given = [f"to {r}" for r in range(n)] if rank == 0 else None
    t.attempt("scatter_object_list", dist.scatter_object_list, out, given, 0)
    t.note("then", out)


def messages(t, rank, n):
    if n == 1:
        return
    x = torch.full((3,), float(rank))
    after, before = (rank + 1) % n, (rank - 1) % n
    got = torch.zeros(3)
    work = dist.isend(x, after)
    t.note("recv", dist.recv(got, before))
    work.wait()
    t.note("then", got)
    got = torch.zeros(3)
    works = dist.batch_isend_irecv(
        [dist.P2POp(dist.isend, x, after), dist.P2POp(dist.irecv, got, before)]
    )
    for w in works:
        w.wait()
    t.note("batch", got)
    if rank == 0:
        t.note("from any", sorted(dist.recv(got) for _ in range(n - 1)))
    else:
        dist.send(x, 0)
    dist.barrier()


def waiting(t, rank, n):
    x = torch.full((4,), float(rank + 1))
    work = dist.all_reduce(x, async_op=True)
    t.note("wait", work.wait())
    t.note("completed", work.is_completed())
    t.note("then", x)
    future = dist.all_reduce(x, async_op=True).get_future()
    t.note("future", future.wait())
    t.note("chained", future.then(lambda f: f.value()[0].sum().item()).wait())


def groups(t, rank, n):
    t.note("world", (dist.get_rank(), dist.get_world_size(), dist.is_initialized()))
    last = dist.new_group([n - 1])
    t.note("rank in it", dist.get_rank(last))
    t.attempt("size of it", dist.get_world_size, last)
    x = torch.ones(2)
    if rank == n - 1:
        dist.all_reduce(x, group=last)
    t.note("alone", x)
    t.note("ranks", dist.get_process_group_ranks(dist.group.WORLD))
    if rank == n - 1:
        t.note("to the world", dist.get_global_rank(last, 0))
        t.note("to the group", dist.get_group_rank(last, n - 1))
        t.attempt("not there", dist.get_group_rank, last, n)
    mine, every = dist.new_subgroups(1)
    t.note("subgroups", len(every))
    dist.all_reduce(x, group=mine)
    t.note("then", x)
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=30))


def within(t, rank, ranks, group):
    t.note("its ranks", dist.get_process_group_ranks(group))
    m, me = len(ranks), dist.get_group_rank(group, rank)
    x = numbers(rank, (2, 3), "float32")
    for name, fn in {
        "all_reduce": lambda x: dist.all_reduce(x, group=group),
        "broadcast": lambda x: dist.broadcast(x, ranks[-1], group),
        "broadcast by group_src": lambda x: dist.broadcast(x, group=group, group_src=0),
        "reduce": lambda x: dist.reduce(x, ranks[0], group=group),
        "reduce by group_dst": lambda x: dist.reduce(x, group=group, group_dst=0),
        "barrier": lambda x: dist.barrier(group),
        "later": lambda x: dist.all_reduce(x, group=group, async_op=True).wait(),
        "max": lambda x: dist.all_reduce(x, dist.ReduceOp.MAX, group),
    }.items():  # fmt: skip
        y = x.clone()
        t.note(f"{name} of {ranks}", fn(y))
        if {"reduce": rank == ranks[0], "reduce by group_dst": me == 0}.get(name, True):
            t.note("then", y)
    out = [torch.zeros(2, 3) for _ in range(m)]
    dist.all_gather(out, x, group)
    t.note(f"all_gather of {ranks}", out)
    out = torch.zeros(2 * m, 3)
    work = dist.all_gather_into_tensor(out, x, group, async_op=True)
    work.wait()
    t.note("all_gather_into_tensor", out)
    rows = [numbers(rank, (2,), "float32", r) for r in range(m)]
    out = torch.zeros(2)
    dist.reduce_scatter(out, rows, group=group)
    t.note("reduce_scatter", out)
    out = torch.zeros(2 * m)
    dist.all_to_all_single(out, torch.cat(rows), group=group)
    t.note("all_to_all_single", out)
    out = [torch.zeros(2) for _ in range(m)] if me == 0 else None
    dist.gather(rows[0], out, group=group, group_dst=0)
    t.note("gather", out)
    out = torch.zeros(2)
    dist.scatter(out, rows if me == 0 else None, group=group, group_src=0)
    t.note("scatter", out)
    out = [None] * m
    dist.all_gather_object(out, [rank], group)
    t.note("all_gather_object", out)
    if m > 1:
        after, before = (me + 1) % m, (me - 1) % m
        works = [dist.isend(rows[i], group=group, tag=i, group_dst=after) for i in (1, 0)]
        out = [torch.zeros(2) for _ in range(2)]
        for i in (0, 1):
            work = dist.irecv(out[i], group=group, tag=i, group_src=before)
            t.note("sent", work.wait())
        for w in works:
            w.wait()
        t.note("by tags", out)
        if me == 0:
            dist.send_object_list(["a", 3], group=group, group_dst=1)
        elif me == 1:
            out = [None, None]
            dist.recv_object_list(out, group=group, group_src=0)
            t.note("objects", out)


def parts_of_the_world(t, rank, n):
    """Collectives of some ranks, roots by their numbers in the world and in the group, tags."""
    for ranks in ([0, n - 1], list(range(n))[::-1], list(range(n // 2, n))):
        ranks = list(dict.fromkeys(ranks))
        group = dist.new_group(ranks)
        t.note(f"group of {ranks}", dist.get_rank(group))
        t.note("a member", group is not dist.GroupMember.NON_GROUP_MEMBER)
        if rank in ranks:
            within(t, rank, ranks, group)
            dist.destroy_process_group(group)
    mine, every = dist.new_subgroups_by_enumeration([[r] for r in range(n)])
    t.note("by enumeration", [dist.get_process_group_ranks(mine), len(every)])
    t.attempt("twice", dist.new_subgroups_by_enumeration, [[0], [0]])


def gaps(t, rank, n):
    """Views with gaps and in another order, as what is sent and as where it goes; several at once.
    (all_reduce and broadcast of views with gaps: gloo takes the memory from the first element on,
    without the strides. Ours are in tests/distributed.)"""

    def view(k=0):
        return numbers(rank, (4, 6), "float32", k).t()[::2]

    out = [view(7) for _ in range(n)]
    t.attempt("all_gather with gaps", dist.all_gather, out, view())
    t.note("then", out)
    xs = [view(k) for k in range(2)]
    t.attempt("all_reduce_coalesced", dist.all_reduce_coalesced, xs)
    t.note("then", xs)
    out = [[torch.zeros(3), torch.zeros(2)] for _ in range(n)]
    t.attempt("all_gather_coalesced", dist.all_gather_coalesced, out,
              [torch.full((3,), rank + 1.0), torch.full((2,), rank + 2.0)])  # fmt: skip
    t.note("then", out)


def mistakes(t, rank, n):
    """Found before anything is sent, on every rank."""
    x = torch.ones(4)
    # PyTorch finds wrong splits in a thread of the group, whose next barrier raises the same again
    # where it comes before the thread has put the call away: so they have a group of their own.
    apart = dist.new_group(list(range(n)))
    for name, call in {
        "no tensor": lambda: dist.all_reduce([x]),
        "no list": lambda: dist.all_gather(x, x),
        "too few": lambda: dist.all_gather([torch.ones(4)] * (n + 1), x),
        "types": lambda: dist.all_gather([torch.ones(4, dtype=torch.int64)] * n, x),
        "sizes": lambda: dist.all_gather([torch.ones(3)] * n, x),
        "into": lambda: dist.all_gather_into_tensor(torch.ones(n * 4 + 1), x),
        "no gather list": lambda: dist.gather(x, None, rank),
        "list elsewhere": lambda: dist.gather(x, [x] * n, (rank + 1) % n) if n > 1 else None,
        "no scatter list": lambda: dist.scatter(x, None, rank),
        "no such rank": lambda: dist.broadcast(x, n + 3),
        "no group": lambda: dist.all_reduce(x, group=7),
        "to itself": lambda: dist.send(x, rank),
        "no op": lambda: dist.P2POp(dist.all_reduce, x, 0),
        "no list of ops": lambda: dist.batch_isend_irecv([]),
        "splits": lambda: dist.all_to_all_single(
            torch.ones(n), torch.ones(n), [1] * (n + 1), None, group=apart
        ),
        "complex max": lambda: dist.all_reduce(x.to(torch.complex64), dist.ReduceOp.MAX),
        "again": lambda: dist.init_process_group("gloo", rank=rank, world_size=n),
        "ranks twice": lambda: dist.new_group([0, 0]),
        "rank that is not": lambda: dist.new_group([n]),
        "subgroups": lambda: dist.new_subgroups(n + 1),
        "no backend": lambda: dist.Backend(3),
    }.items():
        t.attempt(name, call)


def run(t, rank, n, folder):
    for part in (reductions, moves, parts, objects, messages, waiting, groups,
                 parts_of_the_world, gaps, mistakes):
        part(t, rank, n)
