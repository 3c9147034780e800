"""Fourier transforms and complex numbers: identities, sizes, gradients, errors."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck

rng = np.random.default_rng(7)


def real(*shape):
    return torch.from_numpy(rng.normal(size=shape))


def comp(*shape):
    return torch.from_numpy(rng.normal(size=shape) + 1j * rng.normal(size=shape))


def close(a, b):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "fft2", "fftn"])
def test_inverses(name, norm):
    x = comp(4, 5, 6)
    there, back = getattr(torch.fft, name), getattr(torch.fft, "i" + name)
    close(back(there(x, norm=norm), norm=norm), x)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("n", [5, 6])
def test_real_transforms(n, norm):
    x = real(3, n)
    half = torch.fft.rfft(x, norm=norm)
    assert half.shape == (3, n // 2 + 1)
    close(half, torch.fft.fft(x, norm=norm)[:, : n // 2 + 1])
    close(torch.fft.irfft(half, n, norm=norm), x)
    close(torch.fft.hfft(torch.fft.ihfft(x, norm=norm), n, norm=norm), x)
    close(torch.fft.irfftn(torch.fft.rfftn(x, norm=norm), x.shape, norm=norm), x)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("float32", "complex64"), ("float64", "complex128"), ("int64", "complex64")],
)
def test_types(given, wanted):
    x = torch.ones(4, dtype=getattr(torch, given))
    assert torch.fft.fft(x).dtype is getattr(torch, wanted)


def test_sizes_cut_and_fill():
    x = real(2, 5)
    close(torch.fft.fft(x, 3), torch.fft.fft(x[:, :3]))
    close(torch.fft.fft(x, 7), torch.fft.fft(torch.cat([x, torch.zeros(2, 2).double()], 1)))
    assert torch.fft.fftn(x, s=(4, -1), dim=(0, 1)).shape == (4, 5)
    assert torch.fft.fft(torch.empty(3, 4, device="meta")).shape == (3, 4)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: torch.fft.fft(x, 6),
        lambda x: torch.fft.ifft(x, norm="ortho"),
        lambda x: torch.fft.rfft(x),
        lambda x: torch.fft.rfft2(x, s=(3, 5)),
        lambda x: torch.fft.irfft(x, 5),
        lambda x: torch.fft.hfft(x),
        lambda x: torch.fft.ihfft(x),
        lambda x: torch.fft.fftshift(torch.fft.fftn(x)),
        lambda x: torch.stft(x.flatten(), 4, return_complex=True),
    ],
)
def test_gradients_of_both_orders(f):
    x = real(3, 4).requires_grad_()
    assert gradcheck(f, (x,))
    assert gradgradcheck(f, (x,))


def test_gradients_of_complex_inputs():
    x = comp(3, 4).requires_grad_()
    for f in (
        torch.fft.fft2,
        torch.fft.irfft,
        lambda t: torch.fft.irfftn(t, (3, 5)),
        torch.fft.hfft,
    ):
        assert gradcheck(f, (x,))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.fft.fft(real(3), norm="loud"), "Invalid normalization mode"),
        (lambda: torch.fft.fft(real(3), 0), "Invalid number of data points"),
        (lambda: torch.fft.rfft(comp(3)), "expects a real input"),
        (lambda: torch.fft.fftn(real(3, 3), dim=(0, 0)), "unique"),
        (lambda: torch.stft(real(9), 4), "return_complex"),
        (lambda: torch.imag(real(3)), "not implemented for tensors with non-complex dtypes"),
        (lambda: torch.view_as_complex(real(3)), "last dimension of size 2"),
        (lambda: torch.view_as_real(real(3)), "only supported for complex"),
    ],
)
def test_errors(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_short_time_transform_and_back():
    x, window = real(2, 100), torch.hann_window(16, dtype=torch.float64)
    y = torch.stft(x, 16, 4, window=window, return_complex=True)
    assert y.shape == (2, 9, 26)
    close(torch.istft(y, 16, 4, window=window, length=100), x)


def test_parts_of_complex_numbers_share_memory():
    z = comp(3, 4)
    z.real[0] = 0
    z.imag.mul_(2)
    assert (z[0].real == 0).all()
    pairs = torch.view_as_real(z)
    pairs[1, 1, 0] = 7
    assert z[1, 1].real == 7
    close(torch.view_as_complex(pairs), z)
    close(torch.view_as_real(z.T)[1, 0], pairs[0, 1])


def test_complex_gradients():
    z, r, t = comp(3).requires_grad_(), real(3).abs().requires_grad_(), real(3).requires_grad_()
    for f in (torch.real, torch.imag, torch.angle, torch.conj, torch.view_as_real, torch.abs):
        assert gradcheck(f, (z,))
        assert gradgradcheck(lambda x, f=f: f(x) if f is not torch.angle else f(x) * 1.0, (z,))
    assert gradcheck(torch.polar, (r, t))
    assert gradcheck(torch.complex, (r, t))


def test_in_place_on_a_part_is_differentiable():
    z = comp(3).requires_grad_()
    y = z * 1
    y.real.mul_(3)
    y.abs().sum().backward()
    wanted = (y / y.abs()).detach()
    close(z.grad, torch.complex(wanted.real * 3, wanted.imag))


def test_transformed_dimensions_lie_innermost():
    x, f = torch.ones(3, 4), torch.fft
    assert f.fft(x.mT.contiguous().mT).stride() == (4, 1)
    assert f.fft(x, dim=0).stride() == (1, 3)
    assert f.rfft(x, dim=0).stride() == (1, 2)
    assert f.irfft(x.mT.contiguous().mT + 0j).stride() == (6, 1)
    y = torch.ones(2, 3, 4)
    assert f.fftn(y, dim=(1, 0)).stride() == (3, 1, 6)
    assert f.fftn(y, dim=(2, 0)).stride() == (4, 8, 1)
    assert f.ihfftn(y).stride() == (3, 1, 6)


def test_signals_without_elements_have_no_spectrum():
    with pytest.raises(RuntimeError, match="cannot be empty"):
        torch.istft(torch.ones(0, 5, 5) * 1j, 8, 4)
    with pytest.raises(RuntimeError, match="non-empty signal"):
        torch.stft(torch.ones(0, 16), 8, 4, return_complex=True)


def test_one_size_is_a_number_of_points() -> None:
    for call in (torch.fft.fft, torch.fft.rfft, torch.fft.irfft, torch.fft.hfft):
        with pytest.raises(RuntimeError, match=r"Invalid number of data points \(-1\)"):
            call(torch.ones(4), -1)
    assert torch.fft.fftn(torch.ones(4, 4), (-1, 2)).shape == (4, 2)


@pytest.mark.parametrize("name", ["fft", "irfft", "ihfft", "fft2", "rfft2"])
def test_a_number_has_no_dimension_to_transform(name: str) -> None:
    with pytest.raises(IndexError, match="but tensor has no dimensions"):
        getattr(torch.fft, name)(torch.tensor(1.0))
