"""Calls about what goes round a tensor's own functions: layers, optimisers, random numbers, second
derivatives, transforms of functions, blocks, NumPy.

As in `calls.py`, a function takes the program and gives the text of one call. A layer is named like
a tensor, with `m`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.compare.random_calls import calls, values

# -- layers ----------------------------------------------------------------------------------------

# Text of a layer for a tensor {x} whose last size is {n}, and its size 1 {c}.
LAYERS = [
    "Linear({n}, 3)", "Linear({n}, 2, bias=False)", "LayerNorm({n})", "RMSNorm({n})",
    "LayerNorm({n}, elementwise_affine=False)", "BatchNorm1d({c})",
    "BatchNorm1d({c}, affine=False)",
    "BatchNorm1d({c}, track_running_stats=False)", "BatchNorm1d({c}, momentum=None)",
    "BatchNorm2d({c})", "InstanceNorm1d({c}, affine=True)", "GroupNorm(1, {c})",
    "GroupNorm({c}, {c})",
    "Conv1d({c}, 2, 1)", "Conv1d({c}, {c}, 2, padding=1, groups={c})", "Conv2d({c}, 2, 2)",
    "ConvTranspose1d({c}, 2, 2)", "Conv2d({c}, 3, 1, bias=False)", "Bilinear({n}, {n}, 2)",
    "PReLU()", "PReLU({c})", "ReLU()", "ReLU(inplace=True)", "GELU()", "GELU('tanh')", "SiLU()",
    "Tanh()", "Sigmoid()", "Softmax(-1)", "LogSoftmax(0)", "ELU(0.5)", "LeakyReLU(0.2)", "Mish()",
    "Softplus(2)", "Hardtanh()", "Hardswish()", "GLU()", "Threshold(0.5, 1)", "Identity()",
    "Dropout(0.5)", "Dropout1d(0.5)", "Dropout2d(0.3)", "AlphaDropout(0.3)", "Flatten()",
    "Unflatten(-1, (1, {n}))", "Upsample(scale_factor=2)", "MaxPool1d(2)", "AvgPool1d(2)",
    "AdaptiveAvgPool1d(2)", "AdaptiveMaxPool1d(1)", "MaxPool2d(2)", "AvgPool2d(1)", "ZeroPad1d(1)",
    "ReflectionPad1d(1)", "ReplicationPad2d(1)", "ConstantPad1d(1, 2.5)", "CircularPad1d(1)",
    "PixelShuffle(1)", "ChannelShuffle(1)", "LocalResponseNorm(2)", "CosineSimilarity(0)",
    "Sequential(torch.nn.Linear({n}, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))",
    "Sequential(torch.nn.LayerNorm({n}), torch.nn.Dropout(0.2), torch.nn.Linear({n}, 2))",
    "LSTM({n}, 2, batch_first=True)", "GRU({n}, 2)", "RNN({n}, 2, nonlinearity='relu')",
    "LSTMCell({n}, 2)", "GRUCell({n}, 2)", "RNNCell({n}, 2)",
    "TransformerEncoderLayer({n}, 1, 4, dropout=0.0, batch_first=True)",
]  # fmt: skip
OF_INTEGERS = ["Embedding(8, 3)", "Embedding(8, 2, padding_idx=0)",
               "EmbeddingBag(8, 3, mode='sum')"]
LOSSES = ["MSELoss()", "L1Loss(reduction='sum')", "SmoothL1Loss()", "HuberLoss(delta=0.5)",
          "BCEWithLogitsLoss()", "KLDivLoss(reduction='batchmean')", "SoftMarginLoss()",
          "PoissonNLLLoss()", "CosineEmbeddingLoss()", "CrossEntropyLoss(label_smoothing=0.1)",
          "PairwiseDistance()", "CosineSimilarity()"]  # fmt: skip


def seeded(p: Any, text: str) -> str:
    """An expression that draws from the stream of a seed."""
    return f"(torch.manual_seed({p.rng.randrange(9)}), {text})[1]"


def layer(p: Any) -> str:
    """A new layer called on a tensor; its first parameter becomes a tensor of the program."""
    rng, x = p.rng, p.any()
    t = p.of(x)
    n = t.shape[-1] if t.ndim else 1
    c = t.shape[1] if t.ndim > 1 else n
    whole = not (t.is_floating_point() or t.is_complex())
    if rng.random() < 0.15:
        y = p.tensor(tuple(t.shape), str(t.dtype)[6:])
        return f"torch.nn.{rng.choice(LOSSES)}({x}, {y})"
    plain = t.is_complex() or whole  # two mistakes are named in any order
    some = LAYERS[:2] if plain else LAYERS
    made = "torch.nn." + rng.choice(OF_INTEGERS if whole and rng.random() < 0.7 else some)
    made = seeded(p, made.format(n=n, c=c))
    if str(t.dtype) != "torch.float32" and not whole and rng.random() < 0.8:
        made += f".to({t.dtype})"
    name = p.layer(made)
    if rng.random() < 0.3:
        p.run(f"{name}.eval()")
    weight = next((w for w, _ in p.of(name).named_parameters() if rng.random() < 0.7), None)
    if weight is not None:
        p.fresh(f"{name}.get_parameter('{weight}')")
    if "Drop" in made:
        return seeded(p, f"{name}({x})")
    if "Bilinear" in made:
        return f"{name}({x}, {x})"
    return f"{name}({x})"


# -- optimisers ------------------------------------------------------------------------------------

OPTIMISERS = ["SGD([{v}], lr=0.1)", "SGD([{v}], lr=0.1, momentum=0.9, weight_decay=0.1)",
              "SGD([{v}], lr=0.1, momentum=0.9, nesterov=True)", "Adam([{v}])",
              "Adam([{v}], lr=0.1, amsgrad=True)",
              "AdamW([{v}], lr=0.1, weight_decay=0.2)",
              "RMSprop([{v}], momentum=0.5, centered=True)",
              "Adagrad([{v}], lr=0.1)", "Adadelta([{v}])", "Adamax([{v}])", "NAdam([{v}])",
              "RAdam([{v}])",
              "Rprop([{v}])", "ASGD([{v}])",
              "Adam([{v}], maximize=True, weight_decay=0.1)"]  # fmt: skip


def stepped(p: Any) -> str:
    """A backward, and a step of a leaf's optimiser."""
    rng = p.rng
    tracked = [n for n in p.names() if p.of(n).requires_grad]
    live = [n for n in tracked if not leaf(p.of(n)) and p.of(n).numel()]
    # PyTorch loses gradients of views of a leaf that is a view, once the leaf was changed.
    leaves = [n for n in tracked if leaf(p.of(n)) and p.of(n)._base is None]
    if not live or not leaves:
        raise ValueError("nothing to train")
    p.backward_of(rng.choice(live))
    p.gradients()
    v = rng.choice(leaves)
    if rng.random() < 0.2:
        return rng.choice([
            f"torch.nn.utils.clip_grad_norm_([{v}], 1.0)",
            f"torch.nn.utils.clip_grad_value_([{v}], 0.5)",
            f"{v}.grad",
        ])  # fmt: skip
    return f"torch.optim.{rng.choice(OPTIMISERS).format(v=v)}.step()"


