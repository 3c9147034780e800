"""The differences between Rushlight and PyTorch that are meant, each with its reason.

A difference knows its line, what both did (`ours`, `theirs`: a result or an exception), and the
tensors of PyTorch that the line names (`operands`). A condition is as narrow as its reason: where
the layout of a result is free, both must still be without gaps; where numbers are, the reason says
which. Four kinds, in this order: what PyTorch lacks or does by accident, layouts, numbers, rules of
Rushlight's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.compare.random_calls import exact
from tests.compare.random_calls.same import CLOSE, array

NARROW = ("torch.float16", "torch.bfloat16")


def words(x: Any) -> str:
    """The text of an exception; nothing for a result."""
    return str(x) if isinstance(x, BaseException) else ""


def refused(d: Any, *texts: str) -> bool:
    """PyTorch raises with one of these texts."""
    return any(t in words(d.theirs) for t in texts)


def computed_here(d: Any, *texts: str) -> bool:
    """PyTorch raises with one of these texts, Rushlight gives a result."""
    return not isinstance(d.ours, BaseException) and refused(d, *texts)


def named(d: Any, names: str) -> bool:
    """One of these names is called in the line, by itself or by a layer."""
    return bool(re.search(rf"(?:^|[^a-z])(?:{names})_?\(", d.line + layers(d)))


def layers(d: Any) -> str:
    """What the layers of a line call: `batch_norm()` of `BatchNorm1d(3)`."""
    found = ""
    for name in re.findall(r"\bm\d+\b", d.line):
        made = next((line for line in d.lines if line.startswith(f"{name} = ")), "")
        found += made
    named_so = ""
    for layer in re.findall(r"torch\.nn\.([A-Z]\w+)\(", d.line + found):
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", layer).lower()
        named_so += f" {snake}() {snake.rstrip('123d')}()"
    return named_so


def types(d: Any) -> set[str]:
    return {str(t.dtype) for t in d.operands}


def empty(d: Any) -> bool:
    made = [t for t in parts(d.theirs) if hasattr(t, "numel")]
    return any(t.numel() == 0 for t in (*d.operands, *made))


# -- layouts ---------------------------------------------------------------------------------------


def parts(x: Any) -> list[Any]:
    """The tensors of a result."""
    return list(x) if isinstance(x, (tuple, list)) else [x]


def without_gaps(t: Any) -> bool:
    """Whether the elements of a tensor fill its memory once."""
    size = 1
    for s, n in sorted((s, n) for s, n in zip(t.stride(), t.shape, strict=True) if n > 1):
        if s != size:
            return False
        size *= n
    return True


def only_order(d: Any) -> bool:
    """Both results are without gaps; the order of their dimensions differs."""
    return d.what == "strides" and all(
        without_gaps(t)
        for a, b in zip(parts(d.ours), parts(d.theirs), strict=True)
        for t in (a, b)
        if hasattr(b, "stride") and tuple(a.stride()) != tuple(b.stride())
    )


def iterators_order(d: Any) -> bool:
    """PyTorch's result lies as its TensorIterator orders the result of an element-by-element
    function: dimensions as in the first operand that tells them apart. NumPy, and so Rushlight,
    keeps rows where any operand has them."""
    if not only_order(d) or not hasattr(d.theirs, "stride"):
        return False
    shape = tuple(d.theirs.shape)
    steps: list[list[int]] = []
    operands = list(d.operands)
    if ".where(v" in d.line and "torch.where(" not in d.line:
        operands[:2] = operands[1::-1]  # the condition comes first
    for t in operands:
        if len(t.shape) > len(shape):
            return False
        found = [0] * (len(shape) - t.ndim)
        found += [s if n > 1 else 0 for s, n in zip(t.stride(), t.shape, strict=True)]
        steps.append(found)

    def longer(a: int, b: int) -> int:
        for s in steps:
            if s[a] and s[b] and s[a] != s[b]:
                return 1 if s[a] > s[b] else -1
            if s[a] and s[b] and shape[a] > shape[b]:
                return 1
        return 0

    dims = list(range(len(shape)))[::-1]  # innermost first
    for i in range(1, len(dims)):
        at = i
        for inner in range(i - 1, -1, -1):
            found_longer = longer(dims[inner], dims[at])
            if found_longer > 0:
                dims[inner], dims[at] = dims[at], dims[inner]
                at = inner
            elif found_longer < 0:
                break
    step, strides = 1, [0] * len(shape)
    for k in dims:
        strides[k], step = step, step * shape[k]
    return all(a == b for a, b, n in zip(strides, d.theirs.stride(), shape, strict=True) if n > 1)


# What PyTorch computes of permuted operands by another library, or composes of several functions of
# which one makes rows of its result.
COMPOSED = (
    r"conv\w*|\w*pool\d?d?|einsum|kron|tensordot|addr|\w+_cell|local_response_norm|\w*attention\w*|"
    r"renorm|mvlgamma|multigammaln|logsigmoid|log_sigmoid|ldexp|angle|isclose|\w*_loss|normalize|"
    r"polygamma|lerp|addcdiv|addcmul|nan_to_num|solve_ex|complex|householder_product|quantile|rrelu"
)

# Transforms of functions, and what gives derivatives.
TRANSFORMS = r"(?:vmap|jvp|vjp|grad|jacrev|jacfwd|hessian|jacobian|functionalize)"

# -- numbers ---------------------------------------------------------------------------------------


def pairs(d: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """The numbers of both results, tensor by tensor."""
    both = zip(parts(d.ours), parts(d.theirs), strict=False)
    return [(array(a), array(b)) for a, b in both if hasattr(a, "stride") and hasattr(b, "stride")]


def numbers(d: Any, free: Callable[[np.ndarray, np.ndarray], Any]) -> bool:
    """Values differ, and only where `free` says so of ours and theirs."""
    if "value" not in d.what:
        return False
    for a, b in pairs(d):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        close = max(1e-4, CLOSE.get(str(getattr(d.theirs, "dtype", ""))[6:], 0))
        same = (a == b) | ((a != a) & (b != b)) | np.isclose(a, b, rtol=close, atol=1e-6)
        if not (same | free(a, b)).all():
            return False
    return True


def is_complex(t: Any) -> bool:
    return "complex" in str(getattr(t, "dtype", ""))


def deficient(t: Any) -> bool:
    """Whether a matrix has not its full rank."""
    import torch

    if t.ndim < 2 or not t.numel() or not (t.is_floating_point() or t.is_complex()):
        return False
    wide = t.detach().to(torch.complex128)
    return bool((torch.linalg.matrix_rank(wide) < min(t.shape[-2:])).any())


def phases(d: Any) -> bool:
    """Whether the columns of two matrices of eigenvectors differ by factors of magnitude 1."""
    (one, other), (u, v) = pairs(d)
    alike = np.abs(np.swapaxes(u.conj(), -1, -2) @ v)
    return np.allclose(one, other, rtol=1e-3, atol=1e-3) and np.allclose(
        alike, np.eye(u.shape[-1]), atol=2e-3
    )


def shared(d: Any) -> bool:
    """Whether several elements of an operand share memory."""
    def places(t: Any) -> set[int]:
        found = {0}
        for s, n in zip(t.stride(), t.shape, strict=True):
            found = {at + s * i for at in found for i in range(n)}
        return found

    return any(t.numel() > len(places(t)) for t in d.operands)


def one_memory(d: Any) -> bool:
    """Whether two operands, or one that is named twice, have the same memory."""
    found = [t.untyped_storage().data_ptr() for t in d.operands]
    return len(set(found)) < len(found)


def overlapping(d: Any) -> bool:
    """Whether a line changes an operand whose memory another one has in part."""
    lying = {
        (t.untyped_storage().data_ptr(), t.storage_offset(), tuple(t.shape), t.stride())
        for t in d.operands
    }
    written = re.search(r"_\(|out=| [-+*/%&|^]+= ", d.line)
    return bool(written) and one_memory(d) and len(lying) > 1


def roots_as_powers(d: Any) -> bool:
    """Whether a line raises to a power, of float16 or by a tensor that is one number."""
    return (named(d, r"(?:float_)?pow") or " **" in d.line) and (
        "torch.float16" in types(d) or any(t.numel() == 1 for t in d.operands)
    )


def beside_numbers(d: Any) -> bool:
    """NaN in one of them: PyTorch divides by a norm of 0, since eps is 0 in float16; and the
    incomplete gamma function of NaN at infinity is a number there."""
    if named(d, "igammac?"):
        return numbers(d, lambda a, b: np.isnan(a) & ((b == 0) | (b == 1)))
    narrow = types(d) & set(NARROW)
    if ".step()" in d.line:
        return bool(narrow) and numbers(d, lambda a, b: np.isnan(b))
    return bool(narrow) and numbers(d, lambda a, b: np.isnan(b) & (a == 0))


# What PyTorch ends with a view of what it computed: a dimension less, other sizes.
COMPOSED_OF_VIEWS = (
    r"adaptive_\w+_pool1d|avg_pool1d|cov|linear|bilinear|tensordot|einsum|inner|instance_norm|"
    r"nll_loss|repeat_interleave"
)


def made_by(d: Any, names: str) -> bool:
    """The first tensor of the line was made by one of these, or is one of several that were."""
    name = re.findall(r"\bv\d+\b", d.line.partition(" = ")[2] or d.line)[0]
    made = [line for line in d.lines[:-1] if line.startswith(f"{name} = ")]
    for one in [re.fullmatch(r"v\d+ = (v\d+)\[\d+\]\s*", line) for line in made]:
        made += [line for line in d.lines[:-1] if one and line.startswith(f"{one[1]} = ")]
    return any(re.search(rf"\.(?:{names})\(", line) for line in made)


def made_in_block(d: Any) -> bool:
    """The tensor was made where nothing is recorded, or is one of several that were."""
    name = d.line.partition(".")[0]
    made = next((line for line in d.lines if line.startswith(f"{name} = ")), "")
    if several := re.fullmatch(r"v\d+ = (v\d+)\[\d+\]\s*", made):
        made = next((line for line in d.lines if line.startswith(f"{several[1]} = ")), "")
    return any(block in made for block in ("no_grad", "inference_mode", "enabled(False)"))


def leaf_of_view(line: str) -> bool:
    """Whether a line makes a view and a leaf of it."""
    return bool(re.search(r"(?:::2\]|(?:transpose|expand)\([^()]*\(?[^()]*\)?\))"
                          r"\.requires_grad_\(\)", line))  # fmt: skip


def no_derivative(d: Any) -> bool:
    """A derivative that only one of them has: the results require gradients in one of them."""
    if d.what in ("requires_grad", "is_leaf"):
        kind = next((t.dtype for t in parts(d.theirs) if hasattr(t, "dtype")), None)
        node = type(getattr(d.theirs, "grad_fn", None)).__name__
        mine = any(getattr(t, "requires_grad", False) for t in parts(d.ours))
        return (
            not (kind.is_floating_point or kind.is_complex or mine)
            or node in ("Error", "NotImplemented")
            or named(d, r"\w*bessel\w*|airy_ai|zeta|polygamma|igammac?|histogram\w*|bincount|"
                        r"unique\w*|\w*_grad|\w+_polynomial_\w|"
                        r"(?:eq|ne|lt|le|gt|ge|greater|less|not_equal)\w*|"
                        r"heaviside|floor_divide|frexp|logical_\w+|cholesky_ex|ormqr|"
                        r"_native_multi_head_attention")
        )  # fmt: skip
    return computed_here(
        d, "derivative for", "forward AD with", "is not differentiable with respect",
        "not support automatic diff",
    )


ALLOWED: list[tuple[str, Callable[[Any], bool]]] = [
    # -- what PyTorch lacks, or does by accident ---------------------------------------------------
    (
        "PyTorch has no kernel for float16, bfloat16 or complex32; Rushlight computes in the next "
        "wider type and rounds",
        lambda d: refused(d, "not implemented for 'Half'", "not implemented for 'BFloat16'",
                          "ComplexHalf",
                          "but got Half", "but got BFloat16")
        or computed_here(d, "Low precision dtypes", "types other than float and double",
                         "tensor with 2 or more dimensions of float", "to have double or float",
                         "Got unsupported ScalarType BFloat16"),
    ),
    ("derivatives that only one of them has, or of results that are no floats", no_derivative),
    (
        "PyTorch's own assertions, views and memory that fail in a call that is right; memory "
        "behind a loss, in which it has computed and into which as_strided looks",
        lambda d: refused(d, "INTERNAL ASSERT", "Could this error message be improved",
                          "setStorage: sizes", "MKL FFT error", "returned an invalid gradient",
                          "Unexpected floating ScalarType", "inputs should have same dtype",
                          "expects a non-empty TensorList")
        or (".backward(" in d.line and computed_here(d, "detached in-place", "size of tensor a"))
        or (named(d, "addbmm") and "doesn't match the broadcast shape" in words(d.ours))
        or computed_here(d, "ZeroTensors are immutable", "view size is not compatible")
        or (named(d, "as_strided") and "out of bounds for storage" in words(d.ours)
            and d.operands[0].numel() == 1
            and not isinstance(d.theirs, BaseException)),
    ),
    (
        "in backward PyTorch subtracts and negates bools, and takes gradients of one type alone",
        lambda d: ".backward(" in d.line
        and computed_here(d, "with a bool tensor is not supported", "on a bool tensor",
                          "boolean negative", "Found dtype",
                          "can't be cast to the desired output type"),
    ),
    (
        "in backward PyTorch refuses the slope of elu_ also where its gradient does not pass",
        lambda d: ".backward(" in d.line
        and computed_here(d, "In-place elu backward calculation is triggered with a negative"),
    ),
    (
        "tensors without elements, of which PyTorch takes other types and places too, and knows "
        "where in memory they stand",
        lambda d: empty(d)
        and (d.what in ("error", "shape", "requires_grad")
             or named(d, "as_strided|storage_offset"))
        and ("] = " in d.line
             or named(d, r"einsum|index_fill|kthvalue|(?:nan)?median|conv_tbc|adaptive_\w+|"
                     r"addm[mv]|instance_norm|det|linear|a?max|a?min|batch_norm|scatter\w*|cum\w+|bmm|mm|"
                     r"householder_product|orgqr|lu|cross_entropy|mse_loss|inner|pixel_\w+|"
                     r"bernoulli|(?:log_)?normal|exponential|geometric|rand\w*|poisson|"
                     r"gumbel_softmax|embedding_bag|upsample|interpolate|"
                     r"ctc_loss|view_as_complex|cond|eig\w*|scaled_dot_product_attention|as_strided|"
                     r"storage_offset")),
    ),
    (
        "parameters that PyTorch's signature wants, or has not: out= of nn's functions, defaults "
        "of convolution's last ones, prod of several dims, a type in special.log_softmax, out= of "
        "what floor_divide made of a tensor that requires grad",
        lambda d: refused(d, "unexpected keyword argument 'out'", "convolution() missing",
                          "prod() received an invalid", "special_log_softmax() takes")
        or (named(d, "floor_divide") and "functions with out=" in words(d.ours)),
    ),
    (
        "recurrent layers with operands of other sizes or types: PyTorch's kernels read beyond "
        "them, broadcast, or promote; with inference tensors, which are not refused here",
        lambda d: (named(d, r"lstm\w*|rnn\w*|gru\w*") and computed_here(d, "Inference tensors"))
        or (named(d, r"lstm\w*|rnn_\w+|gru")
        and isinstance(d.ours, (RuntimeError, IndexError))
        and (named(d, r"lstm\w*") or not isinstance(d.theirs, BaseException))),
    ),
    (
        "losses of two types, of complex numbers, and with out= of another type: brought together "
        "here, refused there, or computed in the type of the first",
        lambda d: named(d, r"\w*_loss|\w*cross_entropy\w*|kl_div")
        and (len(types(d)) > 1 or any(t.is_complex() for t in d.operands))
        and (d.what == "dtype" or computed_here(d, "type", "Integral", "bool tensor")
             or any(t in words(d.ours) for t in ("can't be cast", "complex"))),
    ),
    (
        "out= of another type, which PyTorch's extremes and roundings do not take",
        lambda d: "out=" in d.line and computed_here(d, "dtype for input and out to match",
                                                     "Found dtype"),
    ),
    (
        "addr of two types: the product alone promotes in PyTorch",
        lambda d: named(d, "addr") and "to have the same dtype" in words(d.ours),
    ),
    # -- layouts -----------------------------------------------------------------------------------
    (
        "the strides of dimensions of at most one element, asked for by name or by a view of "
        "another type",
        lambda d: (d.line.endswith(".stride()") and len(d.ours) == len(d.theirs)
                   and all(a == b or n == 1 or not d.operands[0].numel()
                           for a, b, n in zip(d.ours, d.theirs, d.operands[0].shape, strict=True)))
        or (computed_here(d, "must be divisible by", "stride(-1) must be 1")
            and min(d.operands[0].shape) < 2),
    ),
    (
        "operands that lie in different orders: the first one's in PyTorch, rows in NumPy",
        iterators_order,
    ),
    (
        "the order of what PyTorch composes of several functions, or computes by other libraries",
        lambda d: only_order(d)
        and (named(d, COMPOSED) or bool(re.search(r" = v\d+\[", d.line))),
    ),
    (
        "the order in memory of what transforms of functions and derivatives give, of which some "
        "are views in PyTorch; what PyTorch's wrappers of them raise first",
        lambda d: (named(d, TRANSFORMS)
        and (d.what in ("strides", "is_leaf", "requires_grad")
             or (d.what == "error" and isinstance(d.ours, BaseException)
                 and isinstance(d.theirs, BaseException))
             or "with a bool tensor is not supported" in words(d.ours)
             or "non-existing dimension" in words(d.ours)
             or (named(d, "vmap") and empty(d))
             or computed_here(d, "index 0 out of range for tensor of size [0]", "vmap: ",
                              "Batching rule not implemented",
                              "tuple index out of range", "cannot reshape tensor of 0 elements",
                              "refers to a single memory location")))
        or (refused(d, "multiple views", "in no_grad mode")
            and any(re.search(rf"\.{TRANSFORMS}\(", line) for line in d.lines)),
    ),
    (
        "sparse tensors of further types and dimensions, and what is wrong with them is named in "
        "another order; gradients of a sparse factor stand at the places of its values (0032)",
        lambda d: (d.what == "error" and isinstance(d.theirs, Exception)
        and ("sparse" in d.line
             or (".backward(" in d.line and any("sparse" in line for line in d.lines))))
        or (d.what == "gradient: value" and any(re.search(r"sparse\w*\(\) @", line)
                                                for line in d.lines)),
    ),
    # -- numbers -----------------------------------------------------------------------------------
    (
        "a rounding, by what double precision gives",
        lambda d: "value" in d.what and exact.rounding(d),
    ),
    (
        "of equal values topk, kthvalue, median, mode and sort may choose any: places differ",
        lambda d: d.what == "value" and named(d, r"topk|kthvalue|\w*median|mode|(?:arg)?sort"),
    ),
    (
        "a factor of infinity is NaN in PyTorch where another formula has none: alpha = 1 of "
        "complex sums, derivatives of what was not chosen, gelu, running means; roots that are "
        "powers in PyTorch, of float16 and where a tensor is the exponent",
        lambda d: numbers(d, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b))
        and (d.what.startswith("gradient") or any(map(is_complex, parts(d.theirs)))
             or named(d, rf"gelu|\w+_mean|matrix_power|poisson|softsign|{TRANSFORMS}")
             or roots_as_powers(d)),
    ),
    (
        "second derivatives at a kink, of elu and its like at 0, of huber_loss at delta: the mean "
        "of both sides here, one of them in PyTorch",
        lambda d: bool(re.search(r"\b(?:s|c)?elu_?\(|C?ELU|[hH]uber", " ".join(d.lines)))
        and (named(d, TRANSFORMS) or d.what.startswith("gradient"))
        and any(re.search(rf"\.{TRANSFORMS}\(", line) for line in d.lines)
        and numbers(d, lambda a, b: (b == 0) | np.isclose(2 * a, b, rtol=1e-2)),
    ),
    (
        "recurrent layers with relu whose state is NaN hand a gradient on in PyTorch, none here",
        lambda d: d.what.startswith("gradient") and "nonlinearity='relu'" in " ".join(d.lines)
        and ("'inf'" in " ".join(d.lines) or "nan" in " ".join(d.lines)),
    ),
    (
        "matrices without full rank: what stands below the noise, and what Cholesky's "
        "factorization leaves where it stops",
        lambda d: (named(d, r"(?:\w+\.)?(?:pinv\w*|lstsq|cholesky_ex|qr|lu\w*|geqrf|solve_ex|cond|"
                           r"inv_ex|(?:slog|log)?det|cholesky_solve)")
        and d.what in ("value", "requires_grad") and any(map(deficient, d.operands)))
        or (computed_here(d, "input is not positive-definite")
            and not all(np.isfinite(array(t)).all() for t in d.operands)),
    ),
    (
        "eigenvectors, of which each may be multiplied by a number of magnitude 1",
        lambda d: d.what == "value" and named(d, "eigh") and phases(d),
    ),
    (
        "functions that PyTorch computes to 1e-6 of double precision, or leaves the range of "
        "narrow types in, or rounds positions to them (grid_sample); NaN that it overlooks",
        lambda d: d.what == "value"
        and (named(d, r"\w*bessel\w*|airy_ai|_standard_gamma_grad|_dirichlet_grad|"
                      r"soft_margin_loss|legendre_polynomial_p")
             or re.search(r"polygamma\(\d\d", d.line) is not None
             or (named(d, r"grid_sample\w*") and bool(types(d) & set(NARROW)))
             or (named(d, "cosine_similarity|igammac?|step") and beside_numbers(d))),
    ),
    (
        "a gradient of zeros is none in one of them: of the other operand of what is compared in "
        "place, and of residuals that there are none of; of a view that was made where nothing is "
        "recorded",
        lambda d: (d.what == "gradient: not a tensor" and d.ours is None and not d.theirs.any())
        or (d.what == "gradient: None" and d.theirs is None and not d.ours.any())
        or (d.what == "gradient: None" and d.theirs is None and made_in_block(d)),
    ),
    (
        "wrong gradients of PyTorch's: of batch_norm with a variance that has gaps, of what "
        "as_strided_scatter replaced, of the old value that logical_not_ hands on, of ctc_loss, of "
        "soft_margin_loss where its exponential overflows, of products of complex numbers by "
        "scatter_reduce_, which it does not conjugate, of extremes by scatter_reduce without the "
        "old value, which takes a share where it is equal, of zeta and atan2 by uint8, which it "
        "negates, and none of views of a leaf that is a view itself, once something was changed",
        lambda d: d.what.startswith("gradient")
        and any(re.search(r"batch_norm\(|as_strided_scatter|logical_\w+_\(|ctc_loss|"
                          r"soft_margin_loss", line)
                or ("complex" in "".join(d.lines)
                    and re.search(r"scatter_reduce_\(.*'prod'", line))
                or re.search(r"(?:scatter|index)_reduce_?\(.*'am\w+', include_self=False", line)
                or (line.startswith(d.line.partition(".")[0] + " = ") and leaf_of_view(line)
                    and any(re.search(r"_\(|inplace|step\(", x.replace("requires_grad_", ""))
                            for x in d.lines))
                or (re.search(r"zeta\(|atan2|arctan2", line) and "uint8" in "".join(d.lines))
                for line in d.lines),
    ),
    (
        "wrong values of PyTorch's: a polynomial of NaN and whole numbers is what lay in memory; "
        "pos_weight - 1 is taken in the type of pos_weight, 255 of a uint8 of 0; the tangent of "
        "fmax and fmin of equals is 0, where their gradient is 1",
        lambda d: d.what == "value"
        and ((named(d, r"\w+_polynomial_\w") and "'nan'" in d.line)
             or ("jvp(" in d.line and re.search(r"fm(?:ax|in)\(", d.line))
             or ("pos_weight=" in d.line and "uint8" in "".join(d.lines))),
    ),
    (
        "memory that PyTorch takes for another type's: the bias of attention in one call, running "
        "statistics of integers; refused here",
        lambda d: (named(d, "_native_multi_head_attention|_transformer_encoder_layer_fwd")
                   and "have the same dtype" in words(d.ours))
        or (named(d, "batch_norm") and "mixed dtype" in words(d.ours)),
    ),
    (
        "what fused_moving_avg_obs_fake_quant has changed when it raises: nothing here",
        lambda d: "value" in d.what
        and any("fused_moving_avg" in line and "# raises" in line for line in d.lines),
    ),
    (
        "an operand that is out= too, which PyTorch resizes before it looks at it",
        lambda d: bool(re.search(r"\((v\d+), .*out=\1\)", d.line))
        and "Dimension out of range" in words(d.theirs),
    ),
    # -- rules of Rushlight's own ------------------------------------------------------------------
    (
        "which values a node keeps: Rushlight copies what `a *= a` overwrites, and keeps operands "
        "where PyTorch keeps what it made of them",
        lambda d: "modified by an inplace operation" in words(d.theirs) + words(d.ours),
    ),
    (
        "a number where a tensor is wanted, or a tensor for a number, is a TypeError here, "
        "whatever PyTorch's Python says",
        lambda d: type(d.ours) is TypeError
        and (("must be Tensor" in words(d.ours) and isinstance(d.theirs, AttributeError))
             or ("must be int, not Tensor" in words(d.ours)
                 and "Boolean value of Tensor" in words(d.theirs))),
    ),
    (
        "a leaf that requires grad, and one of several views, are not written to, also by what has "
        "no derivative; a view that "
        "requires_grad_() made a leaf is none, so views of it may be written to, nor is x in "
        "`x[...] += y`",
        lambda d: "a leaf Variable" in words(d.ours)
        or ("modified inplace" in words(d.ours) and named(d, r"logical_\w+"))
        or (d.what == "is_leaf" and d.theirs.is_leaf and d.theirs._base is not None)
        or refused(d, "a view of a leaf Variable")
        or (refused(d, "a leaf Variable") and bool(re.search(r"\] [-+*/]= ", d.line))),
    ),
    (
        "a tensor whose sizes squeeze_(), t_() and the like changed is a view of what it was; what "
        "PyTorch composes of views is one there",
        lambda d: named(d, "detach")
        and ("Can't detach views" in words(d.ours)
             or (computed_here(d, "Can't detach views") and made_by(d, COMPOSED_OF_VIEWS))),
    ),
    (
        "numbers of another type written by truths: which of them are a fill, for which types need "
        "not be alike",
        lambda d: "Index put requires" in words(d.theirs) + words(d.ours),
    ),
    (
        "memory that several elements share, or that an operand overlaps partly: refused, or "
        "computed first",
        lambda d: "more than one element of the written-to tensor" in words(d.ours)
        or computed_here(d, "some elements of the input tensor and the written-to tensor")
        or (".step()" in d.line and computed_here(d, "refers to a single memory location",
                                                  "unresolved conjugated tensors"))
        or ("single memory location" in words(d.ours) and isinstance(d.theirs, BaseException))
        or ("value" in d.what and (shared(d) or overlapping(d)
                                   or (named(d, "masked_scatter") and one_memory(d)))),
    ),
    (
        "further types: rms_norm of complex numbers and inner products of bools are refused",
        lambda d: "not implemented for" in words(d.ours) and named(d, "rms_norm|inner"),
    ),
    (
        "overloads of unique_consecutive and special.round that PyTorch lacks",
        lambda d: named(d, r"unique_consecutive|special\.round"),
    ),
]  # fmt: skip


def reason(difference: Any) -> str | None:
    """Why a difference is allowed; None when it is not."""
    return next((why for why, is_it in ALLOWED if holds(is_it, difference)), None)


def holds(is_it: Any, difference: Any) -> bool:
    """Whether a reason is right; no where PyTorch does not say what it asks: it refuses to tell
    `grad_fn` of some views whose base has changed."""
    try:
        return bool(is_it(difference))
    except RuntimeError:
        return False
