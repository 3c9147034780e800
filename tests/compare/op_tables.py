"""Runs an op on PyTorch's own sample inputs (its operator tables) and compares values and
gradients.

Not a test file: the fixture `compare_op` of `conftest.py` is its `check`.
"""

from __future__ import annotations

import warnings
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

MOST = 12  # samples of each table entry; the first ones are the most different
TOLERANCE = {"float64": 1e-8, "complex128": 1e-8, "float32": 3e-4, "int64": 3e-4}


@cache
def tables() -> dict[str, list[Any]]:
    """PyTorch's table entries by name."""
    out: dict[str, list[Any]] = {}
    for entry in op_db:
        out.setdefault(entry.name, []).append(entry)
    return out


def ours(x: Any, grads: bool) -> Any:
    """A PyTorch value as one of ours, memory not shared."""
    if isinstance(x, torch.Tensor):
        y = rushlight.from_numpy(x.detach().clone().resolve_conj().numpy())
        return y.requires_grad_() if x.requires_grad and grads else y
    if isinstance(x, torch.dtype):
        return getattr(rushlight, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return str(x)
    if isinstance(x, (list, tuple)):
        return type(x)(ours(v, grads) for v in x)
    if isinstance(x, dict):
        return {k: ours(v, grads) for k, v in x.items()}
    return x


def tensors(x: Any, kind: type) -> list[Any]:
    """All tensors in nested lists and tuples."""
    if isinstance(x, kind):
        return [x]
    return [t for v in x for t in tensors(v, kind)] if isinstance(x, (list, tuple)) else []


def same(want: Any, got: Any, tolerance: float, what: str) -> None:
    """Equal shape and dtype, and values within the tolerance."""
    a, b = want.detach().resolve_conj().resolve_neg().numpy(), got.detach().numpy()
    assert a.shape == b.shape, f"{what}: shape {b.shape}, PyTorch's is {a.shape}"
    assert a.dtype == b.dtype, f"{what}: dtype {b.dtype}, PyTorch's is {a.dtype}"
    np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance, err_msg=what)


def check(
    name: str, dtype: str, *, indices: bool = True, gradients: bool = True, variant: str = ""
) -> None:
    """Compare the op called `name` (dotted, as under torch) on the samples of PyTorch's table."""
    entries = [e for e in tables()[name] if e.variant_test_name == variant]
    kind = getattr(torch, dtype)
    function: Any = rushlight
    for part in name.split("."):
        function = getattr(function, part)
    ran = 0
    for entry in entries:
        if kind not in entry.dtypes:
            continue
        grads = gradients and dtype in ("float64", "complex128") and entry.supports_autograd
        torch.manual_seed(0)
        for sample in islice(entry.sample_inputs("cpu", kind, requires_grad=grads), MOST):
            one(name, entry, function, sample, TOLERANCE[dtype], grads, indices)
            ran += 1
    if not ran:
        pytest.skip(f"PyTorch has no {dtype} samples of {name}")


def one(
    name: str, entry: Any, function: Any, sample: Any, tolerance: float, grads: bool, indices: bool
) -> None:
    """Compare one call."""
    theirs_in = [sample.input, *sample.args, *sample.kwargs.values()]
    positional = ours([sample.input, *sample.args], grads)
    named = ours(sample.kwargs, grads)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what PyTorch says of its own old names
            want = entry(sample.input, *sample.args, **sample.kwargs)
    except RuntimeError:
        return
    if name == "einsum":  # the table has (operands, equation)
        got = function(positional[1], *positional[0])
    elif name.endswith("polygamma"):
        got = function(positional[1], positional[0])
    else:
        got = function(*positional, **named)
    described = f"{name}({[getattr(t, 'shape', t) for t in positional]}, {sample.kwargs})"
    wants, gots = tensors(want, torch.Tensor), tensors(got, rushlight.Tensor)
    assert len(wants) == len(gots), described
    for a, b in zip(wants, gots, strict=True):
        if indices or a.is_floating_point():
            same(a, b, tolerance, described)
    roots = [(a, b) for a, b in zip(wants, gots, strict=True) if a.requires_grad]
    if not grads or not roots:
        return
    assert all(b.requires_grad for _, b in roots), described
    seeds = [torch.randn_like(a) for a, _ in roots]
    leaves = [t for t in tensors(theirs_in, torch.Tensor) if t.requires_grad]
    own = [t for t in tensors([*positional, *named.values()], rushlight.Tensor) if t.requires_grad]
    theirs = torch.autograd.grad([a for a, _ in roots], leaves, seeds, allow_unused=True)
    mine = rushlight.autograd.grad(
        [b for _, b in roots], own, [ours(s, False) for s in seeds], allow_unused=True
    )
    for a, b in zip(theirs, mine, strict=True):
        if a is not None and b is not None:
            same(a, b, tolerance * 10, f"gradient of {described}")
        else:
            present = a if a is not None else b
            assert present is None or not present.any(), f"gradient of {described}: one is missing"
