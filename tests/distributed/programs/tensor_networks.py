"""What transformers and convolutional networks are made of, on DTensors: layers, activations,
losses and what attention needs. Results and gradients are those of whole tensors, however they lie.

python tensor_networks.py RANKS [all | NAME ...]: a third of the placements of each, all of them, or
those of some.
"""

import datetime
import json
import sys
import tempfile

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn.functional as F
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor


def number(*shape, seed=0):
    count = torch.Size(shape).numel()
    return ((torch.arange(float(count)) * 1.7 + seed).sin() * 1.5).reshape(shape).double()


def positive(*shape):
    return number(*shape).abs() + 0.1


def chance(*shape):
    return number(*shape, seed=2).sigmoid()


def whole(high, *shape):
    count = torch.Size(shape).numel()
    return (torch.arange(count) * 7 % 5 % high).reshape(shape)


def signs(*shape):
    return number(*shape, seed=4).sign()


def fixed(t):
    """A tensor that has no gradient."""
    t.fixed = True
    return t


X, Y, T = number(4, 6), number(4, 6, seed=1), whole(6, 4)
IMAGE, LINE = number(4, 2, 6, 6), number(4, 2, 8)
Q, K, V = (number(2, 4, 6, 2, seed=s) for s in range(3))
MASK = number(6, 6, seed=5) > -0.5

def loss(name, *operands, **kw):
    """A loss with each reduction."""
    fn = getattr(F, name)
    for how in ("mean", "sum", "none"):
        called = f"{name} {how} {' '.join(kw)}".strip()
        yield called, lambda *a, how=how: fn(*a, reduction=how, **kw), *operands


def losses():
    yield from loss("cross_entropy", X, T)
    yield from loss("cross_entropy", X, T, label_smoothing=0.1)
    yield from loss("cross_entropy", X, T, label_smoothing=0.1, ignore_index=2)
    yield from loss("cross_entropy", number(2, 5, 3), whole(5, 2, 3), label_smoothing=0.2)
    yield from loss("cross_entropy", X, chance(4, 6))
    yield from loss("cross_entropy", X, chance(4, 6), label_smoothing=0.1)
    for how in ("mean", "sum", "none"):
        yield (f"cross_entropy weight {how}",
               lambda x, t, w, how=how: F.cross_entropy(x, t, w, reduction=how),
               X, T, fixed(positive(6)))  # fmt: skip
        yield (f"cross_entropy smooth weight {how}",
               lambda x, t, w, how=how: F.cross_entropy(
                   x, t, w, reduction=how, label_smoothing=0.1),
               X, T, fixed(positive(6)))  # fmt: skip
        yield (f"bce weight {how}",
               lambda x, t, w, how=how: F.binary_cross_entropy_with_logits(
                   x, t, pos_weight=w, reduction=how),
               X, chance(4, 6), fixed(positive(6)))  # fmt: skip
    yield from loss("nll_loss", number(4, 6).log_softmax(1), T)
    yield from loss("nll_loss", number(2, 5, 3).log_softmax(1), whole(5, 2, 3), ignore_index=1)
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        yield from loss(name, X, Y)
    yield from loss("binary_cross_entropy", chance(4, 6), chance(4, 6).flip(0))
    yield from loss("binary_cross_entropy_with_logits", X, chance(4, 6))
    yield from loss("kl_div", Y.log_softmax(1), chance(4, 6))
    yield from loss("kl_div", Y.log_softmax(1), X.log_softmax(1), log_target=True)
    yield "kl_div batchmean", lambda x, t: F.kl_div(x, t, reduction="batchmean"), X, chance(4, 6)
    yield from loss("soft_margin_loss", X, signs(4, 6))
    yield from loss("hinge_embedding_loss", X, signs(4, 6))
    yield from loss("margin_ranking_loss", X, Y, signs(4, 6))
    yield from loss("poisson_nll_loss", X, positive(4, 6))
    yield from loss("gaussian_nll_loss", X, Y, positive(4, 6))
    yield from loss("cosine_embedding_loss", X, Y, signs(4))
    yield from loss("triplet_margin_loss", X, Y, number(4, 6, seed=3))
    yield from loss("multilabel_soft_margin_loss", X, (chance(4, 6) > 0.5).double())
    yield "cosine_similarity", lambda x, y: F.cosine_similarity(x, y, dim=1), X, Y
    yield "pairwise_distance", F.pairwise_distance, X, Y


