"""An op on PyTorch's own samples in every form: types, methods, in place, `out=`, errors, twice
differentiated.

Not a test file: the test files beside it call `run(name, ...)`. `op_tables.py` checks values and
first gradients of
more samples; this file is about the forms.
"""

from __future__ import annotations

import importlib
import itertools
import re
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
op_db = importlib.import_module("tests.compare.op_db").op_db

MOST = 14  # samples of an entry and type
TYPES = (
    "float32",
    "float64",
    "int64",
    "uint8",
    "bool",
    "complex64",
    "complex128",
    "bfloat16",
    "float16",
    "int32",
)
TOLERANCE = {
    "float32": 2e-5,
    "float64": 1e-9,
    "complex64": 5e-5,
    "complex128": 1e-9,
    "float16": 2e-3,
    "bfloat16": 2e-2,
}


@cache
def entries(name: str) -> list[Any]:
    """PyTorch's table entries of this name."""
    return [e for e in op_db if e.name == name]


def ours(x: Any) -> Any:
    """PyTorch's values as ours, with memory of their own."""
    if isinstance(x, torch.Tensor):
        a = x.detach().resolve_conj().resolve_neg()
        if a.dtype is torch.bfloat16:
            t = rushlight.from_numpy(a.float().numpy().copy()).to(rushlight.bfloat16)
        else:
            t = rushlight.from_numpy(a.numpy().copy(order="K"))
        return t.requires_grad_() if x.requires_grad else t
    if isinstance(x, (torch.dtype, torch.memory_format)):
        return getattr(rushlight, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return str(x)
    if isinstance(x, torch.layout):
        return rushlight.strided
    if isinstance(x, torch.Size):
        return rushlight.Size(x)
    if isinstance(x, (list, tuple)):
        return type(x)(ours(v) for v in x)
    if isinstance(x, dict):
        return {k: ours(v) for k, v in x.items()}
    return x


def array(t: Any) -> Any:
    t = t.detach()
    t = t.float() if "bfloat16" in str(t.dtype) else t
    if isinstance(t, torch.Tensor):
        t = t.resolve_conj().resolve_neg()
    return np.asarray(t.numpy(force=True))


def same(a: Any, b: Any, where: str) -> None:
    """Our result `a` against PyTorch's `b`."""
    if isinstance(b, torch.Tensor):
        assert isinstance(a, rushlight.Tensor), where
        assert (str(a.dtype), tuple(a.shape)) == (str(b.dtype), tuple(b.shape)), where
        assert a.requires_grad == b.requires_grad, where
        close(a, b, where)
    elif isinstance(b, (list, tuple)):
        assert len(a) == len(b), where
        if "return_types" in type(b).__module__:
            assert type(a).__name__ == type(b).__name__, where
        for p, q in zip(a, b, strict=True):
            same(p, q, where)
    elif isinstance(b, (bool, int, float, complex, torch.dtype, str, type(None))):
        assert str(a) == str(b), where


def close(a: Any, b: Any, where: str) -> None:
    tolerance = TOLERANCE.get(str(b.dtype).removeprefix("torch."), 0)
    np.testing.assert_allclose(array(a), array(b), rtol=tolerance, atol=tolerance, err_msg=where)


def tensors(x: Any) -> list[Any]:
    if isinstance(x, (rushlight.Tensor, torch.Tensor)):
        return [x]
    if isinstance(x, dict):
        x = list(x.values())
    return [t for v in x for t in tensors(v)] if isinstance(x, (list, tuple)) else []


def quiet(fn: Any, *args: Any, **kw: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn(*args, **kw)


def forms(name: str, entry: Any) -> list[Any]:
    """The public function and the method of this name, as far as both libraries have them."""
    found = []
    if callable(getattr(torch, name, None)):
        found.append(getattr(rushlight, name))
    if entry.method_variant is not None and callable(getattr(torch.Tensor, name, None)):
        found.append(getattr(rushlight.Tensor, name))
    return found


def run(
    name: str,
    *,
    double: bool = True,
    errors: bool = True,
    kinds: tuple[str, ...] = TYPES,
    words: bool = True,
) -> None:
    """Check every form of the op; `double=False` leaves out second gradients, `errors=False` the
    error samples.

    `words=False` compares the classes of errors alone.
    """
    calls = 0
    for entry in entries(name):
        ways = forms(name, entry)
        for kind in kinds:
            dtype = getattr(torch, kind)
            if dtype not in entry.supported_dtypes("cpu"):
                continue
            grads = entry.supports_autograd and kind in ("float64", "complex128")
            torch.manual_seed(0)
            for s in itertools.islice(
                quiet(entry.sample_inputs, "cpu", dtype, requires_grad=grads), MOST
            ):
                calls += sample(
                    name, entry, ways, s, kind, grads, double and entry.supports_gradgrad
                )
        if errors and entry.error_inputs_func is not None:
            for case in quiet(lambda e=entry: list(e.error_inputs("cpu"))):
                failing(name, entry, ways, case, words)
    assert calls


def sample(
    name: str, entry: Any, ways: list[Any], s: Any, kind: str, grads: bool, double: bool
) -> int:
    """One sample in every form; how many calls were compared."""
    args, kw = (s.input, *s.args), s.kwargs
    where = f"{name} {kind} {[getattr(a, 'shape', a) for a in args]} {kw}"
    try:
        want = quiet(entry.op, *args, **kw)
    except (RuntimeError, TypeError, IndexError):
        return 0
    for i, way in enumerate(ways):
        a, k = ours(args), ours(kw)
        got = quiet(way, *a, **k)
        same(got, want, where)
        if grads and i == 0:
            gradients(got, want, tensors((a, k)), tensors((args, kw)), double, where)
    if kind in ("float32", "int64", "bool") and isinstance(s.input, torch.Tensor):
        in_place(entry, s, where)
    if entry.supports_out and kind == "float32" and ways and not s.kwargs.get("out"):
        with_out(entry, ways[0], args, kw, want, where)
    return len(ways)


def gradients(
    got: Any, want: Any, ins: list[Any], theirs_in: list[Any], double: bool, where: str
) -> None:
    xs, ys = (
        [t for t in theirs_in if t.requires_grad],
        [t for t in tensors(want) if t.requires_grad],
    )
    own, roots = [t for t in ins if t.requires_grad], [t for t in tensors(got) if t.requires_grad]
    if not ys:
        return
    seeds = [torch.randn(t.shape, dtype=t.dtype) for t in ys]
    try:
        theirs = torch.autograd.grad(ys, xs, seeds, allow_unused=True, create_graph=True)
    except RuntimeError:  # not differentiable there
        return
    mine = rushlight.autograd.grad(
        roots, own, [ours(g) for g in seeds], allow_unused=True, create_graph=True
    )
    agree(mine, theirs, f"gradient of {where}")
    pairs = [(p, q) for p, q in zip(mine, theirs, strict=True) if q is not None and q.requires_grad]
    if not double or not pairs:
        return
    seeds = [torch.randn(q.shape, dtype=q.dtype) for _, q in pairs]
    theirs = torch.autograd.grad([q for _, q in pairs], xs, seeds, allow_unused=True)
    live = [
        (p, ours(v))
        for (p, _), v in zip(pairs, seeds, strict=True)
        if p is not None and p.requires_grad
    ]
    mine = [None] * len(own)
    if live:
        mine = rushlight.autograd.grad(
            [p for p, _ in live], own, [v for _, v in live], allow_unused=True
        )
    agree(mine, theirs, f"second gradient of {where}")


def agree(mine: Any, theirs: Any, where: str) -> None:
    for p, q in zip(mine, theirs, strict=True):
        if p is None or q is None:
            other = q if p is None else p
            assert other is None or not np.any(array(other)), f"{where}: one is missing"
        else:
            close(p, q, where)


def in_place(entry: Any, s: Any, where: str) -> None:
    """The form with an underscore: the same result, or an error of the same class."""
    theirs = entry.inplace_variant
    if theirs is None:
        return
    mine = getattr(rushlight.Tensor, theirs.__name__)
    error = want = None
    try:
        want = quiet(theirs, s.input.clone(), *s.args, **s.kwargs)
    except (RuntimeError, TypeError, IndexError) as e:
        error = e
    x = ours(s.input).clone()
    if error is None:
        got = quiet(mine, x, *ours(s.args), **ours(s.kwargs))
        assert got is x, where
        same(got, want, f"in place: {where}")
    else:
        with pytest.raises((type(error), RuntimeError)):
            quiet(mine, x, *ours(s.args), **ours(s.kwargs))


def with_out(entry: Any, way: Any, args: Any, kw: Any, want: Any, where: str) -> None:
    empties = [torch.empty(0, dtype=t.dtype) for t in tensors(want)]
    out = empties[0] if isinstance(want, torch.Tensor) else tuple(empties)
    try:
        quiet(entry.op, *args, out=out, **kw)
    except (RuntimeError, TypeError):
        return
    into = [rushlight.empty(0, dtype=ours(t.dtype)) for t in empties]
    target = into[0] if isinstance(want, torch.Tensor) else tuple(into)
    same(quiet(way, *ours(args), out=target, **ours(kw)), want, f"out=: {where}")
    for t, w in zip(into, tensors(want), strict=True):
        close(t, w, f"out=: {where}")


def failing(name: str, entry: Any, ways: list[Any], case: Any, words: bool) -> None:
    """An error sample of PyTorch's: the same class, its words in our text."""
    s = case.sample_input
    args = (s.input, *s.args)
    everything = tensors((args, s.kwargs))
    if any(t.device.type == "meta" or t.ndim > 64 for t in everything):
        return  # one device here; NumPy's arrays have at most 64 dimensions
    if "out" in s.kwargs or "unsupported operation" in (case.error_regex or ""):
        return  # results written over operands are allowed here where they are well-defined
    try:
        quiet(entry.op, *args, **s.kwargs)
    except Exception:
        pass
    else:
        return
    pattern = (
        case.error_regex
        if words and case.error_regex and "invalid combination" not in case.error_regex
        else ""
    )
    with pytest.raises(case.error_type) as caught:
        quiet(ways[0], *ours(args), **ours(s.kwargs))
    assert not pattern or re.search(pattern, str(caught.value)), (name, str(caught.value), pattern)
