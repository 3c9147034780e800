"""Meshes, and tensors that come, go and change their placements on them, against NumPy's cuts.

python tensors.py RANKS
"""

import copy
import datetime
import io
import itertools
import sys
import tempfile

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    _StridedShard,
    distribute_tensor,
)  # fmt: skip


def refused(kind, words, call, *args, **kw):
    try:
        call(*args, **kw)
        said = "nothing"
    except kind as error:
        said = str(error)
    assert words in said, said


def meshes(rank, n):
    line = init_device_mesh("cpu", (n,), mesh_dim_names=("dp",))
    assert line.shape == (n,)
    assert line.size() == line.size(0) == n
    assert line.ndim == 1
    assert line.mesh.tolist() == list(range(n))
    assert line.get_coordinate() == (rank,)
    assert line.get_local_rank() == line.get_rank() == rank
    assert line.get_group() is dist.group.WORLD
    assert line == init_device_mesh("cpu", (n,), mesh_dim_names=("dp",))
    assert line != init_device_mesh("cpu", (n,))
    assert len({line, init_device_mesh("cpu", (n,), mesh_dim_names=("dp",))}) == 1
    assert repr(line) == f"DeviceMesh((dp={n}), 'cpu', stride=({1 if n > 1 else ()},))"
    assert line["dp"] is line
    assert line._flatten() is line
    refused(KeyError, "Valid mesh_dim_names are ['dp']", lambda: line["tp"])
    refused(RuntimeError, "wanted  \"cpu\"", init_device_mesh, "cuda", (n,))
    refused(RuntimeError, "Device type with index", init_device_mesh, "cpu:0", (n,))
    refused(RuntimeError, "Mesh should not be bigger", init_device_mesh, "cpu", (n + 1,))
    refused(RuntimeError, "unique", init_device_mesh, "cpu", (n, 1), mesh_dim_names=("a", "a"))
    backwards = DeviceMesh("cpu", list(range(n))[::-1])
    assert backwards.get_coordinate() == (n - 1 - rank,)
    assert backwards.get_local_rank() == n - 1 - rank
    first = DeviceMesh("cpu", [0])
    assert first.get_coordinate() == ((0,) if rank == 0 else None)
    grown = DeviceMesh.from_group(dist.group.WORLD, "cpu", mesh_dim_names=("dp",))
    assert grown == line
    if n == 4:
        grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        assert repr(grid) == "DeviceMesh((dp=2, tp=2), 'cpu', stride=(2, 1))"
        assert grid.get_coordinate() == (rank // 2, rank % 2)
        assert grid["tp"].mesh.tolist() == [rank // 2 * 2, rank // 2 * 2 + 1]
        assert grid["dp"].mesh.tolist() == [rank % 2, rank % 2 + 2]
        assert grid["dp"].get_group().ranks == (rank % 2, rank % 2 + 2)
        assert grid.get_group("dp") is grid["dp"].get_group()
        assert grid.get_all_groups() == [grid.get_group(0), grid.get_group(1)]
        assert grid.get_local_rank("tp") == rank % 2
        refused(KeyError, "ascending", lambda: grid["tp", "dp"])
        refused(RuntimeError, "`mesh_dim` needs to be specified", grid.get_group)
        flat = grid._flatten("all")
        assert flat.mesh.tolist() == [0, 1, 2, 3]
        assert flat.get_local_rank() == rank
        assert grid.get_group("all") is flat.get_group()
        assert [m.mesh.tolist() for m in grid._get_all_submeshes("dp")] == [[0, 2], [1, 3]]
        assert line._unflatten(0, (2, 2), ("a", "b")).mesh.tolist() == [[0, 1], [2, 3]]
        both = DeviceMesh.from_group(
            grid.get_all_groups(), "cpu", [[0, 1], [2, 3]], mesh_dim_names=("dp", "tp")
        )
        assert both == grid
        from rushlight.distributed.device_mesh import _mesh_resources

        with grid["tp"] as inner:
            assert _mesh_resources.get_current_mesh() is inner
    return line


def placements(shape):
    return [Replicate(), Partial(), *(Shard(d) for d in range(len(shape)))]


def part(x, mesh, where):
    """The local tensor that `where` means, by torch.chunk."""
    at = mesh.get_coordinate()
    for i, p in enumerate(where):
        if isinstance(p, Shard):
            own = list(x.chunk(mesh.size(i), p.dim))
            own += [x.narrow(p.dim, 0, 0)] * (mesh.size(i) - len(own))
            x = own[at[i]]
    return x


def all_pairs(mesh, shape):
    whole = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    kinds = placements(shape) if mesh.ndim == 1 else [Replicate(), Partial(), Shard(0), Shard(1)]
    for source in itertools.product(kinds, repeat=mesh.ndim):
        partial = [i for i, p in enumerate(source) if p.is_partial()]
        local = part(whole, mesh, source).clone()
        for i in partial:  # the last rank has it all
            if mesh.get_coordinate()[i] != mesh.size(i) - 1:
                local = torch.zeros_like(local)
        for target in itertools.product(kinds, repeat=mesh.ndim):
            if any(t.is_partial() and s != t for s, t in zip(source, target, strict=True)):
                continue
            leaf = local.clone().requires_grad_()
            x = DTensor.from_local(leaf, mesh, source, shape=whole.shape, stride=whole.stride())
            assert x.shape == whole.shape
            y = x.redistribute(placements=target)
            assert y.placements == target
            if not any(t.is_partial() for t in target):
                assert torch.equal(y.to_local(), part(whole, mesh, target)), (source, target)
            full = y.full_tensor()
            assert torch.equal(full, whole), (source, target)
            (full * (whole + 1)).sum().backward()
            assert torch.equal(leaf.grad, part(whole + 1, mesh, source)), (source, target)


def coming_and_going(rank, n, mesh):
    whole = torch.arange(20.0).reshape(5, 4)
    mine = whole.clone() if rank == 0 else torch.full((5, 4), float("nan"))
    for where in ([Shard(0)], [Shard(1)], [Shard(-1)], [Replicate()]):
        x = distribute_tensor(mine.clone().requires_grad_(), mesh, where)
        assert x.requires_grad
        assert x.is_leaf
        assert torch.equal(x.to_local(), part(whole, mesh, x.placements))
        assert torch.equal(x.full_tensor(), whole)
        own = distribute_tensor(whole, mesh, where, src_data_rank=None)
        assert torch.equal(own.to_local(), x.to_local())
    with mesh:
        x = distribute_tensor(whole)
    assert x.placements == (Replicate(),)
    x = distribute_tensor(whole, mesh, [Shard(0)])
    text = repr(x)
    assert text.startswith("DTensor(local_tensor=tensor(["), text
    assert text.endswith(f"device_mesh={mesh}, placements=(Shard(dim=0),))"), text
    assert x._spec.shape == (5, 4)
    assert str(x._spec) == "Spec(f32[5, 4](S(0)))"
    assert (x.stride(), x.dtype, x.device.type, x.numel()) == ((4, 1), torch.float32, "cpu", 20)
    assert distribute_tensor(x, mesh, [Shard(0)]) is x
    refused(ValueError, "to a different placements", distribute_tensor, x, mesh, [Replicate()])
    refused(ValueError, "same length", distribute_tensor, whole, mesh, [Shard(0)] * 2)
    refused(RuntimeError, "only accepts torch.Tensor", DTensor.from_local, x, mesh)
    refused(RuntimeError, "internal use only", x.redistribute, mesh, [Partial()])
    refused(RuntimeError, "non-leaf", distribute_tensor, whole.requires_grad_() * 2, mesh)
    whole = whole.detach()
    for kind, wanted in (("avg", (n - 1) / 2), ("max", n - 1), ("min", 0), ("product", 0)):
        p = DTensor.from_local(torch.full((3,), float(rank)), mesh, [Partial(kind)])
        assert p.full_tensor().tolist() == [wanted] * 3
        q = p.redistribute(placements=[Shard(0)])
        assert q.full_tensor().tolist() == [wanted] * 3
    checked = DTensor.from_local(torch.full((2,), float(rank)), mesh, run_check=True)
    assert checked.to_local().tolist() == [0, 0]
    if n > 1:
        wrong = torch.ones(2 + rank)
        refused(ValueError, "Inconsistent tensor metadata", DTensor.from_local, wrong, mesh,
                [Shard(0)], run_check=True)  # fmt: skip
    # the local tensor is the tensor's own memory
    x.to_local()[:] = 7
    assert (x.full_tensor() == 7).all()
    # gradients that ranks have parts of
    leaf = torch.ones(2, 2, requires_grad=True)
    y = DTensor.from_local(leaf, mesh, [Replicate()]).to_local(grad_placements=[Partial()])
    (y * (rank + 1)).sum().backward()
    assert (leaf.grad == n * (n + 1) / 2).all()
    half = torch.ones(4, requires_grad=True)
    z = DTensor.from_local(half, mesh, [Shard(0)])
    w = z.redistribute(placements=[Replicate()], forward_dtype=torch.bfloat16)
    assert w.dtype is torch.bfloat16
    w.to_local().sum().backward()
    assert half.grad.dtype is torch.float32
    assert (half.grad == 1).all()
    # saved, copied
    x = distribute_tensor(whole, mesh, [Shard(0)])
    other = copy.deepcopy(x)
    assert other is not x
    assert torch.equal(other.to_local(), x.to_local())
    assert other._local_tensor.data_ptr() != x._local_tensor.data_ptr() or not x.to_local().numel()
    file = io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    back = torch.load(file, weights_only=False)["x"]
    assert isinstance(back, DTensor)
    assert back._spec == x._spec
    assert torch.equal(back.full_tensor(), whole)
    p = torch.nn.Parameter(x)
    assert isinstance(p, (DTensor, torch.nn.Parameter))
    assert p.requires_grad
    assert torch.equal(p.full_tensor(), whole)
    p.full_tensor().sum().backward()
    assert isinstance(p.grad, DTensor)
    assert p.grad.placements == (Shard(0),)


def run(rank, n, address):
    dist.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=n, timeout=datetime.timedelta(seconds=60)
    )
    mesh = meshes(rank, n)
    for shape in [(5, 4), (1, 3)][n == 4 :]:  # 4 ranks have a grid as well
        all_pairs(mesh, shape)
    coming_and_going(rank, n, mesh)
    if n == 4:
        grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        all_pairs(grid, (5, 3))
        whole = torch.arange(40.0).reshape(10, 4)
        x = distribute_tensor(whole, grid, [_StridedShard(0, split_factor=2), Shard(0)])
        first = [0, 6, 3, 9][rank]
        assert x.to_local()[0, 0] == 4 * [0, 5, 3, 8][rank], (first, x.to_local())
        assert torch.equal(x.full_tensor(), whole)
        assert torch.equal(x.redistribute(placements=[Replicate(), Shard(0)]).to_local(),
                           whole.chunk(2)[rank % 2])  # fmt: skip
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, f"file://{tempfile.mkdtemp()}/meet"), nprocs=ranks)
    print("well", ranks)
