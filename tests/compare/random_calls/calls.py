"""Calls on the tensors that a program has already: operators, views, indices, changes in place.

A function takes the program that is being written and gives the text of one call. What it asks
of the tensors is looked up in PyTorch's; most calls fit, some do not, and then both must raise.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

from rushlight.ops.core.record import registry
from tests.compare.random_calls import values


@functools.cache
def elementwise(operands: int) -> list[str]:
    """The names of the formulas about one element with so many operands."""
    import torch

    return sorted(
        name
        for r in registry.values()
        for name in (r.name, *r.publication.aliases)
        if r.kind == "elementwise"
        and len(r.inputs) == operands
        and hasattr(torch, name)
        and not r.samples.random
        and all(d is not ... and d is not type for d in r.defaults.values())
        and not r.defaults
    ) + (["add", "sub", "div", "floor_divide", "remainder", "multiply", "subtract", "divide",
          "true_divide"] if operands == 2 else [])  # fmt: skip


def dim_of(rng: random.Random, t: Any) -> int:
    """A dimension, seldom one that the tensor does not have."""
    if rng.random() < 0.04:
        return rng.choice([t.ndim, -t.ndim - 1, 5])
    n = max(t.ndim, 1)
    return rng.randrange(-n, n)


def unary(p: Any) -> str:
    name, x = p.rng.choice(elementwise(1)), p.any()
    way = p.rng.random()
    if way < 0.5:
        return f"torch.{name}({x})"
    return f"{x}.{name}({x})" if way > 0.995 else f"{x}.{name}()"


def partner(p: Any, x: str) -> str:
    """An operand to go with another: a tensor that broadcasts with it, or a number."""
    rng = p.rng
    if rng.random() < 0.3:
        return values.written(values.number(rng))
    shape = tuple(p.of(x).shape)
    if rng.random() < 0.5:
        found = [n for n in p.names() if p.broadcasts(shape, tuple(p.of(n).shape))]
        if found:
            return str(rng.choice(found))
    if rng.random() < 0.05:
        shape = (*shape, 5)
    cut = rng.randrange(len(shape) + 1) if rng.random() < 0.3 else 0
    shape = tuple(1 if rng.random() < 0.15 else n for n in shape[cut:])
    return str(p.tensor(shape))


def binary(p: Any) -> str:
    name, x = p.rng.choice(elementwise(2)), p.any()
    y = partner(p, x)
    if p.rng.random() < 0.15:
        x, y = y, x
    if p.rng.random() < 0.6 or not x.startswith("v"):
        return f"torch.{name}({x}, {y})"
    return f"{x}.{name}({y})"


SIGNS = ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^",
         "<<", ">>"]  # fmt: skip


def operator(p: Any) -> str:
    x = p.any()
    y = partner(p, x)
    if p.rng.random() < 0.2:
        x, y = y, x
    if p.rng.random() < 0.06:
        return f"{p.rng.choice('-~')}{p.any()}"
    sign = p.rng.choices(SIGNS, [4, 4, 4, 4, 2, 2, 2] + [1] * 11)[0]
    return f"({x}) {sign} ({y})"


def inplace(p: Any) -> str:
    rng, x = p.rng, p.any()
    y = partner(p, x)
    way = rng.random()
    if way < 0.35:
        sign = rng.choices(["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^="],
                           [4, 3, 4, 3, 1, 1, 1, 1, 1, 1])[0]  # fmt: skip
        return f"{x} {sign} {y}"
    if way < 0.6:
        return f"{x}.{rng.choice(elementwise(2))}_({y})"
    if way < 0.8:
        return f"{x}.{rng.choice(elementwise(1))}_()"
    other = ["zero_()", f"fill_({values.written(values.number(rng))})", f"copy_({y})",
             "clamp_(-1, 1)", "t_()", "squeeze_()", "unsqueeze_(0)", "transpose_(0, -1)",
             f"masked_fill_({x} > 0, {values.written(values.number(rng))})", "detach_()",
             f"clamp_min_({values.written(values.number(rng))})",
             f"cumsum_({dim_of(rng, p.of(x))})", "neg_()", "abs_()",
             "nan_to_num_()", f"add_({y}, alpha=2)", f"lerp_({y}, 0.5)",
             "relu_()", "tril_()", f"addcmul_({x}, {y})", f"index_fill_({dim_of(rng, p.of(x))}, "
             f"torch.tensor([0]), {values.written(values.number(rng))})", "exp_()"]  # fmt: skip
    return f"{x}.{rng.choice(other)}"


VIEWS: list[Callable[[random.Random, Any], str]] = [
    lambda rng, t: f"transpose({dim_of(rng, t)}, {dim_of(rng, t)})",
    lambda rng, t: "t()",
    lambda rng, t: "mT",
    lambda rng, t: f"permute({values.written(shuffled(rng, range(t.ndim)))})",
    lambda rng, t: f"movedim({dim_of(rng, t)}, {dim_of(rng, t)})",
    lambda rng, t: f"unsqueeze({rng.randrange(-t.ndim - 1, t.ndim + 1)})",
    lambda rng, t: "squeeze()",
    lambda rng, t: f"squeeze({dim_of(rng, t)})",
    lambda rng, t: f"select({dim_of(rng, t)}, {rng.choice([0, -1, 1])})",
    lambda rng, t: f"narrow({dim_of(rng, t)}, {rng.choice([0, 1])}, {rng.choice([0, 1, 2])})",
    lambda rng, t: f"diagonal({rng.choice(['', '1', '0, -1, -2', '0, 0, 1'])})",
    lambda rng, t: f"unfold({dim_of(rng, t)}, {rng.choice([1, 2])}, {rng.choice([1, 2])})",
    lambda rng, t: f"expand({values.written([rng.choice([2, -1]), *t.shape])})",
    lambda rng, t: f"expand({values.written([3 if n == 1 else n for n in t.shape])})",
    lambda rng, t: "flatten()",
    lambda rng, t: f"flatten({rng.choice(['0, 1', '1', '-2'])})",
    lambda rng, t: "view(-1)",
    lambda rng, t: "reshape(-1)",
    lambda rng, t: f"reshape({values.written(regrouped(rng, t.numel()))})",
    lambda rng, t: f"view({values.written(regrouped(rng, t.numel()))})",
    lambda rng, t: f"chunk(2, {dim_of(rng, t)})",
    lambda rng, t: f"split({rng.choice(['1', '2', '[1, 1]'])}, {dim_of(rng, t)})",
    lambda rng, t: f"unbind({dim_of(rng, t)})",
    lambda rng, t: f"tensor_split({rng.choice(['2', '3', '(1,)'])}, {dim_of(rng, t)})",
    lambda rng, t: "detach()",
    lambda rng, t: "real",
    lambda rng, t: "conj()",
    lambda rng, t: "view(torch.int32)",
    lambda rng, t: f"swapaxes({dim_of(rng, t)}, {dim_of(rng, t)})",
    lambda rng, t: f"as_strided({values.written((2,))}, {values.written((1,))})",
    lambda rng, t: f"unflatten({dim_of(rng, t)}, {rng.choice(['(-1, 1)', '(1, -1)', '(2, -1)'])})",
    lambda rng, t: "contiguous()",
    lambda rng, t: "ravel()",
    lambda rng, t: "adjoint()",
    lambda rng, t: "T",
]


def shuffled(rng: random.Random, items: Any) -> list[Any]:
    some = list(items)
    rng.shuffle(some)
    return some


def regrouped(rng: random.Random, n: int) -> list[int]:
    """Sizes with as many elements, seldom not."""
    if n and n % 2 == 0 and rng.random() < 0.5:
        return [2, n // 2]
    if n and n % 3 == 0 and rng.random() < 0.5:
        return [-1, 3]
    return rng.choice([[n], [1, n], [n, 1], [-1, 1]])


def view(p: Any) -> str:
    x = p.any()
    return f"{x}.{p.rng.choice(VIEWS)(p.rng, p.of(x))}"


REDUCTIONS = ["sum", "mean", "prod", "amax", "amin", "max", "min", "argmax", "argmin", "any", "all",
              "std", "var", "logsumexp", "nansum", "nanmean", "norm", "median", "mode",
              "count_nonzero", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "sort",
              "argsort", "softmax", "log_softmax", "aminmax", "unique", "flip", "roll",
              "nanmedian", "std_mean", "var_mean", "msort", "diff", "kthvalue", "topk", "quantile",
              "renorm", "softmin"]  # fmt: skip


def reduction(p: Any) -> str:
    rng, x = p.rng, p.any()
    t, name = p.of(x), rng.choice(REDUCTIONS)
    parts = []
    way = rng.random()
    if name in ("softmin", "softmax", "log_softmax") and way < 0.7:
        parts = [str(dim_of(rng, t))]
    elif name == "kthvalue" or name == "topk":
        parts = [str(rng.choice([1, 2])), str(dim_of(rng, t))]
    elif name == "quantile":
        parts = ["0.5", str(dim_of(rng, t))]
    elif name == "renorm":
        parts = ["2", str(dim_of(rng, t)), "1.5"]
    elif name == "roll":
        parts = ["1", str(dim_of(rng, t))] if way < 0.5 else ["2"]
    elif name in ("flip",):
        parts = [f"({dim_of(rng, t)},)"] if way < 0.9 else []
    elif name in ("aminmax",):
        parts = [f"dim={dim_of(rng, t)}"] if way < 0.6 else []
    elif name in ("unique", "msort"):
        parts = []
    elif way < 0.55:
        parts = [str(dim_of(rng, t))]
        if rng.random() < 0.3 and "cum" not in name:
            parts.append("keepdim=True")
    elif way < 0.65 and t.ndim > 1 and name != "norm":
        parts = [values.written((0, t.ndim - 1))]
    elif way < 0.7 and name in ("sum", "mean", "prod", "cumsum", "cumprod", "nansum"):
        parts = [str(dim_of(rng, t)), f"dtype=torch.{values.pick_type(rng)}"]
    elif way < 0.75 and "cum" not in name:
        parts = [f"dim={dim_of(rng, t)}", "keepdim=True"]
    if name == "softmin":
        return f"torch.nn.functional.softmin({', '.join([x, *parts])})"
    if rng.random() < 0.5 and hasattr(t, name):
        return f"{x}.{name}({', '.join(parts)})"
    return f"torch.{name}({', '.join([x, *parts])})"


def key(p: Any, t: Any) -> str:
    """An index: numbers, slices, None, ..., lists, masks, tensors of places."""
    rng, parts, used = p.rng, [], 0
    if rng.random() < 0.12:
        mask = p.tensor(tuple(t.shape), "bool")
        return str(mask)
    while used < t.ndim and len(parts) < 4:
        way = rng.random()
        n = t.shape[used]
        if way < 0.25:
            i = rng.choice([0, -1, max(n - 1, 0), n if rng.random() < 0.1 else 0])
            parts.append(str(i))
        elif way < 0.5:
            parts.append(rng.choice([":", "1:", ":-1", "::2", ":1", "0:0", "1:3", "-2:"]))
        elif way < 0.58:
            parts.append("None")
            continue
        elif way < 0.68 and "..." not in parts:
            parts.append("...")
            used = t.ndim
        elif way < 0.78:
            parts.append(rng.choice(["[0]", "[0, 0]", "[-1, 0]", "[]"]))
        elif way < 0.88:
            shape = rng.choice([(2,), (1,), (2, 1), ()])
            parts.append(str(p.tensor(shape, "int64", low=0, high=max(n, 1))))
        elif way < 0.92:
            parts.append(str(p.tensor((n,), "bool")))
        elif way < 0.94:
            parts.append(rng.choice(["True", "False"]))
            continue
        else:
            break
        used += 1
        if rng.random() < 0.3:
            break
    return ", ".join(parts) or "..."


def indexed(p: Any) -> str:
    x = p.any()
    return f"{x}[{key(p, p.of(x))}]"


def assigned(p: Any) -> str:
    rng, x = p.rng, p.any()
    k = key(p, p.of(x))
    place = p.tried(f"{x}[{k}]")
    if place is None or rng.random() < 0.5:
        value = values.written(values.number(rng))
    else:
        shape = tuple(place.shape)[rng.randrange(place.ndim + 1) if rng.random() < 0.3 else 0 :]
        value = str(p.tensor(shape))
    if rng.random() < 0.15:
        return f"{x}[{k}] {rng.choice(['+=', '*=', '-='])} {value}"
    return f"{x}[{k}] = {value}"


def written_out(p: Any) -> str:
    """A call with `out=`: mostly a tensor of the result's size, of any type."""
    rng, x = p.rng, p.any()
    way = rng.random()
    if way < 0.4:
        call = f"torch.{rng.choice(elementwise(2))}({x}, {partner(p, x)}"
    elif way < 0.7:
        call = f"torch.{rng.choice(elementwise(1))}({x}"
    else:
        call = (f"torch.{rng.choice(['sum', 'mean', 'amax', 'cumsum', 'cumprod', 'logsumexp'])}"
                f"({x}, {dim_of(rng, p.of(x))}")  # fmt: skip
    result = p.tried(call + ")")
    if result is None or not hasattr(result, "shape"):
        return call + f", out={p.any()})"
    dtype = str(result.dtype)[6:] if rng.random() < 0.6 else values.pick_type(rng)
    shape = tuple(result.shape) if rng.random() < 0.8 else rng.choice(values.SHAPES)
    if dtype not in values.TYPES:
        dtype = "float32"
    return call + f", out={p.tensor(shape, dtype, grad=False)})"


