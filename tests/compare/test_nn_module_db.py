"""PyTorch's own table of modules (arguments and inputs for each), run through ours beside it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
common_modules = pytest.importorskip("torch.testing._internal.common_modules")

# Not layers of ours, with the reason.
SKIP = {
    "nn.LinearCrossEntropyLoss": "its options choose kernels that are not here",
    "nn.CrossMapLRN2d": "PyTorch's leaves a channel in its running sum",
    "nn.TransformerEncoder": "made from a module; compared in test_nn_transformer.py",
    "nn.CTCLoss": "PyTorch's gradient takes a log-softmax before it for granted",
}
INFOS = [i for i in common_modules.module_db if i.name.startswith("nn.")]


def ours(value: Any) -> Any:
    """The same value with PyTorch's tensors, types and classes replaced by ours."""
    if isinstance(value, torch.Tensor):
        t = rushlight.from_numpy(value.detach().cpu().numpy().copy())
        return t.requires_grad_() if value.requires_grad else t
    if isinstance(value, torch.dtype):
        return getattr(rushlight, str(value).split(".")[1])
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, dict):
        return {k: ours(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(ours(v) for v in value)
    if callable(value) and getattr(value, "__module__", "").startswith("torch"):
        return getattr(rushlight.nn.functional, value.__name__)
    return value


def leaves(value: Any) -> Any:
    """The same value with every PyTorch tensor a leaf of its own."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, dict):
        return {k: leaves(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(leaves(v) for v in value)
    return value


def tensors(value: Any) -> list[Any]:
    if hasattr(value, "detach"):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in tensors(v)] if isinstance(value, (list, tuple)) else []


def close(a: Any, b: Any) -> None:
    a, b = a.detach().numpy(), b.detach().numpy()
    assert a.shape == b.shape
    assert a.dtype == b.dtype
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def run(library: Any, module: Any, args: Any, kwargs: Any) -> tuple[list[Any], list[Any]]:
    library.manual_seed(5)
    out = tensors(module(*args, **kwargs))
    total = sum((o * o).sum() for o in out if o.is_floating_point())
    if getattr(total, "requires_grad", False):
        total.backward()
    inputs = [t for t in tensors([list(args), kwargs]) if t.requires_grad]
    return out, [t.grad for t in (*inputs, *module.parameters())]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("info", INFOS, ids=lambda i: i.name)
def test_module(info: Any, training: bool) -> None:
    if info.name in SKIP:
        pytest.skip(SKIP[info.name])
    mine_class = rushlight.nn
    for part in info.name.split(".")[1:]:
        mine_class = getattr(mine_class, part)
    dtype = torch.float64 if torch.float64 in info.dtypes else info.dtypes[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        inputs = info.module_inputs_func(
            info, device="cpu", dtype=dtype, requires_grad=True, training=training
        )
        for case in inputs:
            made, given = case.constructor_input, case.forward_input
            theirs = info.module_cls(*made.args, **made.kwargs).to(dtype).train(training)
            mine = mine_class(*ours(made.args), **ours(made.kwargs))
            mine = mine.to(ours(dtype)).train(training)
            assert repr(mine) == repr(theirs)
            if given is None:
                continue
            args, kwargs = ours(given.args), ours(given.kwargs)
            if not any("Uninit" in type(p).__name__ for p in theirs.parameters()):
                mine.load_state_dict(ours(dict(theirs.state_dict())))
            a, b = (
                run(rushlight, mine, args, kwargs),
                run(torch, theirs, leaves(given.args), leaves(given.kwargs)),
            )
            assert len(a[0]) == len(b[0])
            for x, y in zip(a[0], b[0], strict=True):
                close(x, y)
            for x, y in zip(a[1], b[1], strict=True):
                assert (x is None) == (y is None)
                if x is not None:
                    close(x, y)
            assert repr(mine) == repr(theirs)
