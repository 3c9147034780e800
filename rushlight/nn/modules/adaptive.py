"""Adaptive softmax for very many classes, of which few are frequent."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import rushlight

from ...tensor import Tensor
from .. import functional as F
from ..containers import ModuleList, Sequential
from ..module import Module
from .linear import Linear

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-softmax in two steps: the frequent classes and the clusters, then within a cluster.

    Args:
        in_features, n_classes: size of the input and number of classes, most frequent first.
        cutoffs: where the clusters start; the classes before the first one are the head's own.
        div_value: each cluster's hidden size is this much smaller than the one before.
        head_bias: whether the head has a bias.

    Returns ``(output, loss)``: log-probability of each target (N,), and the mean loss.
    Grave et al., 2016, arXiv:1609.04309.

    >>> asm = nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[5, 10])
    >>> asm(torch.randn(3, 16), torch.tensor([0, 7, 19])).output.shape
    torch.Size([3])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an "
                "increasing order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **factory)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            hidden = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, **factory),
                    Linear(hidden, high - low, bias=False, **factory),
                )
            )

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> Any:
        self._check(input_, target_)
        batched = target_.ndim > 0
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        low, high = target.min().item(), target.max().item()
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{low}, {high}] were found. "
            )
        in_head = target.clone()  # the class, or the entry of its cluster
        within = input.new_zeros(target.shape[0])
        for i, (start, stop) in enumerate(pairwise(self.cutoffs)):
            rows = ((target >= start) & (target < stop)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            in_head[rows] = self.shortlist_size + i
            logprob = F.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
            relative = (target[rows] - start).unsqueeze(1)
            within = within.index_copy(0, rows, logprob.gather(1, relative).squeeze(1))
        head = F.log_softmax(self.head(input), dim=1)
        output = within + head.gather(1, in_head.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _check(self, input: Tensor, target: Tensor) -> None:
        if target.ndim == 1:
            if input.shape[0] != target.shape[0]:
                raise RuntimeError(
                    "Input and target should have the same size in the batch dimension."
                )
            if input.ndim != 2:
                raise RuntimeError(
                    "1D target tensor expects 2D input tensors, but found inputs with size "
                    f"{input.shape}"
                )
        elif target.ndim == 0:
            if input.ndim != 1:
                raise RuntimeError(
                    "0D target tensor expects 1D input tensors, but found inputs with size "
                    f"{input.shape}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            at = self.shortlist_size + i
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, at : at + 1])
        return rushlight.cat(parts, dim=1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Log-probabilities of all classes, (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each sample, without all of `log_prob` where possible."""
        head_output = self.head(input)
        output = rushlight.argmax(head_output, dim=1)
        rest = output >= self.shortlist_size
        if rest.any():
            full = self._get_full_log_prob(input[rest], head_output[rest])
            output[rest] = rushlight.argmax(full, dim=1)
        return output
