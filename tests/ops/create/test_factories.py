"""Factories: types, wrapping numbers, ranges, `_like` forms, and their errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as torch


def test_types_of_new_tensors():
    assert torch.tensor([1, 2]).dtype is torch.int64
    assert torch.tensor([1, 2.5]).dtype is torch.float32
    assert torch.tensor([True, False]).dtype is torch.bool
    assert torch.tensor([1, 2j]).dtype is torch.complex64
    assert torch.full((2,), 3).dtype is torch.int64
    assert torch.arange(3).dtype is torch.int64
    assert torch.arange(3.0).dtype is torch.float32
    assert torch.scalar_tensor(2).dtype is torch.float32


def test_ranges():
    assert torch.arange(1, 2, 0.25).tolist() == [1.0, 1.25, 1.5, 1.75]
    assert torch.arange(5, 0, -2).tolist() == [5, 3, 1]
    assert torch.linspace(0, 1, 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert torch.logspace(0, 2, 3).tolist() == [1.0, 10.0, 100.0]
    assert torch.linspace(3, 7, 1).tolist() == [3.0]
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        torch.arange(0, 1, 0)
    with pytest.raises(RuntimeError, match="inconsistent with step sign"):
        torch.arange(0, 1, -1)
    with pytest.raises(RuntimeError, match="non-negative"):
        torch.linspace(0, 1, -1)


def test_numbers_wrap_or_are_refused():
    assert torch.full((1,), -1, dtype=torch.uint8).item() == 255
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.full((1,), 256, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.tensor([300], dtype=torch.int8)


def test_more_numbers_than_can_be_counted_are_refused():
    with pytest.raises(RuntimeError, match="invalid size, possible overflow"):
        torch.arange(1e-38, 3.4e38)


def test_like_keeps_the_layout():
    x = torch.empty(2, 3).t()
    assert torch.zeros_like(x).stride() == x.stride()
    assert torch.ones_like(x, dtype=torch.int64).dtype is torch.int64
    assert torch.empty_permuted((2, 3), (1, 0)).stride() == (1, 2)


def test_eye_and_indices():
    assert torch.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(RuntimeError, match="n must be greater or equal to 0"):
        torch.eye(-1)


def test_ragged_lists_are_refused():
    with pytest.raises(ValueError, match="expected sequence of length 2"):
        torch.tensor([[1, 2], [3]])
    with pytest.raises(TypeError, match="must be real number, not complex"):
        torch.tensor([1j], dtype=torch.float32)


def test_constants():
    assert (torch.pi, torch.e, torch.inf) == (math.pi, math.e, math.inf)
    assert math.isnan(torch.nan)
    assert torch.ones(2)[torch.newaxis].shape == (1, 2)


def test_layouts_are_obeyed_or_refused():
    assert torch.zeros(2, 3, layout=torch.sparse_coo).layout is torch.sparse_coo
    with pytest.raises(RuntimeError, match="not implemented for sparse layout"):
        torch.ones(2, layout=torch.sparse_coo)
    with pytest.raises(RuntimeError, match="but got SparseBsr"):
        torch.zeros(2, 2, layout=torch.sparse_bsr)


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.zeros(2, foo=1),
        lambda: torch.ones(2, foo=1),
        lambda: torch.empty(2, foo=1),
        lambda: torch.as_tensor([1], foo=1),
        lambda: torch.ones(2).new_zeros(2, foo=1),
        lambda: torch.ones(2).new_full((2,), 1, foo=1),
        lambda: torch.ones(2).type(torch.float32, foo=1),
    ],
)
def test_unknown_arguments_are_refused(call) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        call()


def test_a_size_is_asked_for() -> None:
    with pytest.raises(TypeError, match='"size"'):
        torch.zeros()
    assert torch.zeros(size=(2, 3)).shape == (2, 3)


def test_asarray_copies_and_makes_leaves() -> None:
    a = torch.zeros(2)
    b = torch.asarray(a, copy=True, requires_grad=True)
    assert b.requires_grad
    assert b.data_ptr() != a.data_ptr()
    assert not a.requires_grad


def test_out_takes_the_shape_that_is_asked_for():
    line = torch.zeros(1, 2)
    assert torch.zeros(3, out=line) is line
    assert line.shape == (3,)
    with pytest.warns(UserWarning, match="The out tensor will be resized"):
        torch.arange(4, out=line)
    assert line.tolist() == [0, 1, 2, 3]


def test_sequences_of_other_classes():
    class Items:
        def __init__(self, items):
            self.items = items

        def __len__(self):
            return len(self.items)

        def __getitem__(self, i):
            if self.items is NOTHING:
                raise TypeError
            return self.items[i]

    NOTHING = (1,)
    assert torch.tensor(Items([1.5, 2.0])).tolist() == [1.5, 2.0]
    assert torch.tensor(Items([])).tolist() == []
    with pytest.raises(ValueError, match="could not determine the shape of object type 'Items'"):
        torch.tensor(Items(NOTHING))


def test_numbers_of_normal_may_be_tensors_without_dimensions():
    torch.manual_seed(3)
    a = torch.normal(torch.tensor(2.0), torch.tensor(0.5), (4,))
    torch.manual_seed(3)
    assert torch.equal(a, torch.normal(2.0, 0.5, (4,)))
    assert torch.randperm(256, dtype=torch.uint8).sort()[0].tolist() == list(range(256))


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.tensor([1.0, 2.0]),
        lambda: torch.as_tensor([1, 2]),
        lambda: torch.as_tensor(np.ones(2)),
        lambda: torch.asarray(np.ones(2)),
        lambda: torch.linspace(0, 1, 3),
        lambda: torch.logspace(0, 1, 3),
        lambda: torch.hann_window(3),
        lambda: torch.fft.rfftfreq(3),
        lambda: torch.tril_indices(2, 2),
        lambda: torch.nn.BatchNorm1d(2).num_batches_tracked,
    ],
)
def test_the_default_device_is_asked(call):
    with torch.device("meta"):
        assert call().device.type == "meta"
    assert call().device.type == "cpu"
    with torch.device("meta"):
        assert torch.from_numpy(np.ones(2)).device.type == "cpu"


def test_numbers_between_ends_that_are_of_the_type():
    assert torch.linspace(-1, 1, 4, dtype=torch.uint8).tolist() == [255, 170, 85, 1]
    assert torch.linspace(5, 300, 1, dtype=torch.uint8).tolist() == [5]
    for ends in ((5, 300), (-256, 5)):
        for make in (torch.linspace, torch.logspace):
            with pytest.raises(RuntimeError, match="without overflow"):
                make(*ends, 3, dtype=torch.uint8)
            assert make(*ends, 0, dtype=torch.uint8).shape == (0,)


def test_a_single_step_of_linspace_may_leave_a_narrow_type() -> None:
    assert torch.linspace(1e20, 5, 1, dtype=torch.float16).tolist() == [math.inf]
    for call in (
        lambda: torch.linspace(1e20, 5, 2, dtype=torch.float16),
        lambda: torch.linspace(1e50, 5, 1),
        lambda: torch.linspace(1e20, 5, 1, dtype=torch.int32),
    ):
        with pytest.raises(RuntimeError, match="without overflow"):
            call()


def test_like_a_conjugate_lies_as_its_memory():
    z = torch.tensor([[1 + 2j, 0], [3 - 1j, 2j], [1, 2]]).mT
    for x in (z.conj(), z.conj().imag):
        for make in (torch.zeros_like, torch.ones_like, torch.empty_like, torch.rand_like,
                     torch.randn_like, lambda x: torch.full_like(x, 2)):  # fmt: skip
            y = make(x)
            assert y.stride() == (1, 2)
            assert not y.is_conj()
            assert not y.is_neg()
        assert torch.zeros_like(x, memory_format=torch.contiguous_format).stride() == (3, 1)
    torch.manual_seed(3)
    drawn = torch.rand_like(z.conj())
    torch.manual_seed(3)
    assert torch.equal(torch.rand_like(z), drawn)


def test_complex_numbers_for_types_that_have_none():
    """Also where only some of them are complex, and no imaginary part is lost."""
    for data in (2j, [2j], [1, 1 + 0j], [[1], [2j]]):
        for dtype in (torch.int64, torch.uint8):
            with pytest.raises(TypeError, match="'complex' object cannot be interpreted"):
                torch.tensor(data, dtype=dtype)
        for dtype in (torch.float32, torch.bfloat16):
            with pytest.raises(TypeError, match="must be real number, not complex"):
                torch.tensor(data, dtype=dtype)
        assert torch.tensor(data, dtype=torch.bool).all()


def test_normal_numbers_for_a_conjugate_are_those_of_a_copy():
    """Which lies in rows where the conjugate's memory has gaps, too."""
    z = torch.zeros(3, 4, dtype=torch.complex64)
    pairs = torch.zeros(3, 4, 2, dtype=torch.complex64)
    for x in (z, z.conj(), pairs[..., 0].conj()):
        torch.manual_seed(3)
        x.normal_()
    assert torch.equal(z, pairs[..., 0])
    assert z.abs().min() > 0


def test_sizes_that_nobody_can_count():
    """A RuntimeError, as in PyTorch, of whatever computes the tensor."""
    n = 2**62
    for make in (
        lambda: torch.zeros(n, 4),
        lambda: torch.nn.functional.one_hot(torch.tensor([n])),
        lambda: torch.eye(2**32),
        lambda: torch.rand(n),
        lambda: torch.zeros(1).expand(n, 4).clone(),
        lambda: torch.zeros(1).repeat(n, 4),
        lambda: torch.linspace(0, 1, n),
        lambda: torch.nn.functional.pad(torch.ones(1), (n, 0)),
    ):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            make()