def leaf(t: Any) -> bool:
    try:
        return bool(t.is_leaf)
    except RuntimeError:
        return False


# -- random numbers, and tensors made like others --------------------------------------------------

DRAWN = [
    "torch.rand({shape})", "torch.randn({shape})", "torch.randint(0, 9, {shape})",
    "torch.rand({shape}, dtype=torch.{dtype})", "torch.randn({shape}, dtype=torch.{dtype})",
    "torch.randint(-3, 4, {shape}, dtype=torch.{dtype})", "torch.randperm({n})",
    "torch.rand_like({x})", "torch.randn_like({x})", "torch.randint_like({x}, 5)",
    "torch.bernoulli({x})", "torch.bernoulli({x}, 0.3)", "torch.normal({x}, 1.0)",
    "torch.normal(0.5, {x}.abs())", "torch.poisson({x}.abs())",
    "torch.multinomial({x}.abs(), 2, True)",
    "torch.multinomial({x}.abs() + 0.5, 2)", "torch.dropout({x}, 0.4, True)",
    "torch.nn.functional.dropout({x})", "torch.nn.functional.alpha_dropout({x}, 0.3, True)",
    "torch.nn.functional.dropout1d({x})", "torch.nn.functional.rrelu({x}, training=True)",
    "torch.nn.functional.gumbel_softmax({x})", "torch.nn.functional.gumbel_softmax({x}, hard=True)",
    "torch.binomial({x}.abs().nan_to_num(3, 3).round(), torch.full_like({x}, 0.4))",
    "{x}.bernoulli()", "{x}.bernoulli_()", "{x}.bernoulli_(0.2)", "{x}.uniform_()",
    "{x}.uniform_(-1, 2)",
    "{x}.normal_()", "{x}.normal_(1, 2)", "{x}.random_()", "{x}.random_(7)", "{x}.random_(-2, 5)",
    "{x}.exponential_()", "{x}.geometric_(0.4)", "{x}.log_normal_()", "{x}.cauchy_()",
    "torch.nn.init.xavier_uniform_({x})", "torch.nn.init.kaiming_normal_({x})",
    "torch.nn.init.orthogonal_({x})", "torch.nn.init.trunc_normal_({x})", "torch.nn.init.eye_({x})",
    "torch.nn.init.constant_({x}, 0.5)", "torch.nn.init.normal_({x})",
]  # fmt: skip
LIKE = [
    "{x}.new_zeros({shape})", "{x}.new_ones({shape})", "{x}.new_full({shape}, 2)",
    "{x}.new_full({shape}, 1.5)", "{x}.new_tensor([1, 2])", "{x}.new_tensor([0.5, 2])",
    "{x}.new_zeros({shape}, dtype=torch.{dtype})", "{x}.new_tensor({x}.tolist())",
    "torch.tensor({x}.tolist())", "torch.tensor({x}.tolist(), dtype=torch.{dtype})",
    "torch.as_tensor({x})", "torch.as_tensor({x}, dtype=torch.{dtype})",
    "torch.asarray({x}, copy=True)",
    "torch.from_numpy({x}.numpy())", "torch.from_numpy({x}.numpy(force=True))",
    "torch.as_tensor({x}.detach().numpy())", "torch.tensor({x}.detach().numpy())",
    "torch.tensor([{x}.sum(), {x}.sum()])", "torch.stack(list({x}))", "torch.cat(tuple({x}))",
    "torch.full({shape}, {number})", "torch.full({shape}, {number}, dtype=torch.{dtype})",
    "torch.scalar_tensor({number})", "torch.tensor({number})",
    "torch.can_cast({x}.dtype, torch.{dtype})", "torch.promote_types({x}.dtype, torch.{dtype})",
    "torch.result_type({x}, {number})", "{x}.ndimension()", "{x}.is_signed()", "{x}.is_inference()",
    "len({x})", "bool({x})", "float({x})", "int({x})", "complex({x})", "{x}.__index__()",
    "[*{x}][-1]", "{x}.shape[-1]", "{x}.shape.numel()", "{number} in {x}", "round({x})", "abs({x})",
    "torch.is_tensor({x})", "hash({x}) == hash({x})", "{x}.dtype", "{x}.layout",
    "{x}.device", "{x}.is_sparse", "{x}.nbytes", "{x}.itemsize", "{x}.names", "{x}.grad",
    "{x}.ndim",
    "{x}.is_contiguous(memory_format=torch.channels_last)", "{x}.dim_order()", "{x}._version",
    "{x}.to_sparse().to_dense()", "{x}.to_sparse().coalesce().values()",
    "torch.sparse.sum({x}.to_sparse())",
    "{x}.to_sparse() @ {x}.mT", "torch.sparse.mm({x}.to_sparse(), {x}.mT)",
    "({x}.to_sparse() * 2).to_dense()",
    "{x}.to_sparse_csr().to_dense()", "{x}.to_sparse_csr() @ {x}.mT",
]  # fmt: skip


