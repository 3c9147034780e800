"""Which implementations of `scaled_dot_product_attention` may be used: kept, and of no effect.

PyTorch chooses among several; here there is one, whose result does not depend on these switches.
`nn.attention.sdpa_kernel` sets them for a block.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ..blocks import contextmanager

# In the order of `nn.attention.SDPBackend`; the names are those of PyTorch's functions.
KINDS = ("math", "flash", "mem_efficient", "cudnn")
allowed = dict.fromkeys(KINDS, True)
_halves = [False]


@contextmanager
def only(kinds: set[str]) -> Iterator[None]:
    """For a block, allow these and no others."""
    before = dict(allowed)
    try:
        allowed.update({kind: kind in kinds for kind in KINDS})
        yield
    finally:
        allowed.update(before)


def _pair(kind: str) -> dict[str, Any]:
    def enable(enabled: bool) -> None:
        allowed[kind] = bool(enabled)

    def enabled() -> bool:
        return allowed[kind]

    enable.__name__ = enable.__qualname__ = f"enable_{kind}_sdp"
    enabled.__name__ = enabled.__qualname__ = f"{kind}_sdp_enabled"
    enable.__doc__ = f"Allow {kind} attention, or forbid it: kept, and of no effect."
    enabled.__doc__ = f"Whether {kind} attention is allowed."
    return {f.__name__: f for f in (enable, enabled)}


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Let sums be taken in a narrow type: kept, and of no effect. They are taken in float32."""
    _halves[0] = bool(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """What `allow_fp16_bf16_reduction_math_sdp` was given."""
    return _halves[0]


def no(*args: Any, **kw: Any) -> bool:
    """False: no device, and none of its implementations, is there."""
    return False


@contextmanager
def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> Iterator[None]:
    """The older spelling of `torch.nn.attention.sdpa_kernel`."""
    warnings.warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager "
        "will be removed. Please see `torch.nn.attention.sdpa_kernel()` for the new context "
        "manager, with updated signature.",
        FutureWarning,
        stacklevel=3,
    )
    wishes = (enable_math, enable_flash, enable_mem_efficient, enable_cudnn)
    with only({kind for kind, wish in zip(KINDS, wishes, strict=True) if wish}):
        yield


FUNCTIONS: dict[str, Any] = {
    "allow_fp16_bf16_reduction_math_sdp": allow_fp16_bf16_reduction_math_sdp,
    "fp16_bf16_reduction_math_sdp_allowed": fp16_bf16_reduction_math_sdp_allowed,
    "sdp_kernel": sdp_kernel,
    **dict.fromkeys(
        [
            *("is_flash_attention_available", "is_ck_sdpa_available", "can_use_flash_attention"),
            *("can_use_efficient_attention", "can_use_cudnn_attention"),
        ],
        no,
    ),
}
for _kind in KINDS:
    FUNCTIONS.update(_pair(_kind))