def activations():
    for name in ("relu", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish",
                 "softplus", "softsign", "tanhshrink", "hardshrink", "softshrink", "hardtanh",
                 "hardsigmoid", "hardswish", "sigmoid", "logsigmoid", "tanh", "glu"):  # fmt: skip
        yield name, getattr(F, name), X
    yield "gelu tanh", lambda x: F.gelu(x, approximate="tanh"), X
    for d in (0, 1):
        yield f"softmax {d}", lambda x, d=d: F.softmax(x, d), X
        yield f"log_softmax {d}", lambda x, d=d: F.log_softmax(x, d), X
        yield f"normalize {d}", lambda x, d=d: F.normalize(x, dim=d), X
    yield "softmax float", lambda x: F.softmax(x.float(), -1, dtype=torch.float64), X
    yield "softmin", lambda x: F.softmin(x, 1), X
    yield "prelu", F.prelu, IMAGE, number(2)
    yield "threshold", lambda x: F.threshold(x, 0.1, 2.0), X
    yield "dropout", lambda x: F.dropout(x, 0.4, True), X
    yield "dropout off", lambda x: F.dropout(x, 0.4, False), X
    yield "dropout2d", lambda x: F.dropout2d(x, 0.4, True), IMAGE
    yield "alpha_dropout", lambda x: F.alpha_dropout(x, 0.4, True), X


def norms():
    yield "layer_norm", lambda x, w, b: F.layer_norm(x, (6,), w, b), number(2, 4, 6), number(6), \
        number(6, seed=1)  # fmt: skip
    yield "layer_norm plain", lambda x: F.layer_norm(x, (4, 6)), number(2, 4, 6)
    yield "rms_norm", lambda x, w: F.rms_norm(x, (6,), w), number(2, 4, 6), number(6)
    yield "group_norm", lambda x, w, b: F.group_norm(x, 2, w, b), number(4, 4, 6), number(4), \
        number(4, seed=1)  # fmt: skip
    yield "instance_norm", lambda x: F.instance_norm(x), IMAGE
    yield "batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), IMAGE, number(2), \
        number(2, seed=1)  # fmt: skip
    yield "batch_norm eval", lambda x, m, v: F.batch_norm(x, m, v, None, None, False), IMAGE, \
        fixed(number(2)), fixed(positive(2))  # fmt: skip
    yield "local_response_norm", lambda x: F.local_response_norm(x, 2), IMAGE


