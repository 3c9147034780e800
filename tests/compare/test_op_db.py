"""PyTorch's own operator tables: every operator that both have, on PyTorch's own samples.

float64 with gradients, integers, booleans and complex numbers. Tables that another file of this
folder names are compared there. What differs on purpose is listed here, with the reason.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")

HERE = Path(__file__).parent
DTYPES = ("float64", "int64", "bool", "complex128")
FURTHER = ("float32", "bfloat16", "int32", "uint8")  # values of few samples: types come out right
MOST, FEW = 12, 4  # samples of each entry and dtype; the tables have up to hundreds


def op_tables() -> Any:
    """`op_tables.py`, under the name by which the fixture `compare_op` knows it."""
    name = "rushlight_test_op_tables"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HERE / "op_tables.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def listed(file: str, prefix: str = "") -> set[str]:
    """The names in the lists at the top of a test file."""
    tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
    lists = [n.value for n in tree.body if isinstance(n, ast.Assign)]
    lists = [n for n in lists if isinstance(n, ast.List)]
    return {prefix + n.value for one in lists for n in one.elts if isinstance(n, ast.Constant)}


ELSEWHERE = (
    listed("test_fft.py", "fft.")
    | listed("test_linalg.py")
    | listed("test_sort.py")
    | listed("test_special.py")
)

# Numbers drawn at random, or memory as it was found: tests of their own compare them.
RANDOM = {
    "bernoulli", "multinomial", "normal", "rand_like", "randint", "randint_like", "randn",
    "randn_like", "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty",
    "new_empty_strided", "nn.functional.dropout", "nn.functional.dropout2d",
    "nn.functional.dropout3d", "nn.functional.alpha_dropout",
    "nn.functional.feature_alpha_dropout", "nn.functional.rrelu",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d",
    "nn.functional.gumbel_softmax", "pca_lowrank", "svd_lowrank",
    "nn.functional.multi_head_attention_forward",
}  # fmt: skip

DIFFERENT = {
    "linalg.eig": "eigenvectors are determined up to a complex factor",
    "linalg.eigh": "eigenvectors are determined up to a sign",
    "linalg.svd": "singular vectors are determined up to a sign",
    "svd": "singular vectors are determined up to a sign",
    "chalf": "refused here: no array holds complex numbers of 16-bit parts (decision 0034)",
    "argsort bool": "which of equal elements comes first is free",
    "argsort uint8": "which of equal elements comes first is free",
    "argsort bfloat16": "which of equal elements comes first is free",
    "as_strided bfloat16": "NumPy cannot take the memory around a part of a tensor",
    "grid_sampler_2d bfloat16": "PyTorch rounds positions between the pixels",
    "grid_sampler_3d bfloat16": "PyTorch rounds positions between the pixels",
    "nn.functional.interpolate-bicubic uint8": "weights of 16 bits: one off in a few places",
    "matrix_exp float32": "rounded otherwise",
    "matrix_exp bfloat16": "PyTorch's overflows in between",
    "nn.functional.hinge_embedding_loss bfloat16": "PyTorch rounds each summand",
    "to_sparse": "compared in test_sparse.py: what comes out has no array to look at",
    "nn.functional.rms_norm complex128": "for real numbers only",
}
LOOSE = {
    "special.bessel_j0": "PyTorch's is off by 2e-7, measured against the integral",
    "special.bessel_j1": "PyTorch's is off by 6e-8, measured against the integral",
    "special.bessel_y1": "PyTorch's is off by 3e-7",
}
VALUES_ONLY = {
    "native_group_norm": "its moments carry no gradient here",
    "as_strided_scatter": "PyTorch passes a gradient to an element that was overwritten",
    "nn.functional.ctc_loss": "the gradient is that of the loss for each log-probability as it "
    "stands; PyTorch's is the same only after log_softmax",
}
TIES = {"sort", "topk", "kthvalue", "mode"}  # which of equal elements is taken is free


def entries() -> list[Any]:
    out = []
    for name, found in op_tables().tables().items():
        if name in RANDOM or op_tables().find(name) is None:
            continue
        for entry in found:
            for dtype in (*DTYPES, *FURTHER):
                kind = getattr(op_tables().torch, dtype)
                here = name not in ELSEWHERE or entry.variant_test_name
                if dtype == "float64" and kind not in entry.dtypes:
                    dtype, kind = "float32", op_tables().torch.float32
                if kind in entry.dtypes and (here or dtype not in ("float64", "complex128")):
                    out.append((name, entry.variant_test_name, dtype))
    return sorted(set(out))


@pytest.mark.parametrize(("name", "variant", "dtype"), entries())
def test_operator(name: str, variant: str, dtype: str) -> None:
    for key in (name, f"{name} {dtype}", f"{name}-{variant} {dtype}"):
        if key in DIFFERENT:
            pytest.skip(DIFFERENT[key])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        op_tables().check(
            name,
            dtype,
            variant=variant,
            indices=name not in TIES,
            gradients=name not in VALUES_ONLY and dtype in DTYPES,
            most=FEW if dtype in FURTHER else MOST,
            tolerance=1e-5 if name in LOOSE else None,
        )


def test_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """The tables whose operator Rushlight lacks: a list to be seen, not a failure."""
    missing = sorted(name for name in op_tables().tables() if op_tables().find(name) is None)
    with capsys.disabled():
        print(f"\n{len(missing)} operators of PyTorch's tables are not there: {', '.join(missing)}")
