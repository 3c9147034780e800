"""`view(dtype)`, `resize_as_` and copies of views: sizes, strides and errors as PyTorch's."""

import pytest

import rushlight

torch = pytest.importorskip("torch")

CALLS = {
    "odd size": lambda t: t.zeros(4, 4, 3, dtype=t.int16).view(t.int32),
    "odd offset": lambda t: t.zeros(4, 4, 3, dtype=t.int16)[:, :, 1:].view(t.int32),
    "odd stride": lambda t: (
        t.zeros(32, dtype=t.int16).as_strided((4, 4, 2), (2, 1, 1)).view(t.int32)
    ),
    "0-d": lambda t: t.zeros((), dtype=t.int16).view(t.int32),
    "not in line": lambda t: t.zeros(2, 4, dtype=t.int16).t().view(t.int32),
    "none, wider": lambda t: t.zeros(4, 0, 2, dtype=t.int16).view(t.int32),
    "none, narrower": lambda t: t.zeros(0, 5, 3, dtype=t.int16).view(t.int8),
    "wider": lambda t: t.zeros(2, 4, dtype=t.int16).view(t.complex64),
    "complex of 0-d": lambda t: t.view_as_complex(t.tensor(1.0)),
    "split at floats": lambda t: t.tensor_split(t.ones(4), t.tensor(1.1))[0],
    "split at a matrix": lambda t: t.tensor_split(t.ones(4), t.tensor([[1]]))[0],
    "resize_ too large": lambda t: t.empty((), dtype=t.float64).resize_([2, 4, 2**29, 2**29]),
    "resize_ beyond numbers": lambda t: t.empty(0).resize_([8, 8, 2**29, 2**29]),
    "resize_ strides": lambda t: t.empty(0).resize_([0, 4, 2305843009213693952]),
    "resize_as_ keeps": lambda t: t.empty(2, 3).t().resize_as_(t.empty(3, 2)),
    "resize_as_ of a transposed": lambda t: t.empty(2, 3).resize_as_(t.empty(2, 3).t()),
    "resize_as_ channels last": lambda t: t.zeros(120).resize_as_(
        t.zeros(2, 3, 4, 5).contiguous(memory_format=t.channels_last),
        memory_format=t.preserve_format,
    ),
    "permute_copy": lambda t: t.permute_copy(t.ones(2, 3), (1, 0)),
    "transpose_copy": lambda t: t.transpose_copy(t.ones(2, 3, 4), 0, 2),
    "slice_copy": lambda t: t.slice_copy(t.ones(4, 4).t(), 0, 0, 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_same(name):
    def told(t):
        try:
            y = CALLS[name](t)
        except RuntimeError as error:
            return str(error).split("\n")[0]
        return tuple(y.shape), y.stride(), str(y.dtype)

    assert told(rushlight) == told(torch)