def joined(p: Any) -> str:
    rng, x = p.rng, p.any()
    t = p.of(x)
    more = [x] + [p.tensor(tuple(t.shape)) for _ in range(rng.choice([0, 1, 1, 2]))]
    if rng.random() < 0.1:
        more.append(p.any())
    if rng.random() < 0.1:
        name = rng.choice(["hstack", "vstack", "dstack", "column_stack"])
        return f"torch.{name}([{', '.join(more)}])"
    if rng.random() < 0.03:
        return f"torch.{rng.choice(['cat', 'stack', 'hstack'])}({x})"
    return f"torch.{rng.choice(['cat', 'stack', 'concat'])}([{', '.join(more)}], {dim_of(rng, t)})"


def product(p: Any) -> str:
    rng, x = p.rng, p.any()
    t = p.of(x)
    n = t.shape[-1] if t.ndim else 2
    same = str(t.dtype)[6:]
    dtype = same if rng.random() < 0.85 and same in values.TYPES else values.pick_type(rng)
    name = rng.choice(["matmul", "mm", "bmm", "mv", "dot", "@", "linear", "einsum", "outer",
                       "tensordot", "addmm", "baddbmm", "inner", "vdot", "addmv",
                       "kron"])  # fmt: skip
    if name in ("mv", "dot", "vdot", "outer"):
        return f"torch.{name}({x}, {p.tensor((n,), dtype)})"
    if name == "linear":
        y = p.tensor((3, n), dtype)
        bias = p.tensor((3,), dtype) if rng.random() < 0.5 else "None"
        return f"torch.nn.functional.linear({x}, {y}, {bias})"
    if name == "bmm" or name == "baddbmm":
        lead = t.shape[0] if t.ndim else 1
        y = p.tensor((lead, n, 2), dtype)
        if name == "baddbmm":
            return f"torch.baddbmm({p.tensor((2,), dtype)}, {x}, {y}, beta=0.5)"
        return f"torch.bmm({x}, {y})"
    if name == "inner":
        return f"torch.inner({x}, {p.tensor((2, n), dtype)})"
    if name == "addmv":
        m = t.shape[0] if t.ndim else 2
        return f"torch.addmv({p.tensor((m,), dtype)}, {x}, {p.tensor((n,), dtype)}, alpha=2)"
    y = p.tensor((n, 2), dtype)
    if name == "@":
        return f"{x} @ {y}"
    if name == "einsum":
        return f"torch.einsum('...i,ij->...j', {x}, {y})"
    if name == "tensordot":
        return f"torch.tensordot({x}, {y}, 1)"
    if name == "addmm":
        return f"torch.addmm({p.tensor(rng.choice([(2,), (1, 2), ()]), dtype)}, {x}, {y})"
    return f"torch.{name}({x}, {y})"


