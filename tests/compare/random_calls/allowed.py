"""The differences between Rushlight and PyTorch that are meant, each with its reason.

A difference knows its line, what both did (`ours`, `theirs`: a result or an exception), and the
tensors of PyTorch that the line names (`operands`); `about.py` asks them. A condition is as narrow
as its reason: where the layout of a result is free, both must still be without gaps; where numbers
are, the reason says which. Four kinds, in this order: what PyTorch lacks or does by accident,
layouts, numbers, rules of Rushlight's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.compare.random_calls import derivative, exact
from tests.compare.random_calls.about import (
    COMPOSED,
    COMPOSED_OF_VIEWS,
    NARROW,
    PLAIN_VIEWS,
    TRANSFORMS,
    asked_of,
    beside_numbers,
    both_raise,
    by_an_intermediate,
    computed_here,
    deficient,
    empty,
    factors_deficient,
    gradient,
    is_complex,
    iterators_order,
    leaf_of_view,
    made_by,
    made_in_block,
    named,
    no_derivative,
    not_finite,
    numbers,
    one_memory,
    only_order,
    overlapping,
    parts,
    phases,
    refused,
    resized,
    roots_as_powers,
    shared,
    slice_by_slice,
    types,
    words,
)
from tests.compare.random_calls.same import array

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
                          "expects a non-empty TensorList", "support mutable TensorLists",
                          "doesn't correspond to a device",
                          "grad_input must be contiguous")
        or (".backward(" in d.line and computed_here(d, "detached in-place", "size of tensor a"))
        or (named(d, "addbmm") and "doesn't match the broadcast shape" in words(d.ours))
        or computed_here(d, "ZeroTensors are immutable", "view size is not compatible")
        or (named(d, "as_strided") and "out of bounds for storage" in words(d.ours)
            and d.operands[0].numel() == 1
            and not isinstance(d.theirs, BaseException)),
    ),
    (
        "in derivatives PyTorch subtracts and negates bools, and takes gradients of one type alone",
        lambda d: (".backward(" in d.line or "autograd.grad(" in d.line or named(d, TRANSFORMS))
        and computed_here(d, "with a bool tensor is not supported", "on a bool tensor",
                          "boolean negative", "Found dtype", "must have the same dtype",
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
                     r"addm[mv]|b?add?bmm|logsumexp|nansum|index_copy|instance_norm|det|linear|a?max|a?min|batch_norm|scatter\w*|cum\w+|bmm|mm|"
                     r"householder_product|orgqr|lu|cross_entropy|mse_loss|inner|pixel_\w+|"
                     r"bernoulli|(?:log_)?normal|exponential|geometric|rand\w*|poisson|"
                     r"(?:gumbel_|log_)?softmax|embedding_bag|upsample|interpolate|"
                     r"ctc_loss|view_as_complex\w*|cond|eig\w*|scaled_dot_product_attention|as_strided|"
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
        or (d.line.endswith(".dim_order()") and min(d.operands[0].shape) < 2)
        or (any(text in words(d.theirs) + words(d.ours)
                for text in ("must be divisible by", "stride(-1) must be 1"))
            and min(d.operands[0].shape) < 2),
    ),
    (
        "operands that lie in different orders: the first one's in PyTorch, rows in NumPy",
        iterators_order,
    ),
    (
        "the order of what PyTorch composes of several functions, or computes by other libraries",
        lambda d: only_order(d)
        and (named(d, COMPOSED) or bool(re.search(r"(?: =|:) v\d+\[", d.line))),
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
             or (named(d, "vmap") and "returns multiple views" in words(d.ours))
             or (refused(d, "Dimension out of range", "Dimension is out of range")
                 and not d.operands[0].ndim)
             or ((named(d, "vmap") or d.what == "error") and empty(d))
             or computed_here(d, "index 0 out of range for tensor of size [0]", "vmap: ",
                              "not supported inside of vmap", "Inference tensors cannot",
                              "Batching rule not implemented",
                              "tuple index out of range", "cannot reshape tensor of 0 elements",
                              "refers to a single memory location")))
        or ((refused(d, "multiple views", "in no_grad mode") or d.what == "is_leaf")
            and any(re.search(rf"\.{TRANSFORMS}\(", line) for line in d.lines)),
    ),
    (
        "vmap gives what the function gives of each slice, where PyTorch's rules for batches "
        "raise, do not raise, promote or put dimensions as the function itself does not",
        lambda d: (named(d, "vmap") and d.what in ("error", "dtype", "shape", "value")
        and slice_by_slice(d))
        or (d.what.endswith("value") and any(  # the gradient of equals
            re.search(r"\.vmap\(lambda (v\d+): \1\.(?:max|min|median)\(\)", x) for x in d.lines)),
    ),
    (
        "second derivatives of narrow types, which PyTorch computes in these; those of atan2(x, x),"
        " of which parts of 1 / x**2 are taken away from each other",
        lambda d: d.what == "value" and named(d, "hessian")
        and ((bool(types(d) & set(NARROW))
              and numbers(d, lambda a, b: np.isclose(a, b, rtol=0.03)))
             or (re.search(r"(?:atan|arctan)2", d.line) is not None
                 and numbers(d, lambda a, b: (b == 0)
                             & (abs(a) < 1e-6 / (array(d.operands[0]) ** 2).min())))),
    ),
    (
        "the types of tangents, which PyTorch promotes by its own formulas: narrow ones, and those "
        "of tensors that are one number, which give way to other numbers",
        lambda d: d.what == "dtype" and named(d, "jvp|jacfwd|hessian")
        and (any(narrow in "".join(d.lines) for narrow in NARROW)
             or any(not t.ndim for t in parts(d.theirs))),
    ),
    (
        "sparse tensors of further types and dimensions, and what is wrong with them is named in "
        "another order; gradients of a sparse factor stand at the places of its values (0032)",
        lambda d: (d.what == "error" and isinstance(d.theirs, Exception)
        and ("sparse" in d.line
             or (re.search(r"\.backward\(|autograd\.grad\(", d.line) is not None
                 and any("sparse" in line for line in d.lines))))
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
        lambda d: (gradient(d) and numbers(d, lambda a, b: ~np.isfinite(b)))
        or (not gradient(d) and numbers(d, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b))
            and (any(map(is_complex, parts(d.theirs)))
                 or named(d, rf"gelu|\w+_mean|matrix_power|poisson|softsign|{TRANSFORMS}")
                 or roots_as_powers(d))),
    ),
    (
        "the first step of Adam and its like where a gradient and the weight decay take each other "
        "away: the sign of a rounding",
        lambda d: "weight_decay" in d.line and ".step()" in d.line
        and numbers(d, lambda a, b: (abs(a - b) < (0.3 if "lr=" in d.line else 0.003))
                    & ((a != b).mean() < 0.1)),
    ),
    (
        "second derivatives at the kink of elu and its like, at 0, and of Huber's loss: the mean "
        "of both sides here, one of them in PyTorch",
        lambda d: (named(d, TRANSFORMS)
                   and re.search(r"\b(?:s|c)?elu_?\(|(?:huber|smooth_l1)_loss\(", d.line)
                   is not None
                   and numbers(d, lambda a, b: (b == 0) | np.isclose(2 * a, b, rtol=1e-2)))
        or (gradient(d) and any(re.search(rf"\.{TRANSFORMS}\(.*elu_?\(", x) for x in d.lines)
            and numbers(d, lambda a, _: np.any([array(t) == 0 for t in d.operands
                                                if tuple(t.shape) == a.shape], axis=0))),
    ),
    (
        "derivatives of digamma at its poles are infinite here, where PyTorch's sine of pi is not "
        "0; a gradient of NaN, which PyTorch's logcumsumexp and orgqr drop, cumprod behind a zero "
        "and gates of a cell of whose results one is not used",
        lambda d: (gradient(d) or named(d, TRANSFORMS))
        and numbers(d, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b))
        and bool(re.search(r"(?:di|l)gamma|psi\(|polygamma|logcumsumexp|orgqr|householder_product|"
                           r"cumprod|LSTMCell|lstm_cell",
                           " ".join(d.lines))),
    ),
    (
        "a norm that is the largest singular value is given PyTorch's last digit here, and then is "
        "none of them for its derivative",
        lambda d: gradient(d) and numbers(d, lambda a, b: np.isnan(a))
        and any(re.search(r"norm\(v\d+, (?:ord=)?-?2\b", line) for line in d.lines),
    ),
    (
        "gradients of gates of recurrent layers that are nearly 1: few digits are left of 1 - y",
        lambda d: gradient(d) and re.search(r"nn\.(?:LSTM|GRU)|lstm|gru", "".join(d.lines))
        is not None
        and numbers(d, lambda a, b: abs(a - b) < 0.1 * abs(b) + 1e-12)
        and abs(array(d.theirs)).max() < 1e-3,
    ),
    (
        "the norm of equal elements, which are their mean: 0, or a rounding times 316 (eps); so "
        "behind it",
        lambda d: (d.what == "value" and named(d, r"\w*_norm")
                   and numbers(d, lambda a, b: (abs(a) < 1e-3) & (abs(b) < 1e-3)))
        or ((gradient(d) or named(d, TRANSFORMS))
        and bool(re.search(r"Norm\w*\(1\b|_norm\(|renorm\(|normalize\(|[cC]osine_?[sS]imilarity",
                           "".join(d.lines)))
        and numbers(d, lambda a, b: (((a == 0) | (b == 0)) & (abs(a) + abs(b)
                    < (2e-3 if types(d) & set(NARROW) else 1e-4)))
                    | (~np.isfinite(b) & ((abs(a) < 1e-3) | ~np.isfinite(a))))),
    ),
    (
        "factors of matrices that are not finite: which of their numbers are NaN, and whether "
        "LAPACK gives up, is each library's own",
        lambda d: (named(d, r"(?:\w+\.)?(?:svd\w*|qr|norm|matrix_norm|cond|matrix_rank|pinv\w*)")
        and not_finite(d)
        and (computed_here(d, "failed to converge")
             or numbers(d, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b))))
        or (gradient(d) and re.search(r"inf'|nan'", "".join(d.lines)) is not None
            and any(re.search(r"svd\w*\(|qr\(|norm\(|cond\(|pinv\w*\(", x) for x in d.lines)
            and numbers(d, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b))),
    ),
    (
        "Poisson's numbers of an infinite rate, and those drawn after it: PyTorch casts what has "
        "no value as an integer",
        lambda d: d.what == "value" and named(d, "poisson") and not_finite(d),
    ),
    (
        "convolutions of narrow types in blocks, where what others have of infinities is times 0",
        lambda d: d.what == "value" and named(d, r"conv\w*") and not_finite(d)
        and bool(types(d) & set(NARROW)) and numbers(d, lambda a, b: np.isnan(b)),
    ),
    (
        "matrices without full rank: what stands below the noise, and what Cholesky's "
        "factorization leaves where it stops",
        lambda d: (named(d, r"(?:\w+\.)?(?:pinv\w*|lstsq|cholesky_ex|qr|lu\w*|geqrf|solve_ex|cond|"
                           r"inv_ex|(?:slog|log)?det|cholesky_solve)")
        and d.what in ("value", "requires_grad") and any(map(deficient, d.operands)))
        or (named(d, r"(?:\w+\.)?(?:tensorinv|tensorsolve|inv|solve)")
            and computed_here(d, "matrix is singular") and abs(array(d.ours)).max() > 1e6)
        or (computed_here(d, "input is not positive-definite")
            and not_finite(d))
        or (computed_here(d, "input matrix is singular")
            and re.search(r"\.backward\(|autograd\.grad\(", d.line) is not None),
    ),
    (
        "derivatives of factors of matrices of which none is the derivative: those of equal "
        "singular values, and of R where the rank is not full",
        lambda d: gradient(d) and re.search(r"svd|eig|qr\(|orthogonal_", " ".join(d.lines))
        is not None
        and (derivative.of_none(d) or factors_deficient(d)),
    ),
    (
        "eigenvectors, of which each may be multiplied by a number of magnitude 1",
        lambda d: d.what == "value" and named(d, "eigh") and phases(d),
    ),
    (
        "functions that PyTorch computes to 1e-6 of double precision, or leaves the range of "
        "narrow types in, or rounds positions to them (grid_sample); NaN that it overlooks; layers "
        "that are one call, behind whose norms the roundings within them are larger",
        lambda d: d.what == "value"
        and (named(d, r"\w*bessel\w*|airy_ai|_standard_gamma_grad|_dirichlet_grad|"
                      r"soft_margin_loss|legendre_polynomial_p")
             or re.search(r"polygamma\(\d\d", d.line) is not None
             or (named(d, r"(?:special\.)?i[01]")
                 and numbers(d, lambda a, b: np.isinf(b) & (abs(a) > 1e37)))
             or (named(d, r"grid_sample\w*|matrix_exp") and bool(types(d) & set(NARROW)))
             or (named(d, "_transformer_encoder_layer_fwd") and bool(types(d) & set(NARROW))
                 and numbers(d, lambda a, b: abs(a - b) < 0.02 * abs(b).max()))
             or (named(d, "cosine_similarity|igammac?|step") and beside_numbers(d))),
    ),
    (
        "a gradient of zeros is none in one of them: of the other operand of what is compared in "
        "place, and of residuals that there are none of; of a view that was made where nothing is "
        "recorded; zeros times NaN",
        lambda d: gradient(d)
        and ((d.ours is None and not d.theirs.nan_to_num().any())
             or (d.theirs is None and (not d.ours.any() or made_in_block(d)))),
    ),
    (
        "wrong gradients of PyTorch's: by differences of what it computes, Rushlight's is the "
        "derivative",
        lambda d: gradient(d) and derivative.ours_alone(d),
    ),
    (
        "wrong gradients of PyTorch's where differences say nothing: of the old value that "
        "logical_and_ and its like hand on, of ctc_loss, of what as_strided_scatter writes into an "
        "input with gaps, of arctan2 of a uint8 and losses with one, of complex matrices of which "
        "Cholesky's factorization reads one triangle, and none of views of a leaf that is a view "
        "itself, once something was changed",
        lambda d: gradient(d)
        and any(re.search(r"logical_\w+_\(|ctc_loss|as_strided_scatter", line)
                or ("uint8" in "".join(d.lines)
                    and re.search(r"a(?:rc)?tan2_?\(|soft_margin_loss", line))
                or ("complex" in "".join(d.lines) and re.search(r"cholesky\(", line))
                or (d.line.endswith(".grad")
                    and line.startswith(d.line.partition(".")[0] + " = ") and leaf_of_view(line)
                    and any(re.search(r"_\(|inplace|step\(", x.replace("requires_grad_", ""))
                            for x in d.lines))
                for line in d.lines),
    ),
    (
        "wrong values of PyTorch's: a polynomial of NaN and whole numbers is what lay in memory; "
        "pos_weight - 1 is taken in the type of pos_weight, 255 of a uint8 of 0; the tangent of "
        "fmax, fmin, maximum and minimum of equals or NaN is 0, where their gradient is 1, and "
        "that of prelu at 0 is 1, where its gradient is the weight; zero points of uint8 are "
        "brought between bounds in that type, in which -8 is 248, as is -x in arctan2's tangent",
        lambda d: d.what == "value"
        and ((named(d, r"\w+_polynomial_\w") and "'nan'" in d.line)
             or (named(d, "jvp|jacfwd|hessian")
                 and re.search(r"(?:fm(?:ax|in)|m(?:ax|in)imum|prelu)\(", d.line))
             or (named(d, r"_fake_quantize_learnable_\w+") and "torch.uint8" in types(d))
             or (named(d, "jvp|jacfwd|hessian") and "uint8" in "".join(d.lines)
                 and re.search(r"(?:atan|arctan)2\(", d.line))
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
        lambda d: "out=" in d.line and both_raise(d)
        and "Dimension out of range" in words(d.theirs),
    ),
    # -- rules of Rushlight's own ------------------------------------------------------------------
    (
        "which values a node keeps: Rushlight copies what `a *= a` overwrites, keeps operands "
        "where PyTorch keeps what it made of them, and the other way round (norms keep their "
        "results, so inference tensors may go into them); of what is kept second derivatives are "
        "asked for by it; no result of a cell is made of another one",
        lambda d: "modified by an inplace operation" in words(d.theirs) + words(d.ours)
        or (computed_here(d, "Inference tensors cannot be saved") and (types(d) & set(NARROW)
            or named(d, r"\w*norm|sequential|transformer_encoder_layer")))
        or ("Inference tensors cannot be saved" in words(d.ours)
            and re.search(r"_loss\(|Loss\(", d.line) is not None)
        or (gradient(d) and by_an_intermediate(d))
        or (asked_of(d) and "lstm" in "".join(d.lines).lower()),
    ),
    (
        "of two mistakes which one is named: that a tensor may not be changed, before or after "
        "what is wrong with that which is written; nor kept, before or after it is looked at",
        lambda d: both_raise(d) and ("Inplace update to inference tensor" in words(d.ours)
                                     or refused(d, "a leaf Variable", "Inference tensors cannot",
                                                "A view was created in")),
    ),
    (
        "a gradient that was given a history is added to where it lies in PyTorch; here another "
        "one takes its place, and it stays as it was",
        lambda d: d.what == "value" and ".backward(" in d.line
        and any(re.fullmatch(r"v\d+ = v\d+\.grad", line) for line in d.lines),
    ),
    (
        "how often a result was written to when it is new: functions that are composed of others "
        "write to what they made",
        lambda d: d.what == "value" and d.line.endswith("._version"),
    ),
    (
        "a number where a tensor is wanted, or a tensor for a number, is a TypeError here, "
        "whatever PyTorch's Python says",
        lambda d: type(d.ours) is TypeError
        and (("must be Tensor" in words(d.ours) and isinstance(d.theirs, AttributeError))
             or ("must be int, not Tensor" in words(d.ours)
                 and "Boolean value of Tensor" in words(d.theirs))
             or named(d, "_conj")),
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
        "PyTorch composes of views is one there, and one that out= gave other memory to is still",
        lambda d: (named(d, "detach") and "Can't detach views" in words(d.ours))
        or ((asked_of(d) or computed_here(d, "view was created in no_grad"))
            and re.search(r"\b(?:(?:un)?squeeze|t|transpose|swapaxes)_\(",
                          " ".join(d.lines)) is not None)
        or (computed_here(d, "Can't detach views", "view was created in no_grad mode and is being")
            and made_by(d, COMPOSED_OF_VIEWS))
        or (computed_here(d, "Can't detach views")
            and (not made_by(d, PLAIN_VIEWS) or resized(d)))
        or ("view was created in no_grad mode and is being" in words(d.ours)
            and made_by(d, "kron")),
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
