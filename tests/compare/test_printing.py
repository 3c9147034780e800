"""Printing against PyTorch's own formatter, on many generated arrays and options."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight import printing

torch = pytest.importorskip("torch")
theirs = torch._tensor_str

SHAPES = [
    (), (1,), (3,), (7,), (20,), (2, 3), (3, 2, 2), (1, 1, 1, 2), (0,), (0, 3), (1001,), (999,),
    (1000,), (30, 40), (3, 500), (500, 3), (12, 10, 10), (2, 2, 400), (7, 7, 7, 7), (5, 60, 5),
]  # fmt: skip
DTYPES = [
    "float16", "bfloat16", "float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool",
    "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    "uint16", "uint32", "uint64",
]  # fmt: skip
OPTIONS = [
    {}, {}, {"precision": 2}, {"precision": 0}, {"sci_mode": True}, {"sci_mode": False},
    {"linewidth": 40}, {"linewidth": 200, "threshold": 20}, {"edgeitems": 1}, {"threshold": 10},
    {"edgeitems": 0, "threshold": 5}, {"profile": "short"},
]  # fmt: skip


@pytest.fixture(autouse=True)
def _same_options():
    yield
    for module in (theirs, printing):
        module.set_printoptions(profile="default")


def as_numpy(t):
    name = str(t.dtype)[6:]
    if name == "bfloat16" or name.startswith("float8"):
        whole = torch.int16 if t.element_size() == 2 else torch.uint8
        return t.view(whole).numpy().view(getattr(ml_dtypes, name))
    return t.numpy()


def values(rnd, shape, dtype):
    """A tensor with the troubles of real data: wide ranges, whole numbers, nan, inf, -0."""
    t = torch.randn(shape, dtype=torch.float64) * rnd.choice([1, 1, 1e-5, 1e3, 1e9, 0.01, 0, 50])
    for chance, change in ((0.3, torch.round), (0.2, torch.abs), (0.2, torch.exp)):
        if rnd.random() < chance:
            t = change(t)
    if rnd.random() < 0.3 and t.numel():
        flat = t.reshape(-1)
        for _ in range(3):
            special = rnd.choice([float("nan"), float("inf"), -float("inf"), 0.0, -0.0])
            flat[rnd.randrange(flat.numel())] = special
    if dtype.is_complex:
        imag = torch.randn(shape, dtype=torch.float64) * rnd.choice([1, 1e-3, 100])
        return torch.complex(t, imag).to(dtype)
    if not dtype.is_floating_point:
        t = t.nan_to_num(0, 5, -5).clamp(-(2**40), 2**40).to(torch.int64)
    return t.to(dtype)


@pytest.mark.parametrize("seed", range(40))
def test_numbers_and_layout(seed):
    rnd = random.Random(seed)
    torch.manual_seed(seed)
    for _ in range(25):
        shape, dtype = rnd.choice(SHAPES), getattr(torch, rnd.choice(DTYPES))
        t = values(rnd, shape, dtype)
        options, indent = rnd.choice(OPTIONS), rnd.choice([0, 7])
        for module in (theirs, printing):
            module.set_printoptions(profile="default")
            module.set_printoptions(**options)
        expected = theirs._tensor_str(t, indent)
        got = printing.array_str(as_numpy(t), indent)
        assert got == expected, f"seed {seed}: {shape} {dtype} {options}"


@pytest.mark.parametrize("seed", range(5))
def test_suffixes(seed):
    rnd = random.Random(seed)
    for _ in range(50):
        text = "tensor(" + "".join(rnd.choice("1, \n") for _ in range(rnd.randrange(120)))
        suffixes = rnd.sample(["dtype=torch.int32", "requires_grad=True", "size=(2, 3)"], k=2)
        expected = theirs._add_suffixes(text, suffixes, 7, force_newline=False)
        assert printing.with_suffixes(text, suffixes, 7) == expected


def test_options_are_the_same():
    assert printing.get_printoptions() == theirs.get_printoptions()


def test_float32_prints_by_value():
    for value in np.float32([0.1, 1 / 3, 16777216, 3.4e38, 1e-45]):
        assert printing.array_str(np.asarray(value)) == theirs._tensor_str(torch.tensor(value), 0)


WHOLE = [
    lambda m: m.tensor([1.0, 2.5]),
    lambda m: m.tensor(3),
    lambda m: m.tensor([[True, False]]),
    lambda m: m.tensor([1 + 2j, 3 - 4j]),
    lambda m: m.tensor([]),
    lambda m: m.zeros(2, 0, dtype=m.int32),
    lambda m: m.zeros(2, 3, device="meta"),
    lambda m: m.zeros(2, device="meta", dtype=m.int64),
    lambda m: m.ones(3, requires_grad=True),
    lambda m: m.ones(3, requires_grad=True) * 2,
    lambda m: m.ones(3, requires_grad=True).exp(),
    lambda m: (m.ones(3, requires_grad=True) * 2).detach(),
    lambda m: m.ones(20, dtype=m.float64, requires_grad=True) / 3,
    lambda m: m.ones(2, 2, dtype=m.bfloat16),
    lambda m: m.arange(2000),
    lambda m: m.arange(1200.0).view(30, 40),
    lambda m: m.nn.Parameter(m.ones(2)),
    lambda m: m.ones(2, 3).t(),
    lambda m: [m.ones(2), {"a": m.zeros(1)}],
    lambda m: m.randn(3, 4, 5),
    lambda m: m.Size([1, 2]),
    lambda m: m.float32,
]


@pytest.mark.parametrize("call", WHOLE, ids=range(len(WHOLE)))
def test_whole_texts(call):
    texts = []
    for module in (rushlight, torch):
        module.manual_seed(0)
        texts.append((repr(call(module)), str(call(module)), f"{call(module)}"))
    assert texts[0] == texts[1]