def filled(p: Any, texts: list[str]) -> str:
    rng, x = p.rng, p.any()
    shape = rng.choice(values.SHAPES)
    return rng.choice(texts).format(
        x=x, shape=shape, dtype=values.pick_type(rng), n=rng.randrange(6),
        number=values.written(values.number(rng)),
    )  # fmt: skip


def drawn(p: Any) -> str:
    return seeded(p, filled(p, DRAWN))


def made_like(p: Any) -> str:
    return filled(p, LIKE)


# -- derivatives and transforms --------------------------------------------------------------------


def differentiated(p: Any) -> str:
    """A gradient that is a tensor of the program, and may have a history of its own."""
    rng = p.rng
    tracked = [n for n in p.names() if p.of(n).requires_grad]
    live = [n for n in tracked if not leaf(p.of(n)) and p.of(n).numel()]
    if not live:
        raise ValueError("nothing to differentiate")
    y, x = rng.choice(live), rng.choice(tracked)
    graph = rng.choice(["create_graph=True", "create_graph=True", "retain_graph=True"])
    rest = rng.choice(["", "", ", materialize_grads=True"])
    return (f"torch.autograd.grad({y}, {x}, torch.full_like({y}, 0.75), {graph}, "
            f"allow_unused=True{rest})[0]")  # fmt: skip


def one_argument(p: Any) -> tuple[str, str]:
    """A tensor's name and the text of a function of it, as one of the kinds of calls writes it."""
    kinds = [calls.unary, calls.binary, calls.reduction, calls.view, calls.functional,
             calls.indexed, calls.product]  # fmt: skip
    text = p.rng.choice(kinds)(p)
    names = [n for n in p.names() if re.search(rf"\b{n}\b", text)]
    if not names or calls.changing(text):
        raise ValueError("a change in place")
    return p.rng.choice(names), text


