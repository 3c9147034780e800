"""Runs an op on PyTorch's own sample inputs (its operator tables) and compares values and
gradients.

Not a test file: the fixture `compare_op` of `conftest.py` is its `check`, and `test_op_db.py` runs
it for every table that no other file names.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
op_db = importlib.import_module("tests.compare.op_db").op_db

MOST = 12  # samples of each table entry; the first ones are the most different
SPOILT = 3  # of them that are also sent a gradient with a NaN
LARGE = 20_000  # elements: samples with more are left out
TOLERANCE = {
    "float64": 1e-8,
    "complex128": 1e-8,
    "float32": 3e-4,
    "bfloat16": 5e-2,
    "int64": 3e-4,
    "int32": 3e-4,
    "uint8": 3e-4,
    "bool": 3e-4,
}

# Tables whose arguments are not in the order of the function they name.
ORDER: dict[str, Any] = {
    "einsum": lambda operands, equation: (equation, *operands),
    "polygamma": lambda x, n: (n, x),
    "special.polygamma": lambda x, n: (n, x),
    "where": lambda x, condition, other: (condition, x, other),
    "nn.functional.embedding": lambda weight, indices: (indices, weight),
}
# Variants that compute something else than the function alone.
VARIANTS: dict[tuple[str, str], Any] = {
    ("linalg.pinv", "singular"): lambda a, b: rushlight.linalg.pinv(a @ b.mT),
}
# Samples left out: numbers drawn at random, edges out of order, and windows whose gradient
# PyTorch loses.
LEFT_OUT: dict[str, Any] = {
    "nn.functional.scaled_dot_product_attention": lambda s: s.kwargs.get("dropout_p"),
    "istft": lambda s: "window" in s.kwargs,
    "histogramdd": lambda s: any((e.diff() < 0).any() for e in tensors(s.args, torch.Tensor)),
}
# In whose gradients a NaN that comes back reaches elements to which PyTorch hands none of it.
SPREADS = {
    "cumprod": "of zeros: one sum of products for all elements",
    "stft": "by transforms of whole frames",
    **dict.fromkeys(("linalg.lu", "linalg.lu_factor", "linalg.lu_factor_ex", "linalg.qr", "lu",
                     "ormqr", "qr"), "by systems and products of factors"),
    "logcumsumexp": "PyTorch drops it",
    "grid_sampler_3d": "of points outside, by the value 0 that stands there",
}


@cache
def tables() -> dict[str, list[Any]]:
    """PyTorch's table entries by name."""
    out: dict[str, list[Any]] = {}
    for entry in op_db:
        out.setdefault(entry.name, []).append(entry)
    return out


def find(name: str) -> Any:
    """Our function of this dotted name under torch, or else the Tensor method; None for neither."""
    found: Any = rushlight
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found) and "." not in name:
        found = getattr(rushlight.Tensor, name, None)
        if found is not None and not callable(found):
            return lambda t: getattr(t, name)
    return found if callable(found) else None


def array(x: Any) -> np.ndarray:
    """A PyTorch tensor's numbers, also where it stands for a conjugate, a negative or a zero."""
    x = x.detach().resolve_conj().resolve_neg()
    return (x.float() if x.dtype == torch.bfloat16 else x).numpy(force=True)