def transformers():
    yield "embedding", lambda i, w: F.embedding(i, w), whole(6, 2, 4), number(6, 4)
    yield "embedding padding", lambda i, w: F.embedding(i, w, padding_idx=2), whole(6, 2, 4), \
        number(6, 4)  # fmt: skip
    yield "one_hot", lambda i: F.one_hot(i, 6).double(), whole(6, 4)
    sdpa = F.scaled_dot_product_attention
    yield "attention", sdpa, Q, K, V
    yield "attention causal", lambda q, k, v: sdpa(q, k, v, is_causal=True), Q, K, V
    yield "attention scale", lambda q, k, v: sdpa(q, k, v, scale=0.3), Q, K, V
    yield "attention mask", lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, MASK
    yield "attention bias", lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, number(2, 1, 6, 6)
    yield "attention groups", lambda q, k, v: sdpa(q, k, v, enable_gqa=True), Q, \
        number(2, 2, 6, 2), number(2, 2, 6, 2, seed=1)  # fmt: skip
    yield "attention by hand", lambda q, k, v: (
        (q @ k.transpose(-2, -1) / 2).masked_fill(
            torch.ones_like(q @ k.transpose(-2, -1)).triu(1) > 0, -1e9).softmax(-1) @ v), Q, K, V
    yield "linear", F.linear, number(2, 4, 6), number(4, 6), number(4)
    yield "linear plain", F.linear, number(2, 4, 6), number(4, 6)
    yield "bilinear", F.bilinear, X, number(4, 4), number(2, 6, 4)
    yield "swiglu", lambda x, w, v: F.silu(x @ w) * (x @ v), X, number(6, 4), number(6, 4, seed=1)
    yield "heads", lambda x: x.view(2, 4, 2, 3).transpose(1, 2), number(2, 4, 6)
    yield "heads back", lambda x: x.transpose(1, 2).reshape(2, 6, 8), Q
    yield "heads flatten", lambda x: x.transpose(1, 2).flatten(2), Q
    yield "chunks", lambda x: torch.cat([c * (i + 1) for i, c in enumerate(x.chunk(3, -1))], -1), X
    yield "rotate", lambda x, c, s: x * c + torch.cat([-x[..., 2:], x[..., :2]], -1) * s, \
        number(2, 4, 6, 4), number(6, 4), number(6, 4, seed=1)  # fmt: skip
    yield "rotate complex", lambda x, c: torch.view_as_real(
        torch.view_as_complex(x.reshape(2, 4, 6, 2, 2)) * torch.view_as_complex(c)).flatten(3), \
        number(2, 4, 6, 4), number(6, 2, 2)  # fmt: skip
    yield "repeat heads", lambda x: x[:, :, None].expand(2, 4, 2, 6, 2).reshape(2, 8, 6, 2), K
    yield "repeat_interleave", lambda x: x.repeat_interleave(2, dim=1), K
    yield "einsum", lambda q, k: torch.einsum("bhqd,bhkd->bhqk", q, k), Q, K
    yield "baddbmm", torch.baddbmm, number(2, 4, 4), number(2, 4, 6), number(2, 6, 4)
    yield "tril", torch.tril, X
    yield "triu", lambda x: x.triu(1), X
    yield "masked_fill", lambda x, m: x.masked_fill(m, -2.0), number(2, 6, 6), MASK
    yield "where", torch.where, number(4, 6) > 0, X, Y
    yield "clamp", lambda x: x.clamp(-0.5, 0.7), X
    yield "rsqrt", lambda x: (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * x, X
    yield "var_mean", lambda x: torch.var_mean(x, -1)[0], X
    yield "logsumexp", lambda x: x.logsumexp(-1), X
    yield "gather", lambda x, i: x.gather(1, i), X, whole(6, 4, 2)
    yield "index_select", lambda x, i: x.index_select(1, i), X, whole(6, 3)
    yield "index", lambda x, i: x[i], X, whole(4, 3)
    yield "index last", lambda x: x[:, -1], number(4, 3, 6)
    yield "index_add", lambda x, i, y: x.index_add(0, i, y), X, whole(4, 3), number(3, 6)
    yield "scatter", lambda x, i, y: x.scatter(1, i, y), X, \
        torch.tensor([[0, 2], [1, 3], [5, 4], [2, 3]]), number(4, 2)  # fmt: skip
    yield "scatter_add", lambda x, i, y: x.scatter_add(1, i, y), X, whole(6, 4, 2), number(4, 2)
    yield "topk", lambda x: x.topk(2, -1)[0], X
    yield "sort", lambda x: x.sort(-1)[0], X
    yield "cumsum", lambda x: x.cumsum(-1), X
    yield "cumprod", lambda x: x.cumprod(-1), X
    yield "argmax", lambda x: x.argmax(-1).double(), X
    yield "multinomial", lambda x: x.softmax(-1).argmax(-1).double(), X
    yield "norm", lambda x: x.norm(dim=-1), X
    yield "diagonal", lambda x: x.diagonal(dim1=0, dim2=1), X
    yield "stack", lambda x, y: torch.stack([x, y], 1), X, Y
    yield "split", lambda x: x.split([2, 4], 1)[1], X
    yield "prod", lambda x: x.prod(1), X
    yield "lerp", lambda x, y: torch.lerp(x, y, 0.3), X, Y
    yield "addcmul", torch.addcmul, X, Y, number(4, 6, seed=3)
    yield "addmm", torch.addmm, number(4), X, number(6, 4)
    yield "outer", torch.outer, number(4), number(6)
    yield "unfold", lambda x: x.unfold(1, 3, 2), X


def images():
    yield "conv1d", F.conv1d, LINE, number(3, 2, 3), number(3)
    yield "conv2d", F.conv2d, IMAGE, number(4, 2, 3, 3), number(4)
    yield "conv2d stride", lambda x, w: F.conv2d(x, w, stride=2, padding=1), IMAGE, \
        number(4, 2, 3, 3)  # fmt: skip
    yield "conv2d groups", lambda x, w: F.conv2d(x, w, groups=2, padding="same"), IMAGE, \
        number(4, 1, 3, 3)  # fmt: skip
    yield "conv2d dilation", lambda x, w: F.conv2d(x, w, dilation=2), IMAGE, number(4, 2, 3, 3)
    yield "conv3d", F.conv3d, number(2, 2, 3, 4, 4), number(2, 2, 2, 2, 2)
    yield "conv_transpose2d", lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2), IMAGE, \
        number(2, 3, 3, 3), number(3)  # fmt: skip
    yield "max_pool2d", lambda x: F.max_pool2d(x, 2), IMAGE
    yield "avg_pool2d", lambda x: F.avg_pool2d(x, 2), IMAGE
    yield "max_pool2d stride", lambda x: F.max_pool2d(x, 3, 2, 1), IMAGE
    yield "max_pool1d", lambda x: F.max_pool1d(x, 2), LINE
    yield "adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, 1), IMAGE
    yield "adaptive_avg_pool2d 4", lambda x: F.adaptive_avg_pool2d(x, 4), IMAGE
    yield "adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, 2), IMAGE
    yield "nearest", lambda x: F.interpolate(x, scale_factor=2), IMAGE
    yield "bilinear sizes", lambda x: F.interpolate(x, size=(4, 9), mode="bilinear"), IMAGE
    yield "pad", lambda x: F.pad(x, (1, 2)), IMAGE
    yield "pad reflect", lambda x: F.pad(x, (1, 2), mode="reflect"), LINE
    yield "pad replicate", lambda x: F.pad(x, (1, 2, 1, 1), mode="replicate"), IMAGE
    yield "pad circular", lambda x: F.pad(x, (1, 2), mode="circular"), LINE
    yield "pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), number(2, 4, 3, 3)
    yield "pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), IMAGE
    yield "channel_shuffle", lambda x: F.channel_shuffle(x, 2), number(2, 4, 3, 3)
    yield "unfold image", lambda x: F.unfold(x, 3), IMAGE
    yield "fold", lambda x: F.fold(x, (4, 4), 2, stride=2), number(2, 8, 4)
    yield "global mean", lambda x: x.mean((2, 3)), IMAGE
    yield "flatten", lambda x: torch.flatten(x, 1), IMAGE


