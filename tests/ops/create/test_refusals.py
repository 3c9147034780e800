"""What no factory can make: more numbers than memory holds, more dimensions than NumPy's arrays
have, layouts that a factory does not know."""

from __future__ import annotations

import math

import pytest

import rushlight as torch

MANY = 10**15
TOO_MUCH = [
    ("zeros", lambda: torch.zeros(MANY)),
    ("ones", lambda: torch.ones(MANY)),
    ("arange", lambda: torch.arange(MANY)),
    ("arange", lambda: torch.arange(0, 1e15, dtype=torch.float32)),
    ("eye", lambda: torch.eye(10**8)),
    ("linspace", lambda: torch.linspace(0, 1, MANY)),
    ("logspace", lambda: torch.logspace(0, 1, MANY)),
    ("hann_window", lambda: torch.hann_window(MANY)),
    ("kaiser_window", lambda: torch.kaiser_window(MANY, dtype=torch.float64)),
    ("cosine", lambda: torch.signal.windows.cosine(MANY)),
    ("fftfreq", lambda: torch.fft.fftfreq(MANY)),
    ("tril_indices", lambda: torch.tril_indices(10**8, 10**8)),
    ("randint", lambda: torch.randint(3, (MANY,))),
    ("repeat", lambda: torch.ones(2).repeat(MANY)),
    ("resize_", lambda: torch.ones(2).resize_(MANY)),
    ("resize_", lambda: torch.ones(2).untyped_storage().resize_(MANY)),
    ("combinations", lambda: torch.combinations(torch.ones(10**5), 3)),
    ("combinations", lambda: torch.combinations(torch.ones(10**6), 5)),
    ("cumprod", lambda: torch.vander(torch.ones(10**7))),
    ("cumprod", lambda: torch.linalg.vander(torch.ones(10**7))),
    ("add", lambda: torch.ones(1, 10**8) + torch.ones(10**8, 1)),
]


@pytest.mark.parametrize("row", range(len(TOO_MUCH)))
def test_more_than_there_is_memory(row: int) -> None:
    name, call = TOO_MUCH[row]
    words = rf"^{name}: not enough memory(.|\n)*\n  got (.|\n)*\n  try "
    with pytest.raises(torch.OutOfMemoryError, match=words):
        call()


def test_what_could_not_be_resized_is_as_it_was() -> None:
    x = torch.tensor([1.0, 2.0])
    with pytest.raises(torch.OutOfMemoryError):
        x.resize_(MANY)
    assert x.tolist() == [1.0, 2.0]
    assert x._version == 0


DIMS = [
    ("zeros", lambda: torch.zeros([1] * 70), 70),
    ("view", lambda: torch.ones(1).view([1] * 70), 70),
    ("reshape", lambda: torch.ones(1).reshape([1] * 70), 70),
    ("expand", lambda: torch.ones(1).expand([1] * 70), 70),
    ("unsqueeze", lambda: torch.ones([1] * 64).unsqueeze(0), 65),
    ("stack", lambda: torch.stack([torch.ones([1] * 64)]), 65),
]


@pytest.mark.parametrize("row", range(len(DIMS)), ids=[name for name, _, _ in DIMS])
def test_more_dimensions_than_arrays_have(row: int) -> None:
    _, call, n = DIMS[row]
    with pytest.raises(RuntimeError, match=rf"a tensor of {n} dimensions\n  wanted  at most 64"):
        call()


