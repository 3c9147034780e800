"""Hooks that send gradients as bytes, each rank's with a scale and a zero point of its own."""

from __future__ import annotations

from typing import Any

from ....autograd.grad_mode import no_grad
from ....dtypes import float32, uint8
from ....futures import Future
from ....tensor import Tensor
from ...collectives import all_gather
from ...group import resolve

__all__ = ["quantization_perchannel_hook", "quantization_pertensor_hook"]

EPSILON = 2.0**-23  # the smallest scale: of rows of zeros


def quantized(x: Tensor, scale: Tensor, zero: Tensor) -> Tensor:
    """round(x / scale) + zero as bytes; one scale for each row of x."""
    return ((x / scale[:, None]).round() + zero[:, None]).clamp(0, 255).to(uint8)


def restored(y: Tensor, scale: Tensor, zero: Tensor) -> Tensor:
    """scale * (y - zero)."""
    return scale[:, None] * (y.to(float32) - zero[:, None])


def affine(x: Tensor) -> tuple[Tensor, Tensor]:
    """For each row the scale and the zero point with which 0..255 spans its numbers and zero."""
    low, high = x.amin(1).clamp(max=0), x.amax(1).clamp(min=0)
    scale = ((high - low) / 255).clamp(min=EPSILON)
    return scale.to(float32), (-(low / scale).round()).clamp(0, 255).to(float32)


def averaged(process_group: Any, gradients: Tensor, rows: Tensor) -> Future[Any]:
    """The mean of everybody's `rows`, each of which is sent as bytes."""
    import rushlight

    group = resolve(process_group)
    assert group is not None
    n, me = group.size(), group.rank()
    with no_grad():
        mine = rushlight.stack(affine(rows))
        everybodys = [rushlight.empty_like(mine) for _ in range(n)]
        work = all_gather(everybodys, mine, group, async_op=True)
    assert work is not None

    def send(_: Any) -> list[Tensor]:
        with no_grad():
            own = quantized(rows, *everybodys[me])
            parts = [rushlight.empty_like(own) for _ in range(n)]
            all_gather(parts, own, group)
        return parts

    def add(done: Future[Any]) -> Tensor:
        with no_grad():
            total = rushlight.zeros_like(rows, dtype=float32)
            for part, (s, z) in zip(done.value(), everybodys, strict=True):
                total += restored(part, s, z)
            return total.flatten()[: gradients.shape[0]] / n

    return work.get_future().then(send).then(add)


def quantization_pertensor_hook(process_group: Any, bucket: Any) -> Future[Any]:
    """The mean of the gradients, sent as bytes with one scale a bucket."""
    gradients = bucket.buffer()
    return averaged(process_group, gradients, gradients.view(1, -1))


def quantization_perchannel_hook(
    process_group: Any, bucket: Any, bucket_size: int = 512
) -> Future[Any]:
    """The mean of the gradients, sent as bytes with one scale for each `bucket_size` numbers."""
    gradients = bucket.buffer()
    length = gradients.shape[0]
    padded = gradients.new_zeros(length + bucket_size - length % bucket_size)
    padded[:length] = gradients
    return averaged(process_group, gradients, padded.view(-1, bucket_size))
