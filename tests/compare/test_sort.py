"""Ordering on the samples of PyTorch's operator tables."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

NAMES = [
    "sort",
    "argsort",
    "msort",
    "median",
    "nanmedian",
    "quantile",
    "nanquantile",
    "unique",
    "unique_consecutive",
    "searchsorted",
    "bucketize",
    "histc",
    "histogram",
    "bincount",
]
DTYPES = ["float64", "float32", "int64"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_order(compare_op, name, dtype):
    compare_op(name, dtype)


@pytest.mark.parametrize("name", ["topk", "kthvalue", "mode"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_choices_among_equals_are_free(compare_op, name, dtype):
    compare_op(name, dtype, indices=dtype == "float64" and name != "mode")


@pytest.mark.parametrize("descending", [False, True])
def test_nan_and_ties_sort_as_in_pytorch(descending):
    import rushlight

    x = np.array([[3, np.nan, 1, 3, np.inf, -np.inf, 1, np.nan, -0.0, 0.0]])
    theirs = torch.from_numpy(x).sort(stable=True, descending=descending)
    ours = rushlight.from_numpy(x).sort(stable=True, descending=descending)
    assert theirs.indices.tolist() == ours.indices.tolist()
    assert np.array_equal(theirs.values.numpy(), ours.values.numpy(), equal_nan=True)


def test_named_results_print_as_in_pytorch():
    import rushlight

    x = np.array([[3.0, 1.0], [0.0, 2.0]])
    for call in ("x.sort()", "x.topk(1)", "x.median(0)", "x.mode(0)", "x.kthvalue(1)"):
        theirs, ours = (
            eval(call, {"x": torch.from_numpy(x)}),
            eval(call, {"x": rushlight.from_numpy(x)}),
        )
        assert repr(theirs) == repr(ours)