def gathered(p: Any) -> str:
    rng, x = p.rng, p.any()
    t = p.of(x)
    d = dim_of(rng, t)
    n = t.shape[d] if -t.ndim <= d < t.ndim else 1
    high = max(n, 1) + (rng.random() < 0.05)
    line = p.tensor((2,), "int64" if rng.random() < 0.8 else "int32", low=0, high=high)
    own = str(t.dtype)[6:]
    dtype = own if rng.random() < 0.85 and own in values.TYPES else values.pick_type(rng)
    shape = [2 if i == d % max(t.ndim, 1) else s for i, s in enumerate(t.shape)]
    full = p.tensor(tuple(t.shape), "int64", low=0, high=high)
    mark = rng.choice(["", "_"])
    # PyTorch reads beyond the memory for an index out of bounds in take_along_dim.
    inside = full if high == max(n, 1) else p.tensor((1,) * t.ndim, "int64", low=0, high=1)
    return rng.choice([
        lambda: f"{x}.index_select({d}, {line})",
        lambda: f"torch.gather({x}, {d}, {full})",
        lambda: f"{x}.index_add{mark}({d}, {line}, {p.tensor(tuple(shape), dtype)})",
        lambda: f"{x}.index_copy{mark}({d}, {line}, {p.tensor(tuple(shape), dtype)})",
        lambda: f"{x}.scatter{mark}({d}, {full}, {p.tensor(tuple(t.shape), dtype)})",
        lambda: f"{x}.scatter{mark}({d}, {full}, {values.written(values.number(rng))})",
        lambda: f"{x}.scatter_add{mark}({d}, {full}, {p.tensor(tuple(t.shape), dtype)})",
        lambda: f"{x}.scatter_reduce{mark}({d}, {full}, {p.tensor(tuple(t.shape), dtype)}, "
                f"'{rng.choice(['sum', 'prod', 'mean', 'amax', 'amin'])}')",
        lambda: f"{x}.take({full})",
        lambda: f"{x}.put{mark}({line}, {p.tensor((2,), dtype)})",
        lambda: f"torch.take_along_dim({x}, {inside}, {d})",
        lambda: f"{x}.index_fill{mark}({d}, {line}, {values.written(values.number(rng))})",
        lambda: f"{x}.masked_fill{mark}({p.tensor(tuple(t.shape), 'bool')}, "
                f"{values.written(values.number(rng))})",
        lambda: f"{x}.masked_select({p.tensor(tuple(t.shape), 'bool')})",
        lambda: f"{x}.masked_scatter{mark}({p.tensor(tuple(t.shape), 'bool')}, {p.any()})",
        lambda: f"torch.where({p.tensor(tuple(t.shape), 'bool')}, {x}, {partner(p, x)})",
        lambda: f"{x}.nonzero()",
    ])()  # fmt: skip


