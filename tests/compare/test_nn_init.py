"""nn.init against PyTorch: the same seed gives the same numbers."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

CASES: list[tuple[str, tuple[int, ...], tuple[Any, ...], dict[str, Any]]] = [
    ("uniform_", (5, 7), (-1.0, 2.0), {}),
    ("normal_", (5, 7), (1.0, 2.0), {}),
    ("normal_", (40, 3), (), {}),
    ("constant_", (3,), (2.5,), {}),
    ("ones_", (3,), (), {}),
    ("zeros_", (3,), (), {}),
    ("eye_", (3, 5), (), {}),
    ("dirac_", (6, 2, 3), (), {}),
    ("dirac_", (6, 2, 3, 4), (3,), {}),
    ("dirac_", (2, 3, 3, 3, 3), (), {}),
    ("xavier_uniform_", (5, 7), (), {}),
    ("xavier_normal_", (5, 7, 3), (2.0,), {}),
    ("kaiming_uniform_", (5, 7), (), {}),
    ("kaiming_uniform_", (5, 7, 2, 2), (0.3, "fan_out"), {}),
    ("kaiming_normal_", (5, 7), (), {"nonlinearity": "relu"}),
    ("trunc_normal_", (50, 7), (), {"std": 0.02}),
    ("trunc_normal_", (50, 7), (0.5, 1.0, -0.5, 1.0), {}),
    ("trunc_normal_", (50, 7), (0.0, 1.0, 1.0, 2.0), {}),
    ("orthogonal_", (5, 5), (), {}),
    ("orthogonal_", (3, 7), (2.0,), {}),
    ("orthogonal_", (7, 2, 2), (), {}),
    ("sparse_", (10, 6), (0.3,), {}),
]


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}{c[1]}{c[2]}{c[3]}")
def test_same_numbers(case: Any, double: bool) -> None:
    name, shape, args, kwargs = case
    got = []
    for library in (rushlight, torch):
        library.manual_seed(11)
        t = library.empty(shape, dtype=library.float64 if double else library.float32)
        out = getattr(library.nn.init, name)(t, *args, **kwargs)
        got.append((out.numpy(), library.rand(2).numpy()))
    (mine, after), (theirs, after_theirs) = got
    np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6)
    np.testing.assert_array_equal(after, after_theirs)  # as many numbers were drawn


def test_every_function_is_here() -> None:
    names = [n for n in dir(torch.nn.init) if inspect.isfunction(getattr(torch.nn.init, n))]
    for name in names:
        if name.startswith("_no_grad") or name == "_make_deprecate":
            continue
        mine = inspect.signature(getattr(rushlight.nn.init, name))
        theirs = inspect.signature(getattr(torch.nn.init, name))
        assert list(mine.parameters) == list(theirs.parameters), name
        for key, p in theirs.parameters.items():
            assert mine.parameters[key].default == p.default, (name, key)
