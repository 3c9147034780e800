"""Losses and layers as `torch.*` has them beside `nn.functional`: `reduction` and `mode` are
numbers.

Programs that a tracer wrote, and libraries that call PyTorch's operators by name, say
`torch.kl_div(input, target, 2)`. Each function here turns the number into the word and calls the
function of `nn.functional`. (Source: the operators' schemas, PyTorch 2.13.) Loaded when asked for.
"""

from __future__ import annotations

from typing import Any

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.errors import message
from rushlight.ops.nn.embedding import renormalised

REDUCTIONS = ("none", "mean", "sum")
MODES = ("sum", "mean", "max")


def reduction_word(name: str, reduction: Any) -> str:
    """The word of a number: 0 none, 1 mean, 2 sum."""
    return word(name, "reduction", reduction, REDUCTIONS)


def word(name: str, argument: str, value: Any, words: tuple[str, ...]) -> str:
    """The word that a number stands for among `words`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            message(
                f"{name}(): argument '{argument}' must be int, not {type(value).__name__}",
                hint=f"{', '.join(f'{i} for {w!r}' for i, w in enumerate(words))}; or the function "
                "of this name in torch.nn.functional, which takes the word",
            )
        )
    if not 0 <= value < len(words):
        listed = ", ".join(f"{i} ({w})" for i, w in enumerate(words))
        raise ValueError(message(f"{name}(): {argument}={value}", None, listed))
    return words[value]


def kl_div(input: Any, target: Any, reduction: int = 1, *, log_target: bool = False) -> Any:
    """`nn.functional.kl_div`: target * (log(target) - input), with the reduction as a number.

    >>> torch.kl_div(torch.tensor([-1.0]), torch.tensor([1.0]), 2)
    tensor(1.)
    """
    how = reduction_word("kl_div", reduction)
    each = F.kl_div(input, target, reduction="none", log_target=log_target)
    return each if how == "none" else each.mean() if how == "mean" else each.sum()


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Any:
    """`nn.functional.binary_cross_entropy_with_logits`, with the reduction as a number.

    >>> torch.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2), reduction=0)
    tensor([0.6931, 0.6931])
    """
    how = reduction_word("binary_cross_entropy_with_logits", reduction)
    return F.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight=pos_weight, reduction=how
    )


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1
) -> Any:
    """`nn.functional.cosine_embedding_loss`, with the reduction as a number.

    >>> x = torch.eye(2)
    >>> torch.cosine_embedding_loss(x, -x, torch.ones(2), reduction=2)
    tensor(4.)
    """
    how = reduction_word("cosine_embedding_loss", reduction)
    return F.cosine_embedding_loss(
        input1, input2, target, margin=margin, reduction=how
    )


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Any:
    """`nn.functional.ctc_loss`, with the reduction as a number.

    >>> steps = torch.full((2, 1, 2), 0.5).log()  # two steps of two symbols
    >>> torch.ctc_loss(steps, torch.tensor([[1]]), [2], [1], 0, 2)
    tensor(0.2877)
    """
    how = reduction_word("ctc_loss", reduction)
    return F.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity
    )


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: int = 1) -> Any:
    """`nn.functional.hinge_embedding_loss`, with the reduction as a number.

    >>> x, y = torch.tensor([0.25, 2.0]), torch.tensor([-1.0, 1.0])
    >>> torch.hinge_embedding_loss(x, y, reduction=0)
    tensor([0.7500, 2.0000])
    """
    how = reduction_word("hinge_embedding_loss", reduction)
    return F.hinge_embedding_loss(input, target, margin=margin, reduction=how)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1
) -> Any:
    """`nn.functional.margin_ranking_loss`, with the reduction as a number.

    >>> a, b = torch.tensor([1.0]), torch.tensor([3.0])
    >>> torch.margin_ranking_loss(a, b, torch.tensor([1.0]))
    tensor(2.)
    """
    how = reduction_word("margin_ranking_loss", reduction)
    return F.margin_ranking_loss(input1, input2, target, margin=margin, reduction=how)


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int
) -> Any:
    """`nn.functional.poisson_nll_loss`, with the reduction as a number.

    >>> torch.poisson_nll_loss(torch.zeros(2), torch.ones(2), True, False, 1e-8, 2)
    tensor(2.)
    """
    how = reduction_word("poisson_nll_loss", reduction)
    return F.poisson_nll_loss(
        input, target, log_input=log_input, full=full, eps=eps, reduction=how
    )


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Any:
    """`nn.functional.triplet_margin_loss`, with the reduction as a number.

    >>> x = torch.eye(2)
    >>> torch.triplet_margin_loss(x, x, 1 - x, reduction=1).round(decimals=3)
    tensor(0.)
    """
    how = reduction_word("triplet_margin_loss", reduction)
    return F.triplet_margin_loss(
        anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap, reduction=how
    )


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """`nn.functional.bilinear`: y[k] = x1 @ weight[k] @ x2 + bias[k].

    >>> torch.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(1, 2, 3))
    tensor([[6.]])
    """
    return F.bilinear(input1, input2, weight, bias)


def embedding_bag(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Any, Any, Any, Any]:
    """(bags, offset2bag, bag_size, max_indices) of `nn.functional.embedding_bag`.

    `mode` is 0 (sum), 1 (mean) or 2 (max). The other three are what PyTorch keeps for its backward:
    the bag of each index, how many indices a bag holds (without padding), and for maxima the rows
    that they came from. For sums, as in PyTorch, they are empty or zero, since nobody needs them.

    Raises:
        ValueError: a mode that is none of the three.

    >>> bags, of, size, _ = torch.embedding_bag(
    ...     torch.eye(2), torch.tensor([0, 1, 1]), torch.tensor([0, 2]), mode=1)
    >>> bags, of, size
    (tensor([[0.5000, 0.5000],
            [0.0000, 1.0000]]), tensor([0, 0, 1]), tensor([2, 1]))
    """
    how = word("embedding_bag", "mode", mode, MODES)
    bags = F.embedding_bag(
        indices, weight, offsets, scale_grad_by_freq=scale_grad_by_freq, mode=how, sparse=sparse,
        per_sample_weights=per_sample_weights, include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )  # fmt: skip
    with torch.no_grad():
        size = torch.zeros(bags.shape[0], dtype=indices.dtype)
        if how == "sum":
            return bags, indices.new_empty(0), size, size.clone()
        starts = (offsets[:-1] if include_last_offset else offsets).contiguous()
        places = torch.arange(indices.numel(), dtype=starts.dtype)
        of = (torch.searchsorted(starts, places, right=True) - 1).to(indices.dtype)
        counted = torch.ones_like(indices)
        if padding_idx is not None:
            counted = (indices != padding_idx % weight.shape[0]).to(indices.dtype)
        size.index_add_(0, of, counted)
        if how == "mean":
            return bags, of, size, size.clone()
        return bags, of, size, _rows_of_maxima(weight, indices, of, counted, len(size))


def _rows_of_maxima(weight: Any, indices: Any, of: Any, counted: Any, n: int) -> Any:
    """For each bag and column the row of `weight` with the largest number, the first if equal."""
    found = torch.zeros(n, weight.shape[1], dtype=indices.dtype)
    for bag in range(n):
        rows = indices[(of == bag) & (counted != 0)]
        if len(rows):
            found[bag] = rows[weight[rows].argmax(0)]
    return found


def embedding_renorm_(input: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Scale the rows that `indices` name down to a norm of at most `max_norm`, in place.

    >>> w = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    >>> torch.embedding_renorm_(w, torch.tensor([0, 1]), 1.0, 2.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    renormalised(input, indices, max_norm, norm_type)
    return input
