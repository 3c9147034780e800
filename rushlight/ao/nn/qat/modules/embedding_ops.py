"""Tables of vectors that fake-quantize them: `Embedding` and `EmbeddingBag`."""

from __future__ import annotations

from typing import Any

import rushlight as rl
from rushlight import nn
from rushlight.ao.nn.configured import check_source, configure, copied_into
from rushlight.errors import message
from rushlight.nn import functional as F

__all__ = ["Embedding", "EmbeddingBag"]


def check_scheme(qconfig: Any, called: str) -> None:
    """AssertionError unless rows have scales of their own and zero points that are floats."""
    if not qconfig:
        return  # of which `configure` speaks
    found = qconfig.weight().qscheme
    if found is not rl.per_channel_affine_float_qparams:
        raise AssertionError(
            message(
                f"{called} weights requires a qscheme of torch.per_channel_affine_float_qparams "
                f"Got {found}",
                hint="qconfig=torch.ao.quantization.default_embedding_qat_qconfig",
            )
        )


class Embedding(nn.Embedding):
    """`nn.Embedding` whose rows are what their quantized numbers would be.

    >>> qconfig = torch.ao.quantization.default_embedding_qat_qconfig
    >>> torch.ao.nn.qat.Embedding(5, 3, qconfig=qconfig)(torch.tensor([0, 4])).shape
    torch.Size([2, 3])
    """

    _FLOAT_MODULE: Any = nn.Embedding

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: Any = None,
        max_norm: Any = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        device: Any = None,
        dtype: Any = None,
        qconfig: Any = None,
    ) -> None:
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq,
            sparse, _weight, device=device, dtype=dtype,
        )  # fmt: skip
        check_scheme(qconfig, "Embedding")
        configure(self, qconfig, device=device, dtype=dtype)

    def forward(self, input: Any) -> Any:
        table = self.weight_fake_quant(self.weight)
        return F.embedding(input, table, *_how(self))

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer with the table of one in floats."""
        check_source(cls, mod)
        size = (mod.num_embeddings, mod.embedding_dim)
        make: Any = cls
        return make(*size, *_how(mod), mod.weight, qconfig=mod.qconfig)

    def to_float(self) -> Any:
        """The `nn.Embedding` with a copy of the table."""
        made = nn.Embedding(self.num_embeddings, self.embedding_dim, *_how(self))
        return copied_into(made, self, "weight")


def _how(e: Any) -> tuple[Any, ...]:
    """What an Embedding does besides looking up."""
    return e.padding_idx, e.max_norm, e.norm_type, e.scale_grad_by_freq, e.sparse


class EmbeddingBag(nn.EmbeddingBag):
    """`nn.EmbeddingBag` whose rows are what their quantized numbers would be.

    >>> qconfig = torch.ao.quantization.default_embedding_qat_qconfig
    >>> bag = torch.ao.nn.qat.EmbeddingBag(5, 3, qconfig=qconfig)
    >>> bag(torch.tensor([[0, 4], [1, 1]])).shape
    torch.Size([2, 3])
    """

    _FLOAT_MODULE: Any = nn.EmbeddingBag

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: Any = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: Any = None,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, mode, sparse,
            _weight, include_last_offset, padding_idx, device=device, dtype=dtype,
        )  # fmt: skip
        check_scheme(qconfig, "Embedding Bag")
        configure(self, qconfig, device=device, dtype=dtype)

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        table = self.weight_fake_quant(self.weight)
        rest = (per_sample_weights, self.include_last_offset, self.padding_idx)
        return F.embedding_bag(input, table, offsets, *_pooled(self), *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer with the table of one in floats."""
        check_source(cls, mod)
        rest = (mod.weight, mod.include_last_offset, mod.padding_idx)
        size = (mod.num_embeddings, mod.embedding_dim)
        make: Any = cls
        return make(*size, *_pooled(mod), *rest, qconfig=mod.qconfig)

    def to_float(self) -> Any:
        """The `nn.EmbeddingBag` with a copy of the table."""
        rest = (None, self.include_last_offset, self.padding_idx)
        size = (self.num_embeddings, self.embedding_dim)
        given: tuple[Any, ...] = (*size, *_pooled(self), *rest)
        return copied_into(nn.EmbeddingBag(*given), self, "weight")


def _pooled(e: Any) -> tuple[Any, ...]:
    """What an EmbeddingBag does besides looking up."""
    return e.max_norm, e.norm_type, e.scale_grad_by_freq, e.mode, e.sparse
