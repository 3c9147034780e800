"""How layers can be carried out on parts: normalisation, embeddings, attention, losses, what takes
elements by index, convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..collectives import all_reduce
from ._dispatch import REPLICATE, Call, Way, everywhere, local_shape, locals_of
from ._dtensor_spec import compute_local_shape_and_global_offset
from ._rules import broadcast, cut_along, placed, rule
from .placement_types import Partial, Placement, Shard


def count(call: Call) -> int:
    return len(call.result) if isinstance(call.result, (tuple, list)) else 1


def only(call: Call, p: Placement, out: Placement) -> Way:
    """The first operand cut, the others whole."""
    n = count(call)
    rest = (REPLICATE,) * (len(call.tensors) - 1)
    return Way(out if n == 1 else (out,) * n, (p, *rest))


# -- normalisation ---------------------------------------------------------------------------------


@rule("native_layer_norm", "layer_norm_op", "rms_norm_op")
def rows(call: Call, i: int) -> list[Way]:
    """Rows are normalised one by one. (The moments, which nobody sees, stand in the order of the
    local rows.)"""
    p = placed(call, i)[0]
    ways = [everywhere(call, count(call))]
    lead = call.kw["dims"][0] if "dims" in call.kw else len(call.shape()) - 1
    if isinstance(p, Shard) and p.dim < lead:
        rest = (REPLICATE,) * (len(call.tensors) - 1)
        ways.append(Way((p, *[p.at(0)] * (count(call) - 1)), (p, *rest)))
    return ways


@rule("group_norm_op", "native_group_norm", "unit_batch", "max_pool_1d", "max_pool_2d",
      "max_pool_3d", "avg_pool_1d", "avg_pool_2d", "avg_pool_3d", "adaptive_avg_1d",
      "adaptive_avg_2d", "adaptive_avg_3d", "avg_pool_transpose", "adaptive_avg_transpose",
      "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d",
      "replication_pad2d", "replication_pad3d", "upsample_nearest1d", "upsample_nearest2d",
      "upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d", "upsample_nearest3d",
      "upsample_trilinear3d", "resize_transpose", "max_tap", "put_taps", "max_pool_input",
      "adaptive_max", "add_plane", "take_plane", "put_plane", "circular_pad1d", "circular_pad2d",
      "circular_pad3d")  # fmt: skip
def batches(call: Call, i: int) -> list[Way]:
    """Samples are computed one by one."""
    ways = [everywhere(call, count(call))]
    n = call.shape()[0]
    kind = next((p for p in placed(call, i) if isinstance(p, Shard) and p.dim == 0), None)
    if kind is not None and len(call.shape()) > 2:
        operands = tuple(
            kind if t.ndim > 2 and t.shape[0] == n else REPLICATE for t in call.tensors
        )
        k = count(call)
        ways.append(Way(kind if k == 1 else (kind,) * k, operands))
    return ways


@rule("batch_norm_op", "batch_norm_eval", "native_batch_norm", "ctc_loss", "lstm_layer",
      "gru_layer", "rnn_layer", "index_put", "masked_put", "masked_scatter", "masked_gather",
      "take", "take_backward", "put", "pick_along_many", "add_along", "scatter_reduce",
      "index_reduce", "linalg_cross", "fft_c2c", "fft_r2c",
      "fft_c2r", "euclidean_distances", "distances_of_order", "grid_sampler_op", "contained",
      "segments_reduced",
      "linalg_eig", "linalg_lu", "linalg_lu_factor", "linalg_lstsq", "linalg_solve_triangular",
      "linalg_matrix_exp", "linalg_inv_quiet", "linalg_cofactor", "solve_by_factor", "_fft_c2c",
      "index_fill", "index_copy", "index_add", "smooth_entropy")  # fmt: skip
def wholes(call: Call, i: int) -> list[Way]:
    """Computed on whole operands."""
    return [everywhere(call, count(call))]


@rule("constant_pad_nd", "pad_transpose")
def padded(call: Call, i: int) -> list[Way]:
    """Dimensions that nothing is put to may be cut."""
    p, ways = placed(call, i)[0], [everywhere(call)]
    own, shape = call.shape(), tuple(call.result.shape)
    if isinstance(p, Shard) and own[p.dim] == shape[p.dim]:
        pad = list(call.parameter("pad", 1))
        at = 2 * (len(own) - 1 - p.dim)
        if not any(pad[at : at + 2]):
            ways.append(Way(p, (p,)))
    return ways


# -- convolution -----------------------------------------------------------------------------------


@rule("convolution")
def convolution(call: Call, i: int) -> list[Way]:
    """Samples one by one; or each rank some of the channels that come out."""
    ways = [everywhere(call)]
    p = placed(call, i)[0]
    rest = (REPLICATE,) * (len(call.tensors) - 1)
    batched = len(call.shape()) == len(call.shape(1))
    if isinstance(p, Shard) and p.dim == 0 and batched:
        ways.append(Way(p, (p, *rest)))
    q = placed(call, i)[1]
    plain = not call.parameter("transposed", 6, False) and call.parameter("groups", 8, 1) == 1
    if isinstance(q, Shard) and q.dim == 0 and plain and batched:
        ways.append(Way(q.at(1), (REPLICATE, *(q,) * len(rest))))
    return ways


@rule("convolve", "convolve_input")
def convolve(call: Call, i: int) -> list[Way]:
    p = placed(call, i)[0]
    ways = [everywhere(call)]
    if isinstance(p, Shard) and p.dim == 0:
        ways.append(Way(p, (p, REPLICATE)))
    return ways


@rule("convolve_weight")
def convolve_weight(call: Call, i: int) -> list[Way]:
    now = placed(call, i)
    ways = [everywhere(call)]
    if any(isinstance(p, Shard) and p.dim == 0 for p in now):
        ways.append(Way(Partial(), (Shard(0), Shard(0))))
    return ways


# -- embeddings ------------------------------------------------------------------------------------


@rule("embedding")
def embedding(call: Call, i: int) -> list[Way]:
    """Columns of the table; rows of it, where each rank gives zeros for those of the others; or
    some of the indices."""
    w, at = placed(call, i)
    ndim = len(call.shape(1))
    ways = [everywhere(call)]
    if isinstance(w, Shard) and w.dim == 1:
        ways.append(Way(w.at(ndim), (w, REPLICATE)))
    if isinstance(w, Shard) and w.dim == 0 and type(w) is Shard:
        ways.append(Way(Partial(), (w, REPLICATE)))
    if isinstance(at, Shard):
        ways.append(Way(at, (REPLICATE, at)))
    return ways


def local_embedding(call: Call, ways: list[Way], given: list[Any]) -> Any:
    weight, at = given
    table = [way.operands[0] for way in ways]
    if not any(p.is_shard(0) for p in table):
        return call.func(weight, at, *call.args[2:], **call.kw)
    _, (start, _) = compute_local_shape_and_global_offset(call.shape(0), call.mesh, table)
    mine = (at >= start) & (at < start + weight.shape[0])
    if not weight.shape[0]:
        return weight.new_zeros((*at.shape, weight.shape[1]))
    own = (at - start).masked_fill(~mine, 0)
    return weight[own.reshape(-1)].reshape(*at.shape, weight.shape[1]).masked_fill(
        ~mine.unsqueeze(-1), 0
    )


locals_of["embedding"] = local_embedding


@rule("embedding_dense_backward")
def embedding_dense_backward(call: Call, i: int) -> list[Way]:
    g, at = placed(call, i)
    last = len(call.shape()) - 1
    ways = [everywhere(call)]
    if isinstance(g, Partial) and g.linear:
        ways.insert(0, Way(g, (g, REPLICATE)))
    if isinstance(g, Shard) and g.dim == last:
        ways.append(Way(g.at(1), (g, REPLICATE)))
    for p in (g, at):
        if isinstance(p, Shard) and p.dim < last and not call.kw.get("scale_grad_by_freq"):
            ways.append(Way(Partial(), (p, p)))
    return ways


# -- attention -------------------------------------------------------------------------------------


@rule("scaled_dot_product_attention", "attention_by_blocks", "_scaled_dot_product_flash_attention")
def attention(call: Call, i: int) -> list[Way]:
    """Samples and heads are computed one by one."""
    ways = [everywhere(call, count(call))]
    lead = tuple(call.result[0].shape[:-2])
    for p in dict.fromkeys(placed(call, i)):
        if isinstance(p, Shard) and p.dim < len(lead):
            operands = []
            for k in range(len(call.tensors)):
                at = p.dim - len(lead) + len(call.shape(k)) - 2
                cut = at >= 0 and call.shape(k)[at] == lead[p.dim]
                operands.append(p.at(at) if cut else REPLICATE)
            ways.append(Way((p,) * count(call), tuple(operands)))
    return ways


# -- by index --------------------------------------------------------------------------------------


def dim_of(call: Call, place: int, shape: Sequence[int]) -> int:
    return int(call.parameter("dim", place)) % max(len(shape), 1)


@rule("gather", "pick_along", "scatter_zeros", "put_along", "scatter", "scatter_value",
      "scatter_add")  # fmt: skip
def picked(call: Call, i: int) -> list[Way]:
    """Dimensions along which every tensor has the same places may be cut."""
    result = tuple(call.result.shape) if call.result is not None else call.shape()
    given = call.kw.get("dim")
    if given is None:
        given = next(a for a in call.args if isinstance(a, int))
    dim = int(given) % max(len(result), 1)
    ways = [everywhere(call)]
    first = placed(call, i)[0]
    partial = isinstance(first, Partial) and first.linear
    if partial and call.name in ("gather", "scatter_zeros", "pick_along", "put_along"):
        ways.insert(0, Way(first, (first, REPLICATE)))
    for p in dict.fromkeys(placed(call, i)):
        if isinstance(p, Shard) and p.dim != dim and len(result) > p.dim:
            n = result[p.dim]
            if all(t.ndim > p.dim and t.shape[p.dim] == n for t in call.tensors):
                ways.append(Way(p, (p,) * len(call.tensors)))
    index = placed(call, i)[1]
    if call.name in ("gather", "pick_along") and isinstance(index, Shard) and index.dim == dim:
        ways.append(Way(index, (REPLICATE, index)))
    return ways


def local_shaped(call: Call, ways: list[Way], given: list[Any]) -> Any:
    kw = dict(call.kw)
    shape = tuple(local_shape(call, ways, call.result.shape))
    if "shape" in kw:
        kw["shape"] = shape
        return call.func(*given, *call.args[len(given) :], **kw)
    rest = list(call.args[len(given) :])
    rest[0] = shape
    return call.func(*given, *rest, **kw)


for _name in ("scatter_zeros", "index_spread"):
    locals_of[_name] = local_shaped


@rule("index_select", "index_spread")
def index_select(call: Call, i: int) -> list[Way]:
    x, at = placed(call, i)
    dim = int(call.kw["dim"] if "dim" in call.kw else
              next(a for a in reversed(call.args) if isinstance(a, int)))  # fmt: skip
    dim %= max(len(call.shape()), 1)
    ways = [everywhere(call)]
    if isinstance(x, Partial) and x.linear:
        ways.insert(0, Way(x, (x, REPLICATE)))
    if isinstance(x, Shard) and x.dim != dim:
        ways.append(Way(x, (x, REPLICATE)))
    if call.name == "index_select" and isinstance(at, Shard):
        ways.append(Way(at.at(dim), (REPLICATE, at)))
    if call.name == "index_spread" and (at.is_shard() or x.is_shard(dim)):
        ways.append(Way(Partial(), (Shard(dim), Shard(0))))
    return ways


@rule("index", "index_backward")
def index(call: Call, i: int) -> list[Way]:
    """Rows that are not asked for by an index may be cut, where all indices stand in front."""
    places = placed(call, i)
    ways = [everywhere(call)]
    x = places[0]
    back = call.name == "index_backward"
    given = call.args[0][1:] if isinstance(call.args[0], (list, tuple)) else call.args[1:]
    given = [a for a in given if not isinstance(a, (int, str))]
    front = len(call.tensors) - 1 == len([a for a in given if a is not None]) == len(given)
    rest = (REPLICATE,) * (len(call.tensors) - 1)
    wide = max((len(call.shape(k)) for k in range(1, len(call.tensors))), default=0)
    if isinstance(x, Partial) and x.linear:
        ways.insert(0, Way(x, (x, *rest)))
    if isinstance(x, Shard) and front and all(t.dtype.is_signed for t in call.tensors[1:]):
        if not back and x.dim >= len(rest):
            ways.append(Way(x.at(x.dim - len(rest) + wide), (x, *rest)))
        elif back and x.dim >= wide:
            ways.append(Way(x.at(x.dim - wide + len(rest)), (x, *rest)))
    return ways


def local_index_backward(call: Call, ways: list[Way], given: list[Any]) -> Any:
    from ._dispatch import replaced

    args, kw = replaced(call, given)
    return call.func(*args, **{**kw, "shape": tuple(local_shape(call, ways, call.result.shape))})


locals_of["index_backward"] = local_index_backward

# -- losses ----------------------------------------------------------------------------------------


@rule("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss_mean", "l1_loss_sum", "soft_margin_loss",
      "binary_cross_entropy", "binary_cross_entropy_with_logits")  # fmt: skip
def elementwise_loss(call: Call, i: int) -> list[Way]:
    """Element by element, then the sum, or the mean where all ranks have as many."""
    kind = {"l1_loss_mean": "mean", "l1_loss_sum": "sum"}.get(call.name) or reduction_of(call)
    shape = broadcast(call)
    ways = [everywhere(call)]
    for p in dict.fromkeys(placed(call, i)):
        if not isinstance(p, Shard):
            continue
        way = cut_along(call, p.dim + len(shape) - max_ndim(call, p, i), shape, p)
        d = way.out.dim
        if kind == "none":
            ways.append(way)
        elif kind == "sum":
            ways.append(Way(Partial(), way.operands))
        elif call.cuts_evenly(shape[d], i):
            ways.append(Way(Partial("avg"), way.operands))
    return ways


def max_ndim(call: Call, p: Placement, i: int) -> int:
    return next(len(call.shape(k)) for k, q in enumerate(placed(call, i)) if q == p)


def reduction_of(call: Call) -> str:
    """"none", "mean" or "sum", which is told by name or in its place."""
    if "reduction" in call.kw:
        return str(call.kw["reduction"])
    return next((a for a in call.args if isinstance(a, str)), "mean")


@rule("nll_loss", "nll_loss_forward", "cross_entropy_loss", "nll_loss_backward")
def classes(call: Call, i: int) -> list[Way]:
    """Samples are cut; the divisor of the mean is that of all of them."""
    ways = [everywhere(call, count(call))]
    back = call.name == "nll_loss_backward"
    kind = reduction_of(call)
    shape = tuple(call.result.shape) if back else call.shape()
    at = 1 if len(shape) > 1 else 0  # the dimension of the classes
    places = placed(call, i)
    first = places[0]
    found: list[int] = []
    if isinstance(first, Shard) and (not back or kind == "none"):
        found += [] if not back and first.dim == at else [first.dim + (back and first.dim >= at)]
    if isinstance(places[1], Shard):
        found.append(places[1].dim + (places[1].dim >= at))
    rest = (REPLICATE,) * (len(call.tensors) - 2)
    for d in dict.fromkeys(found):
        target = Shard(d - (d > at))
        if back:
            ways.append(Way(Shard(d), (target if kind == "none" else REPLICATE, target, *rest)))
        else:
            out: Placement = target if kind == "none" else Partial()
            n = count(call)
            full = out if n == 1 else (out, REPLICATE)
            ways.append(Way(full, (Shard(d), target, *rest)))
    return ways


def divisor(call: Call, ways: list[Way], target: Any, weight: Any) -> Any:
    """How much all targets count, those of other ranks too."""
    ignored = call.kw.get("ignore_index", -100)
    counts = target != ignored
    if weight is None:
        total = counts.sum().to(call.tensors[0].dtype)
    else:
        total = (weight[target.masked_fill(~counts, 0)] * counts).sum()
    total = total.reshape(1)
    for i, way in enumerate(ways):
        if way.operands[1].is_shard():
            all_reduce(total, group=call.mesh.get_group(i))
    return total.reshape(())


def local_classes(call: Call, ways: list[Way], given: list[Any]) -> Any:
    first, target, *rest = given
    weight = rest[0] if rest else None
    kw = dict(call.kw)
    back = call.name == "nll_loss_backward"
    if back:
        kw["shape"] = tuple(local_shape(call, ways, call.result.shape))
    if not any(w.operands[1].is_shard() for w in ways):
        return call.func(*given, **kw)
    if kw.get("reduction") != "mean":
        return first_alone(call, call.func(*given, **kw))
    total = divisor(call, ways, target, weight)
    kw["reduction"] = "sum"
    if back:
        return call.func(first / total, target, *rest, **kw)
    got = call.func(*given, **kw)
    if isinstance(got, (tuple, list)):
        return first_alone(call, (got[0] / total, got[1]))
    return got / total


def first_alone(call: Call, got: Any) -> Any:
    """The loss; in place of the sums of this rank's rows zeros, for the gradient of tensors that
    lie on several ranks makes them anew."""
    if not isinstance(got, (tuple, list)):
        return got
    return got[0], got[1].new_zeros(tuple(call.result[1].shape))


for _name in ("nll_loss", "cross_entropy_loss", "nll_loss_backward"):
    locals_of[_name] = local_classes