LAYOUTS = {
    "arange": (3,), "range": (0, 3), "eye": (3,), "linspace": (0, 1, 3), "logspace": (0, 1, 3),
    "scalar_tensor": (1.0,), "hann_window": (3,), "hamming_window": (3,), "kaiser_window": (3,),
    "tril_indices": (2, 2), "randperm": (3,), "randint": (3, (2,)), "rand": (2,), "randn": (2,),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("name", LAYOUTS)
def test_factories_of_dense_tensors_alone(name: str) -> None:
    make = getattr(torch, name)
    assert make(*LAYOUTS[name], layout=torch.strided).layout is torch.strided
    with pytest.raises(RuntimeError, match=r"SparseCPU|is not implemented for sparse types"):
        make(*LAYOUTS[name], layout=torch.sparse_coo)


def test_factories_of_sparse_tensors() -> None:
    with pytest.raises(TypeError, match=r"argument 'layout' must be torch.layout, not str"):
        torch.zeros(2, layout="sparse")
    assert torch.zeros(2, 3, layout=torch.sparse_coo).layout is torch.sparse_coo
    assert torch.zeros(2, 3, layout=torch.sparse_csr).to_dense().tolist() == [[0] * 3] * 2
    with pytest.raises(RuntimeError, match="not implemented for sparse layout"):
        torch.ones(2, layout=torch.sparse_coo)


def test_tensors_of_other_kinds_are_refused_by_name() -> None:
    x = torch.ones(2)
    assert repr(torch.qint8) == "torch.qint8"
    for call in (
        lambda: torch.zeros(2, dtype=torch.qint8),
        lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
        lambda: torch.quantize_per_channel(x, x, x, 0, torch.qint8),
        lambda: torch.nested.nested_tensor([x]),
        lambda: torch.nested.as_nested_tensor([x]),
        lambda: torch.jit.save(torch.nn.Linear(1, 1), "nowhere"),
    ):
        with pytest.raises(NotImplementedError, match="Rushlight"):
            call()
    with pytest.raises(AttributeError, match=r"no attribute 'save'(.|\n)*torch.save"):
        torch.nn.Linear(1, 1).save("nowhere")


ONE = torch.ones(1)
PINNED = [
    ("zeros", lambda **k: torch.zeros(2, **k)),
    ("ones", lambda **k: torch.ones(2, **k)),
    ("empty", lambda **k: torch.empty(0, **k)),
    ("full", lambda **k: torch.full((2,), 1, **k)),
    ("empty_strided", lambda **k: torch.empty_strided((2,), (1,), **k)),
    ("empty_permuted", lambda **k: torch.empty_permuted((2,), (0,), **k)),
    ("scalar_tensor", lambda **k: torch.scalar_tensor(2, **k)),
    ("tensor", lambda **k: torch.tensor([1], **k)),
    ("arange", lambda **k: torch.arange(2, **k)),
    ("eye", lambda **k: torch.eye(2, **k)),
    ("linspace", lambda **k: torch.linspace(0, 1, 2, **k)),
    ("logspace", lambda **k: torch.logspace(0, 1, 2, **k)),
    ("rand", lambda **k: torch.rand(2, **k)),
    ("randint", lambda **k: torch.randint(3, (2,), **k)),
    ("randperm", lambda **k: torch.randperm(3, **k)),
    ("normal", lambda **k: torch.normal(0.0, 1.0, (2,), **k)),
    ("hann_window", lambda **k: torch.hann_window(3, **k)),
    ("kaiser_window", lambda **k: torch.kaiser_window(3, **k)),
    ("tril_indices", lambda **k: torch.tril_indices(3, 3, **k)),
    ("fftfreq", lambda **k: torch.fft.fftfreq(3, **k)),
    ("zeros_like", lambda **k: torch.zeros_like(ONE, **k)),
    ("full_like", lambda **k: torch.full_like(ONE, 2, **k)),
    ("rand_like", lambda **k: torch.rand_like(ONE, **k)),
    ("new_zeros", lambda **k: ONE.new_zeros(2, **k)),
    ("new_full", lambda **k: ONE.new_full((2,), 2, **k)),
    ("new_empty_strided", lambda **k: ONE.new_empty_strided((2,), (1,), **k)),
    ("sparse_coo_tensor", lambda **k: torch.sparse_coo_tensor([[0]], [1.0], (2,), **k)),
    ("sparse_csr_tensor", lambda **k: torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 2), **k)),
]


def test_memory_is_not_pinned_for_an_accelerator_that_is_not_there() -> None:
    for name, make in PINNED:
        words = (
            rf"^{name}: pin_memory=True requires(.|\n)*\n  got (.|\n)*\n  wanted (.|\n)*\n  try "
        )
        with pytest.raises(RuntimeError, match=words):
            make(pin_memory=True)
        with pytest.raises(TypeError, match=rf"^{name}\(\): argument 'pin_memory' must be bool"):
            make(pin_memory=1)
        make(pin_memory=False)
    for pin in (ONE.pin_memory, torch.nn.utils.rnn.pack_sequence([ONE]).pin_memory):
        with pytest.raises(RuntimeError, match=r"Cannot access accelerator device(.|\n)*\n  try "):
            pin()


