"""Printed tensors, character by character as PyTorch prints them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from rushlight import dtypes
from rushlight.device import device
from rushlight.kernels.meta import MetaArray
from rushlight.printing import (
    array_str,
    get_printoptions,
    printoptions,
    set_printoptions,
    tensor_str,
    with_suffixes,
)

NAN, INF = float("nan"), float("inf")


class Tensor:
    """What the printer asks of a tensor."""

    __module__ = "rushlight"
    grad_fn = None
    requires_grad = False

    def __init__(self, data, dtype=None, **fields):
        self._a = data if isinstance(data, MetaArray) else np.asarray(data, dtype)
        self.dtype = dtypes.from_numpy(self._a.dtype)
        self.device = device("meta" if isinstance(data, MetaArray) else "cpu")
        self.__dict__.update(fields)


def f32(data):
    return Tensor(data, np.float32)


WHOLE = [
    (f32([1, 2, 3]), "tensor([1., 2., 3.])"),
    (f32([1.5, -2.25]), "tensor([ 1.5000, -2.2500])"),
    (f32(3.14159), "tensor(3.1416)"),
    (f32([NAN, 1, INF]), "tensor([nan, 1., inf])"),
    (f32([NAN, 1.5, -INF]), "tensor([   nan, 1.5000,   -inf])"),
    (f32([0.0, -0.0]), "tensor([0., -0.])"),
    (f32([1e-5, 1]), "tensor([1.0000e-05, 1.0000e+00])"),
    (f32([1e10, 1]), "tensor([1.0000e+10, 1.0000e+00])"),
    (f32([0.5, 1000.5]), "tensor([5.0000e-01, 1.0005e+03])"),
    (f32([]), "tensor([])"),
    (f32(np.zeros((2, 0))), "tensor([], size=(2, 0))"),
    (Tensor([], np.int64), "tensor([], dtype=torch.int64)"),
    (Tensor([[1, 2], [3, 40]], np.int64), "tensor([[ 1,  2],\n        [ 3, 40]])"),
    (Tensor([1, 2], np.int32), "tensor([1, 2], dtype=torch.int32)"),
    (Tensor([255], np.uint8), "tensor([255], dtype=torch.uint8)"),
    (Tensor([True, False]), "tensor([ True, False])"),
    (Tensor([1 + 2j, -3.5 - 0.4j], np.complex64), "tensor([ 1.0000+2.0000j, -3.5000-0.4000j])"),
    (Tensor(2 - 1j, np.complex64), "tensor(2.-1.j)"),
    (Tensor([0.1], ml_dtypes.bfloat16), "tensor([0.1001], dtype=torch.bfloat16)"),
    (Tensor([0.1, 0.25], np.float64), "tensor([0.1000, 0.2500], dtype=torch.float64)"),
    (Tensor(np.arange(2000)), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (
        Tensor(np.arange(24).reshape(2, 3, 4)),
        "tensor([[[ 0,  1,  2,  3],\n         [ 4,  5,  6,  7],\n         [ 8,  9, 10, 11]],\n\n"
        "        [[12, 13, 14, 15],\n         [16, 17, 18, 19],\n         [20, 21, 22, 23]]])",
    ),
    (
        f32(np.linspace(0, 1, 20)),
        "tensor([0.0000, 0.0526, 0.1053, 0.1579, 0.2105, 0.2632, 0.3158, 0.3684, 0.4211,\n"
        "        0.4737, 0.5263, 0.5789, 0.6316, 0.6842, 0.7368, 0.7895, 0.8421, 0.8947,\n"
        "        0.9474, 1.0000])",
    ),
    (Tensor(MetaArray((2, 3), np.float32)), "tensor(..., device='meta', size=(2, 3))"),
    (
        Tensor(MetaArray((2,), np.int64)),
        "tensor(..., device='meta', size=(2,), dtype=torch.int64)",
    ),
    (Tensor([1.0], np.float32, requires_grad=True), "tensor([1.], requires_grad=True)"),
    (
        Tensor([2.0], np.float32, requires_grad=True, grad_fn=type("MulBackward0", (), {})()),
        "tensor([2.], grad_fn=<MulBackward0>)",
    ),
    (
        Tensor([1 / 3] * 12, requires_grad=True, grad_fn=type("MulBackward0", (), {})()),
        "tensor([0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333,\n"
        "        0.3333, 0.3333, 0.3333], dtype=torch.float64, grad_fn=<MulBackward0>)",
    ),
]


@pytest.mark.parametrize(("tensor", "expected"), WHOLE)
def test_whole_texts(tensor, expected):
    assert tensor_str(tensor) == expected


def test_summary_of_a_matrix_breaks_its_lines():
    text = array_str(np.arange(1200, dtype=np.float32).reshape(30, 40), 7)
    assert text.splitlines()[:4] == [
        "[[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 3.7000e+01, 3.8000e+01,",
        "         3.9000e+01],",
        "        [4.0000e+01, 4.1000e+01, 4.2000e+01,  ..., 7.7000e+01, 7.8000e+01,",
        "         7.9000e+01],",
    ]
    assert "        ...,\n" in text


def test_a_subclass_prints_its_name():
    class Image(Tensor):
        pass

    assert tensor_str(Image([1.0], np.float32)) == "Image([1.])"


def test_a_history_that_cannot_be_had_is_invalid():
    class Odd(Tensor):
        @property
        def grad_fn(self):
            raise RuntimeError("no history")

        @grad_fn.setter
        def grad_fn(self, value): ...

    assert tensor_str(Odd([1.0], np.float32)) == "Odd([1.], grad_fn=<Invalid>)"


def test_default_dtype_decides_the_suffix():
    before = dtypes.get_default_dtype()
    dtypes.set_default_dtype(dtypes.float64)
    try:
        assert tensor_str(Tensor([0.5])) == "tensor([0.5000])"
        assert tensor_str(f32([0.5])) == "tensor([0.5000], dtype=torch.float32)"
    finally:
        dtypes.set_default_dtype(before)


def test_options():
    a = np.array([0.123456, 12.5], np.float32)
    with printoptions(precision=2):
        assert array_str(a) == "[ 0.12, 12.50]"
    with printoptions(sci_mode=True, precision=1):
        assert array_str(a) == "[1.2e-01, 1.2e+01]"
    with printoptions(threshold=1, edgeitems=1):
        assert array_str(np.arange(9)) == "[0,  ..., 8]"
    with printoptions(linewidth=12):
        assert array_str(np.arange(6)) == "[0, 1, 2, 3,\n 4, 5]"
    with printoptions(profile="short"):
        assert get_printoptions()["edgeitems"] == 2
    with printoptions(profile="full"):
        assert array_str(np.arange(2000)).count(",") == 1999
    assert array_str(a) == "[ 0.1235, 12.5000]"


def test_options_come_back_after_an_error():
    before = get_printoptions()

    def fail():
        with printoptions(precision=9):
            raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        fail()
    assert get_printoptions() == before


def test_unknown_profile():
    with pytest.raises(ValueError, match="unknown profile"):
        set_printoptions(profile="long")


def test_long_suffixes_go_on_a_new_line():
    text = with_suffixes("tensor(" + "x" * 60, ["dtype=torch.float64", "requires_grad=True"], 7)
    assert text.splitlines()[1] == "       dtype=torch.float64, requires_grad=True)"
