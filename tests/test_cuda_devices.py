"""What programs ask of CUDA, and of the attention that it would compute, without a device."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.cuda import devices
from rushlight.nn.attention import SDPBackend, sdpa_kernel


@pytest.mark.parametrize("name", [*sorted(devices.NEED_A_DEVICE), "FloatStorage"])
def test_a_device_is_needed(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"device 'cuda' is not available[\s\S]*is_available"):
        getattr(torch.cuda, name)(1)


def test_harmless() -> None:
    assert torch.cuda.host_memory_stats() == torch.cuda.memory.memory_stats_as_nested_dict() == {}
    assert torch.cuda.get_gencode_flags() == ""
    assert torch.cuda.default_generators == ()
    torch.cuda.set_stream(None)
    torch.cuda.reset_accumulated_memory_stats()
    with torch.cuda.device_of(torch.ones(1)), torch.cuda.caching_allocator_disabled():
        assert torch.ones(1).device.type == "cpu"
    assert not hasattr(torch.cuda.memory, "no_such")


def test_old_spellings() -> None:
    for name in ("max_memory_cached", "reset_max_memory_cached"):
        with pytest.warns(FutureWarning, match=name):
            assert not getattr(torch.cuda, name)()


def test_choices_of_attention_are_kept() -> None:
    b = torch.backends.cuda
    for kind in ("flash", "math", "mem_efficient", "cudnn"):
        enabled, enable = getattr(b, f"{kind}_sdp_enabled"), getattr(b, f"enable_{kind}_sdp")
        assert enabled()
        enable(False)
        assert not enabled()
        enable(True)
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.CUDNN_ATTENTION]):
        assert b.math_sdp_enabled()
        assert b.cudnn_sdp_enabled()
        assert not b.flash_sdp_enabled()
    old = b.sdp_kernel(enable_math=False)
    with pytest.warns(FutureWarning, match="sdpa_kernel"):
        old.__enter__()
    seen = [b.math_sdp_enabled(), b.flash_sdp_enabled()]
    old.__exit__(None, None, None)
    assert seen == [False, True]
    assert b.math_sdp_enabled()
    b.allow_fp16_bf16_reduction_math_sdp(True)
    assert b.fp16_bf16_reduction_math_sdp_allowed()
    b.allow_fp16_bf16_reduction_math_sdp(False)
    assert not b.is_flash_attention_available()
