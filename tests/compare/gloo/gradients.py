"""Collectives with gradients: torch.distributed.nn and the functional ones."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch.distributed.nn as dnn

CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def numbers(rank, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(rank))


def leaf(rank, *shape):
    return numbers(rank, *shape).requires_grad_()


def run(t, rank, n, folder):
    group = dist.group.WORLD

    def check(name, fn, *shape, shown=True):
        """The results, and the gradient of a sum in which each rank's are weighted otherwise."""
        x = leaf(rank, *shape)
        found = fn(x)
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        if shown:
            t.note(name, [y + 0 for y in found], **CLOSE)
        sum((y * numbers(100 + 10 * rank + i, *y.shape)).sum()
            for i, y in enumerate(found)).backward()  # fmt: skip
        t.note(f"{name} gradient", x.grad, **CLOSE)

    for root in {0, n - 1}:
        check(f"broadcast {root}", lambda x, r=root: dnn.broadcast(x, r), 3, 2)
        check(f"gather {root}", lambda x, r=root: dnn.gather(x, r), 3, 2)
        check(f"scatter {root}", lambda x, r=root: dnn.scatter(list(x.chunk(n)), r), 2 * n, 3)
        check(f"reduce {root}", lambda x, r=root: dnn.reduce(x, r), 3, 2,
              shown=rank == root)  # elsewhere gloo leaves sums of some ranks
    check("all_gather", dnn.all_gather, 3, 2)
    check("all_reduce", dnn.all_reduce, 3, 2)
    check("all_reduce twice", lambda x: dnn.all_reduce(dnn.all_reduce(x).sin() / 9), 3, 2)
    check("all_to_all", lambda x: dnn.all_to_all(
        [torch.empty(2, 3) for _ in range(n)], list(x.chunk(n))), 2 * n, 3)  # fmt: skip
    check("all_to_all_single", lambda x: dnn.functional.all_to_all_single(
        torch.empty(2 * n, 3), x), 2 * n, 3)  # fmt: skip
    check("uneven", lambda x: dnn.functional.all_to_all_single(
        torch.empty(n * (rank + 1), 3), x, [rank + 1] * n,
        [r + 1 for r in range(n)]), n * (n + 1) // 2, 3)  # fmt: skip
    check("all_gather_tensor_autograd", lambda x: fc.all_gather_tensor_autograd(x, 0, group), 3, 2)
    check("columns", lambda x: fc.all_gather_tensor_autograd(x, 1, group), 3, 2)
    check("reduce_scatter_tensor_autograd",
          lambda x: fc.reduce_scatter_tensor_autograd(x, "sum", 0, group), 2 * n, 3)  # fmt: skip
    check("all_to_all_single_autograd",
          lambda x: fc.all_to_all_single_autograd(x, None, None, group), 2 * n, 3)  # fmt: skip
    x = numbers(rank, 2 * n, 2)
    for name, fn in {
        "all_reduce": lambda: fc.all_reduce(x, "max", group),
        "all_gather_tensor": lambda: fc.all_gather_tensor(x, 1, group),
        "reduce_scatter_tensor": lambda: fc.reduce_scatter_tensor(x, "sum", 0, group),
        "all_to_all_single": lambda: fc.all_to_all_single(x, None, None, group),
        "broadcast": lambda: fc.broadcast(x, n - 1, group),
        "permute_tensor": lambda: fc.permute_tensor(
            x[:, 0].clone(), [(r + 1) % n for r in range(n)], group),
    }.items():
        t.note(f"functional {name}", fc.wait_tensor(fn()) + 0, **CLOSE)
