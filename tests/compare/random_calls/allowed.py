"""The differences between Rushlight and PyTorch that are meant, each with its reason.

A difference knows its line, what both did (`ours`, `theirs`: a result or an exception), and the
tensors of PyTorch that the line names (`operands`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


def words(x: Any) -> str:
    """The text of an exception; nothing for a result."""
    return str(x) if isinstance(x, BaseException) else ""


def computed_here(d: Any, *texts: str) -> bool:
    """PyTorch raises with one of these texts, Rushlight gives a result."""
    return not isinstance(d.ours, BaseException) and any(t in words(d.theirs) for t in texts)


def narrow(d: Any) -> bool:
    return computed_here(
        d, "not implemented for 'Half'", "not implemented for 'BFloat16'", "Low precision dtypes",
        "types other than float and double", "tensor with 2 or more dimensions of float",
        "input tensor to have double or float dtype", "but got Half", "but got BFloat16",
    )  # fmt: skip


def no_derivative(d: Any) -> bool:
    """A derivative that only one of them has: the results require gradients in one of them."""
    node = type(getattr(d.theirs, "grad_fn", None)).__name__
    lacking = d.what == "requires_grad" and (
        re.search(r"special\.|histogram|unique|_grad|_copy\(|\.(eq|ne|lt|le|gt|ge|greater|less|not_equal)\w*_\(|"
                  r"heaviside|floor_divide|frexp|logical", d.line)
        or node in ("Error", "NotImplemented")
    )  # fmt: skip
    return bool(lacking) or computed_here(
        d, "derivative for", "is not differentiable with respect", "not support automatic diff"
    )


def other_order(d: Any) -> bool:
    """Both results are dense, but in another order of dimensions, of operands that lie in
    different orders."""
    if d.what != "strides":
        return False
    if len({tuple(t.shape) for t in d.operands}) > 1:
        return True
    orders = set()
    for t in d.operands:
        if t.ndim > 1 and t.numel() > 1:
            lying = [s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1]
            orders.add(lying == sorted(lying, reverse=True) and 0 not in lying)
    return len(orders) > 1


LINALG = (
    r"linalg|cholesky|inverse|matrix_power|lu_solve|ormqr|orgqr|geqrf|\bqr\b|\.qr\(|\blu\b|\.lu\(|"
    r"triangular_solve|lstsq|svd|pinverse|logdet|slogdet|eig|lu_unpack"
)

ALLOWED: list[tuple[str, Callable[[Any], bool]]] = [
    (
        "complex32 is not a type that Rushlight stores",
        lambda d: "complex32" in str(getattr(d.theirs, "dtype", ""))
        or "ComplexHalf" in words(d.theirs),
    ),
    (
        "PyTorch has no kernel for float16 or bfloat16; Rushlight computes in float32 and rounds",
        narrow,
    ),
    (
        "derivatives that only one of them has; Rushlight's is zero where PyTorch's is missing",
        no_derivative,
    ),
    (
        "which values a node keeps: Rushlight copies what `a *= a` overwrites, and keeps operands "
        "where PyTorch keeps what it made of them",
        lambda d: "modified by an inplace operation" in words(d.theirs) + words(d.ours),
    ),
    (
        "operands that lie in different orders: NumPy chooses the order of the result otherwise",
        other_order,
    ),
    (
        "matrices that LAPACK computes lie column by column in PyTorch",
        lambda d: d.what == "strides" and bool(re.search(LINALG, d.line)),
    ),
    (
        "the layout of transforms: PyTorch's is MKL's",
        lambda d: d.what == "strides" and ("fft" in d.line or "stft" in d.line),
    ),
    (
        "pools of lines and products of permuted operands: PyTorch's result is a permuted one",
        lambda d: d.what == "strides"
        and bool(re.search(r"pool|response_norm|conv|einsum|kron|bilinear|tensordot|_cell|fold|"
                           r"renorm|lp_|attention|polygamma|mvlgamma|multigammaln|logsigmoid|unravel_index|"
                           r"quantile|log_sigmoid|logit\b|log_ndtr", d.line)),
    ),
    (
        "a tensor without elements: PyTorch looks at more, or at less, before it gives nothing",
        lambda d: any(t.numel() == 0 for t in d.operands)
        and (isinstance(d.ours, BaseException) != isinstance(d.theirs, BaseException)),
    ),
    (
        "views of PyTorch's that are errors by its own accident",
        lambda d: computed_here(d, "INTERNAL ASSERT", "ZeroTensors are immutable",
                                "view size is not compatible", "not resizable")
        or "setStorage: sizes" in words(d.theirs),
    ),
    (
        "of two things that are wrong with a call, a type is named first here",
        lambda d: isinstance(d.theirs, BaseException) and "not implemented for" in words(d.ours),
    ),
    (
        "a number where a tensor is wanted is a TypeError here, whatever PyTorch's Python says",
        lambda d: type(d.ours) is TypeError and "must be Tensor" in words(d.ours)
        and isinstance(d.theirs, AttributeError),
    ),
    (
        "of equal values topk, kthvalue, median and mode may choose any: places differ",
        lambda d: d.what == "value" and bool(re.search(r"topk|kthvalue|median|mode|sort", d.line)),
    ),
    (
        "matrix_exp of narrow floats: PyTorch's terms overflow",
        lambda d: d.what == "value" and "matrix_exp" in d.line,
    ),
    (
        "out= is taken by functions that PyTorch has without it",
        lambda d: computed_here(d, "unexpected keyword argument 'out'"),
    ),
    (
        "operands of two types: Rushlight brings them together where PyTorch refuses, or takes the "
        "type of the first",
        lambda d: len({t.dtype for t in d.operands}) > 1
        and (d.what == "dtype" or "dtype" in words(d.ours) or "can't be cast" in words(d.ours)
             or computed_here(d, "dtype", "Type promoting", "can't be cast", "Subtraction",
                              "Integral inputs", "expected scalar type")),
    ),
    (
        "as_strided_scatter: PyTorch's gradient is that of the elements that were replaced; of "
        "tensors with gaps it copies the gaps",
        lambda d: any("as_strided_scatter" in line for line in d.lines)
        or (d.what == "strides" and "_scatter(" in d.line),
    ),
    (
        "a leaf that requires grad is not written to, also by what has no derivative",
        lambda d: "a leaf Variable" in words(d.ours),
    ),
    (
        "further ways of calling: prod of several dims, special.log_softmax with a type by place",
        lambda d: computed_here(d, "prod() received an invalid", "special_log_softmax() takes"),
    ),
    (
        "gradients: logical_not_ has none here, where PyTorch hands on that of the old values; "
        "ctc_loss has the true one also of numbers that are no log-probabilities",
        lambda d: d.what.startswith("gradient")
        and any(re.search(r"logical_\w+_\(|ctc_loss", line) for line in d.lines),
    ),
    (
        "gelu of infinities: PyTorch's vectors give NaN, its single elements do not",
        lambda d: d.what == "value" and "gelu" in d.line,
    ),
    (
        "out= of another type or size: PyTorch's scans compute in its type, and it is resized "
        "in the order of the operand",
        lambda d: "out=" in d.line and (d.what == "strides" or "can't be cast" in words(d.ours)),
    ),
    (
        "a gradient of another type than PyTorch's backward takes is cast",
        lambda d: computed_here(d, "Found dtype"),
    ),
    (
        "operands with too few dimensions: PyTorch names the one that it looked for first",
        lambda d: type(d.theirs).__name__ == "IndexError" and isinstance(d.ours, RuntimeError)
        and ("Dimension" in words(d.theirs)),
    ),
    (
        "unique_consecutive and special.round: PyTorch's overloads of them lack a case",
        lambda d: bool(re.search(r"unique_consecutive|special\.round|\.pad\(", d.line)),
    ),
    (
        "True among other indices is no index of elements here, so types need not be alike",
        lambda d: computed_here(d, "Index put requires") and "True" in d.line.partition("]")[0],
    ),
    (
        "losses of complex numbers, which PyTorch computes by accident of its formula",
        lambda d: any(t.is_complex() for t in d.operands) and "_loss" in d.line,
    ),
    (
        "an operand that overlaps partly with what is written: computed first here, refused there",
        lambda d: computed_here(d, "some elements of the input tensor and the written-to tensor"),
    ),
    (
        "rms_norm of complex numbers, and inner products of two bools",
        lambda d: "not implemented for" in words(d.ours)
        and bool(re.search("rms_norm|inner", d.line)),
    ),
    (
        "memory that several elements share: Rushlight never writes to it, PyTorch sometimes does",
        lambda d: "more than one element of the written-to tensor" in words(d.ours),
    ),
    (
        "PyTorch's Bessel functions and gradients of gamma draws err by 1e-6 in double precision",
        lambda d: d.what == "value"
        and bool(re.search(r"bessel|_standard_gamma_grad|_dirichlet_grad", d.line)),
    ),
    (
        "conj() is a copy here, not a lazy view",
        lambda d: any("conj" in line or "adjoint" in line or ".mH" in line for line in d.lines),
    ),
    (
        "functions behind nn's modules: Rushlight gives the last parameters defaults",
        lambda d: computed_here(d, "cudnn_enabled", "convolution() missing"),
    ),
    (
        "a view that requires_grad_() made a leaf: views of it may be written to",
        lambda d: computed_here(d, "a view of a leaf Variable"),
    ),
]  # fmt: skip


def reason(difference: Any) -> str | None:
    """Why a difference is allowed; None when it is not."""
    return next((why for why, is_it in ALLOWED if is_it(difference)), None)