def transformed(p: Any) -> str:
    """A function of one tensor, transformed."""
    rng = p.rng
    x, text = one_argument(p)
    function = f"lambda {x}: {text}"
    dim = calls.dim_of(rng, p.of(x))
    return rng.choice([
        lambda: f"torch.vmap({function})({x})",
        lambda: f"torch.vmap({function}, {dim})({x})",
        lambda: f"torch.vmap({function}, 0, -1)({x})",
        lambda: f"torch.func.jvp({function}, ({x},), ({x} * 0.5,))",
        lambda: f"torch.func.vjp({function}, {x})[0]",
        lambda: f"torch.func.grad(lambda {x}: ({text}).sum())({x})",
        lambda: f"torch.func.jacrev({function})({x})",
        lambda: f"torch.func.jacfwd({function})({x})",
        lambda: f"torch.autograd.functional.jacobian({function}, {x})",
        lambda: f"torch.autograd.functional.hessian(lambda {x}: ({text}).sum(), {x})",
        lambda: f"torch.func.functionalize({function})({x})",
        lambda: f"torch.utils.checkpoint.checkpoint({function}, {x}, use_reentrant=False)",
    ])()  # fmt: skip


BLOCKS = ["torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)",
          "torch.autocast('cpu', dtype=torch.bfloat16)",
          "torch.autocast('cpu', dtype=torch.float16)",
          "torch.autograd.detect_anomaly(False)", "torch.inference_mode()"]  # fmt: skip


def in_block(p: Any) -> str:
    """An expression that is computed inside of a block."""
    kind = p.rng.choice([calls.product, calls.functional, calls.binary, calls.view,
                         calls.reduction, calls.indexed, calls.joined])  # fmt: skip
    return f"{p.rng.choice(BLOCKS)}(lambda: {kind(p)})()"


# -- more of what has several right results, and products ------------------------------------------

# PyTorch's MKL reads beyond its memory, and may crash, for eigenvalues of NaN.
EXACT = [
    "torch.linalg.svd({x}).S", "torch.svd({x}).S",
    "torch.linalg.eigvals({x}.nan_to_num(2)).abs().sort()[0]",
    "torch.linalg.qr({x}).R.abs()", "torch.linalg.eigh({x} + {x}.mT).eigenvalues",
    "torch.linalg.eigvalsh({x} @ {x}.mT)", "torch.linalg.svdvals({x})", "torch.linalg.norm({x}, 2)",
    "torch.linalg.matrix_norm({x}, 'nuc')",
    "torch.linalg.cholesky({x} @ {x}.mT + 2 * torch.eye({m}))",
    "torch.linalg.inv({x} @ {x}.mT + torch.eye({m}))",
    "torch.linalg.solve({x} @ {x}.mT + torch.eye({m}), {x})",
    "torch.linalg.slogdet({x} @ {x}.mT + torch.eye({m}))[1]", "torch.linalg.matrix_power({x}, 3)",
    "torch.special.psi({x})", "torch.special.gammaln({x})",
    "torch.special.gammainc({x}.abs() + 1, {x}.abs())",
]  # fmt: skip


def of_a_matrix(p: Any) -> str:
    x = p.any()
    t = p.of(x)
    return p.rng.choice(EXACT).format(x=x, m=t.shape[-2] if t.ndim > 1 else 1)


def equation(p: Any) -> str:
    """einsum of random letters."""
    rng, x = p.rng, p.any()
    t = p.of(x)
    a = "".join(rng.choice("ijkl") if rng.random() < 0.15 else "ijkl"[d] for d in range(t.ndim))
    sizes = dict(zip(a, t.shape, strict=True))
    b = rng.sample("ijkl", rng.randrange(1, 4))
    y = p.tensor(tuple(sizes.get(k, 2) for k in b), str(t.dtype)[6:])
    letters = sorted({*a, *b})
    out = rng.sample(letters, rng.randrange(len(letters) + 1))
    arrow = "->" + "".join(out) if rng.random() < 0.8 else ""
    return f"torch.einsum('{a},{''.join(b)}{arrow}', {x}, {y})"


KINDS: list[tuple[Callable[[Any], str], float]] = [
    (layer, 2), (stepped, 0.7), (drawn, 1.2), (made_like, 1.2), (differentiated, 1),
    (transformed, 1.5),
    (in_block, 1), (of_a_matrix, 0.5), (equation, 0.7),
]  # fmt: skip
