"""Settings of the process: threads and deterministic algorithms."""

import pytest

import rushlight as torch

UNFILLED = {
    "empty": lambda d: torch.empty(2, 3, dtype=d),
    "empty channels last": lambda d: torch.empty(
        1, 2, 2, 2, dtype=d, memory_format=torch.channels_last
    ),
    "empty out": lambda d: torch.empty(2, out=torch.zeros(2, dtype=d)),
    "empty_like": lambda d: torch.empty_like(torch.zeros(2, dtype=d)),
    "new_empty": lambda d: torch.zeros(2, dtype=d).new_empty(2),
    "empty_strided": lambda d: torch.empty_strided((2, 2), (1, 3), dtype=d),
    "empty_permuted": lambda d: torch.empty_permuted((2, 3), (1, 0), dtype=d),
    "resize_": lambda d: torch.zeros(2, dtype=d).resize_(5)[2:],
}


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True


@pytest.mark.parametrize("name", UNFILLED)
def test_unfilled_memory_is_known_under_deterministic_algorithms(name, deterministic):
    for d in (torch.float32, torch.bfloat16, torch.complex64):
        assert UNFILLED[name](d).isnan().all()
    for d, most in ((torch.int8, 127), (torch.uint16, 65535), (torch.bool, True)):
        assert UNFILLED[name](d).eq(most).all()


def test_filling_can_be_turned_off(deterministic):
    torch.utils.deterministic.fill_uninitialized_memory = False
    assert not torch._C._get_deterministic_fill_uninitialized_memory()
    held = torch.zeros(4)
    assert held[:2].resize_(4).tolist() == [0] * 4
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        torch.utils.deterministic.fill_uninitialized_memory = 1
    torch._C._set_deterministic_fill_uninitialized_memory(True)
    assert torch.utils.deterministic.fill_uninitialized_memory


@pytest.mark.parametrize(("word", "level"), [("default", 0), ("warn", 1), ("error", 2)])
def test_debug_modes(word, level, deterministic):
    for given in (word, level):
        torch.set_deterministic_debug_mode(given)
        assert torch.get_deterministic_debug_mode() == level
        assert torch.are_deterministic_algorithms_enabled() == (level > 0)
        assert torch.is_deterministic_algorithms_warn_only_enabled() == (level == 1)


def test_settings_that_cannot_be():
    with pytest.raises(RuntimeError, match="expected one of `default`"):
        torch.set_deterministic_debug_mode("no")
    with pytest.raises(RuntimeError, match="expected 0, 1, or 2"):
        torch.set_deterministic_debug_mode(3)
    with pytest.raises(TypeError, match=r"'mode' \(position 1\) must be bool, not int"):
        torch.use_deterministic_algorithms(1)
    with pytest.raises(TypeError, match="'warn_only' must be bool, not int"):
        torch.use_deterministic_algorithms(False, warn_only=1)
    for put in (torch.set_num_threads, torch.set_num_interop_threads):
        with pytest.raises(ValueError, match="Overflow when unpacking long"):
            put(2**65)
        with pytest.raises(RuntimeError, match="positive"):
            put(-1)


def test_precisions_that_there_are_not_change_nothing() -> None:
    try:
        torch.set_float32_matmul_precision(b"high")  # PyTorch takes bytes, too
        assert torch.get_float32_matmul_precision() == "high"
        with pytest.warns(UserWarning, match="HIGHEST is not one of 'highest', 'high', or 'medi"):
            torch.set_float32_matmul_precision("HIGHEST")
        with pytest.raises(RuntimeError, match="expects a str, but got NoneType"):
            torch.set_float32_matmul_precision(None)
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision("highest")
