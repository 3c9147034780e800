"""Fourier transforms on the samples of PyTorch's operator tables."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

NAMES = [
    "fft",
    "ifft",
    "rfft",
    "irfft",
    "hfft",
    "ihfft",
    "fft2",
    "ifft2",
    "rfft2",
    "irfft2",
    "hfft2",
    "ihfft2",
    "fftn",
    "ifftn",
    "rfftn",
    "irfftn",
    "hfftn",
    "ihfftn",
    "fftshift",
    "ifftshift",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_fft(compare_op, name, dtype):
    compare_op(f"fft.{name}", dtype)


@pytest.mark.parametrize("name", ["fft", "ifft", "ihfft", "fftn", "rfft"])
@pytest.mark.parametrize("dim", [-1, 0])
def test_nodes_and_views_of_real_input(name, dim):
    import rushlight

    found = []
    for t in (torch, rushlight):
        x = t.ones(4, 6, requires_grad=True)
        y = getattr(t.fft, name)(x, dim=(dim,) if name == "fftn" else dim)
        found.append((type(y.grad_fn).__name__, y.is_conj(), y.stride(), y.shape))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["stft", "istft"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_short_time_transforms(compare_op, name, dtype):
    compare_op(name, dtype, gradients=name == "stft")


@pytest.mark.parametrize("mode", ["reflect", "constant", "replicate", "circular"])
@pytest.mark.parametrize("shape", [(40,), (2, 40)])
def test_short_time_transforms_beyond_the_edges(mode, shape):
    import numpy as np

    import rushlight

    found = []
    data = np.random.default_rng(0).standard_normal(shape)
    for t in (torch, rushlight):
        x = t.from_numpy(data.copy()).requires_grad_()
        y = t.stft(x, 16, 4, pad_mode=mode, return_complex=True)
        y.abs().sum().backward()
        found.append((y.detach(), x.grad))
        if mode in ("reflect", "circular"):
            with pytest.raises(RuntimeError, match="Padding"):
                t.stft(t.ones(2), 16, pad_mode=mode, return_complex=True)
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["complex", "polar", "view_as_complex"])
def test_building_complex_numbers(compare_op, name):
    compare_op(name, "float64")


@pytest.mark.parametrize("name", ["real", "imag", "angle", "conj", "conj_physical", "view_as_real"])
def test_parts_of_complex_numbers(compare_op, name):
    compare_op(name, "complex128")


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett", "kaiser"])
def test_windows(name, periodic, n):
    import rushlight

    theirs = getattr(torch, name + "_window")(n, periodic, dtype=torch.float64)
    ours = getattr(rushlight, name + "_window")(n, periodic, dtype=rushlight.float64)
    assert theirs.shape == ours.shape
    assert ours.is_conj() == theirs.is_conj()
    assert torch.allclose(theirs, torch.from_numpy(ours.numpy(force=True)), atol=1e-12)


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies(n):
    import rushlight

    for name in ("fftfreq", "rfftfreq"):
        theirs, ours = getattr(torch.fft, name)(n, 0.5), getattr(rushlight.fft, name)(n, 0.5)
        assert theirs.tolist() == ours.tolist()