def calls():
    for part in (losses, activations, norms, transformers, images):
        yield from part()


def ways(tensors):
    """One operand cut, or still to be added up, and the others whole; all cut alike."""
    whole_ = [Replicate()] * len(tensors)
    found = [whole_]
    for k, t in enumerate(tensors):
        extra = [Partial()] if t.is_floating_point() else []
        for p in [*(Shard(d) for d in range(t.ndim)), *extra]:
            found.append([*whole_[:k], p, *whole_[k + 1 :]])
    for d in range(max(t.ndim for t in tensors)) if len(tensors) > 1 else ():
        found.append([Shard(d) if d < t.ndim else Replicate() for t in tensors])
    if len(tensors) > 1:
        last = [Shard(t.ndim - 1) for t in tensors]
        if last not in found:
            found.append(last)
    return found


def spread(t, mesh, p):
    if p.is_partial():
        share = t.detach() / mesh.size()
        return DTensor.from_local(share, mesh, [p])
    return distribute_tensor(t.detach(), mesh, [p])


def results(fn, leaves, tensors):
    """What a function gives, and the gradients."""
    torch.manual_seed(3)
    leaves = [t.requires_grad_(t.is_floating_point() and not hasattr(own, "fixed"))
              for t, own in zip(leaves, tensors, strict=True)]  # fmt: skip
    y = fn(*leaves)
    found = [y]
    if y.requires_grad:
        w = number(*y.shape, seed=9)
        if isinstance(y, DTensor):
            w = distribute_tensor(w, y.device_mesh, [Replicate()])
        (y * w).sum().backward()
        found += [t.grad for t in leaves]
    return [t.full_tensor().detach() if isinstance(t, DTensor) else
            None if t is None else t.detach() for t in found]  # fmt: skip


def check(name, fn, tensors, mesh, some):
    """For each way of lying what came of it: "" or what is wrong."""
    try:
        wanted = results(fn, [t.detach().clone() for t in tensors], tensors)
    except Exception as error:
        return {f"{name}: plain": f"{type(error).__name__}: {error}"}
    found = {}
    for where in ways(tensors)[some]:
        said = ""
        try:
            leaves = [spread(t, mesh, p).detach() for t, p in zip(tensors, where, strict=True)]
            got = results(fn, leaves, tensors)
            for k, (a, b) in enumerate(zip(got, wanted, strict=True)):
                if said:
                    break
                if (a is None) != (b is None):
                    said = f"value {k}: {a} for {b}"
                elif a is not None and a.shape != b.shape:
                    said = f"value {k}: {a.shape} for {b.shape}"
                elif a is not None and not torch.allclose(a, b, rtol=1e-9, atol=1e-11):
                    said = f"value {k} differs by {(a - b).abs().max()}"
        except Exception as error:
            said = f"{type(error).__name__}: {str(error).splitlines()[0][:150]}"
        sizes = ",".join("x".join(map(str, t.shape)) for t in tensors)
        found[f"{name} {sizes}: {' '.join(map(str, where))}"] = said
    return found


def run(rank, n, address, names):
    dist.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=n, timeout=datetime.timedelta(seconds=60)
    )
    mesh = init_device_mesh("cpu", (n,))
    told = {}
    for i, (name, fn, *tensors) in enumerate(calls()):
        if not names or "all" in names or name in names:
            some = slice(None) if names else slice(i % 3, None, 3)
            told.update(check(name, fn, tensors, mesh, some))
    wrong = {k: v for k, v in told.items() if v}
    if rank == 0 and wrong:
        print(json.dumps(wrong, indent=0))
    assert not wrong, len(told)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, f"file://{tempfile.mkdtemp()}/meet", sys.argv[2:]), nprocs=ranks)
    print("well", ranks)
