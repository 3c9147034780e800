"""What can be asked of a difference: who raised, what is called, layouts, numbers.

The reasons on the list (`allowed.py`) are made of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from tests.compare.random_calls import exact
from tests.compare.random_calls.same import CLOSE, array, different

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


def layers(d: Any, line: str = "") -> str:
    """What the layers of a line call, of its own or another: `batch_norm()` of `BatchNorm1d(3)`."""
    line, found = line or d.line, ""
    for name in re.findall(r"\bm\d+\b", line):
        made = next((line for line in d.lines if line.startswith(f"{name} = ")), "")
        found += made
    named_so = ""
    for layer in re.findall(r"torch\.nn\.([A-Z]\w+)\(", line + found):
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", layer).lower()
        named_so += f" {snake}() {snake.rstrip('123d')}()"
    return named_so


def gradient(d: Any) -> bool:
    """Whether it is a gradient that differs, in `.grad` or as `autograd.grad` gave it."""
    return d.what.startswith("gradient") or asked_of(d)


def asked_of(d: Any) -> bool:
    """Whether it is a gradient that `autograd.grad` gave."""
    return d.what in ("value", "None", "not a tensor") and "autograd.grad(" in d.line


def by_an_intermediate(d: Any) -> bool:
    """Whether a line asks for the derivative of a derivative by what is no leaf."""
    asked = re.search(r"autograd\.grad\(\w+, (v\d+)", d.line)
    made = [line for line in d.lines if asked and line.startswith(f"{asked[1]} = ")]
    return any("tensor(" not in line for line in made) and any(
        "create_graph=True" in line or re.search(rf"\.{TRANSFORMS}\(", line)
        for line in d.lines[:-1]
    )


def both_raise(d: Any) -> bool:
    return isinstance(d.ours, BaseException) and isinstance(d.theirs, BaseException)


def not_finite(d: Any) -> bool:
    """Whether an operand has infinities or NaN."""
    return any(not np.isfinite(array(t)).all() for t in d.operands)


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
        sizes = zip(t.stride(), t.shape, shape[len(found) :], strict=True)
        found += [s if n == whole else 0 for s, n, whole in sizes]
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
    r"polygamma|stack|lerp|addcdiv|addcmul|nan_to_num|solve_ex|complex|householder_product|quantile|rrelu"
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
        close = max([1e-4, *[CLOSE.get(str(t.dtype)[6:], 0) for t in parts(d.theirs)]])
        least = close * min(1.0, abs(b[np.isfinite(b)]).max(initial=0.0)) if close > 1e-3 else 1e-6
        same = (a == b) | ((a != a) & (b != b)) | np.isclose(a, b, rtol=close, atol=least)
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


def factors_deficient(d: Any) -> bool:
    """Whether a matrix that a line of the program factors has not its full rank."""
    steps = [line for line in d.lines[:-1] if not line.startswith("#")]
    asked = r"(?:qr|svd\w*|eig\w*|orthogonal_\w*)\((v\d+)"
    with suppress(Exception):  # another program in double precision
        for line, (_, space) in zip(steps, exact.executed(steps), strict=True):
            if any(deficient(space[name]) for name in re.findall(asked, line)):
                return True
    return False


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
    """NaN in one of them: PyTorch divides by a norm of 0, since eps is 0 in float16, and so are
    squares of small gradients in steps of optimisers; and the incomplete gamma function of NaN at
    infinity is a number there."""
    if named(d, "igammac?"):
        return numbers(d, lambda a, b: np.isnan(a) & ((b == 0) | (b == 1)))
    narrow = types(d) & set(NARROW)
    if ".step()" in d.line:
        return numbers(d, lambda a, b: ~np.isfinite(a) & ~np.isfinite(b)) or (
            bool(narrow) and numbers(d, lambda a, b: ~np.isfinite(b) | (abs(a - b) < 0.03))
        )
    return bool(narrow) and numbers(d, lambda a, b: np.isnan(b) & (a == 0))


# What PyTorch ends with a view of what it computed: a dimension less, other sizes.
COMPOSED_OF_VIEWS = (
    r"adaptive_\w+_pool1d|(?:avg|max)_pool1d|cov|linear|bilinear|tensordot|einsum|inner|instance_norm|"
    r"nll_loss|repeat_interleave|multi_dot|chain_matmul|max_unpool1d"
)


# What gives a view in both.
PLAIN_VIEWS = (
    r"view\w*|(?:un)?squeeze|transpose|swapaxes|permute|movedim|t|adjoint|select|narrow|diagonal|"
    r"unfold|expand\w*|chunk|split|tensor_split|unbind|as_strided|unflatten|real|imag"
)


def made_by(d: Any, names: str) -> bool:
    """The first tensor of the line was made by one of these, or is one of several that were."""
    name = re.findall(r"\bv\d+\b", re.sub(r"^v\d+ = ", "", d.line))[0]
    made = [line for line in d.lines[:-1] if line.startswith(f"{name} = ")]
    for one in [re.fullmatch(r"v\d+ = (v\d+)\[\d+\]\s*", line) for line in made]:
        made += [line for line in d.lines[:-1] if one and line.startswith(f"{one[1]} = ")]
    return any(re.search(rf"[ .](?:{names})\(", line + layers(d, line)) for line in made)


def resized(d: Any) -> bool:
    """The first tensor of the line was given other memory, as a result that did not fit in it."""
    name = re.findall(r"\bv\d+\b", re.sub(r"^v\d+ = ", "", d.line))[0]
    return any(f"out={name})" in line for line in d.lines[:-1])


def made_in_block(d: Any) -> bool:
    """The tensor was made where nothing is recorded, or is one of several that were."""
    asked = re.search(r"autograd\.grad\(\w+, (v\d+)", d.line)
    name = asked[1] if asked else d.line.partition(".")[0]
    made = next((line for line in d.lines if line.startswith(f"{name} = ")), "")
    alias = r"v\d+ = (v\d+)\.(?:conj|resolve_\w+|contiguous|type|to|float|double)\(.*\)\s*"
    while itself := re.fullmatch(alias, made):
        made = next((line for line in d.lines if line.startswith(f"{itself[1]} = ")), "")
    if several := re.fullmatch(r"v\d+ = (v\d+)\[\d+\]\s*", made):
        made = next((line for line in d.lines if line.startswith(f"{several[1]} = ")), "")
    return any(block in made for block in ("no_grad", "inference_mode", "enabled(False)"))


def slice_by_slice(d: Any) -> bool:
    """Whether Rushlight's vmap gives what PyTorch's function gives of each slice, stacked."""
    import torch

    def vmap(function: Any, in_dim: int = 0, out_dim: int = 0) -> Any:
        def mapped(x: Any) -> Any:
            made = [function(s) for s in x.unbind(in_dim)]
            if not isinstance(made[0], tuple):
                return torch.stack(made, out_dim)
            return tuple(torch.stack(column, out_dim) for column in zip(*made, strict=True))

        return mapped

    space: dict[str, Any] = {"torch": torch, "vmap": vmap}
    try:
        for line in d.lines:
            if not line.startswith("#"):
                with torch.set_grad_enabled(line != d.line):  # some have no derivative
                    exec(line.replace("torch.vmap(", "vmap("), space)
    except Exception as error:
        return isinstance(d.ours, BaseException) and line == d.line and same_class(d.ours, error)
    made = space[d.line.partition(" = ")[0]]
    return not isinstance(d.ours, BaseException) and different(d.ours, made, True) is None


def same_class(ours: BaseException, theirs: BaseException) -> bool:
    return type(theirs).__name__ in [c.__name__ for c in type(ours).__mro__]


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
            (kind is not None and not (kind.is_floating_point or kind.is_complex or mine))
            or node in ("Error", "NotImplemented")
            or named(d, r"\w*bessel\w*|airy_ai|zeta|polygamma|igammac?|histogram\w*|bincount|"
                        r"unique\w*|\w*_grad|\w+_polynomial_\w|"
                        r"(?:eq|ne|lt|le|gt|ge|greater|less|not_equal)\w*|"
                        r"heaviside|floor_divide|frexp|logical_\w+|cholesky_ex|ormqr|"
                        r"_native_multi_head_attention")
        )  # fmt: skip
    behind = any(re.search(rf"\.{TRANSFORMS}\(", line) for line in d.lines)
    if behind and "the derivative for" in words(d.ours):  # of what is differentiated within alone
        return True
    return computed_here(
        d, "derivative for", "forward AD with", "is not differentiable with respect",
        "not support automatic diff",
    )
