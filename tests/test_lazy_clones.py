"""`Tensor._lazy_clone`: memory that storages share until somebody writes."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn, storage

C: Any = torch._C


@pytest.fixture(autouse=True)
def nothing_stays_locked() -> Any:
    yield
    if storage.locked:  # by garbage
        gc.collect()
    assert not storage.locked


def test_both_are_lazy_and_look_at_the_same_memory() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    before, here = C._storage_address(x), C._data_address(x)
    y = x._lazy_clone()
    assert C._is_cow_tensor(x)
    assert C._is_cow_tensor(y)
    assert C._is_cow_tensor(x[0])
    assert not C._is_cow_tensor(x + y)
    assert C._storage_address(x) == C._storage_address(x.view(6)) == before
    assert C._storage_address(y) != before
    assert C._data_address(x) == C._data_address(y) == here


def test_the_first_write_through_any_view_gives_the_storage_its_own_memory() -> None:
    x = torch.arange(4.0)
    before, here = C._storage_address(x), C._data_address(x)
    earlier, held = x.view(2, 2), x.untyped_storage()
    y = x._lazy_clone()
    later = x[1:]
    later += 10
    assert x.tolist() == earlier.flatten().tolist() == [0, 11, 12, 13]
    assert y.tolist() == [0, 1, 2, 3]
    assert not C._is_cow_tensor(earlier)
    assert C._data_address(x) == C._data_address(earlier) != here
    assert C._storage_address(x) == before
    assert x.untyped_storage() is held
    assert C._is_cow_tensor(y)
    y += 1  # nobody else has the memory any more
    assert not C._is_cow_tensor(y)
    assert C._data_address(y) == here
    assert y.tolist() == [1, 2, 3, 4]


WRITES: dict[str, Any] = {
    "fill_": lambda x: x.fill_(7),
    "copy_": lambda x: x.copy_(torch.zeros(3)),
    "setitem": lambda x: x.__setitem__(0, 5),
    "uniform_": lambda x: x.uniform_(),
    "out": lambda x: torch.add(x, 1, out=x),
    "numpy": lambda x: x.numpy().fill(3),
    "storage": lambda x: x.untyped_storage().fill_(1),
    "index_add_": lambda x: x.index_add_(0, torch.tensor([0]), torch.ones(1)),
    "resize_": lambda x: x.resize_(2).fill_(0),
    "as_strided": lambda x: x.as_strided((2,), (1,)).fill_(9),
    "data": lambda x: x.data.fill_(3),
    "foreach": lambda x: torch._foreach_add_([x], 1),
    "map_": lambda x: x.map_(x, lambda a, b: a + 1),
    "masked_fill_": lambda x: x.masked_fill_(x > 0, 5),
    "share_memory_": lambda x: x.share_memory_().add_(1),
    "complex": lambda x: torch.view_as_real(torch.view_as_complex(x[:2]).conj()).add_(1),
}


@pytest.mark.parametrize("name", WRITES)
def test_no_write_reaches_the_others(name: str) -> None:
    write = WRITES[name]
    x = torch.arange(3.0)
    y, z = x._lazy_clone(), x._lazy_clone()
    if name == "complex":
        with pytest.raises(RuntimeError, match="doesn't work on unresolved conjugated tensors"):
            write(y)
        return
    write(y)
    assert x.tolist() == z.tolist() == [0, 1, 2]
    write(x)
    assert z.tolist() == [0, 1, 2]
    assert y.tolist() != [0, 1, 2]


def test_conjugates_of_lazy_clones_are_written_to_as_others_are() -> None:
    x = torch.tensor([1 + 2j])
    bar = x.conj()
    y = x._lazy_clone()
    bar.mul_(1j)
    assert bar.tolist() == [(1 - 2j) * 1j]
    assert x.tolist() == [((1 - 2j) * 1j).conjugate()]
    assert y.tolist() == [1 + 2j]


def test_gradients_pass_and_optimizers_leave_clones_alone() -> None:
    w = nn.Parameter(torch.ones(3))
    kept = w._lazy_clone()
    (2 * kept).sum().backward()
    assert type(kept.grad_fn).__name__ == "LazyCloneBackward0"
    assert w.grad.tolist() == [2, 2, 2]
    grad = w.grad._lazy_clone()
    w.sum().backward()  # adds to the gradient where it lies
    nn.utils.clip_grad_norm_([w], 0.1)
    nn.utils.clip_grad_value_([w], 0.01)
    torch.optim.Adam([w], lr=0.5).step()
    assert grad.tolist() == [2, 2, 2]
    assert kept.tolist() == [1, 1, 1]
    assert w.tolist() == pytest.approx([0.5, 0.5, 0.5])
    norm = nn.BatchNorm1d(2)
    mean = norm.running_mean._lazy_clone()
    norm(torch.randn(4, 2) + 5)
    assert mean.tolist() == [0, 0]


def test_memory_that_may_not_be_written_to_is_copied_at_once() -> None:
    a = np.arange(3.0)
    a.flags.writeable = False
    with pytest.warns(UserWarning, match="non-writable"):
        x = torch.from_numpy(a)
    y = x._lazy_clone()
    assert not C._is_cow_tensor(y)
    y += 1
    with pytest.raises(RuntimeError, match="read-only"):
        x += 1
    empty = torch.empty(0)._lazy_clone()
    assert not C._is_cow_tensor(empty)


def test_types_that_numpy_does_not_know_are_cloned_too() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    y = x._lazy_clone()
    x += 1
    assert y.tolist() == [1, 2]
    assert x.tolist() == [2, 3]