CONVERSIONS = ["to(torch.{})", "type(torch.{})", "to(torch.{}, copy=True)"]
COPIES = ["clone()", "float()", "double()", "half()", "bfloat16()", "long()", "int()", "bool()",
          "contiguous()", "repeat(2, 1, 1)", "tile(2)", "item()", "numel()", "dim()", "size()",
          "stride()", "is_contiguous()", "tolist()", "element_size()", "is_floating_point()",
          "storage_offset()", "nelement()", "type()", "is_complex()"]  # fmt: skip
LIKE = ["zeros_like({})", "ones_like({})", "full_like({}, 2)", "full_like({}, 1.5)", "clone({})",
        "zeros_like({}, dtype=torch.float64)"]  # fmt: skip


def converted(p: Any) -> str:
    rng, x = p.rng, p.any()
    way = rng.random()
    if way < 0.4:
        return f"{x}.{rng.choice(CONVERSIONS).format(values.pick_type(rng))}"
    if way < 0.75:
        return f"{x}.{rng.choice(COPIES)}"
    return f"torch.{rng.choice(LIKE).format(x)}"


FUNCTIONAL = [
    "relu({x})", "gelu({x})", "leaky_relu({x}, 0.1)", "elu({x})", "softplus({x})", "silu({x})",
    "hardtanh({x})", "normalize({x}, dim=0)", "layer_norm({x}, {x}.shape[-1:])", "mish({x})",
    "glu({x}, -1)", "pad({x}, (1, 1))", "pad({x}, (1, 0), value=2)", "mse_loss({x}, {y})",
    "l1_loss({x}, {y})", "smooth_l1_loss({x}, {y})", "huber_loss({x}, {y})",
    "binary_cross_entropy_with_logits({x}, {y})", "kl_div({x}, {y})", "cosine_similarity({x}, {y})",
    "dropout({x}, 0.5, False)", "threshold({x}, 0.5, 2)", "relu6({x})", "hardswish({x})",
    "logsigmoid({x})", "softsign({x})", "tanhshrink({x})", "celu({x})", "selu({x})",
    "one_hot({x})", "poisson_nll_loss({x}, {y})", "soft_margin_loss({x}, {y})",
    "pairwise_distance({x}, {y})", "relu({x}, inplace=True)", "elu({x}, -0.5, inplace=True)",
    "leaky_relu({x}, -0.1, inplace=True)", "rms_norm({x}, {x}.shape[-1:])", "softshrink({x})",
    "hardsigmoid({x})", "hardshrink({x})", "prelu({x}, torch.tensor([0.25]))", "sigmoid({x})",
    "avg_pool1d({x}, 2)", "max_pool1d({x}, 2)", "adaptive_avg_pool1d({x}, 2)",
    "gaussian_nll_loss({x}, {y}, {y}.abs())", "margin_ranking_loss({x}, {y}, {y}.sign())",
    "leaky_relu_({x}, 0.2)", "elu_({x})", "celu_({x})", "hardtanh_({x})", "threshold_({x}, 0.5, 1)",
    "relu_({x})", "selu_({x})", "rrelu({x})", "cross_entropy({x}, {y})",
    "nll_loss({x}, {x}.argmax(1))", "cross_entropy({x}, {x}.argmax(1))",
]  # fmt: skip


def functional(p: Any) -> str:
    x = p.any()
    text = p.rng.choice(FUNCTIONAL)
    y = p.tensor(tuple(p.of(x).shape)) if "{y}" in text else ""
    return "torch.nn.functional." + text.format(x=x, y=y)


KINDS: list[tuple[Callable[[Any], str], float]] = [
    (unary, 2), (binary, 3), (operator, 3), (inplace, 4), (view, 4), (reduction, 3), (indexed, 2),
    (assigned, 2), (written_out, 1), (joined, 1), (product, 1.5), (gathered, 2), (converted, 1.5),
    (functional, 1.5),
]  # fmt: skip


def chosen(p: Any, kinds: list[tuple[Callable[[Any], str], float]]) -> str:
    """The text of one call, of any kind."""
    functions, weights = zip(*kinds, strict=True)
    made: str = p.rng.choices(functions, weights)[0](p)
    return made


def changing(text: str) -> bool:
    """Whether a call may change a tensor that there is already."""
    return "_(" in text or "inplace" in text or "out=" in text or ".step()" in text
