"""Rows of the table as JAX has them: functions compiled by `jax.jit`, on the same sizes.

Only where that is natural: an operation, or an operation with its gradient. JAX is no dependency;
where it is installed the report has a column for it, without a ratio: what is compiled whole is not
what is run op by op. It takes all cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Call = Callable[[], Any]


def normal(jax: Any, *shape: int) -> Any:
    return jax.random.normal(jax.random.key(len(shape)), shape)


def ready(jax: Any, f: Callable[..., Any], *operands: Any) -> Call:
    """The compiled function; a call ends when its result is there."""
    compiled = jax.jit(f)
    return lambda: jax.block_until_ready(compiled(*operands))


def both(jax: Any, f: Callable[..., Any], *operands: Any) -> Call:
    """Result and gradients for a gradient of ones."""

    def run(*given: Any) -> Any:
        y, back = jax.vjp(f, *given)
        return y, back(jax.numpy.ones_like(y))

    return ready(jax, run, *operands)


def convolution(channels: int, size: int, backward: bool) -> Callable[[Any], Call]:
    def make(jax: Any) -> Call:
        x = normal(jax, 8, channels, size, size)
        weight = normal(jax, channels, channels, 3, 3)
        f = lambda x, w: jax.lax.conv(x, w, (1, 1), "SAME")  # noqa: E731
        return (both if backward else ready)(jax, f, x, weight)

    return make


FORMS: dict[str, Callable[[Any], Call]] = {
    "matmul": lambda jax: ready(
        jax, lambda a, b: a @ b, normal(jax, 1024, 1024), normal(jax, 1024, 1024)
    ),
    "batched": lambda jax: ready(
        jax, lambda a, b: a @ b, normal(jax, 48, 64, 64), normal(jax, 48, 64, 64)
    ),
    "exp": lambda jax: ready(jax, jax.numpy.exp, normal(jax, 2**20)),
    "tanh": lambda jax: both(jax, jax.numpy.tanh, normal(jax, 2**20)),
    "gelu": lambda jax: ready(jax, lambda x: jax.nn.gelu(x, approximate=False), normal(jax, 2**20)),
    "add_large": lambda jax: ready(
        jax, lambda a, b: a + b, jax.numpy.ones(2**24), jax.numpy.ones(2**24)
    ),
    "sum_large": lambda jax: ready(jax, jax.numpy.sum, jax.numpy.ones(2**24)),
    "log_softmax": lambda jax: both(jax, jax.nn.log_softmax, normal(jax, 512, 1000)),
    **{
        f"conv{channels}" + ("_grad" if backward else ""): convolution(channels, size, backward)
        for channels, size in ((64, 56), (128, 28), (256, 14))
        for backward in (False, True)
    },
}
