"""Types that no array holds: they can be asked about, and tensors of them are refused."""

import pickle

import pytest

import rushlight as torch

MADE = {
    "zeros": lambda d: torch.zeros(2, dtype=d),
    "tensor": lambda d: torch.tensor([1], dtype=d),
    "randn": lambda d: torch.randn(2, dtype=d),
    "to": lambda d: torch.ones(2).to(d),
    "type": lambda d: torch.ones(2).type(d),
    "view": lambda d: torch.ones(2).view(d),
    "sum": lambda d: torch.ones(2).sum(dtype=d),
    "like": lambda d: torch.zeros_like(torch.ones(2), dtype=d),
}


@pytest.mark.parametrize("name", MADE)
def test_tensors_are_refused(name):
    with pytest.raises(NotImplementedError, match="qint8 are not held"):
        MADE[name](torch.qint8)


def test_narrow_types_that_are_held():
    for d in (torch.float8_e5m2, torch.float8_e4m3fn, torch.bfloat16):
        assert torch.ones((), dtype=d).item() == 1


def test_what_they_are():
    d = torch.qint8
    assert isinstance(d, torch.dtype)
    assert (d.itemsize, d.is_complex, d.to_real()) == (1, False, d)
    assert pickle.loads(pickle.dumps(d)) is d
    assert repr(torch.quint4x2) == "torch.quint4x2"
    with pytest.raises(RuntimeError, match="not supported for quantized"):
        _ = torch.quint8.is_signed
    with pytest.raises(RuntimeError, match="quantized numbers"):
        torch.promote_types(torch.qint8, torch.float32)
    with pytest.raises(AttributeError):
        _ = torch.complex16
