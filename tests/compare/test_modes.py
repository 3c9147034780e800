"""What modes are told of programs: the same names as PyTorch's are."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight


def iadd(x):
    x += 1


# Only what both know as one function, or one operator: PyTorch makes `linear` of two.
FUNCTIONS = [
    lambda torch, x: [x + 1, x - 1, x / 2, x @ x.t(), -x, abs(x)],
    lambda torch, x: [iadd(x), x.mul_(2), x.zero_(), x.fill_(1), x.copy_(x), x.clamp_(0, 1)],
    lambda torch, x: [x.uniform_(), x.normal_(), x.random_(), x.exponential_(), x.bernoulli_(0.5)],
    lambda torch, x: [torch.zeros(2), torch.randn(2), torch.arange(3), torch.tensor([1.0])],
    lambda torch, x: [torch.zeros_like(x), x.new_zeros(2), x.new_tensor([1]), torch.eye(2)],
    lambda torch, x: [x.dim(), x.size(), x.numel(), len(x), x.stride(), repr(x), x.is_contiguous()],
    lambda torch, x: [x[0, 0].item(), float(x[0, 0]), bool(x[0, 0])],
    lambda torch, x: [x.detach(), x.numpy(), x.tolist(), x.requires_grad_(), x.double(), x.cpu()],
    lambda torch, x: [x[0], x.__setitem__(0, 1.0), x.view(-1), x.unsqueeze_(0)],
    lambda torch, x: [torch.nn.functional.relu(x), x.softmax(-1), torch.nn.functional.gelu(x)],
    lambda torch, x: [x.max(0), x.topk(2), x.sort(), torch.where(x > 0, x, x)],
]
OPERATORS = [
    lambda torch, x: [x + 1, x - 1, x / 2, -x, abs(x), x > 1, x == x],
    lambda torch, x: [iadd(x), x.mul_(2), x.zero_(), x.fill_(1), x.copy_(x), x.clamp_(0, 1)],
    lambda torch, x: [x.uniform_(), x.normal_(), x.exponential_(), x.relu_()],
    lambda torch, x: [x.masked_fill_(x > 0, 0), x.t_(), x.random_()],
    lambda torch, x: [torch.zeros(2), torch.randn(2), torch.arange(3), torch.zeros_like(x)],
    lambda torch, x: [torch.mm(x, x.t()), x.mv(x[0]), x[0].dot(x[0])],
    lambda torch, x: [x.sum(), x.max(0), x.topk(2), x.sort(), torch.where(x > 0, x, x)],
    lambda torch, x: [x.view(-1), x.double(), x.softmax(-1), x.log_softmax(-1), x.unbind(0)],
    lambda torch, x: [x.unsqueeze_(0), torch.cat([x, x]), x.exp(), x.tanh_()],
]


def seen(torch: Any, kind: str, do: Any) -> list[str]:
    found: list[str] = []
    if kind == "functions":

        class Mode(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                name = func.__name__
                if name != "__get__":  # attributes ask no mode here
                    found.append(name)
                return func(*args, **(kwargs or {}))

    else:

        class Mode(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                # PyTorch marks where a tensor is made of a list, and where one leaves the tape
                if "lift_fresh" not in str(func) and "detach" not in str(func):
                    found.append(str(func))
                return func(*args, **(kwargs or {}))

    x = torch.ones(3, 4)
    with Mode():
        do(torch, x)
    return found


@pytest.mark.parametrize(
    ("kind", "row"),
    [("functions", i) for i in range(len(FUNCTIONS))]
    + [("operators", i) for i in range(len(OPERATORS))],
)
def test_the_same_names_are_seen(kind: str, row: int) -> None:
    torch = pytest.importorskip("torch")
    do = (FUNCTIONS if kind == "functions" else OPERATORS)[row]
    assert seen(rushlight, kind, do) == seen(torch, kind, do)
