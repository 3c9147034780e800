"""Gradient clipping, and parameters as a vector."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import utils


def params(*grads: list[float] | None) -> list[nn.Parameter]:
    made = []
    for g in grads:
        p = nn.Parameter(torch.zeros(len(g or [0])))
        p.grad = None if g is None else torch.tensor(g)
        made.append(p)
    return made


@pytest.mark.parametrize(
    ("p", "norm"), [(2, 5.0), (1, 7.0), (float("inf"), 4.0), ("inf", 4.0), (3, 91 ** (1 / 3))]
)
def test_norm_is_that_of_one_long_vector(p: float, norm: float) -> None:
    ps = params([3.0], None, [-4.0, 0.0])
    assert utils.clip_grad_norm_(ps, 1e9, p).item() == pytest.approx(norm)
    assert ps[0].grad.item() == 3.0
    utils.clip_grad_norm_(ps, 0.5, p)
    grads = [q.grad for q in ps if q.grad is not None]
    assert utils.get_total_norm(grads, float(p)).item() == pytest.approx(0.5, rel=1e-5)


def test_a_single_tensor_or_a_generator() -> None:
    (p,) = params([3.0, 4.0])
    assert utils.clip_grad_norm_(p, 1.0).item() == 5.0
    np.testing.assert_allclose(p.grad.numpy(), [0.6, 0.8], rtol=1e-5)
    utils.clip_grad_norm_((q for q in [p]), 0.5)
    np.testing.assert_allclose(p.grad.numpy(), [0.3, 0.4], rtol=1e-5)


def test_nothing_to_clip() -> None:
    assert utils.clip_grad_norm_([], 1.0).item() == 0
    with pytest.warns(UserWarning, match="empty generator"):
        utils.clip_grad_norm_((p for p in []), 1.0)


def test_nonfinite() -> None:
    ps = params([float("inf")])
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
        utils.clip_grad_norm_(ps, 1.0, error_if_nonfinite=True)
    assert not utils.clip_grad_norm_(ps, 1.0).isfinite()


def test_value() -> None:
    ps = params([3.0, -0.5], None, [-9.0])
    utils.clip_grad_value_(ps, 1)
    assert ps[0].grad.tolist() == [1.0, -0.5]
    assert ps[2].grad.tolist() == [-1.0]


def test_old_name() -> None:
    with pytest.warns(FutureWarning, match="clip_grad_norm. is now deprecated"):
        utils.clip_grad_norm(params([3.0]), 1.0)


def test_clipping_keeps_the_dtype() -> None:
    p = nn.Parameter(torch.zeros(2, dtype=torch.float16))
    p.grad = torch.tensor([30.0, 40.0], dtype=torch.float16)
    utils.clip_grad_norm_(p, 1.0)
    assert p.grad.dtype is torch.float16


def test_vectors() -> None:
    m = nn.Linear(2, 3)
    v = utils.parameters_to_vector(m.parameters())
    assert v.shape == (9,)
    (v * v).sum().backward()
    np.testing.assert_allclose(m.bias.grad.numpy(), 2 * m.bias.detach().numpy())
    utils.vector_to_parameters(torch.arange(9.0), m.parameters())
    assert m.weight.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert m.weight.is_leaf
    with pytest.raises(TypeError, match=r"expected torch.Tensor, but got: list"):
        utils.vector_to_parameters([1.0], m.parameters())


@pytest.mark.parametrize("size", [3, 3000])
@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "mixed", "strided"])
def test_what_is_clipped_has_changed(kind: str, size: int) -> None:
    """Whatever way is taken: values, versions, and the returned norm's type."""
    dtype = torch.float32 if kind in ("mixed", "strided") else getattr(torch, kind)
    ps = [nn.Parameter(torch.zeros(size, 2, dtype=dtype)) for _ in range(3)]
    for p in ps:
        p.grad = torch.ones(size, 2, dtype=dtype)
    if kind == "mixed":
        ps[1] = nn.Parameter(torch.zeros(size, 2, dtype=torch.float64))
        ps[1].grad = torch.ones(size, 2, dtype=torch.float64)
    if kind == "strided":
        ps[1].grad = torch.ones(2 * size, 2)[::2]
    grads = [p.grad for p in ps]
    before = [g._version for g in grads]
    total = utils.clip_grad_norm_(ps, 1.0)
    assert total.item() == pytest.approx((6 * size) ** 0.5, rel=1e-2)
    assert total.dtype is (torch.float64 if kind == "mixed" else dtype)
    for g in grads:
        np.testing.assert_allclose(g.double().numpy(), (6 * size) ** -0.5, rtol=1e-2)
    utils.clip_grad_value_(ps, 1e-3)
    for g, version in zip(grads, before, strict=True):
        np.testing.assert_allclose(g.double().numpy(), 1e-3, rtol=1e-2)
        assert g._version == version + 2
        assert not g.requires_grad


def test_a_class_of_its_own_is_asked() -> None:
    asked = []

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    p = nn.Parameter(torch.zeros(2))
    p.grad = torch.tensor([3.0, 4.0]).as_subclass(Own)
    assert utils.clip_grad_norm_(p, 1.0).item() == pytest.approx(5)
    assert asked