def ours(x: Any, grads: bool) -> Any:
    """A PyTorch value as one of ours, memory not shared, strides kept."""
    if isinstance(x, torch.Tensor):
        y = rushlight.from_numpy(array(x.detach().clone()))
        if not x.is_conj() and x.untyped_storage().nbytes() > max(x.numel(), 1) * x.itemsize:
            whole = x.detach().as_strided((x.untyped_storage().nbytes() // x.itemsize,), (1,), 0)
            y = rushlight.from_numpy(array(whole.clone())).as_strided(
                x.shape, x.stride(), x.storage_offset()
            )
        y = y.to(rushlight.bfloat16) if x.dtype == torch.bfloat16 else y
        return y.requires_grad_() if x.requires_grad and grads else y
    if isinstance(x, (torch.dtype, torch.memory_format)):
        return getattr(rushlight, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return str(x)
    if isinstance(x, torch.nn.Module):
        return getattr(rushlight.nn, type(x).__name__)()
    if isinstance(x, torch.Size):
        return rushlight.Size(x)
    if isinstance(x, (list, tuple)):
        return type(x)(ours(v, grads) for v in x)
    if isinstance(x, dict):
        return {k: ours(v, grads) for k, v in x.items()}
    return x


def flat(x: Any) -> list[Any]:
    """All items of nested lists and tuples."""
    return [t for v in x for t in flat(v)] if isinstance(x, (list, tuple)) else [x]


def tensors(x: Any, kind: type) -> list[Any]:
    """All tensors in nested lists and tuples."""
    return [t for t in flat(x) if isinstance(t, kind)]


def same(want: Any, got: Any, tolerance: float, what: str) -> None:
    """Equal shape and dtype, and values within the tolerance."""
    a, b = array(want), got.detach()
    kinds = [str(t.dtype).rpartition(".")[2] for t in (want, b)]
    b = b.resolve_conj().resolve_neg()  # as `array` has it of PyTorch's
    b = (b.float() if kinds[1] == "bfloat16" else b).numpy()
    assert a.shape == b.shape, f"{what}: shape {b.shape}, PyTorch's is {a.shape}"
    assert kinds[0] == kinds[1], f"{what}: dtype {kinds[1]}, PyTorch's is {kinds[0]}"
    scale = 1.0
    if kinds[0] == "bfloat16":  # sums that cancel are as good as their largest part
        scale = max(1.0, float(np.abs(a[np.isfinite(a)]).max(initial=0)))
    np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance * scale, err_msg=what)


def samples(entry: Any, kind: Any, grads: bool, most: int) -> Iterator[Any]:
    """The first samples of a table entry that are strided and small."""
    torch.manual_seed(0)
    name = entry.name

    def fits(sample: Any) -> bool:
        if name in LEFT_OUT and LEFT_OUT[name](sample):
            return False
        found = tensors([sample.input, sample.args, *sample.kwargs.values()], torch.Tensor)
        return all(t.layout == torch.strided and t.numel() <= LARGE for t in found)

    every = islice(entry.sample_inputs("cpu", kind, requires_grad=grads), 400)
    return islice(filter(fits, every), most)


def check(
    name: str,
    dtype: str,
    *,
    indices: bool = True,
    gradients: bool = True,
    variant: str = "",
    most: int = MOST,
    tolerance: float | None = None,
) -> None:
    """Compare the op called `name` (dotted, as under torch) on the samples of PyTorch's table.

    `indices=False` compares only the first of several results: which of equal elements a choice
    takes is free. `gradients=False` compares values only.
    """
    entries = [e for e in tables()[name] if e.variant_test_name == variant]
    kind = getattr(torch, dtype)
    function = VARIANTS.get((name, variant)) or find(name)
    assert function is not None, f"there is no {name}"
    ran = 0
    for entry in entries:
        if kind not in entry.dtypes:
            continue
        grads = gradients and dtype in ("float64", "complex128") and entry.supports_autograd
        for sample in samples(entry, kind, grads, most):
            within = tolerance or TOLERANCE[dtype]
            one(name, entry, function, sample, within, grads, indices, spoilt=ran < SPOILT)
            ran += 1
    if not ran:
        pytest.skip(f"PyTorch has no {dtype} samples of {name}")


def one(
    name: str, entry: Any, function: Any, sample: Any, tolerance: float, grads: bool,
    indices: bool, spoilt: bool,
) -> None:  # fmt: skip
    """Compare one call; `spoilt`: also how far a NaN reaches that comes back."""
    theirs_in = [sample.input, *sample.args, *sample.kwargs.values()]
    positional = ours([sample.input, *sample.args], grads)
    named = ours(sample.kwargs, grads)
    arguments = ORDER[name](*positional) if name in ORDER else positional
    if name.endswith("_"):  # the tables write into a copy
        arguments = [arguments[0].clone(), *arguments[1:]]
    if any(t.dtype == torch.float32 for t in tensors(theirs_in, torch.Tensor)):
        tolerance = max(tolerance, 1e-6)  # PyTorch computes parts of it in float32
    described = f"{name}({[getattr(t, 'shape', t) for t in positional]}, {sample.kwargs})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what both say of PyTorch's old names
        try:
            want = entry(sample.input, *sample.args, **sample.kwargs)
        except RuntimeError:
            return
        got = function(*arguments, **named)
    if name == "linalg.lstsq":  # one of its tables takes the first two results
        got = got[: len(want)]
    wants, gots = tensors(want, torch.Tensor), tensors(got, rushlight.Tensor)
    assert len(wants) == len(gots), described
    for k, (a, b) in enumerate(zip(wants, gots, strict=True)):
        if indices or k == 0:
            same(a, b, tolerance, described)
    if not wants:
        assert got == pytest.approx(want, nan_ok=True), described
    roots = [(a, b) for a, b in zip(wants, gots, strict=True) if a.requires_grad and a.numel()]
    if not grads or not roots:
        return
    assert all(b.requires_grad for _, b in roots), described
    seeds = [torch.randn_like(a) for a, _ in roots]
    leaves = [t for t in tensors(theirs_in, torch.Tensor) if t.requires_grad]
    own = [t for t in tensors([*positional, *named.values()], rushlight.Tensor) if t.requires_grad]
    how: dict[str, Any] = {"allow_unused": True, "retain_graph": True}

    def gradients(seeds: list[Any]) -> Any:
        theirs = torch.autograd.grad([a for a, _ in roots], leaves, seeds, **how)
        mine = rushlight.autograd.grad(
            [b for _, b in roots], own, [ours(s, False) for s in seeds], **how
        )
        return zip(theirs, mine, strict=True)

    for a, b in gradients(seeds):
        if a is not None and b is not None:
            same(a, b, tolerance * 10, f"gradient of {described}")
        else:
            present = a if a is not None else b
            assert present is None or not present.any(), f"gradient of {described}: one is missing"
    if not spoilt or name in SPREADS or any(s.is_complex() for s in seeds):
        return
    for seed in seeds:
        seed[(0,) * seed.ndim] = float("nan")
    for a, b in gradients(seeds):
        if a is not None and b is not None and not b.is_complex():
            further = np.isnan(b.numpy(force=True)) & np.isfinite(array(a))
            assert not further.any(), f"gradient of {described}: NaN comes further than it may"
