"""Tables of vectors looked up by integers: Embedding and EmbeddingBag.

Their gradients are dense, with `sparse=True` sparse tensors of the rows that were looked up.
Read next: `nn/rnn.py`.
"""

from __future__ import annotations

from typing import Any, TypeVar

import rushlight

from ...autograd.grad_mode import no_grad
from ...tensor import Parameter, Tensor
from .. import functional as F
from .. import init
from ..module import Module

__all__ = ["Embedding", "EmbeddingBag"]

E = TypeVar("E", bound="_Table")


class _Table(Module):
    """The weight (num_embeddings, embedding_dim), normal with one row that may stay 0."""

    def _setup(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        weight: Tensor | None,
        freeze: bool,
        device: Any,
        dtype: Any,
    ) -> None:
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                name = "Padding_idx" if isinstance(self, Embedding) else "padding_idx"
                raise AssertionError(f"{name} must be within num_embeddings")
            if padding_idx < 0:
                padding_idx += num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if weight is None:
            shape = (num_embeddings, embedding_dim)
            empty = rushlight.empty(shape, device=device, dtype=dtype)
            self.weight = Parameter(empty, requires_grad=not freeze)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != (num_embeddings, embedding_dim):
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self) -> None:
        """Draw the weight from the normal distribution; the padding row is 0."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """weight[input]: a learned vector for each integer.

    Args:
        num_embeddings, embedding_dim: number of vectors and their length.
        padding_idx: this row starts as zeros and gets no gradient.
        max_norm: rows that are looked up are first scaled (in place) to at most this norm.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide each row's gradient by how often it occurs.
        sparse: the gradient is a sparse tensor of the rows that were looked up.

    Shape: (*) -> (*, embedding_dim).

    >>> nn.Embedding(10, 3)(torch.tensor([[1, 2], [4, 9]])).shape
    torch.Size([2, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._setup(
            num_embeddings,
            embedding_dim,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            _weight,
            _freeze,
            device,
            dtype,
        )
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        if self.sparse is not False:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An Embedding with the given weight, frozen unless `freeze` is False.

        >>> nn.Embedding.from_pretrained(torch.eye(3))(torch.tensor([2]))
        tensor([[0., 0., 1.]])
        """
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_Table):
    """Sums, means or maxima of bags of embedding vectors, without the vectors in between.

    Args:
        mode: 'sum', 'mean' or 'max'.
        include_last_offset: `offsets` has one more element, the total length.
        others: as in `Embedding`; vectors of `padding_idx` count for nothing.

    Takes an input (B, N) of B bags of N indices; or (N,) and `offsets` (B,), where each bag
    starts; and `per_sample_weights` of the input's shape (mode 'sum'). Returns (B, embedding_dim).

    >>> bag = nn.EmbeddingBag.from_pretrained(torch.eye(3), mode="sum")
    >>> bag(torch.tensor([0, 1, 1]), torch.tensor([0, 1]))
    tensor([[1., 0., 0.],
            [0., 2., 0.]])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._setup(
            num_embeddings,
            embedding_dim,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            _weight,
            False,
            device,
            dtype,
        )
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """An EmbeddingBag with the given weight, frozen unless `freeze` is False."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        bag = cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad_(not freeze)
        return bag