def test_where_no_memory_is_made_none_is_pinned() -> None:
    assert torch.zeros(2, device="meta", pin_memory=True).is_meta
    assert torch.rand_like(torch.ones(2, device="meta"), pin_memory=True).is_meta
    out = torch.ones(2)
    assert torch.zeros(2, out=out, pin_memory=True) is out
    torch.randn(2, out=out, pin_memory=True)


PLACED = [
    *(lambda d, n=n: getattr(torch, n)(4, device=d)
      for n in ("hann_window", "hamming_window", "blackman_window", "bartlett_window",
                "kaiser_window")),
    *(lambda d, n=n: getattr(torch.signal.windows, n)(4, device=d)
      for n in ("hann", "cosine", "nuttall", "kaiser")),
    lambda d: torch.fft.fftfreq(4, device=d),
    lambda d: torch.fft.rfftfreq(4, device=d),
    lambda d: torch.tril_indices(3, 3, device=d),
    lambda d: torch.triu_indices(3, 3, device=d),
    lambda d: torch.vander(torch.ones(2, device=d)),
]  # fmt: skip


def test_every_factory_is_asked_for_its_device() -> None:
    for make in PLACED:
        assert make("meta").is_meta
        assert not make("cpu").is_meta
        with pytest.raises(RuntimeError, match=r"device 'cuda' is not available(.|\n)*\n  try "):
            make("cuda")


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_ranges_whose_steps_lead_nowhere() -> None:
    for make, words in (
        (lambda: torch.range(3, 1), "inconsistent with step sign"),
        (lambda: torch.range(3, 2.5, 1), "inconsistent with step sign"),
        (lambda: torch.range(1, 3, 0), "step must be nonzero"),
        (lambda: torch.range(0, math.inf), "unsupported range"),
    ):
        with pytest.raises(RuntimeError, match=words):
            make()
    for call in (lambda: torch.eye(-1.5, 4), lambda: torch.eye(2, m=1.5)):
        with pytest.raises(TypeError, match="must be int, not float"):
            call()


def test_ranges_of_complex_numbers() -> None:
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.arange(1j)


def test_a_truth_is_no_size() -> None:
    for make in (
        lambda: torch.ones(True),
        lambda: torch.zeros((True,)),
        lambda: torch.zeros(False),
        lambda: torch.ones(4).view(True, 4),
        lambda: torch.ones(4).tile(True),
    ):
        with pytest.raises(TypeError, match="must be tuple of ints"):
            make()
    for call in (lambda: torch.ones(2, 1).expand(2, -3), lambda: torch.ones(1).expand(-3, 2, 1)):
        with pytest.raises(RuntimeError, match="The expanded size of the tensor"):
            call()
    with pytest.raises(RuntimeError, match="N must be non-negative"):
        torch.vander(torch.ones(3), -3)


def test_legacy_constructors_take_no_other_device() -> None:
    for call in (
        lambda d: torch.Tensor([1], device=d),
        lambda d: torch.Tensor(device=d),
        lambda d: torch.FloatTensor(2, device=d),
        lambda d: torch.ones(1).new(2, device=d),
    ):
        with pytest.raises(RuntimeError, match="legacy constructor expects device type: cpu"):
            call("meta")
        with pytest.raises(RuntimeError, match="Torch not compiled with CUDA enabled"):
            call("cuda")
        assert call("cpu").dtype is torch.float32


def test_a_size_that_overflows_is_told() -> None:
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        torch.empty(2**62, 2**62)


def test_a_complex_number_fills_complex64() -> None:
    try:
        torch.set_default_dtype(torch.float16)
        assert torch.full((1,), 1j).dtype is torch.complex64
        torch.set_default_dtype(torch.float64)
        assert torch.full((1,), 1j).dtype is torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)
