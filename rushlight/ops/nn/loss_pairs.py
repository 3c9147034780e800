"""Distances of vectors, and the losses of pairs and triplets of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import dtypes
from ...autograd import door
from ...dtypes import type_name
from ...errors import message
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.samples import case, values
from ..elementwise import formulas as m
from ..shape.public import broadcast_tensors
from .loss import REDUCTIONS, finished, reduction_of
from .norm import units

# -- distances -----------------------------------------------------------------------------------


@composite(public="torch nn.functional", samples=[case((3, 4), (3, 4)), case((3, 4), (1, 4), 1)])
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`, which the result does not have.

    The operands broadcast; 1 for the same direction, -1 for the opposite.

    >>> x = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    >>> torch.cosine_similarity(x, torch.tensor([[2.0, 0.0]]))
    tensor([1.0000, 0.7071])
    """

    need_tensor("cosine_similarity", x1, 1, "x1")
    need_tensor("cosine_similarity", x2, 2, "x2")
    common = dtypes.promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(
            message(
                "expected common dtype to be floating point, yet common dtype is "
                f"{type_name(common)}",
                hint="x.float()",
            )
        )
    if x1._a.dtype != x2._a.dtype:
        x1, x2 = x1.to(common), x2.to(common)
    if x1.shape != x2.shape:  # dim is one of the common shape
        x1, x2 = broadcast_tensors(x1, x2)

    def unit(x: Any) -> Any:
        found = units(x, dim, eps, False)
        if found is not None:
            return found
        norm = x.norm(2, dim, keepdim=True)
        with door.grad_enabled(False):
            lift = (eps - norm).clamp(min=0)  # the floor does not stop the gradient
        return x / (norm + lift)

    return (unit(x1) * unit(x2)).sum(dim)


@composite(
    public="torch nn.functional",
    samples=[case((3, 4), (3, 4)), case((3, 4), (3, 4), 1.0, keepdim=True)],
)
def pairwise_distance(
    x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """|x1 - x2 + eps| in the p-norm of the last dimension: (*, D) gives (*), with `keepdim` (*, 1).

    `eps` keeps the gradient finite where both are equal.

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> torch.pairwise_distance(x, torch.zeros(1, 2))
    tensor([5.0000])
    """
    need_tensor("pairwise_distance", x1, 1, "x1")
    need_tensor("pairwise_distance", x2, 2, "x2")
    return (x1 - x2 + eps).norm(p, -1, keepdim)


# -- losses --------------------------------------------------------------------------------------


@composite(
    autocast="float32",
    public="nn.functional",
    samples=[case((4,), (4,), values([1.0, -1.0, 1.0, -1.0]))],
)
def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """max(0, -t (x1 - x2) + margin), reduced; t is 1 where x1 should be the larger, -1 where x2.

    >>> x1, x2 = torch.tensor([1.0, 1.0]), torch.tensor([3.0, 0.0])
    >>> F.margin_ranking_loss(x1, x2, torch.tensor([1.0, 1.0]), reduction="none")
    tensor([2., 0.])
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            message(
                "margin_ranking_loss : All input tensors should have same dimension but got "
                f"sizes: input1: {input1.size()}, input2: {input2.size()}, "
                f"target: {target.size()} "
            )
        )
    return finished((-target * (input1 - input2) + float(margin)).clamp(min=0), reduction)


@composite(
    autocast="float32",
    public="nn.functional",
    constant=(2,),
    samples=[case((2, 4), (2, 4), values([1.0, -1.0]))],
)
def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """1 - cos(x1, x2) where the target is 1, max(0, cos(x1, x2) - margin) where it is -1.

    Args:
        input1, input2: (N, D) or (D). target: (N) or ().

    >>> x1, x2 = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    >>> F.cosine_embedding_loss(x1, x2, torch.tensor([1]))
    tensor(0.2929)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    for place, (name, t) in enumerate(
        (("input1", input1), ("input2", input2), ("target", target)), 1
    ):
        need_tensor("cosine_embedding_loss", t, place, name)
    if target.dim() > 1:
        raise RuntimeError(
            message(
                "0D or 1D target tensor expected, multi-target not supported",
                got=f"target {tuple(target.shape)}",
            )
        )
    if not input1.dim() == input2.dim() == target.dim() + 1:
        raise RuntimeError(
            message(
                f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but "
                f"found inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
            )
        )
    dim = target.dim()
    eps = 1e-12
    product = (input1 * input2).sum(dim)
    squares = ((input1 * input1).sum(dim) + eps) * ((input2 * input2).sum(dim) + eps)
    cosine = product / squares.sqrt()
    near = m.where(target == 1, 1 - cosine, 0.0)
    far = m.where(target == -1, (cosine - margin).clamp(min=0), 0.0)
    return finished(near + far, reduction)


@composite(
    autocast="float32",
    public="nn.functional",
    samples=[
        case((2, 4), (2, 4), (2, 4)),
        case((2, 4), (2, 4), (2, 4), swap=True, reduction="sum"),
    ],
)
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """max(0, |a - p| - |a - n| + margin); `swap` takes |p - n| where it is smaller than |a - n|.

    All (N, D) or (D,); `p` is the norm's, `eps` is added to differences. Balntas et al., 2016,
    BMVC.

    >>> a, pos, neg = torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[1.5]])
    >>> F.triplet_margin_loss(a, pos, neg)
    tensor(0.5000)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(message(f"margin must be greater than 0, got {margin}"))
    for place, (name, t) in enumerate(
        (("anchor", anchor), ("positive", positive), ("negative", negative)), 1
    ):
        need_tensor("triplet_margin_loss", t, place, name)

    def distance(a: Any, b: Any) -> Any:
        return pairwise_distance(a, b, p, eps)

    return _triplet(anchor, positive, negative, distance, margin, swap, reduction)


@composite(public="nn.functional", samples=[case((2, 4), (2, 4), (2, 4))])
def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """`triplet_margin_loss` with a distance of one's own, `pairwise_distance` by default.

    >>> a, pos, neg = torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[1.5]])
    >>> F.triplet_margin_with_distance_loss(
    ...     a, pos, neg, distance_function=lambda x, y: (x - y).square().sum(-1)
    ... )
    tensor(0.)
    """
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(message(f"margin must be greater than 0, got {margin}"))
    distance = pairwise_distance if distance_function is None else distance_function
    return _triplet(anchor, positive, negative, distance, margin, swap, reduction)


def _triplet(
    anchor: Any,
    positive: Any,
    negative: Any,
    distance: Callable[[Any, Any], Any],
    margin: float,
    swap: bool,
    reduction: str,
) -> Any:
    dims = (anchor.ndim, positive.ndim, negative.ndim)
    if len(set(dims)) > 1:
        raise RuntimeError(
            message(
                "The anchor, positive, and negative tensors are expected to have the same number "
                f"of dimensions, but got: anchor {dims[0]}D, positive {dims[1]}D, and negative "
                f"{dims[2]}D inputs"
            )
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = m.minimum(far, distance(positive, negative))
    return finished((margin + near - far).clamp(min=0), reduction)
